/** What a recipe with a goal comes to: the same recipe with a quality that the encoder understands. */
import type { VideoRecipe } from '../../shared/preset/preset.ts'
import type { FileJob } from '../protocol.ts'
import { copyingPictures } from './convert-video.ts'
import { crfForLook } from './find-look.ts'
import { recipeForSize } from './fit-size.ts'
import type { SourceFile } from './source-file.ts'
import { isWithinLimits } from './within-limits.ts'

/** @throws as `processVideo` does */
export async function settleRecipe(job: FileJob<VideoRecipe>, source: SourceFile): Promise<VideoRecipe> {
  const { recipe } = job
  const { codec, look, maxBytes } = recipe
  if (codec === 'copy' || codec === 'webp') return recipe
  if (maxBytes !== undefined) return recipeForSize(job, codec, maxBytes)
  if (look !== undefined) return { ...recipe, look: undefined, crf: await crfForLook(job, codec, look) }
  return isWithinLimits(source.picture, recipe) ? copyingPictures(recipe) : recipe
}
