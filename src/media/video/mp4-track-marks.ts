/**
 * Corrects what FFmpeg's muxer writes about the tracks of a finished MP4 or QuickTime file: QuickTime's own list lacks most languages, and
 * the first subtitles would be shown although no track of the original is the default one.
 */
import type { Extent } from '../../shared/extent.ts'
import { open } from 'node:fs/promises'
import { AV_DISPOSITION_DEFAULT, AVMEDIA_TYPE_SUBTITLE } from 'node-av/constants'
import type { Stream } from 'node-av/lib'
import { partAt, partsOf, readMovie } from './mp4-boxes.ts'
import { moveRegion } from './subtitle-regions.ts'

export type TrackMarks = {
  readonly language: string | undefined
  readonly isHidden: boolean
  readonly region: string | undefined
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
  const tracks = partsOf(movie.body).filter(({ type }) => type === 'trak')
  for (const [index, { language, isHidden, region }] of marks.entries()) {
    const track = tracks[index]?.body
    if (track === undefined) continue
    // These buffers are parts of the index, so changing them changes the index.
    const header = partAt(track, 'tkhd')
    const media = partAt(track, 'mdia', 'mdhd')
    if (isHidden && header !== undefined) header.writeUInt8(header.readUInt8(3) & ~ENABLED, 3)
    if (header !== undefined && region !== undefined) moveRegion(header, region, picture)
    if (media !== undefined && language !== undefined && /^[a-z]{3}$/.test(language))
      media.writeUInt16BE(packed(language), media[0] === 1 ? 32 : 20)
  }
  await file.write(movie.body, 0, movie.body.length, movie.at)
}

/** Packs a code with five bits for each letter (ISO/IEC 14496-12, 8.4.2). QuickTime also allows this form. */
const packed = (language: string): number =>
  Buffer.from(language).reduce((bits, letter) => (bits << 5) | (letter - 0x60), 0)
