/** What holds for the body of a request whatever it contains: how large it may be, and how long it may take. */
import type { FastifyRequest } from 'fastify'
import { MAX_JSON_BYTES, MAX_UPLOAD_BYTES } from '../../shared/api/limits.ts'
import { Refusal } from '../queue/index.ts'

export type BodyRule = 'json' | 'upload'

/** A length that was announced is refused before a byte of it is read; others are counted as they come. */
export function tooLargeFor(request: FastifyRequest, rule: BodyRule): Refusal | undefined {
  const length = Number(request.headers['content-length'] ?? 0)
  if (rule === 'upload') {
    return length > MAX_UPLOAD_BYTES ? new Refusal(400, 'The file is larger than 500 MiB') : undefined
  }
  return length > MAX_JSON_BYTES ? new Refusal(400, 'The body is larger than 64 KiB') : undefined
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
