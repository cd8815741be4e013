/**
 * Finds tracks whose data is incomplete according to the fragments or segment indexes of an MP4 file, for example after an interrupted
 * recording or download (ISO/IEC 14496-12, 8.8 and 8.16.3). FFmpeg reads the rest of the data without an error.
 */
import { open, type FileHandle } from 'node:fs/promises'
import { type Box, boxesIn } from '../../node/media-header/heif-boxes.ts'
import { editsIn, partAt, partsOf, readMovie, ticksPerSecond, trackId, tracksOf } from './mp4-boxes.ts'
import { readUpTo, unlessCutOff } from '../read-part.ts'

export type Listing = {
  /** The last fragments, in order. */
  readonly fragments: readonly Box[]
  /** Indexes of segments. */
  readonly indexes: readonly Box[]
}

export type ListedParts = {
  readonly isFragmented: boolean
  /** By track number, the listed ends of the tracks in seconds; empty if the file contains all listed data. */
  readonly ends: ReadonlyMap<number, number>
}

export async function listedParts(path: string, listing: Listing): Promise<ListedParts> {
  const isFragmented = listing.fragments.length > 0
  const isListed = isFragmented || listing.indexes.length > 0
  const ends = isListed ? await unlessCutOff(() => listedEnds(path, listing)) : undefined
  return { isFragmented, ends: ends ?? new Map() }
}

async function listedEnds(path: string, { fragments, indexes }: Listing): Promise<ListedParts['ends']> {
  const ends = new Map<number, number>()
  await using file = await open(path)
  const { size } = await file.stat()
  const movie = await readMovie(file)
  if (movie === undefined) return ends
  const tracks = tracksIn(movie.body)
  const promise = (id: number, ticks: number, ticksPerSecond: number): void => {
    const end = ticks / ticksPerSecond + (tracks.get(id)?.shift ?? 0)
    ends.set(id, Math.max(ends.get(id) ?? 0, end))
  }
  const runs = []
  for (const box of fragments) {
    runs.push(...runsIn(await contentOf(file, box, size), box, tracks))
  }
  const last = fragments.at(-1)
  const isCut = runs.some(({ dataEnd }) => dataEnd > size) || (last !== undefined && last.end > size)
  if (isCut) for (const { id, end } of runs) promise(id, end, tracks.get(id)?.ticks ?? 1)
  for (const box of indexes) {
    const index = segmentsIn(await contentOf(file, box, size))
    if (index !== undefined && box.end + index.bytes > size) promise(index.id, index.end, index.ticks)
  }
  return ends
}

const MOST_BYTES = 64 * 1024 * 1024

/** Returns a box's content: only the part that the file has, and at most `MOST_BYTES`. */
function contentOf(file: FileHandle, { body, end }: Box, size: number): Promise<Buffer> {
  const length = Math.min(end, size, body + MOST_BYTES) - body
  return readUpTo(file, body, Math.max(0, length))
}

type TrackClock = {
  readonly ticks: number
  /** Seconds that the track's edits add to all times. */
  readonly shift: number
  /** Default duration of a sample, in ticks. */
  readonly duration: number
  readonly bytes: number
}

function tracksIn(movie: Buffer): ReadonlyMap<number, TrackClock> {
  const defaults = partsOf(partAt(movie, 'mvex') ?? Buffer.alloc(0)).filter(({ type }) => type === 'trex')
  const header = partAt(movie, 'mvhd')
  const movieTicks = header === undefined ? 1 : ticksPerSecond(header)
  return new Map(
    tracksOf(movie).flatMap((track) => {
      const [id, media] = [trackId(track), partAt(track, 'mdia', 'mdhd')]
      if (id === undefined || media === undefined) return []
      const ticks = ticksPerSecond(media)
      const usual = defaults.find(({ body }) => body.readUInt32BE(4) === id)?.body
      const clock: TrackClock = {
        ticks,
        shift: shiftOf(partAt(track, 'edts', 'elst'), movieTicks, ticks),
        duration: usual?.readUInt32BE(12) ?? 0,
        bytes: usual?.readUInt32BE(16) ?? 0,
      }
      return [[id, clock] as const]
    }),
  )
}

/** Returns the seconds that a fragmented track's edits add. FFmpeg applies only the first edit with content, and empty edits before it. */
function shiftOf(list: Buffer | undefined, movieTicks: number, ticks: number): number {
  if (list === undefined) return 0
  let empty = 0
  for (const { length, start } of editsIn(list)) {
    if (start >= 0) return empty - start / ticks
    empty += length / movieTicks
  }
  return empty
}

/** A track's samples in a fragment: where they end in the track's time, and where their data ends in the file. */
type Run = { readonly id: number; readonly end: number; readonly dataEnd: number }

const HEADER = { dataAt: 0x1, description: 0x2, duration: 0x8, bytes: 0x10 } as const
const RUN = {
  dataAt: 0x1,
  firstFlags: 0x4,
  duration: 0x100,
  bytes: 0x200,
  flags: 0x400,
  offset: 0x800,
} as const

function runsIn(content: Buffer, box: Box, tracks: ReadonlyMap<number, TrackClock>): readonly Run[] {
  const start = box.body - 8
  let dataEnd = start
  return boxesIn(content, 0, content.length).flatMap(({ type, body, end: to }) => {
    const parts = type === 'traf' ? partsOf(content.subarray(body, to)) : []
    const header = parts.find((part) => part.type === 'tfhd')?.body
    const time = parts.find((part) => part.type === 'tfdt')?.body
    if (header === undefined || header.length < 8) return []
    const id = header.readUInt32BE(4)
    const { base, duration, bytes } = readHeader(header, tracks.get(id), start)
    let end = time === undefined ? 0 : time[0] === 1 ? Number(time.readBigUInt64BE(4)) : time.readUInt32BE(4)
    for (const { body: run } of parts.filter((part) => part.type === 'trun')) {
      const sums = sumsOf(run, duration, bytes)
      dataEnd = (sums.dataAt === undefined ? dataEnd : base + sums.dataAt) + sums.bytes
      end += sums.duration
    }
    return time === undefined ? [] : [{ id, end, dataEnd }]
  })
}

/** Reads where the data of a track in a fragment begins, and the default values of its samples. */
function readHeader(header: Buffer, usual: TrackClock | undefined, start: number) {
  const flags = header.readUIntBE(1, 3)
  let at = 8
  const next = (flag: number, length: number): number | undefined => {
    if ((flags & flag) === 0 || at + length > header.length) return undefined
    at += length
    return length === 8 ? Number(header.readBigUInt64BE(at - 8)) : header.readUInt32BE(at - 4)
  }
  const base = next(HEADER.dataAt, 8) ?? start
  next(HEADER.description, 4)
  const duration = next(HEADER.duration, 4) ?? usual?.duration ?? 0
  return { base, duration, bytes: next(HEADER.bytes, 4) ?? usual?.bytes ?? 0 }
}

function sumsOf(run: Buffer, usualDuration: number, usualBytes: number) {
  const sums: { duration: number; bytes: number; dataAt: number | undefined } = {
    duration: 0,
    bytes: 0,
    dataAt: undefined,
  }
  if (run.length < 8) return sums
  const flags = run.readUIntBE(1, 3)
  const has = (flag: number): boolean => (flags & flag) !== 0
  let at = 8
  if (has(RUN.dataAt) && run.length >= at + 4) sums.dataAt = run.readInt32BE(at)
  at += (has(RUN.dataAt) ? 4 : 0) + (has(RUN.firstFlags) ? 4 : 0)
  const fields = [RUN.duration, RUN.bytes, RUN.flags, RUN.offset].filter(has)
  const [durationAt, bytesAt] = [fields.indexOf(RUN.duration), fields.indexOf(RUN.bytes)]
  const count = run.readUInt32BE(4)
  if (fields.length === 0) return { ...sums, duration: count * usualDuration, bytes: count * usualBytes }
  for (let left = count; left > 0 && at + 4 * fields.length <= run.length; left--, at += 4 * fields.length) {
    sums.duration += durationAt < 0 ? usualDuration : run.readUInt32BE(at + 4 * durationAt)
    sums.bytes += bytesAt < 0 ? usualBytes : run.readUInt32BE(at + 4 * bytesAt)
  }
  return sums
}

/** Reads the index of a track's segments: where they end in the track's time, and their bytes after the index. */
function segmentsIn(content: Buffer) {
  if (content.length < 32) return undefined
  const isLong = content[0] === 1
  const [id, ticks] = [content.readUInt32BE(4), content.readUInt32BE(8) || 1]
  let end = isLong ? Number(content.readBigUInt64BE(12)) : content.readUInt32BE(12)
  let bytes = isLong ? Number(content.readBigUInt64BE(20)) : content.readUInt32BE(16)
  let at = (isLong ? 28 : 20) + 4
  const count = content.readUInt16BE(at - 2)
  for (let left = count; left > 0 && at + 12 <= content.length; left--, at += 12) {
    bytes += content.readUInt32BE(at) & 0x7f_ff_ff_ff
    end += content.readUInt32BE(at + 4)
  }
  return { id, ticks, end, bytes }
}
