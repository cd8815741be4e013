/** How like a film its conversion looks, over all pictures. */
import { VideoRecipe } from '../../../src/shared/preset/preset.ts'
import { type Sample, takeSample } from '../../../src/media/video/sample.ts'
import { createScoreMeter } from '../../../src/media/video/score.ts'

/**
 * @param recipe how the original is filtered before it is compared
 * @returns dB
 */
export async function scoreOfFile(
  original: string,
  converted: string,
  recipe: Partial<VideoRecipe> = {},
): Promise<number> {
  const one = await allPictures(original, recipe)
  const other = await allPictures(converted, {})
  const meter = await createScoreMeter(one.pictures[0])
  try {
    for (const [index, { frame }] of one.pictures.entries()) {
      const match = other.pictures[index]
      if (match === undefined) throw new Error(`only ${index} pictures are left`)
      meter.add(frame, match.frame)
    }
    return meter.score()
  } finally {
    meter.free()
    one.free()
    other.free()
  }
}

function allPictures(inputPath: string, recipe: Partial<VideoRecipe>): Promise<Sample> {
  const { signal } = new AbortController()
  const job = { inputPath, recipe: VideoRecipe.parse(recipe), variation: undefined, signal }
  return takeSample(job, 'h264', { start: 0, pictures: 1000 })
}
