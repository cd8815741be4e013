/** Requests that never became whole: broken HTTP, headers too large or too slow. Their answers are written by hand. */
import { type Server, type ServerResponse, STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import type { ApiError } from '../../shared/api/resources.ts'
import { codeOf, hasCode } from '../../node/errors.ts'

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
  const body = JSON.stringify({ error: messageOf(status) } satisfies ApiError)
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

function messageOf(status: number): string {
  if (status === 431) return 'The headers are too large'
  if (status === 408) return 'The request did not arrive in time'
  return 'This is not a valid HTTP request'
}
