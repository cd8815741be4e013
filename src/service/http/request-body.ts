/** Limits the size and the time of every request body, and responds to requests that Node rejects. */
import { failure } from '../../shared/failure/failure.ts'
import type { FastifyRequest } from 'fastify'
import type { Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { codeOf, hasCode } from '../../node/errors.ts'
import { MAX_JSON_BYTES, MAX_UPLOAD_BYTES } from '../../shared/api/limits.ts'
import type { ApiError } from '../../shared/api/resources.ts'
import { reported } from '../../shared/api/reported.ts'
import { HttpError } from '../queue/index.ts'
import { STATUS_CODES } from '../../node/node-http.ts'

export type BodyRule = 'json' | 'upload'

/** Returns an error if a body's declared length is too large. Bodies without a declared length are counted while they arrive. */
export function tooLargeFor(request: FastifyRequest, rule: BodyRule): HttpError | undefined {
  const length = Number(request.headers['content-length'] ?? 0)
  if (rule === 'upload') {
    return length > MAX_UPLOAD_BYTES ? new HttpError(400, failure('uploadTooLarge')) : undefined
  }
  return length > MAX_JSON_BYTES ? new HttpError(400, failure('bodyTooLarge')) : undefined
}

/**
 * Reads and discards the rest of the body for a while. Closing immediately could lose the response for a client that is still
 * sending.
 */
export function finishReading(request: FastifyRequest, patience: number): void {
  if (request.raw.complete) return
  request.raw.resume()
  closeUnlessComplete(request, patience)
}

export function closeUnlessComplete(request: FastifyRequest, patience: number): void {
  const { raw } = request
  if (raw.complete || !mayHaveBody(request)) return
  const timer = setTimeout(() => {
    if (!raw.complete) raw.socket.destroy()
  }, patience)
  timer.unref()
  raw.once('close', () => clearTimeout(timer))
}

const mayHaveBody = ({ headers }: FastifyRequest): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0

/** Responds to requests that Node rejects before they reach a route: invalid HTTP, or headers that are too large or too slow. */
export function createBrokenRequests() {
  const lastAnswers = new WeakMap<Socket, ServerResponse>()

  const remember = (_request: unknown, response: ServerResponse) => {
    if (response.socket) lastAnswers.set(response.socket, response)
  }

  return {
    /** Remembers the last response on each connection. */
    watch(server: Server) {
      for (const event of ['request', 'checkContinue', 'checkExpectation'])
        server.prependListener(event, remember)
    },
    /** Handles the server's `clientError`. */
    answer(error: Error, socket: Socket) {
      if (hasCode(error, 'ECONNRESET') || !socket.writable) {
        socket.destroy()
        return
      }
      const mayAnswer = !isAnswered(lastAnswers.get(socket))
      socket.end(mayAnswer ? answerText(statusOf(error)) : '', () => socket.destroy())
    },
  }
}

/** Returns whether the broken request already has a response. The client would treat a second one as the response to its next request. */
function isAnswered(last: ServerResponse | undefined): boolean {
  if (!last?.headersSent) return false
  const isOver = last.writableFinished && last.req.complete
  return !isOver
}

function answerText(status: number): string {
  const body = JSON.stringify(reported(failure(brokenRequestCode(status))) satisfies ApiError)
  return (
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nContent-Type: application/json; charset=utf-8\r\n` +
    `Content-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`
  )
}

function statusOf(error: Error): number {
  const code = codeOf(error)
  if (code === 'HPE_HEADER_OVERFLOW') return 431
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return 408
  return 400
}

function brokenRequestCode(status: number) {
  if (status === 431) return 'headersTooLarge'
  return status === 408 ? 'requestTooSlow' : 'requestNotHttp'
}
