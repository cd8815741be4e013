/**
 * Reads and builds the two lists of chapters that MP4 and QuickTime files have: Nero's `chpl`, and QuickTime's track of titles, to which
 * other tracks refer.
 */
import type { FileHandle } from 'node:fs/promises'
import type { Chapter } from './chapter.ts'
import { uint16, uint32, unsigned } from '../big-endian.ts'
import { makeBox } from '../make-box.ts'
import {
  changed,
  editsIn,
  handlerOf,
  partAt,
  partsOf,
  readMovie,
  rebuilt,
  ticksPerSecond,
  trackId,
  tracksOf,
} from './mp4-boxes.ts'
import { readPart } from '../read-part.ts'
import { textOfSample } from './subtitle-text.ts'

const MOST_CHAPTERS = 10_000

export async function readMp4Chapters(file: FileHandle): Promise<readonly Chapter[]> {
  const movie = await readMovie(file)
  if (movie === undefined) return []
  const titles = await readTitleTracks(file, movie.body)
  // The list has at most 255 chapters, without ends. The track has no gap before its first chapter.
  const listed = readList(movie.body)
  if (titles.length < listed.length) return listed
  return titles.map((chapter, index) => ({ ...chapter, start: listed[index]?.start ?? chapter.start }))
}

const TICKS_IN_LIST = 10_000_000
const MOST_IN_LIST = 255

function readList(movie: Buffer): readonly Chapter[] {
  const list = partAt(movie, 'udta', 'chpl')
  if (list === undefined) return []
  let at = list[0] === 0 ? 4 : 8
  return Array.from({ length: list.readUInt8(at++) }, () => {
    const start = Number(list.readBigUInt64BE(at)) / TICKS_IN_LIST
    const length = list.readUInt8(at + 8)
    const title = list.toString('utf8', at + 9, at + 9 + length)
    at += 9 + length
    return { start, title }
  })
}

export function buildList(chapters: readonly Chapter[]): Buffer {
  const kept = chapters.slice(0, MOST_IN_LIST)
  const entries = kept.map(({ start, title }) => {
    const text = cutText(title, MOST_IN_LIST)
    return Buffer.concat([unsigned(Math.round(start * TICKS_IN_LIST), 8), Buffer.from([text.length]), text])
  })
  return makeBox('chpl', uint32(0x01_00_00_00, 0), Buffer.from([kept.length]), ...entries)
}

/** Truncates text without splitting a character. */
function cutText(text: string, bytes: number): Buffer {
  const whole = Buffer.from(text, 'utf8')
  if (whole.length <= bytes) return whole
  let end = bytes
  while (end > 0 && ((whole[end] ?? 0) & 0xc0) === 0x80) end -= 1
  return whole.subarray(0, end)
}

/** How far apart the times of the same chapter may be, in seconds. Tracks may count in different ticks. */
const SAME_CHAPTER = 0.05

/** Reads the tracks of titles. All but the first have the titles in other languages. */
async function readTitleTracks(file: FileHandle, movie: Buffer): Promise<readonly Chapter[]> {
  const tracks = tracksOf(movie)
  const ids = new Set(tracks.flatMap(referredChapters))
  const [main = [], ...others] = await Promise.all(
    tracks
      .filter((body) => ids.has(trackId(body) ?? 0) && handlerOf(body) === 'text')
      .map((body) => readTitleTrack(file, body, movie)),
  )
  return main.map((chapter) => ({
    ...chapter,
    others: others
      .flatMap((list) => list.find(({ start }) => Math.abs(start - chapter.start) < SAME_CHAPTER) ?? [])
      .filter(({ title }) => title !== chapter.title),
  }))
}

async function readTitleTrack(file: FileHandle, track: Buffer, movie: Buffer): Promise<readonly Chapter[]> {
  const [table, header] = [partAt(track, 'mdia', 'minf', 'stbl'), partAt(track, 'mdia', 'mdhd')]
  if (table === undefined || header === undefined) return []
  const language = languageIn(header)
  const scale = ticksPerSecond(header)
  const offsets = sampleOffsets(table)
  const chapters: Chapter[] = []
  let time = delayOf(track, movie)
  for (const [index, duration] of sampleDurations(table).entries()) {
    const place = offsets[index]
    if (place === undefined) break
    const start = time
    time += duration / scale
    const title = textOfSample(await readPart(file, place.at, Math.min(place.size, 4096)))
    // A gap between chapters is a sample without a title.
    if (title !== '') chapters.push({ start, end: time, title, language })
  }
  return chapters
}

/** Returns the language's code; undefined for `und`, and for QuickTime's older numbers. */
function languageIn(header: Buffer): string | undefined {
  const packed = header.readUInt16BE(header[0] === 1 ? 32 : 20)
  const code = String.fromCharCode(...[10, 5, 0].map((shift) => ((packed >> shift) & 31) + 0x60))
  return packed < 0x400 || code === 'und' ? undefined : code
}

function referredChapters(track: Buffer): readonly number[] {
  const reference = partAt(track, 'tref', 'chap')
  if (reference === undefined) return []
  return Array.from({ length: Math.floor(reference.length / 4) }, (_, index) =>
    reference.readUInt32BE(4 * index),
  )
}

/** Returns the length of an empty edit at the start, in seconds. */
function delayOf(track: Buffer, movie: Buffer): number {
  const [list, header] = [partAt(track, 'edts', 'elst'), partAt(movie, 'mvhd')]
  const [first] = list === undefined ? [] : editsIn(list)
  return first?.start === -1 && header !== undefined ? first.length / ticksPerSecond(header) : 0
}

function sampleDurations(table: Buffer): readonly number[] {
  const times = partAt(table, 'stts')
  if (times === undefined) return []
  const durations: number[] = []
  for (let at = 8; at + 8 <= times.length; at += 8) {
    const [count, duration] = [times.readUInt32BE(at), times.readUInt32BE(at + 4)]
    for (let index = 0; index < count && durations.length < MOST_CHAPTERS; index++) durations.push(duration)
  }
  return durations
}

function sampleOffsets(table: Buffer) {
  const [sizes, runs] = [partAt(table, 'stsz'), partAt(table, 'stsc')]
  const [short, long] = [partAt(table, 'stco'), partAt(table, 'co64')]
  const chunks = short ?? long
  if (sizes === undefined || runs === undefined || chunks === undefined) return []
  const samples: { readonly at: number; readonly size: number }[] = []
  const [same, count] = [sizes.readUInt32BE(4), sizes.readUInt32BE(8)]
  let run = 8
  for (let chunk = 1; chunk <= chunks.readUInt32BE(4); chunk++) {
    while (run + 12 < runs.length && runs.readUInt32BE(run + 12) <= chunk) run += 12
    let at =
      short === undefined ? Number(chunks.readBigUInt64BE(8 * chunk)) : chunks.readUInt32BE(4 + 4 * chunk)
    for (let inChunk = runs.readUInt32BE(run + 4); inChunk > 0; inChunk--) {
      if (samples.length === Math.min(count, MOST_CHAPTERS)) return samples
      const size = same > 0 ? same : sizes.readUInt32BE(12 + 4 * samples.length)
      samples.push({ at, size })
      at += size
    }
  }
  return samples
}

/** Marks a sample's text as UTF-8. */
const ENCODING = makeBox('encd', uint32(0x01_00))
const MOST_TITLE_BYTES = 2_000

export function titleSample(title: string): Buffer {
  const text = cutText(title, MOST_TITLE_BYTES)
  return Buffer.concat([uint16(text.length), text, ENCODING])
}

/** Turns a track of timed text into QuickTime's track of titles, which players list but don't show. */
export const titleTrackFrom = (track: Buffer): Buffer =>
  makeBox('trak', changed(track, { tkhd: hiddenHeader, mdia: titleMedia }))

const IN_MOVIE_BUT_OFF = 2

function hiddenHeader(header: Buffer): Buffer {
  const hidden = Buffer.from(header)
  hidden.writeUIntBE(IN_MOVIE_BUT_OFF, 1, 3)
  return makeBox('tkhd', hidden)
}

const titleMedia = (media: Buffer): Buffer =>
  makeBox(
    'mdia',
    changed(media, {
      hdlr: () => makeBox('hdlr', uint32(0, 0), Buffer.from('text'), Buffer.alloc(13)),
      minf: titleInfo,
    }),
  )

function titleInfo(info: Buffer): Buffer {
  const kept = partsOf(info).filter(({ type }) => type === 'dinf' || type === 'stbl')
  const titled = changed(Buffer.concat(kept.map(rebuilt)), { stbl: titleTable })
  return makeBox('minf', TEXT_MEDIA, titled)
}

const titleTable = (table: Buffer): Buffer =>
  makeBox('stbl', changed(table, { stsd: () => makeBox('stsd', uint32(0, 1), TEXT_DESCRIPTION) }))

/** QuickTime's media header for text, with the graphics mode "dither copy" and an identity matrix. */
const TEXT_MEDIA = makeBox(
  'gmhd',
  makeBox('gmin', uint32(0, 0x00_40_80_00, 0x80_00_80_00, 0)),
  makeBox('text', uint32(0x1_00_00, 0, 0, 0, 0x1_00_00, 0, 0, 0, 0x40_00_00_00)),
)

/** QuickTime's text sample description: six reserved bytes, the index of the data reference, and defaults for all else. */
const TEXT_DESCRIPTION = makeBox('text', Buffer.from([0, 0, 0, 0, 0, 0, 0, 1]), Buffer.alloc(44))
