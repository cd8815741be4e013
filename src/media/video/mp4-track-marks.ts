/**
 * Corrects what FFmpeg's muxer writes about the tracks of a finished MP4 or QuickTime file. QuickTime's own list lacks most languages. The
 * first subtitles would be shown although no track of the original is the default one, and subtitles would be shown in the wrong region.
 * Frames at the end that are only needed to decode others would be shown, too.
 */
import type { Extent } from '../../shared/extent.ts'
import { open } from 'node:fs/promises'
import { AV_DISPOSITION_DEFAULT, AVMEDIA_TYPE_SUBTITLE } from 'node-av/constants'
import type { IRational, Stream } from 'node-av/lib'
import { editsIn, partAt, readMovie, ticksPerSecond, tracksOf } from './mp4-boxes.ts'
import { moveRegion } from './subtitle-regions.ts'

/** The shown part of a track. It begins with the first frame that isn't before the start of the file. */
export type TrackLength = { readonly ticks: bigint; readonly timeBase: IRational }

export type TrackMarks = {
  readonly language: string | undefined
  readonly isHidden: boolean
  readonly region: string | undefined
  /** Set if later frames are only needed to decode others. */
  readonly length?: TrackLength | undefined
}

export const marksOf = (
  { codecpar, disposition, metadata }: Stream,
  region: string | undefined,
): TrackMarks => ({
  region,
  language: metadata?.get('language') ?? undefined,
  // Audio stays on even without a default track, because players would otherwise be silent.
  isHidden: codecpar.codecType === AVMEDIA_TYPE_SUBTITLE && (disposition & AV_DISPOSITION_DEFAULT) === 0,
})

const ENABLED = 1

/**
 * Writes the marks into the tracks of an MP4 or QuickTime file.
 * @param path of the finished file, which must be closed
 * @param marks of its tracks, in order
 * @param picture the dimensions of its video
 */
export async function markTracks(path: string, marks: readonly TrackMarks[], picture: Extent): Promise<void> {
  await using file = await open(path, 'r+')
  const movie = await readMovie(file)
  if (movie === undefined) return
  const tracks = tracksOf(movie.body)
  for (const [index, { language, isHidden, region, length }] of marks.entries()) {
    const track = tracks[index]
    if (track === undefined) continue
    // These buffers are parts of the index, so changing them changes the index.
    const header = partAt(track, 'tkhd')
    const media = partAt(track, 'mdia', 'mdhd')
    if (isHidden && header !== undefined) header.writeUInt8(header.readUInt8(3) & ~ENABLED, 3)
    if (header !== undefined && region !== undefined) moveRegion(header, region, picture)
    if (media !== undefined && language !== undefined && /^[a-z]{3}$/.test(language))
      media.writeUInt16BE(packed(language), media[0] === 1 ? 32 : 20)
    if (length !== undefined) shorten(movie.body, track, length)
  }
  await file.write(movie.body, 0, movie.body.length, movie.at)
}

/** Packs a code with five bits for each letter (ISO/IEC 14496-12, 8.4.2). QuickTime also allows this form. */
const packed = (language: string): number =>
  Buffer.from(language).reduce((bits, letter) => (bits << 5) | (letter - 0x60), 0)

/** Shortens a track's last edit (ISO/IEC 14496-12, 8.6.6), and updates the durations of the track and of the file. */
function shorten(movie: Buffer, track: Buffer, { ticks, timeBase }: TrackLength): void {
  const [header, list] = [partAt(movie, 'mvhd'), partAt(track, 'edts', 'elst')]
  if (header === undefined || list === undefined) throw new Error('The finished track has no edit list')
  // Rounds down, because any rest would show the next frame.
  const length = (ticks * BigInt(timeBase.num * ticksPerSecond(header))) / BigInt(timeBase.den)
  const edits = [...editsIn(list)]
  const last = EDITS_AT + (edits.length - 1) * (list[0] === 1 ? 20 : 12)
  const others = edits.slice(0, -1).reduce((sum, edit) => sum + edit.length, 0)
  writeTime(list, [last, last], Number(length))
  writeTime(partAt(track, 'tkhd'), TRACK_DURATION, others + Number(length))
  const durations = tracksOf(movie).map((each) => readTime(partAt(each, 'tkhd'), TRACK_DURATION))
  writeTime(header, FILE_DURATION, Math.max(...durations))
}

const EDITS_AT = 8

/** Offsets of a time in both versions of a box: with four and with eight bytes. */
type TimeAt = readonly [short: number, long: number]
const TRACK_DURATION: TimeAt = [20, 28]
const FILE_DURATION: TimeAt = [16, 24]

function readTime(box: Buffer | undefined, [short, long]: TimeAt): number {
  if (box === undefined) return 0
  return box[0] === 1 ? Number(box.readBigUInt64BE(long)) : box.readUInt32BE(short)
}

function writeTime(box: Buffer | undefined, [short, long]: TimeAt, time: number): void {
  if (box?.[0] === 1) box.writeBigUInt64BE(BigInt(time), long)
  else box?.writeUInt32BE(time, short)
}
