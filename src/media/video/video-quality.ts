/** Measures how similar a finished video looks to its original, in a few short samples. */
import { VideoRecipe } from '../../shared/preset/preset.ts'
import type { Quality } from '../../shared/quality/quality.ts'
import { secondsOf } from './packet-times.ts'
import { takeSample } from './sample.ts'
import { createScoreMeter, scoreOfDecibels } from './score.ts'
import { displayedExtent } from './shown-picture.ts'
import { openSourceFile } from './source-file.ts'

const FRAMES_OF_SAMPLE = 8
/** Where the samples start, as shares of the video. A short video has only one, because each sample decodes from a keyframe. */
const STARTS = { short: [0.4], long: [0.2, 0.5, 0.8] }
const LONG_SECONDS = 60

/**
 * Compares the original with the result at the result's dimensions, in SDR.
 * @returns undefined if the result has no video, or if the frames can't be compared
 */
export async function qualityOfVideo(
  inputPath: string,
  resultPath: string,
  recipe: VideoRecipe,
  signal: AbortSignal,
): Promise<Quality | undefined> {
  if (recipe.codec === 'none') return undefined
  const { extent, duration } = await factsOf(resultPath, signal)
  const asShown = { codec: 'h264', container: 'same', bitDepth: 8, hdr: 'tone-map' } as const
  const { crop, rotate, fps, grayscale } = recipe
  const height = Math.min(extent.width, extent.height)
  const originally = VideoRecipe.parse({ ...asShown, crop, rotate, fps, grayscale, height })
  const common = { variation: undefined, signal }
  const original = { ...common, inputPath, recipe: originally }
  const result = { ...common, inputPath: resultPath, recipe: VideoRecipe.parse(asShown) }
  let [noise, frames] = [0, 0]
  for (const share of STARTS[duration < LONG_SECONDS ? 'short' : 'long']) {
    const window = { start: share * duration, frames: FRAMES_OF_SAMPLE }
    using before = await takeSample(original, 'h264', window)
    using after = await takeSample(result, 'h264', window)
    using meter = await createScoreMeter(before.frames[0])
    const tolerance = before.rate.den / before.rate.num / 2
    let count = 0
    for (const frame of after.frames) {
      const match = before.frames.find((one) => Math.abs(secondsOf(one) - secondsOf(frame)) < tolerance)
      if (match === undefined) continue
      if (match.frame.width !== frame.frame.width || match.frame.height !== frame.frame.height)
        return undefined
      meter.add(match.frame, frame.frame)
      count += 1
    }
    if (count > 0) noise += 10 ** (-meter.score() / 10) * count
    frames += count
  }
  return frames === 0
    ? undefined
    : { score: scoreOfDecibels(-10 * Math.log10(noise / frames)), isSampled: true }
}

async function factsOf(path: string, signal: AbortSignal) {
  await using source = await openSourceFile(path, signal)
  return { extent: displayedExtent(source.video), duration: source.duration ?? 0 }
}
