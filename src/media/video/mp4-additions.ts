/**
 * Adds to a finished MP4 or QuickTime file what FFmpeg's muxer can't write through its binding: chapters, and tags that phones write.
 * The muxer gets an additional track, whose description reserves the space in the index. The finished index then replaces that
 * description, so that no media data moves.
 */
import { open } from 'node:fs/promises'
import { AV_CODEC_ID_MOV_TEXT, AVMEDIA_TYPE_SUBTITLE } from 'node-av/constants'
import { type FormatContext, Rational, type Stream } from 'node-av/lib'
import { mustSucceed, newPacket } from '../ffmpeg/ffmpeg.ts'
import type { Chapter } from './chapters.ts'
import { box, handlerOf, partAt, type Part, partsOf, readMovie, rebuilt, trackId, uint32 } from './mp4-boxes.ts'
import { buildList, titleSample, titleTrackFrom } from './mp4-chapters.ts'

export type Mp4Additions = {
  readonly chapters: readonly Chapter[]
}

const isEmpty = ({ chapters }: Mp4Additions): boolean => chapters.length === 0

/** Marks the description of the additional track. */
const MARK = Buffer.from('7e1f0c52a94d4b6e8d3b', 'hex')
/** More than the fixed parts of the additions take. */
const FIXED_BYTES = 1024

const MS_PER_SECOND = 1000

/** @returns the additional track; undefined if there is nothing to add */
export function reserveSpace(context: FormatContext, additions: Mp4Additions): Stream | undefined {
  if (isEmpty(additions)) return undefined
  const stream = context.newStream()
  stream.codecpar.codecType = AVMEDIA_TYPE_SUBTITLE
  stream.codecpar.codecId = AV_CODEC_ID_MOV_TEXT
  stream.codecpar.extradata = Buffer.concat([
    MARK,
    Buffer.alloc(FIXED_BYTES + buildList(additions.chapters).length),
  ])
  stream.timeBase = new Rational(1, MS_PER_SECOND)
  return stream
}

/** Writes the titles, which players read with the index, before all other data. */
export async function writeTitles(
  context: FormatContext,
  stream: Stream,
  { chapters }: Mp4Additions,
): Promise<void> {
  for (const [index, { start: from, end = from, title }] of chapters.entries()) {
    // Players would take a gap before the first chapter for an untitled one.
    const start = index === 0 ? 0 : from
    using packet = newPacket()
    packet.data = titleSample(title)
    packet.pts = packet.dts = BigInt(Math.round(start * MS_PER_SECOND))
    packet.duration = BigInt(Math.max(1, Math.round(end * MS_PER_SECOND) - Number(packet.pts)))
    packet.rescaleTs({ num: 1, den: MS_PER_SECOND }, stream.timeBase)
    packet.streamIndex = stream.index
    mustSucceed(await context.writeFrame(packet), 'written')
  }
}

/** @param path of the finished file, which must be closed */
export async function addToIndex(path: string, additions: Mp4Additions): Promise<void> {
  if (isEmpty(additions)) return
  await using file = await open(path, 'r+')
  const movie = await readMovie(file)
  if (movie === undefined) throw new Error('The finished file has no index')
  const extended = Buffer.concat(extendedParts(movie.body, additions))
  const rest = movie.body.length - extended.length
  if (rest < 8) throw new Error('The reserved space is too small')
  const filled = Buffer.concat([extended, box('free', Buffer.alloc(rest - 8))])
  await file.write(filled, 0, filled.length, movie.at)
}

function extendedParts(movie: Buffer, additions: Mp4Additions): readonly Buffer[] {
  const { chapters } = additions
  const parts = partsOf(movie)
  const tracks = parts.filter(({ type }) => type === 'trak')
  const reserved = tracks.find(({ body }) => body.includes(MARK))
  if (reserved === undefined) throw new Error('The finished file has no reserved space')
  const main = tracks.find(({ body }) => handlerOf(body) === 'vide') ?? tracks[0]
  const userData = box(
    'udta',
    ...partsOf(parts.find(({ type }) => type === 'udta')?.body ?? Buffer.alloc(0)).map(rebuilt),
    ...(chapters.length === 0 ? [] : [buildList(chapters)]),
  )
  const extended = (part: Part): Buffer => {
    if (part === reserved) return titleTrackFrom(part.body)
    return part === main ? referringTo(part.body, trackId(reserved.body) ?? 0) : rebuilt(part)
  }
  return [...parts.filter(({ type }) => type !== 'udta').map(extended), userData]
}

/** Lets players find the chapters of a track. */
function referringTo(track: Buffer, id: number): Buffer {
  const others = partsOf(partAt(track, 'tref') ?? Buffer.alloc(0)).map(rebuilt)
  const rest = partsOf(track).filter(({ type }) => type !== 'tref')
  return box('trak', ...rest.map(rebuilt), box('tref', ...others, box('chap', uint32(id))))
}
