/** Finds and builds boxes of MP4 and QuickTime files in memory (ISO/IEC 14496-12, 4.2). */
import type { FileHandle } from 'node:fs/promises'
import { boxesIn } from '../../node/media-header/heif-boxes.ts'
import { makeBox } from '../make-box.ts'
import { readPart } from '../read-part.ts'

const MOST_BYTES = 256 * 1024 * 1024
const MOST_PARTS = 100_000

/** Reads a file's index: `moov` without its header. @returns undefined if there is none, or it can't be read */
export async function readMovie(file: FileHandle) {
  const { size: end } = await file.stat()
  for (let at = 0, parts = 0; at + 8 <= end && parts < MOST_PARTS; parts++) {
    const head = await readPart(file, at, Math.min(16, end - at))
    const short = head.readUInt32BE(0)
    const size = short === 1 ? Number(head.readBigUInt64BE(8)) : short === 0 ? end - at : short
    const length = short === 1 ? 16 : 8
    if (size < length) return undefined
    if (head.toString('latin1', 4, 8) === 'moov') {
      if (size > MOST_BYTES) return undefined
      return { at: at + length, body: await readPart(file, at + length, Math.min(size, end - at) - length) }
    }
    at += size
  }
  return undefined
}

export type Part = { readonly type: string; readonly body: Buffer }

const MOST_BOXES = 10_000
/** Maximum size of each box to read, and of all together. Cameras write far less. */
const MOST_BOX_BYTES = 16 * 1024 * 1024
const MOST_ROOT_BYTES = 4 * MOST_BOX_BYTES

/** Reads the top-level boxes of these types. Skips boxes over `MOST_BOX_BYTES`, and stops at `MOST_ROOT_BYTES`. */
export async function rootBoxes(file: FileHandle, types: readonly string[]): Promise<readonly Part[]> {
  const { size: end } = await file.stat()
  const found: Part[] = []
  let left = MOST_ROOT_BYTES
  for (let at = 0, boxes = 0; at + 8 <= end && boxes < MOST_BOXES && left > 0; boxes++) {
    const head = await readPart(file, at, Math.min(16, end - at))
    const [short, type] = [head.readUInt32BE(0), head.toString('latin1', 4, 8)]
    const length = short === 1 ? 16 : 8
    if (head.length < length) break
    const size = short === 1 ? Number(head.readBigUInt64BE(8)) : short
    if (size < length || at + size > end) break
    if (types.includes(type) && size <= Math.min(MOST_BOX_BYTES, left)) {
      left -= size
      found.push({ type, body: await readPart(file, at + length, size - length) })
    }
    at += size
  }
  return found
}

export const partsOf = (body: Buffer): readonly Part[] =>
  boxesIn(body, 0, body.length).map(({ type, body: from, end }) => ({ type, body: body.subarray(from, end) }))

/** Returns the contents of a movie's `trak` boxes. */
export const tracksOf = (movie: Buffer): readonly Buffer[] =>
  partsOf(movie)
    .filter(({ type }) => type === 'trak')
    .map(({ body }) => body)

/** Returns the content of a box within boxes: `partAt(track, 'mdia', 'hdlr')`. */
export function partAt(body: Buffer, type: string, ...rest: readonly string[]): Buffer | undefined {
  const found = partsOf(body).find((part) => part.type === type)?.body
  const [next, ...others] = rest
  return found === undefined || next === undefined ? found : partAt(found, next, ...others)
}

/** Rebuilds content, but with other boxes instead of those of certain types. */
export const changed = (body: Buffer, changes: Readonly<Record<string, (body: Buffer) => Buffer>>): Buffer =>
  Buffer.concat(partsOf(body).map((part) => changes[part.type]?.(part.body) ?? rebuilt(part)))

export const rebuilt = ({ type, body }: Part): Buffer => makeBox(type, body)

export const trackId = (track: Buffer): number | undefined => {
  const header = partAt(track, 'tkhd')
  return header?.readUInt32BE(header[0] === 1 ? 20 : 12)
}

/** Returns the ticks per second of a movie or of a track's media. @param header the content of its `mvhd` or `mdhd` */
export const ticksPerSecond = (header: Buffer): number => header.readUInt32BE(header[0] === 1 ? 20 : 12) || 1

/**
 * Yields the parts of a track's edit list (ISO/IEC 14496-12, 8.6.6): the length in the movie's ticks, the start in the media's ticks (-1 if
 * nothing is shown), and the speed in 65,536ths of the normal one.
 * @param list the content of an `elst`
 */
export function* editsIn(list: Buffer) {
  const isLong = list[0] === 1
  const bytes = isLong ? 20 : 12
  for (let at = 8; at + bytes <= list.length; at += bytes)
    yield {
      length: isLong ? Number(list.readBigUInt64BE(at)) : list.readUInt32BE(at),
      start: isLong ? Number(list.readBigInt64BE(at + 8)) : list.readInt32BE(at + 4),
      speed: list.readInt32BE(at + bytes - 4),
    }
}

/** Returns the kind of a track's media, such as `vide`, `soun` or `text`. */
export const handlerOf = (track: Buffer): string | undefined =>
  partAt(track, 'mdia', 'hdlr')?.toString('latin1', 8, 12)
