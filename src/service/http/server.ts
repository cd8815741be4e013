/**
 * The HTTP side of the API (sections 4, 5 and 7) on fastify. It knows how requests look and how answers are written;
 * what they mean is the business of the queue, the presets and the drive.
 */
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import { MAX_JSON_BYTES } from '../../shared/api/limits.ts'
import { answerTo, answerToDenial } from './error-answers.ts'
import { createGuard, type Denial, type Guard } from './guard.ts'
import { createServer } from './node-http.ts'
import {
  type BodyRule,
  closeUnlessComplete,
  createBrokenRequests,
  finishReading,
  tooLargeFor,
} from './request-body.ts'
import { addJobRoute, addReadingRoutes, addUploadRoute, type RouteOptions } from './routes.ts'

/** How long a client may take, in ms. */
export type Timeouts = {
  /** For all headers of a request. */
  readonly headers: number
  /** Between two pieces of anything, in either direction, before the connection is closed. */
  readonly stalled: number
  /** For a body that is not an upload, and for the rest of a body that was answered before its end. */
  readonly body: number
  /** For a whole request, uploads included. */
  readonly request: number
}

export const DEFAULT_TIMEOUTS: Timeouts = {
  headers: 10_000,
  stalled: 60_000,
  body: 20_000,
  request: 60 * 60 * 1000,
}

export type ServerOptions = RouteOptions & {
  readonly apiKey: string
  readonly log: (message: string) => void
  readonly timeouts?: Timeouts
}

/** No route has a schema of fastify's, whose compilers are then not loaded: what a request says is checked with zod. */
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

export function createHttpServer(options: ServerOptions): FastifyInstance {
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
    // An address that can't even be decoded comes past the hooks, so the key is asked for here as well.
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
          // Checked by the guard, which answers with an Error body.
          requireHostHeader: false,
          headersTimeout: timeouts.headers,
          requestTimeout: timeouts.request,
          connectionsCheckingInterval: Math.min(5_000, timeouts.headers),
          keepAliveTimeout: 72_000,
        },
        handler,
      )
      // The client is told to go on only when its request has been found good.
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
  server.setNotFoundHandler((_request, reply) => reply.status(404).send({ error: 'There is no such route' }))

  server.removeAllContentTypeParsers()
  void server.register((routes) => addReadingRoutes(routes, options), { prefix: PREFIX })
  void server.register((routes) => addJobRoute(routes, options), { prefix: PREFIX })
  void server.register((routes) => addUploadRoute(routes, options), { prefix: PREFIX })
  return server
}

/** The key comes before everything else; only the health of the service is told without it. */
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
