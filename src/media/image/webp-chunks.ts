import type { ByteSource } from '../metadata/exif-directories.ts'

/** A chunk's type, and the offsets of its head, of its content and of the next chunk. */
export type WebpChunk = {
  readonly type: string
  readonly at: number
  readonly body: number
  /** Bytes of the content, without padding. */
  readonly size: number
  readonly end: number
}

/** Bytes before the first chunk. */
export const WEBP_HEAD_BYTES = 12
/** Bytes before the first chunk of a frame. */
export const FRAME_HEAD_BYTES = 16

/**
 * Yields the chunks of a WebP (RFC 9649, 2.3). The last one may be incomplete.
 * @param from offset of the first one; in an animation, each frame has its own chunks
 */
export function* webpChunks(
  webp: ByteSource,
  from = WEBP_HEAD_BYTES,
  to = webp.length,
): Generator<WebpChunk> {
  for (let at = from; at + 8 <= to;) {
    const head = webp.read(at, 8)
    if (head.length < 8) return
    const [type, size, body] = [head.toString('latin1', 0, 4), head.readUInt32LE(4), at + 8]
    const end = body + size + (size % 2)
    yield { type, at, body, size, end }
    at = end
  }
}
