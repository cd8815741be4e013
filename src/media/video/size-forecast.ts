/** How many bytes the pictures of a film will have, guessed from samples of it. */
import type { VideoRecipe } from '../../shared/preset/preset.ts'
import { type FilmCodec, HIGHEST_CRF, USUAL_CRF } from './encoder-settings.ts'
import { encodeSample, type Sample, type SampleJob, takeSample } from './sample.ts'
import { sampleWindows, type Survey, weightOf } from './survey.ts'

/** Bytes fall by a constant share with each step of crf, over the range that people use. */
export type SizeCurve = {
  readonly crf: number
  /** Of the pictures, at this crf. */
  readonly bytes: number
  /** The natural logarithm of the share that one step of crf takes away. */
  readonly slope: number
}

/** x264 and x265 halve their bytes with five steps; the other two have more steps over the same range. */
const USUAL_SLOPE: Readonly<Record<FilmCodec, number>> = { h264: 0.14, hevc: 0.14, vp9: 0.064, av1: 0.064 }
const STEEPEST = 2
/** How fine a crf the encoder takes. */
export const CRF_STEP: Readonly<Record<FilmCodec, number>> = { h264: 0.1, hevc: 0.1, vp9: 1, av1: 1 }
/** Better than this nobody sees, however much room there is. */
const LOWEST_CRF: Readonly<Record<FilmCodec, number>> = { h264: 15, hevc: 17, vp9: 18, av1: 18 }

/** Pictures that each encoder lets pass, unless the scene changes, before one has to stand alone again. */
const PICTURES_ALONE_EVERY: Readonly<Record<FilmCodec, number>> = {
  h264: 250,
  hevc: 250,
  vp9: 128,
  av1: 160,
}

/** @returns the finest crf that needs no more bytes than that, rounded up to what the encoder takes */
export function crfFor({ crf, bytes, slope }: SizeCurve, wanted: number, codec: FilmCodec): number {
  const exact = wanted <= 0 ? Infinity : crf + Math.log(bytes / wanted) / slope
  const step = CRF_STEP[codec]
  const rounded = Number((Math.ceil(exact / step - 0.01) * step).toFixed(1))
  return Math.min(HIGHEST_CRF[codec], Math.max(LOWEST_CRF[codec], rounded))
}

/** Before anything but the usual crf was tried. */
export const usualCurve = (codec: FilmCodec, bytes: number): SizeCurve => ({
  crf: USUAL_CRF[codec],
  bytes,
  slope: USUAL_SLOPE[codec],
})

export function bytesAt({ crf, bytes, slope }: SizeCurve, at: number): number {
  return bytes * Math.exp(-slope * (at - crf))
}

/** The curve through two real runs, or one with the slope known before where they are too close. */
export function throughRuns(
  before: SizeCurve,
  one: { readonly crf: number; readonly bytes: number },
  other: { readonly crf: number; readonly bytes: number },
): SizeCurve {
  const distance = other.crf - one.crf
  const slope = Math.abs(distance) < 0.2 ? Number.NaN : Math.log(one.bytes / other.bytes) / distance
  return { ...other, slope: sensibleSlope(slope, before.slope) }
}

function sensibleSlope(measured: number, usual: number): number {
  if (!Number.isFinite(measured)) return usual
  return Math.min(usual * STEEPEST, Math.max(usual / STEEPEST, measured))
}

const MOST_TRIALS = 3
const NEAR_ENOUGH = 2
/** A factor of bytes beyond which the slope differs from film to film, most of all in VP9: a wrong guess costs a whole run. */
const FAR = 1.5
/** In all samples together: enough for a guess, which the first whole run corrects. */
const MOST_PICTURES = 72
/** The guess may not take long beside the run that it is for. */
const MOST_OF_FILM = 0.15

/**
 * @param wanted bytes; the curve is most exact around them
 * @throws as `takeSample` does
 */
export async function forecastSize(
  job: SampleJob,
  codec: FilmCodec,
  survey: Survey,
  wanted: number,
): Promise<SizeCurve> {
  const affordable = survey.pictures.length * MOST_OF_FILM
  const windows = sampleWindows(survey, 'even', Math.min(MOST_PICTURES, affordable))
  const trials = affordable / windows.reduce((sum, { pictures }) => sum + pictures, 0)
  const samples: Sample[] = []
  try {
    for (const window of windows) samples.push(await takeSample(job, codec, window))
    const weight = windows.reduce((sum, window) => sum + weightOf(survey, window), 0)
    const bytesAtCrf = (crf: number) => wholeFilm(samples, crf, { job, codec, survey, weight })
    return await curveAround(wanted, codec, trials, bytesAtCrf)
  } finally {
    for (const sample of samples) sample.free()
  }
}

/** @param trials so many are affordable where the first guesses are near */
export async function curveAround(
  wanted: number,
  codec: FilmCodec,
  trials: number,
  bytesAtCrf: (crf: number) => Promise<number>,
): Promise<SizeCurve> {
  let curve = usualCurve(codec, await bytesAtCrf(USUAL_CRF[codec]))
  for (let trial = 1; trial < MOST_TRIALS; trial += 1) {
    const crf = crfFor(curve, wanted, codec)
    const isFar = Math.abs(Math.log(curve.bytes / wanted)) > Math.log(FAR)
    if (Math.abs(crf - curve.crf) < NEAR_ENOUGH || (trial >= trials && !isFar)) break
    curve = throughRuns({ ...curve, slope: USUAL_SLOPE[codec] }, curve, { crf, bytes: await bytesAtCrf(crf) })
  }
  return curve
}

type Film = {
  readonly job: SampleJob
  readonly codec: FilmCodec
  readonly survey: Survey
  /** Of all samples together. */
  readonly weight: number
}

async function wholeFilm(
  samples: readonly Sample[],
  crf: number,
  { job, codec, survey, weight }: Film,
): Promise<number> {
  let alone = 0
  let following = 0
  for (const sample of samples) {
    job.signal.throwIfAborted()
    const encoded = await encodeSample(sample, sample.software({ crf, bitrate: undefined }))
    alone += encoded.alone.bytes / Math.max(1, encoded.alone.pictures)
    following += encoded.following.bytes / Math.max(1, sample.pictures.length - encoded.alone.pictures)
    encoded.free()
  }
  const pictures = picturesLeft(survey, job.recipe)
  return (
    (standingAlone(pictures, codec) * alone) / samples.length +
    (pictures * following) / Math.max(weight, Number.EPSILON)
  )
}

/** How many of so many pictures will stand alone. */
export const standingAlone = (pictures: number, codec: FilmCodec): number =>
  Math.max(1, pictures / PICTURES_ALONE_EVERY[codec])

export function picturesLeft({ pictures, seconds }: Survey, { fps }: Pick<VideoRecipe, 'fps'>): number {
  return Math.min(pictures.length, (fps ?? Infinity) * Math.max(seconds, Number.EPSILON))
}
