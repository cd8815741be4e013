import { join } from 'node:path'
import { VideoRecipe } from '../../../src/shared/preset/preset.ts'
import type { FileJob, FinishedFile } from '../../../src/media/protocol.ts'
import type { ProcessingProgress } from '../../../src/media/protocol.ts'
import type { Chip } from '../../../src/media/video/chips.ts'
import { processVideo } from '../../../src/media/video/process-video.ts'

export type JobChanges = Partial<Pick<FileJob<VideoRecipe>, 'variation' | 'neverLarger' | 'signal'>> & {
  readonly onProgress?: (progress: ProcessingProgress) => void
  /** None, if nothing is said: results are to be the same on every computer. */
  readonly chips?: readonly Chip[]
}

let jobs = 0

/** Decent and quick; with a quality of its own a recipe always encodes. */
function withQuality(recipe: Partial<VideoRecipe>): Partial<VideoRecipe> {
  const { bitrate, codec } = recipe
  const quality = bitrate !== undefined || codec === 'copy' ? {} : { crf: 28 }
  return { speed: 'ultrafast', ...quality, ...recipe }
}

/**
 * @param folder where the result goes
 * @param recipe `crf: undefined` for one without a quality of its own
 */
export function runJob(
  inputPath: string,
  folder: string,
  recipe: Partial<VideoRecipe> = {},
  { chips = [], ...changes }: JobChanges = {},
): Promise<FinishedFile> {
  return processVideo(videoJob(inputPath, folder, recipe, changes), chips)
}

export function videoJob(
  inputPath: string,
  folder: string,
  recipe: Partial<VideoRecipe>,
  { variation, neverLarger = false, signal, onProgress }: Omit<JobChanges, 'chips'> = {},
): FileJob<VideoRecipe> {
  jobs += 1
  const name = `result-${jobs}`
  let files = 0
  return {
    inputPath,
    recipe: VideoRecipe.parse(withQuality(recipe)),
    variation,
    neverLarger,
    temporaryPath: (extension) => join(folder, `${name}-${++files}.${extension}`),
    onProgress: onProgress ?? (() => undefined),
    signal: signal ?? new AbortController().signal,
  }
}
