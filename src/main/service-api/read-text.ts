import type { Answer } from './exchange.ts'
import type { Deadline } from './deadline.ts'

export type ReadText =
  | { readonly ok: true; readonly text: string }
  | { readonly ok: false; readonly why: 'tooLong' }
  | { readonly ok: false; readonly why: 'broken'; readonly cause: unknown }

/** Reads a JSON body as text, but never more than `limit` bytes of it: what answers may not be what we think it is. */
export async function readText(answer: Answer, limit: number, deadline: Deadline): Promise<ReadText> {
  const chunks: Buffer[] = []
  let length = 0
  try {
    for await (const chunk of answer.body) {
      if (!(chunk instanceof Uint8Array)) continue
      length += chunk.byteLength
      if (length > limit) {
        // Leaving the loop destroys the body, and with it the connection.
        return { ok: false, why: 'tooLong' }
      }
      chunks.push(Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength))
      deadline.touch()
    }
    return { ok: true, text: Buffer.concat(chunks, length).toString('utf8') }
  } catch (cause) {
    return { ok: false, why: 'broken', cause }
  }
}
