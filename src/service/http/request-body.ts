/**
 * What holds for a request whatever it contains: how large it may be, how long it may take, and what it is answered when it
 * never becomes whole.
 */
import type { FastifyRequest } from 'fastify'
import type { Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { codeOf, hasCode } from '../../node/errors.ts'
import { MAX_JSON_BYTES, MAX_UPLOAD_BYTES } from '../../shared/api/limits.ts'
import type { ApiError } from '../../shared/api/resources.ts'
import { HttpError } from '../queue/index.ts'
import { STATUS_CODES } from './node-http.ts'

export type BodyRule = 'json' | 'upload'

/** A length that was announced is refused before a byte of it is read; others are counted as they come. */
export function tooLargeFor(request: FastifyRequest, rule: BodyRule): HttpError | undefined {
  const length = Number(request.headers['content-length'] ?? 0)
  if (rule === 'upload') {
    return length > MAX_UPLOAD_BYTES ? new HttpError(400, 'The file is larger than 500 MiB') : undefined
  }
  return length > MAX_JSON_BYTES ? new HttpError(400, 'The body is larger than 64 KiB') : undefined
}

/** Closing at once would take the answer from a client that is still sending: what it sends is thrown away for a while. */
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

/** Answers requests that never became whole: broken HTTP, headers too large or too slow. They are written by hand. */
export type BrokenRequests = {
  /** Keeps in mind what each connection was answered last. */
  watch(server: Server): void
  /** For the server's `clientError`. */
  answer(error: Error, socket: Socket): void
}

export function createBrokenRequests(): BrokenRequests {
  const lastAnswers = new WeakMap<Socket, ServerResponse>()

  const remember = (_request: unknown, response: ServerResponse) => {
    if (response.socket) lastAnswers.set(response.socket, response)
  }

  return {
    watch(server) {
      for (const event of ['request', 'checkContinue', 'checkExpectation'])
        server.prependListener(event, remember)
    },
    answer(error, socket) {
      if (hasCode(error, 'ECONNRESET') || !socket.writable) {
        socket.destroy()
        return
      }
      const mayAnswer = !isAnswered(lastAnswers.get(socket))
      socket.end(mayAnswer ? answerText(statusOf(error)) : '', () => socket.destroy())
    },
  }
}

/** Whether the request that broke has its answer: a second one would be taken for that of the next request. */
function isAnswered(last: ServerResponse | undefined): boolean {
  if (!last?.headersSent) return false
  const isOver = last.writableFinished && last.req.complete
  return !isOver
}

function answerText(status: number): string {
  const body = JSON.stringify({ error: brokenRequestMessage(status) } satisfies ApiError)
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

function brokenRequestMessage(status: number): string {
  if (status === 431) return 'The headers are too large'
  if (status === 408) return 'The request did not arrive in time'
  return 'This is not a valid HTTP request'
}
