/** Removes everything from a WebP that isn't needed for its pixels, frames and colors (RFC 9649). */
import { bytesOf } from '../../metadata/exif-directories.ts'
import { WEBP_HEAD_BYTES, type WebpChunk, webpChunks } from '../webp-chunks.ts'

/** Chunks for pixels and colors, each with its largest allowed length. A longer chunk could hold other data at its end. */
const WANTED_PARTS: ReadonlyMap<string, number> = new Map([
  ['VP8 ', Infinity],
  ['VP8L', Infinity],
  ['VP8X', 10],
  ['ALPH', Infinity],
  ['ANIM', 6],
  ['ANMF', Infinity],
  ['ICCP', Infinity],
])
const FRAME_HEAD_BYTES = 16
const EXTENDED = 'VP8X'
/** Offset of the flags of the extended head, and the flags for Exif and XMP. */
const [FLAGS_AT, DESCRIBED] = [WEBP_HEAD_BYTES + 8, 0x0c]

/**
 * Returns the file with only the chunks for pixels and colors; undefined if the file isn't complete, or a frame has anything other than
 * pixels.
 */
export function bareWebp(file: Buffer): Buffer | undefined {
  const kept = chunksIn(file, WEBP_HEAD_BYTES, 8 + file.readUInt32LE(4))?.filter(isForPixels)
  if (kept === undefined || !kept.every((chunk) => chunk.type !== 'ANMF' || hasOnlyPixels(file, chunk)))
    return undefined
  const bare = Buffer.concat([
    file.subarray(0, WEBP_HEAD_BYTES),
    ...kept.map(({ at, end }) => file.subarray(at, end)),
  ])
  bare.writeUInt32LE(bare.length - 8, 4)
  if (kept[0]?.type === EXTENDED) bare.writeUInt8(bare.readUInt8(FLAGS_AT) & ~DESCRIBED & 0xff, FLAGS_AT)
  return bare
}

const isForPixels = ({ type, size }: WebpChunk): boolean => size <= (WANTED_PARTS.get(type) ?? -1)

/** Returns whether a frame's own chunks are all for pixels. */
const hasOnlyPixels = (file: Buffer, { body, end }: WebpChunk): boolean =>
  chunksIn(file, body + FRAME_HEAD_BYTES, end)?.every(isForPixels) === true

/** Returns the chunks; undefined if the last one doesn't end at `end`. */
function chunksIn(file: Buffer, start: number, end: number): readonly WebpChunk[] | undefined {
  const chunks = [...webpChunks(bytesOf(file), start, end)]
  return end <= file.length && (chunks.at(-1)?.end ?? start) === end ? chunks : undefined
}
