/** Sends raw bytes over a socket, for HTTP that no proper client would send. */
import { connect } from 'node:net'
import { API_KEY } from './running-service.ts'

export type Reading = {
  /** Returns whether enough has arrived. Reading also stops when the connection closes or a whole response has arrived. */
  readonly until?: (text: string) => boolean
  /** Idle timeout in ms. */
  readonly patience?: number
  /** Reading also stops when this is aborted. */
  readonly stop?: AbortSignal
}

/** Sends the bytes and reads until the response is complete or the connection closes. */
export function rawRequest(
  port: number,
  bytes: string | Uint8Array,
  { until = isWhole, patience = 60_000, stop }: Reading = {},
): Promise<string> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = []
    const socket = connect({ port, host: '127.0.0.1' })
    const finish = () => {
      socket.destroy()
      resolve(Buffer.concat(chunks).toString('latin1'))
    }
    socket.setTimeout(patience, finish)
    stop?.addEventListener('abort', finish)
    socket.on('data', (chunk) => {
      chunks.push(chunk)
      if (until(Buffer.concat(chunks).toString('latin1'))) finish()
    })
    socket.on('close', finish)
    socket.on('error', finish)
    socket.write(bytes)
  })
}

/**
 * The beginning of a request with the key.
 * @param request such as `POST /api/jobs`
 */
export const authorized = (port: number, request: string): string =>
  `${request} HTTP/1.1\r\nHost: localhost:${port}\r\nAuthorization: Bearer ${API_KEY}\r\n`

/** Returns whether a response with a known length is complete. */
function isWhole(text: string): boolean {
  const end = text.indexOf('\r\n\r\n')
  const length = /^content-length: (\d+)/im.exec(text)?.[1]
  return end >= 0 && length !== undefined && text.length >= end + 4 + Number(length)
}

export const statusOf = (answer: string): number => Number(/^HTTP\/1\.1 (\d{3})/.exec(answer)?.[1] ?? 0)

export const bodyOf = (answer: string): string => answer.slice(answer.indexOf('\r\n\r\n') + 4)
