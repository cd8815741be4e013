/**
 * Adds to a finished MP4 or QuickTime file what FFmpeg's muxer can't write through its binding: chapters, tags that phones write, the
 * languages and roles of tracks, and how the video is viewed.
 * The muxer gets an additional track, whose description reserves the space in the index. The finished index then replaces that
 * description, so that no media data moves.
 */
import { open } from 'node:fs/promises'
import { AV_CODEC_ID_MOV_TEXT, AVMEDIA_TYPE_SUBTITLE, AVMEDIA_TYPE_VIDEO } from 'node-av/constants'
import { type FormatContext, Rational, type Stream } from 'node-av/lib'
import { mustSucceed, newPacket } from '../ffmpeg/ffmpeg.ts'
import type { Chapter, Chapters } from './chapter.ts'
import type { Container } from './container.ts'
import { uint32 } from '../big-endian.ts'
import { makeBox } from '../make-box.ts'
import { changed, handlerOf, partAt, type Part, partsOf, readMovie, rebuilt, trackId } from './mp4-boxes.ts'
import { buildList, titleSample, titleTrackFrom } from './mp4-chapters.ts'
import { languageBoxes } from './language-tags.ts'
import { cameraTags, keyedTags, roleBoxes, userDataTags } from './mp4-tags.ts'
import { viewBoxes } from './view-metadata.ts'

/** Contents that belong to the whole file rather than to a track. */
export type FileContents = {
  readonly metadata: Readonly<Record<string, string>>
  readonly chapters: Chapters
  /** A complete `Tags` element for Matroska. */
  readonly tags?: Buffer | undefined
  /** Complete boxes that follow the media data. */
  readonly fileBoxes: readonly Buffer[]
}

export type Mp4Additions = ReturnType<typeof planAdditions>

/**
 * @param streams of the result, with their parameters
 * @param languages BCP 47 tags by stream
 */
export function planAdditions(
  muxer: Container['muxer'],
  { metadata, chapters }: FileContents,
  streams: readonly Stream[],
  languages: ReadonlyMap<number, string>,
) {
  const video = streams.find(({ codecpar }) => codecpar.codecType === AVMEDIA_TYPE_VIDEO)
  return {
    chapters: chapters.list,
    // Boxes of the whole index, of its user data, and of the video's sample description.
    movie: keyedTags(metadata, muxer),
    userData: userDataTags(metadata, muxer),
    videoEntry: video === undefined ? [] : viewBoxes(video.codecpar),
    tracks: new Map(
      streams.map((stream) => {
        const userData = roleBoxes(stream, muxer)
        const media = languageBoxes(languages.get(stream.index))
        return [stream.index, { userData, media, tags: keyedTags(cameraTags(stream), muxer) }] as const
      }),
    ),
  }
}

const allBoxes = ({ movie, userData, videoEntry, tracks }: Mp4Additions): readonly Buffer[] =>
  [movie, userData, videoEntry, ...[...tracks.values()].flatMap((each) => Object.values(each))].flat()

const isEmpty = (additions: Mp4Additions): boolean =>
  additions.chapters.length === 0 && allBoxes(additions).length === 0

/** Marks the description of the additional track. */
const MARK = Buffer.from('7e1f0c52a94d4b6e8d3b', 'hex')
/** Upper limit for the size of the fixed parts of the additions. */
const FIXED_BYTES = 1024

const MS_PER_SECOND = 1000

/**
 * Adds the track that reserves space in the index.
 * @returns the additional track; undefined if there is nothing to add
 */
export function reserveSpace(context: FormatContext, additions: Mp4Additions): Stream | undefined {
  if (isEmpty(additions)) return undefined
  const stream = context.newStream()
  stream.codecpar.codecType = AVMEDIA_TYPE_SUBTITLE
  stream.codecpar.codecId = AV_CODEC_ID_MOV_TEXT
  const added = allBoxes(additions).reduce((sum, { length }) => sum + length, 0)
  const room = FIXED_BYTES + buildList(additions.chapters).length + added
  stream.codecpar.extradata = Buffer.concat([MARK, Buffer.alloc(room)])
  stream.timeBase = new Rational(1, MS_PER_SECOND)
  return stream
}

const PLACEHOLDER: Chapter = { start: 0, end: 0.001, title: '' }

/**
 * Writes the titles before all other data, because players read them with the index. Without samples, the track wouldn't get a description.
 */
export async function writeTitles(
  context: FormatContext,
  stream: Stream,
  { chapters: known }: Mp4Additions,
): Promise<void> {
  const chapters = known.length === 0 ? [PLACEHOLDER] : known
  for (const [index, { start: from, end = from, title }] of chapters.entries()) {
    // Players would show a gap before the first chapter as an untitled chapter.
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

/**
 * Replaces the reserved space in the index with the additions.
 * @param path of the finished file, which must be closed
 * @param streams indexes of the streams that have samples, because the muxer omits streams without samples
 */
export async function addToIndex(
  path: string,
  additions: Mp4Additions,
  streams: readonly number[],
): Promise<void> {
  if (isEmpty(additions)) return
  await using file = await open(path, 'r+')
  const movie = await readMovie(file)
  if (movie === undefined) throw new Error('The finished file has no index')
  const extended = Buffer.concat(extendedParts(movie.body, additions, streams))
  const rest = movie.body.length - extended.length
  if (rest < 8) throw new Error('The reserved space is too small')
  const filled = Buffer.concat([extended, makeBox('free', Buffer.alloc(rest - 8))])
  await file.write(filled, 0, filled.length, movie.at)
}

function extendedParts(
  movie: Buffer,
  additions: Mp4Additions,
  streams: readonly number[],
): readonly Buffer[] {
  const { chapters } = additions
  const parts = partsOf(movie)
  const tracks = parts.filter(({ type }) => type === 'trak')
  const reserved = tracks.find(({ body }) => body.includes(MARK))
  if (reserved === undefined) throw new Error('The finished file has no reserved space')
  const video = tracks.find(({ body }) => handlerOf(body) === 'vide')
  const titled = chapters.length === 0 ? undefined : (video ?? tracks[0])
  const userData = makeBox(
    'udta',
    ...partsOf(parts.find(({ type }) => type === 'udta')?.body ?? Buffer.alloc(0)).map(rebuilt),
    ...additions.userData,
    ...(chapters.length === 0 ? [] : [buildList(chapters)]),
  )
  // Players find a track's chapters by this reference.
  const reference = makeBox('chap', uint32(trackId(reserved.body) ?? 0))
  const extended = (part: Part): Buffer => {
    if (part === reserved) return chapters.length === 0 ? Buffer.alloc(0) : titleTrackFrom(part.body)
    if (part.type !== 'trak') return rebuilt(part)
    const {
      userData: marks,
      media,
      tags,
    } = additions.tracks.get(streams[tracks.indexOf(part)] ?? -1) ?? NO_BOXES
    const spoken =
      media.length === 0 ? part.body : changeAt(part.body, ['mdia'], (body) => withMedia(body, media))
    const marked = withAdded(spoken, 'udta', marks)
    const viewed = part === video ? withVideoEntry(marked, additions.videoEntry) : marked
    return makeBox('trak', part === titled ? withAdded(viewed, 'tref', [reference]) : viewed, ...tags)
  }
  return [...parts.filter(({ type }) => type !== 'udta').map(extended), userData, ...additions.movie]
}

const NO_BOXES = { userData: [], media: [], tags: [] }

const withMedia = (media: Buffer, added: readonly Buffer[]): Buffer =>
  Buffer.concat(partsOf(media).flatMap((part) => [rebuilt(part), ...(part.type === 'mdhd' ? added : [])]))

/** Adds boxes to the box of a type, which moves to the end. */
function withAdded(track: Buffer, wanted: string, added: readonly Buffer[]): Buffer {
  if (added.length === 0) return track
  const present = partsOf(partAt(track, wanted) ?? Buffer.alloc(0)).map(rebuilt)
  const rest = partsOf(track).filter(({ type }) => type !== wanted)
  return Buffer.concat([...rest.map(rebuilt), makeBox(wanted, ...present, ...added)])
}

const PATH_TO_ENTRIES = ['mdia', 'minf', 'stbl', 'stsd']
/** Bytes of a visual sample entry before its boxes. */
const ENTRY_BYTES = 78
const ENTRIES_HEADER = 8

/** Adds boxes to the video's sample description, unless the muxer has written them. */
function withVideoEntry(track: Buffer, added: readonly Buffer[]): Buffer {
  return added.length === 0 ? track : changeAt(track, PATH_TO_ENTRIES, (table) => withBoxes(table, added))
}

const typeOf = (bytes: Buffer): string => bytes.toString('latin1', 4, 8)

function withBoxes(table: Buffer, added: readonly Buffer[]): Buffer {
  const [entry, ...others] = partsOf(table.subarray(ENTRIES_HEADER))
  if (entry === undefined) return table
  const parts = partsOf(entry.body.subarray(ENTRY_BYTES))
  const missing = added.filter((one) => !parts.some(({ type }) => type === typeOf(one)))
  // FFmpeg refuses a file with both descriptions of a stereo video, and Apple's doesn't say where the two views are.
  const isStereo = missing.some((one) => typeOf(one) === 'st3d')
  const kept = parts.filter(({ type }) => !isStereo || type !== 'vexu')
  const start = entry.body.subarray(0, ENTRY_BYTES)
  const extended = makeBox(entry.type, start, ...kept.map(rebuilt), ...missing)
  return Buffer.concat([table.subarray(0, ENTRIES_HEADER), extended, ...others.map(rebuilt)])
}

function changeAt(
  body: Buffer,
  [type, ...rest]: readonly string[],
  change: (body: Buffer) => Buffer,
): Buffer {
  if (type === undefined) return change(body)
  return changed(body, { [type]: (inside) => makeBox(type, changeAt(inside, rest, change)) })
}
