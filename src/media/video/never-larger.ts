/**
 * Videos that encoding has made larger. Where the recipe only compresses, the original takes the place of the result; where it
 * also takes something away, such as the sound, the original's own pictures go into a new file.
 */
import { stat } from 'node:fs/promises'
import type { VideoRecipe } from '../../shared/preset/preset.ts'
import { codecName } from '../ffmpeg/ffmpeg.ts'
import { isTooLarge, takeOriginal } from '../never-larger.ts'
import type { FileJob, FinishedFile } from '../protocol.ts'
import { copyingPictures } from './convert-video.ts'
import { openSourceFile, type SourceFile } from './source-file.ts'
import { isInForm } from './within-limits.ts'

/** @param convert makes a file by a recipe, as `finished` was made */
export async function neverLarger(
  job: FileJob<VideoRecipe>,
  finished: FinishedFile,
  convert: (job: FileJob<VideoRecipe>) => Promise<FinishedFile>,
): Promise<FinishedFile> {
  if (!(await isTooLarge(job, finished.temporaryPath))) return finished
  const source = await openSourceFile(job.inputPath, job.signal)
  const { isSame, isCopyable } = judge(job.recipe, source, finished)
  await source.close()
  if (isSame) {
    await takeOriginal(job, finished.temporaryPath)
    return { ...finished, notes: ['original-kept'] }
  }
  if (!isCopyable) return finished
  const copied = await convert({ ...job, recipe: copyingPictures(job.recipe) })
  if (!(await isSmaller(copied, finished))) return finished
  return { ...copied, notes: ['pictures-copied'] }
}

async function isSmaller(one: FinishedFile, other: FinishedFile): Promise<boolean> {
  const [first, second] = await Promise.all([stat(one.temporaryPath), stat(other.temporaryPath)])
  return first.size < second.size
}

/** Whether the original takes the place of a result that is larger; then nothing is lost with it. */
export const takesOriginal = (recipe: VideoRecipe, source: SourceFile, extension: string): boolean =>
  judge(recipe, source, { extension }).isSame

function judge(recipe: VideoRecipe, source: SourceFile, { extension }: Pick<FinishedFile, 'extension'>) {
  const isCopied = recipe.codec === 'copy'
  const isKept = isCopied || isInForm(source.picture, recipe)
  return {
    isSame: isKept && extension === source.extension && keepsTheRest(recipe, source),
    isCopyable: isKept && !isCopied,
  }
}

/** What `strip` takes away may lie where no library finds it, so that only a new file is without it. */
function keepsTheRest({ audio, subtitles, metadata }: VideoRecipe, source: SourceFile): boolean {
  const keepsSound = audio === 'keep' || source.sounds.every((sound) => codecName(sound) === audio)
  return metadata === 'keep' && keepsSound && (subtitles === 'keep' || source.subtitles.length === 0)
}
