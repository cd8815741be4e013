/** Resolves a recipe's goal to a quality setting of the encoder. */
import type { VideoRecipe } from '../../shared/preset/preset.ts'
import type { FileJob } from '../protocol.ts'
import { copyingVideo } from './convert-video.ts'
import { isVideoCodec } from './encoder-settings.ts'
import { crfForVisualQuality } from './find-visual-quality.ts'
import { recipeForSize } from './fit-size.ts'
import type { SourceFile } from './source-file.ts'
import { isWithinLimits } from './within-limits.ts'

/**
 * Returns the recipe with a quality setting instead of its goal, or a recipe that copies the video if that is enough.
 * @throws as `processVideo` does
 */
export async function resolveRecipe(job: FileJob<VideoRecipe>, source: SourceFile): Promise<VideoRecipe> {
  const { recipe } = job
  const { codec, look, maxBytes } = recipe
  if (!isVideoCodec(codec)) return recipe
  if (maxBytes !== undefined) return recipeForSize(job, codec, maxBytes)
  if (look !== undefined)
    return { ...recipe, look: undefined, crf: await crfForVisualQuality(job, codec, look) }
  return isWithinLimits(source.video, recipe) ? copyingVideo(recipe) : recipe
}
