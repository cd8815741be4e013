/** Reads the chapters of a file. FFmpeg's binding doesn't report them. */
import { open } from 'node:fs/promises'
import type { VideoRecipe } from '../../shared/preset/preset.ts'
import type { ChapterName, Chapters } from './chapter.ts'
import { hasCoordinates } from '../metadata/coordinates.ts'
import { readMatroskaChapters } from './matroska-chapters.ts'
import { readMp4Chapters } from './mp4-chapters.ts'
import { readPart, unlessCutOff } from '../read-part.ts'
import type { SourceFile } from './source-file.ts'

const NONE: Chapters = { list: [] }

export const readChapters = async (path: string): Promise<Chapters> =>
  (await unlessCutOff(() => chaptersIn(path))) ?? NONE

async function chaptersIn(path: string): Promise<Chapters> {
  await using file = await open(path)
  const head = await readPart(file, 0, 12)
  if (head.readUInt32BE(0) === 0x1a45dfa3) return await readMatroskaChapters(file)
  if (/^(?:ftyp|moov|mdat|wide|free|skip)$/.test(head.toString('latin1', 4, 8)))
    return { list: await readMp4Chapters(file) }
  return NONE
}

/**
 * Returns the chapters with the times of a result, which starts at 0. Omits chapters after its end, which would make the result longer.
 * Keeps Matroska's element only if the original also starts at 0.
 * @param start when the original's first frame is shown, in seconds
 * @param duration of the original in seconds, if known
 */
export function chaptersFrom({ list, element }: Chapters, start: number, duration = Infinity): Chapters {
  if (list.length === 0) return NONE
  const sorted = list
    .map((one) => ({ ...one, start: Math.max(0, one.start - start), end: one.end && one.end - start }))
    .filter((one) => one.start < duration)
    .toSorted((one, other) => one.start - other.start)
  const closed = sorted.map((one, index) => {
    const next = sorted[index + 1]?.start ?? (duration === Infinity ? one.start + 1 : duration)
    const end = Math.min(one.end ?? next, duration)
    return { ...one, end: end > one.start ? end : Math.max(next, one.start + 0.001) }
  })
  return { list: closed, element: start === 0 ? element : undefined }
}

/** Returns the chapters for a result. Removes names with coordinates unless the recipe keeps all metadata. */
export async function keptChapters(
  path: string,
  { startSeconds, duration }: Pick<SourceFile, 'startSeconds' | 'duration'>,
  metadata: VideoRecipe['metadata'],
): Promise<Chapters> {
  const chapters = chaptersFrom(await readChapters(path), startSeconds, duration)
  return metadata === 'keep' ? chapters : withoutPlaces(chapters)
}

/** Returns whether a result without location omits this name. */
export const hasPlace = ({ title }: ChapterName): boolean => hasCoordinates(title)

/** Empties titles with coordinates, and removes such names in other languages. Drops Matroska's element if it has any coordinates. */
function withoutPlaces({ list, element }: Chapters): Chapters {
  // The element also has the titles of nested and hidden chapters, in all languages.
  const text = element?.toString('utf8') ?? ''
  return {
    list: list.map(({ others, ...one }) => ({
      ...one,
      title: hasPlace(one) ? '' : one.title,
      others: others?.filter((name) => !hasPlace(name)),
    })),
    element: hasCoordinates(text) || list.some(hasPlace) ? undefined : element,
  }
}
