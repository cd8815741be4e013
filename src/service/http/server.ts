/**
 * The HTTP side of the API (sections 4, 5 and 7) on fastify. It parses requests and writes responses; the queue, the presets and
 * the drive do the work.
 */
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import { failure } from '../../shared/failure/failure.ts'
import { reported } from '../../shared/api/reported.ts'
import { MAX_JSON_BYTES } from '../../shared/api/limits.ts'
import { answerTo, answerToDenial } from './error-answers.ts'
import { createGuard, type Denial, type Guard } from './guard.ts'
import { createServer } from '../../node/node-http.ts'
import {
  type BodyRule,
  closeUnlessComplete,
  createBrokenRequests,
  finishReading,
  tooLargeFor,
} from './request-body.ts'
import { addJobRoute, addReadingRoutes, addUploadRoute, type RouteOptions } from './routes.ts'

/** Time limits for clients, in ms. */
export type Timeouts = {
  /** For all headers of a request. */
  readonly headers: number
  /** The longest pause within a transfer in either direction. */
  readonly stalled: number
  /** For a body that isn't an upload, and for the unread rest of a body after an early response. */
  readonly body: number
  /** For a whole request, including uploads. */
  readonly request: number
}

export const DEFAULT_TIMEOUTS: Timeouts = {
  headers: 10_000,
  stalled: 60_000,
  body: 20_000,
  request: 60 * 60 * 1000,
}

/** fastify's schema compilers aren't loaded, because routes don't use them. Zod validates the requests. */
const NO_SCHEMAS = {
  buildValidator: () => noCompiler,
  buildSerializer: () => noCompiler,
}
function noCompiler(): never {
  throw new Error('A route may have no schema.')
}

const PREFIX = '/api'
const HEALTH = `${PREFIX}/health`
const UPLOAD = `${PREFIX}/upload`

export function createHttpServer(
  options: RouteOptions & {
    readonly apiKey: string
    readonly log: (message: string) => void
    readonly timeouts?: Timeouts
  },
): FastifyInstance {
  const { timeouts = DEFAULT_TIMEOUTS } = options
  const guard = createGuard(options.apiKey)
  const brokenRequests = createBrokenRequests()
  const server = Fastify({
    logger: false,
    schemaController: { compilersFactory: NO_SCHEMAS },
    exposeHeadRoutes: false,
    forceCloseConnections: true,
    return503OnClosing: false,
    bodyLimit: MAX_JSON_BYTES,
    routerOptions: { maxParamLength: 4_096 },
    clientErrorHandler: (error, socket) => brokenRequests.answer(error, socket),
    // Some invalid URLs bypass the hooks, so the key and the origin are checked here too.
    frameworkErrors: (error, request, reply) => {
      const denial = denialOf(guard, request)
      const { status, body } = denial ? answerToDenial(denial) : answerTo(error)
      reply.hijack()
      reply.raw
        .writeHead(status, { 'content-type': 'application/json; charset=utf-8' })
        .end(JSON.stringify(body))
    },
    serverFactory: (handler) => {
      const http = createServer(
        {
          // The guard checks the header and responds with an Error body.
          requireHostHeader: false,
          headersTimeout: timeouts.headers,
          requestTimeout: timeouts.request,
          connectionsCheckingInterval: Math.min(5_000, timeouts.headers),
          keepAliveTimeout: 72_000,
        },
        handler,
      )
      // Handled like other requests, so that 100 Continue is sent only after the `onRequest` hook has accepted the headers.
      http.on('checkContinue', handler)
      http.on('checkExpectation', handler)
      http.setTimeout(timeouts.stalled)
      brokenRequests.watch(http)
      return http
    },
  })

  server.addHook('onRequest', (request, reply, done) => {
    const denial = denialOf(guard, request)
    if (denial) {
      sendDenial(reply, denial)
      return
    }
    const rule = bodyRuleOf(request)
    const tooLarge = tooLargeFor(request, rule)
    if (rule === 'json') closeUnlessComplete(request, timeouts.body)
    done(tooLarge)
  })
  server.addHook('preParsing', (request, reply, payload, done) => {
    if (request.headers.expect?.toLowerCase() === '100-continue') reply.raw.writeContinue()
    done(null, payload)
  })
  server.addHook('onResponse', (request, _reply, done) => {
    finishReading(request, timeouts.body)
    done()
  })

  server.setErrorHandler((error, request, reply) => {
    const { status, body } = answerTo(error)
    if (status >= 500)
      options.log(`${request.method} ${request.routeOptions.url ?? ''} failed: ${String(error)}`)
    return reply.status(status).send(body)
  })
  server.setNotFoundHandler((_request, reply) => reply.status(404).send(reported(failure('routeUnknown'))))

  server.removeAllContentTypeParsers()
  void server.register((routes) => addReadingRoutes(routes, options), { prefix: PREFIX })
  void server.register((routes) => addJobRoute(routes, options), { prefix: PREFIX })
  void server.register((routes) => addUploadRoute(routes, options), { prefix: PREFIX })
  return server
}

/** Returns why a request is denied; undefined if it is allowed. Checks the key first. Only the health route works without a key. */
function denialOf(guard: Guard, request: FastifyRequest): Denial | undefined {
  const isOpen = request.method === 'GET' && pathOf(request) === HEALTH
  const { headers, socket } = request.raw
  return (isOpen ? undefined : guard.checkKey(headers)) ?? guard.checkOrigin(headers, socket.localPort ?? 0)
}

function sendDenial(reply: FastifyReply, denial: Denial): void {
  const { status, body } = answerToDenial(denial)
  if (status === 401) void reply.header('www-authenticate', 'Bearer')
  void reply.status(status).send(body)
}

const pathOf = (request: FastifyRequest): string => request.url.split('?', 1)[0] ?? ''

const bodyRuleOf = (request: FastifyRequest): BodyRule =>
  request.method === 'POST' && pathOf(request) === UPLOAD ? 'upload' : 'json'
