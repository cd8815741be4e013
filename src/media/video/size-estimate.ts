/** Estimates the size of a video track from samples. */
import type { VideoRecipe } from '../../shared/preset/preset.ts'
import { CODINGS, type VideoCodec, mostFps } from './encoder-settings.ts'
import { encodeSample, type SampleJob, takeSamples } from './sample.ts'
import { sampleWindows, type Survey, weightOf } from './survey.ts'

/** Models size as a function of crf. Within the usual range, each crf step reduces the size by a constant factor. */
export type SizeCurve = {
  readonly crf: number
  /** Size of the video track at `crf`. */
  readonly bytes: number
  /** Natural logarithm of the factor by which the size decreases when the crf increases by 1. */
  readonly slope: number
}

/** x264 and x265 halve the size when the crf increases by 5. The scales of the other two encoders are longer. */
const TYPICAL_SLOPE: Readonly<Record<VideoCodec, number>> = { h264: 0.14, hevc: 0.14, vp9: 0.064, av1: 0.064 }
const STEEPEST = 2
export const CRF_STEP: Readonly<Record<VideoCodec, number>> = { h264: 0.1, hevc: 0.1, vp9: 1, av1: 1 }
/** Best quality to use, even if much space is left. Higher quality wouldn't look better. */
const LOWEST_CRF: Readonly<Record<VideoCodec, number>> = { h264: 15, hevc: 17, vp9: 18, av1: 18 }

/** Each encoder's keyframe interval within a scene, in frames. */
const KEYFRAME_INTERVAL: Readonly<Record<VideoCodec, number>> = {
  h264: 250,
  hevc: 250,
  vp9: 128,
  av1: 160,
}

/** Returns the lowest crf that fits the size, rounded up to the encoder's step size and limited to the range of useful values. */
export function crfFor({ crf, bytes, slope }: SizeCurve, wanted: number, codec: VideoCodec): number {
  const exact = wanted <= 0 ? Infinity : crf + Math.log(bytes / wanted) / slope
  const step = CRF_STEP[codec]
  const rounded = Number((Math.ceil(exact / step - 0.01) * step).toFixed(1))
  return Math.min(CODINGS[codec].highestCrf, Math.max(LOWEST_CRF[codec], rounded))
}

export const initialCurve = (codec: VideoCodec, bytes: number): SizeCurve => ({
  crf: CODINGS[codec].defaultCrf,
  bytes,
  slope: TYPICAL_SLOPE[codec],
})

export function bytesAt({ crf, bytes, slope }: SizeCurve, at: number): number {
  return bytes * Math.exp(-slope * (at - crf))
}

/**
 * Returns the curve through two runs or trials. Keeps the previous slope if their crf values are too close together, and limits implausible
 * slopes.
 */
export function throughRuns(
  before: SizeCurve,
  one: { readonly crf: number; readonly bytes: number },
  other: { readonly crf: number; readonly bytes: number },
): SizeCurve {
  const distance = other.crf - one.crf
  const slope = Math.abs(distance) < 0.2 ? Number.NaN : Math.log(one.bytes / other.bytes) / distance
  return { ...other, slope: sensibleSlope(slope, before.slope) }
}

function sensibleSlope(measured: number, typical: number): number {
  if (!Number.isFinite(measured)) return typical
  return Math.min(typical * STEEPEST, Math.max(typical / STEEPEST, measured))
}

const MOST_TRIALS = 3
const NEAR_ENOUGH = 2
/**
 * A trial that misses the wanted size by more than this factor is followed by another, even if the planned number of trials is reached. The
 * slope differs between videos, most of all in VP9, and a wrong estimate costs a whole run.
 */
const FAR = 1.5
/** Maximum total frames of all samples. The estimate doesn't need more, because the first complete run corrects it. */
const MAX_FRAMES = 72
/** Fraction of the video that the trials may encode. Limits the time that the estimate takes. */
const MOST_OF_VIDEO = 0.15

/**
 * Encodes samples to estimate how the file size depends on the crf.
 * @param wanted target bytes; the curve is most accurate near this size
 * @throws as `takeSample` does
 */
export async function estimateSize(
  job: SampleJob,
  codec: VideoCodec,
  survey: Survey,
  wanted: number,
): Promise<SizeCurve> {
  const affordable = survey.frames.length * MOST_OF_VIDEO
  const windows = sampleWindows(survey, 'even', Math.min(MAX_FRAMES, affordable))
  const trials = affordable / windows.reduce((sum, { frames }) => sum + frames, 0)
  using taken = await takeSamples(job, codec, windows)
  const weight = windows.reduce((sum, window) => sum + weightOf(survey, window), 0)
  const frames = framesLeft(survey, job.recipe)
  return await curveAround(wanted, codec, trials, async (crf) => {
    let alone = 0
    let following = 0
    for (const sample of taken.samples) {
      await job.pause?.pass(job.signal)
      job.signal.throwIfAborted()
      using encoded = await encodeSample(sample, sample.software({ crf, bitrate: undefined }))
      alone += encoded.alone.bytes / Math.max(1, encoded.alone.frames)
      following += encoded.following.bytes / Math.max(1, sample.frames.length - encoded.alone.frames)
    }
    return (
      (keyframesIn(frames, codec) * alone) / taken.samples.length +
      (frames * following) / Math.max(weight, Number.EPSILON)
    )
  })
}

/**
 * Returns how the size depends on the crf around the wanted size.
 * @param trials number of trials after which a curve that isn't far from the wanted size suffices
 */
export async function curveAround(
  wanted: number,
  codec: VideoCodec,
  trials: number,
  bytesAtCrf: (crf: number) => Promise<number>,
): Promise<SizeCurve> {
  let curve = initialCurve(codec, await bytesAtCrf(CODINGS[codec].defaultCrf))
  for (let trial = 1; trial < MOST_TRIALS; trial += 1) {
    const crf = crfFor(curve, wanted, codec)
    const isFar = Math.abs(Math.log(curve.bytes / wanted)) > Math.log(FAR)
    if (Math.abs(crf - curve.crf) < NEAR_ENOUGH || (trial >= trials && !isFar)) break
    curve = throughRuns({ ...curve, slope: TYPICAL_SLOPE[codec] }, curve, {
      crf,
      bytes: await bytesAtCrf(crf),
    })
  }
  return curve
}

export const keyframesIn = (frames: number, codec: VideoCodec): number =>
  Math.max(1, frames / KEYFRAME_INTERVAL[codec])

export function framesLeft({ frames, seconds }: Survey, recipe: Pick<VideoRecipe, 'codec' | 'fps'>): number {
  return Math.min(frames.length, (mostFps(recipe) ?? Infinity) * Math.max(seconds, Number.EPSILON))
}
