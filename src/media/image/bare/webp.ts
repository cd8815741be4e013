/** Removes everything from a WebP that isn't needed for its pixels, frames and colors (RFC 9649). */

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
const [HEAD_BYTES, CHUNK_HEAD_BYTES, FRAME_HEAD_BYTES] = [12, 8, 16]
const EXTENDED = 'VP8X'
/** Flags of the extended head for Exif and XMP. */
const DESCRIBED = 0x0c

/**
 * Returns the file with only the chunks for pixels and colors; undefined if the file isn't complete, or a frame has anything other than
 * pixels.
 */
export function bareWebp(file: Buffer): Buffer | undefined {
  const chunks = chunksIn(file, HEAD_BYTES, 8 + file.readUInt32LE(4))
  const kept = chunks?.filter(({ isForPixels }) => isForPixels)
  if (kept === undefined || !kept.every((chunk) => chunk.type !== 'ANMF' || hasOnlyPixels(file, chunk)))
    return undefined
  const bare = Buffer.concat([
    file.subarray(0, HEAD_BYTES),
    ...kept.map(({ at, end }) => file.subarray(at, end)),
  ])
  bare.writeUInt32LE(bare.length - CHUNK_HEAD_BYTES, 4)
  if (kept[0]?.type === EXTENDED) {
    const flags = HEAD_BYTES + CHUNK_HEAD_BYTES
    bare.writeUInt8(bare.readUInt8(flags) & ~DESCRIBED & 0xff, flags)
  }
  return bare
}

type Chunk = {
  readonly type: string
  readonly at: number
  readonly end: number
  readonly isForPixels: boolean
}

/** Returns whether a frame's own chunks are all for pixels. */
const hasOnlyPixels = (file: Buffer, { at, end }: Chunk): boolean =>
  chunksIn(file, at + CHUNK_HEAD_BYTES + FRAME_HEAD_BYTES, end)?.every((chunk) => chunk.isForPixels) === true

/** Returns the chunks; undefined if the last one doesn't end at `end`. */
function chunksIn(file: Buffer, start: number, end: number): readonly Chunk[] | undefined {
  const chunks: Chunk[] = []
  let at = start
  while (at + CHUNK_HEAD_BYTES <= end) {
    const [type, size] = [file.toString('latin1', at, at + 4), file.readUInt32LE(at + 4)]
    const next = at + CHUNK_HEAD_BYTES + size + (size % 2)
    chunks.push({ type, at, end: next, isForPixels: size <= (WANTED_PARTS.get(type) ?? -1) })
    at = next
  }
  return at === end && end <= file.length ? chunks : undefined
}
