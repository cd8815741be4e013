/** Visual similarity of a video and its conversion, over all frames. */
import { VideoRecipe } from '../../../src/shared/preset/preset.ts'
import { type Sample, takeSample } from '../../../src/media/video/sample.ts'
import { createScoreMeter } from '../../../src/media/video/score.ts'

/**
 * @param recipe its filters are applied to the original before the comparison
 * @returns the score
 */
export async function scoreOfFile(
  original: string,
  converted: string,
  recipe: Partial<VideoRecipe> = {},
): Promise<number> {
  using one = await allPictures(original, recipe)
  using other = await allPictures(converted)
  using meter = await createScoreMeter(one.frames[0])
  for (const [index, { frame }] of one.frames.entries()) {
    const match = other.frames[index]
    if (match === undefined) throw new Error(`only ${index} frames are left`)
    meter.add(frame, match.frame)
  }
  return meter.score()
}

/** Returns all frames of a short video, after the recipe's filters. */
export function allPictures(inputPath: string, recipe: Partial<VideoRecipe> = {}): Promise<Sample> {
  const { signal } = new AbortController()
  const job = { inputPath, recipe: VideoRecipe.parse(recipe), variation: undefined, signal }
  return takeSample(job, 'h264', { start: 0, frames: 1000 })
}
