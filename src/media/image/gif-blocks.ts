/** Reads the blocks of a GIF (GIF89a, sections 12 to 27), and splits it into frames. */
import type { FramePart } from './compose-frames.ts'

export const [EXTENSION, IMAGE] = [0x21, 0x2c]
const CONTROL = 0xf9
const SCREEN_BYTES = 13
const MOST_BLOCKS = 1_000_000

export const looksLikeGif = (head: Buffer): boolean => /^GIF8[79]a$/.test(head.toString('latin1', 0, 6))

export type GifBlock = {
  /** The label of an extension; undefined for an image. */
  readonly label?: number | undefined
  readonly at: number
  /** Beyond the end of the file if the block isn't complete. */
  readonly end: number
  /** The content, in the file's sub-blocks. */
  readonly parts: readonly Buffer[]
}

export function* gifBlocks(file: Buffer): Generator<GifBlock> {
  let at = SCREEN_BYTES + tableBytes(file[10] ?? 0)
  for (let left = MOST_BLOCKS; at < file.length && left > 0; left--) {
    const isImage = file[at] === IMAGE
    if (!isImage && file[at] !== EXTENSION) return
    const { parts, end } = partsFrom(file, isImage ? at + 11 + tableBytes(file[at + 9] ?? 0) : at + 2)
    yield { label: isImage ? undefined : file[at + 1], at, end, parts }
    at = end
  }
}

/** Returns the end of the file's content: after the trailer, or at the end of the file if there is no trailer. */
export function endOfGif(file: Buffer): number {
  let end = file.length
  for (const block of gifBlocks(file)) end = block.end
  return file[end] === TRAILER[0] ? end + 1 : file.length
}

/**
 * Returns whether the file ends within a block, so that decoders omit frames. A missing trailer alone doesn't count, because some programs
 * omit it.
 */
export const isCutGif = (file: Buffer): boolean => gifBlocks(file).some(({ end }) => end > file.length)

const tableBytes = (flags: number): number => ((flags & 0x80) === 0 ? 0 : 3 * 2 ** ((flags & 7) + 1))

function partsFrom(file: Buffer, start: number): Pick<GifBlock, 'parts' | 'end'> {
  const parts: Buffer[] = []
  let at = start
  while (at < file.length) {
    const length = file[at] ?? 0
    if (length === 0) return { parts, end: at + 1 }
    parts.push(file.subarray(at + 1, at + 1 + length))
    at += 1 + length
  }
  return { parts, end: file.length + 1 }
}

const LONGEST_PART = 255

/** Splits data into parts, each with its length before it, and an empty part at the end. */
export function inParts(data: Buffer): readonly Buffer[] {
  const parts: Buffer[] = []
  for (let at = 0; at < data.length; at += LONGEST_PART) {
    const part = data.subarray(at, at + LONGEST_PART)
    parts.push(Buffer.from([part.length]), part)
  }
  return [...parts, Buffer.alloc(1)]
}

const AFTER = ['keep', 'keep', 'clear', 'restore'] as const
const [DISPOSAL, DISPOSAL_BITS] = [0x1c, 2]
const TRAILER = Buffer.from([0x3b])

/**
 * Returns each frame as a separate GIF.
 * @throws RangeError if the file ends too early
 */
export function partsOfGif(file: Buffer): readonly FramePart[] {
  const screen = Buffer.from(file.subarray(0, SCREEN_BYTES + tableBytes(file.readUInt8(10))))
  const frames: FramePart[] = []
  let control = Buffer.alloc(0)
  for (const { label, at, end } of gifBlocks(file)) {
    if (label === CONTROL) control = Buffer.from(file.subarray(at, end))
    if (label !== undefined) continue
    const [left, top, width, height] = [1, 3, 5, 7].map((offset) => file.readUInt16LE(at + offset))
    const [own, image] = [screen, file.subarray(at, end)].map((bytes) => Buffer.from(bytes))
    if (own === undefined || image === undefined) continue
    for (const [side, value = 0] of [width, height].entries()) own.writeUInt16LE(value, 6 + side * 2)
    image.writeUInt32LE(0, 1)
    frames.push({
      left: left ?? 0,
      top: top ?? 0,
      width: width ?? 0,
      height: height ?? 0,
      file: Buffer.concat([own, control, image, TRAILER]),
      after: AFTER[((control[3] ?? 0) & DISPOSAL) >> DISPOSAL_BITS] ?? 'keep',
      covers: false,
    })
    control = Buffer.alloc(0)
  }
  return frames
}
