/** HTTP as bytes on a socket, for what no proper client would send. */
import { connect } from 'node:net'

export type Reading = {
  /** When enough has come, unless the service closes the connection or has sent a whole answer before. */
  readonly until?: (text: string) => boolean
  /** ms of silence after which nothing more is waited for. */
  readonly patience?: number
}

/** Sends, and reads until there is a whole answer or the connection is closed. */
export function rawRequest(
  port: number,
  bytes: string | Uint8Array,
  { until = isWhole, patience = 60_000 }: Reading = {},
): Promise<string> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = []
    const socket = connect({ port, host: '127.0.0.1' })
    const finish = () => {
      socket.destroy()
      resolve(Buffer.concat(chunks).toString('latin1'))
    }
    socket.setTimeout(patience, finish)
    socket.on('data', (chunk) => {
      chunks.push(chunk)
      if (until(Buffer.concat(chunks).toString('latin1'))) finish()
    })
    socket.on('close', finish)
    socket.on('error', finish)
    socket.write(bytes)
  })
}

/** Whether an answer with a known length has arrived to its end. */
function isWhole(text: string): boolean {
  const end = text.indexOf('\r\n\r\n')
  const length = /^content-length: (\d+)/im.exec(text)?.[1]
  return end >= 0 && length !== undefined && text.length >= end + 4 + Number(length)
}

export const statusOf = (answer: string): number => Number(/^HTTP\/1\.1 (\d{3})/.exec(answer)?.[1] ?? 0)

export const bodyOf = (answer: string): string => answer.slice(answer.indexOf('\r\n\r\n') + 4)
