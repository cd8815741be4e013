/** Removes everything from a WebP that isn't needed for its pixels, frames and colors (RFC 9649). */
import { bytesOf } from '../../metadata/exif-directories.ts'
import { FRAME_HEAD_BYTES, WEBP_HEAD_BYTES, type WebpChunk, webpChunks } from '../webp-chunks.ts'

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
const EXTENDED = 'VP8X'
/** Offset of the flags of the extended head, and the flags for Exif and XMP. */
const [FLAGS_AT, DESCRIBED] = [WEBP_HEAD_BYTES + 8, 0x0c]

/** Returns the file with only the chunks for pixels and colors; undefined if the file or a frame isn't complete. */
export function bareWebp(file: Buffer): Buffer | undefined {
  const kept = chunksIn(file, WEBP_HEAD_BYTES, 8 + file.readUInt32LE(4))?.filter(isForPixels)
  const parts = kept?.map((chunk) =>
    chunk.type === 'ANMF' ? bareFrame(file, chunk) : file.subarray(chunk.at, chunk.end),
  )
  if (kept === undefined || !parts?.every((part) => part !== undefined)) return undefined
  const bare = Buffer.concat([file.subarray(0, WEBP_HEAD_BYTES), ...parts])
  bare.writeUInt32LE(bare.length - 8, 4)
  if (kept[0]?.type === EXTENDED) bare.writeUInt8(bare.readUInt8(FLAGS_AT) & ~DESCRIBED & 0xff, FLAGS_AT)
  return bare
}

const isForPixels = ({ type, size }: WebpChunk): boolean => size <= (WANTED_PARTS.get(type) ?? -1)

function bareFrame(file: Buffer, { at, body, end }: WebpChunk): Buffer | undefined {
  const kept = chunksIn(file, body + FRAME_HEAD_BYTES, end)?.filter(isForPixels)
  if (kept === undefined) return undefined
  const frame = Buffer.concat([
    file.subarray(at, body + FRAME_HEAD_BYTES),
    ...kept.map((chunk) => file.subarray(chunk.at, chunk.end)),
  ])
  frame.writeUInt32LE(frame.length - (body - at), 4)
  return frame
}

/** Returns the chunks; undefined if the last one doesn't end at `end`, or if the file ends before it. */
function chunksIn(file: Buffer, start: number, end: number): readonly WebpChunk[] | undefined {
  const chunks = [...webpChunks(bytesOf(file), start, end)]
  return end <= file.length && (chunks.at(-1)?.end ?? start) === end ? chunks : undefined
}
