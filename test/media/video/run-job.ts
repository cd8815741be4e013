import { join } from 'node:path'
import { VideoRecipe } from '../../../src/shared/preset/preset.ts'
import type { FileJob, FinishedFile } from '../../../src/media/protocol.ts'
import type { ProcessingProgress } from '../../../src/media/protocol.ts'
import { processVideo } from '../../../src/media/video/process-video.ts'

export type JobChanges = Partial<Pick<FileJob<VideoRecipe>, 'variation' | 'signal'>> & {
  readonly onProgress?: (progress: ProcessingProgress) => void
}

let jobs = 0

/** @param folder where the result goes */
export function runJob(
  inputPath: string,
  folder: string,
  recipe: Partial<VideoRecipe> = {},
  { variation, signal, onProgress }: JobChanges = {},
): Promise<FinishedFile> {
  jobs += 1
  const name = `result-${jobs}`
  return processVideo({
    inputPath,
    recipe: VideoRecipe.parse({ speed: 'ultrafast', ...recipe }),
    variation,
    temporaryPath: (extension) => join(folder, `${name}.${extension}`),
    onProgress: onProgress ?? (() => undefined),
    signal: signal ?? new AbortController().signal,
  })
}
