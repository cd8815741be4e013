import { createHash } from 'node:crypto'
import { openRegular } from '../../node/open-regular.ts'
import { printOf } from './print.ts'

/** Number of bytes to hash at a time. This takes less than a millisecond, so the event loop isn't blocked. */
const CHUNK_BYTES = 256 * 1024

/**
 * Returns the SHA-256 of a file's content.
 * @param print the expected print
 * @returns undefined if the file has another print before or afterwards, can't be read, or the signal aborts
 */
export async function hashContent(
  path: string,
  print: string,
  { clock, signal }: { readonly clock: () => number; readonly signal?: AbortSignal | undefined },
): Promise<Uint8Array | undefined> {
  await using file = await openRegular(path, 'follow').catch(() => undefined)
  if (file === undefined) return undefined
  const isSame = async () => printOf(await file.stat({ bigint: true }), clock())?.print === print
  try {
    if (!(await isSame())) return undefined
    const hash = createHash('sha256')
    const buffer = Buffer.allocUnsafe(CHUNK_BYTES)
    for (;;) {
      if (signal?.aborted === true) return undefined
      const { bytesRead } = await file.read(buffer, 0, CHUNK_BYTES)
      if (bytesRead === 0) break
      hash.update(buffer.subarray(0, bytesRead))
    }
    return (await isSame()) ? hash.digest() : undefined
  } catch {
    return undefined
  }
}
