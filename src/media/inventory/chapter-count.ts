/** Counts the chapters of MP4, QuickTime and Matroska files. The binding of FFmpeg doesn't report them. */
import { type FileHandle, open } from 'node:fs/promises'

/** Larger indexes aren't searched. */
const MOST_BYTES = 64 * 1024 * 1024
const MOST_PARTS = 100_000

export async function chapterCount(path: string): Promise<number> {
  await using file = await open(path)
  try {
    const head = await read(file, 0, 12)
    if (head.readUInt32BE(0) === 0x1a45dfa3) return await chaptersOfMatroska(file)
    if (/^(?:ftyp|moov|mdat|wide|free|skip)$/.test(head.toString('latin1', 4, 8)))
      return await chaptersOfMp4(file)
    return 0
  } catch (error) {
    // The file ends within a part, so the index is damaged.
    if (error instanceof RangeError) return 0
    throw error
  }
}

async function read(file: FileHandle, at: number, length: number): Promise<Buffer> {
  const { buffer, bytesRead } = await file.read(Buffer.allocUnsafe(length), 0, length, at)
  if (bytesRead < length) throw new RangeError('The file ends early')
  return buffer
}

async function chaptersOfMp4(file: FileHandle): Promise<number> {
  const { size: end } = await file.stat()
  for (let at = 0, parts = 0; at + 8 <= end && parts < MOST_PARTS; parts++) {
    const head = await read(file, at, Math.min(16, end - at))
    const short = head.readUInt32BE(0)
    const size = short === 1 ? Number(head.readBigUInt64BE(8)) : short === 0 ? end - at : short
    if (size < 8) return 0
    if (head.toString('latin1', 4, 8) === 'moov') {
      const movie = await read(file, at, Math.min(size, end - at, MOST_BYTES))
      return Math.max(listedIn(movie), chapterTrackIn(movie))
    }
    at += size
  }
  return 0
}

type Box = { readonly type: string; readonly body: Buffer }

function boxesIn(body: Buffer): readonly Box[] {
  const boxes: Box[] = []
  for (let at = 0; at + 8 <= body.length;) {
    const size = body.readUInt32BE(at)
    if (size < 8) break
    boxes.push({ type: body.toString('latin1', at + 4, at + 8), body: body.subarray(at + 8, at + size) })
    at += size
  }
  return boxes
}

const boxAt = (body: Buffer, [type, ...rest]: readonly string[]): Buffer | undefined => {
  const found = boxesIn(body).find((box) => box.type === type)?.body
  return found === undefined || rest.length === 0 ? found : boxAt(found, rest)
}

/** Nero's list of chapters: `moov/udta/chpl`. */
function listedIn(movie: Buffer): number {
  const list = boxAt(movie.subarray(8), ['udta', 'chpl'])
  return list === undefined ? 0 : list.readUInt8(8)
}

/** QuickTime's track of chapter titles, to which another track refers. */
function chapterTrackIn(movie: Buffer): number {
  const tracks = boxesIn(movie.subarray(8)).filter(({ type }) => type === 'trak')
  const ids = new Set(
    tracks.flatMap(({ body }) => {
      const reference = boxAt(body, ['tref', 'chap'])
      return reference === undefined ? [] : [reference.readUInt32BE(0)]
    }),
  )
  const track = tracks.find(({ body }) => {
    const header = boxAt(body, ['tkhd'])
    return header !== undefined && ids.has(header.readUInt32BE(header[0] === 1 ? 20 : 12))
  })
  const times = track && boxAt(track.body, ['mdia', 'minf', 'stbl', 'stts'])
  if (times === undefined) return 0
  let count = 0
  for (let at = 8; at + 8 <= times.length; at += 8) count += times.readUInt32BE(at)
  return count
}

const SEGMENT = 0x18538067
const CHAPTERS = 0x1043a770
const CHAPTER_ATOM = 0xb6
/** Elements that contain chapters: Chapters and EditionEntry. */
const EDITION = 0x45b9

async function chaptersOfMatroska(file: FileHandle): Promise<number> {
  const { size: end } = await file.stat()
  let at = 0
  for (let parts = 0; at + 12 <= end && parts < MOST_PARTS; parts++) {
    const { id, start, size } = elementAt(await read(file, at, Math.min(12, end - at)), 0)
    if (id === CHAPTERS) {
      const body = await read(file, at + start, Math.min(size, MOST_BYTES))
      return atomsIn(body)
    }
    // A segment or cluster of unknown length ends where its parent does.
    at += start + (id === SEGMENT || size === Infinity ? 0 : size)
  }
  return 0
}

function atomsIn(body: Buffer): number {
  let count = 0
  for (let at = 0; at < body.length;) {
    const { id, start, size } = elementAt(body, at)
    if (id === EDITION) count = Math.max(count, atomsIn(body.subarray(at + start, at + start + size)))
    if (id === CHAPTER_ATOM) count += 1
    at += start + size
  }
  return count
}

/** Reads an element's ID and length (RFC 8794). @returns `start`: bytes until its content */
function elementAt(bytes: Buffer, at: number) {
  const idLength = Math.clz32(bytes.readUInt8(at)) - 23
  const id = bytes.readUIntBE(at, Math.min(4, idLength))
  const first = bytes.readUInt8(at + idLength)
  const sizeLength = Math.clz32(first) - 23
  let size = first & (0xff >> sizeLength)
  let isUnknown = size === 0xff >> sizeLength
  for (let index = 1; index < sizeLength; index++) {
    const byte = bytes.readUInt8(at + idLength + index)
    isUnknown &&= byte === 0xff
    size = size * 256 + byte
  }
  return { id, start: idLength + sizeLength, size: isUnknown ? Infinity : size }
}
