/**
 * Finds the crf at which a video reaches the recipe's visual quality target, for any codec. Tries values on short samples with the
 * most motion, where encoders lose the most quality.
 */
import type { VideoRecipe } from '../../shared/preset/preset.ts'
import { type Look, lookNumber } from '../../shared/preset/look.ts'
import type { FileJob } from '../protocol.ts'
import { CODINGS, type VideoCodec } from './encoder-settings.ts'
import { busySamples, tryOut } from './busy-samples.ts'
import type { SampleJob } from './sample.ts'
import { DECIBELS_OF_0, SCORE_PER_DECIBEL } from './score.ts'
import { CRF_STEP } from './size-estimate.ts'

export const decibelsOf = (look: Look): number => DECIBELS_OF_0 + lookNumber(look) / SCORE_PER_DECIBEL

/** Typical crf for a score of 65, and XPSNR loss in dB when the crf increases by 1. The search starts from these values. */
const TYPICAL: Readonly<Record<VideoCodec, { readonly crf: number; readonly slope: number }>> = {
  h264: { crf: 28, slope: 0.6 },
  hevc: { crf: 29, slope: 0.5 },
  vp9: { crf: 43, slope: 0.2 },
  av1: { crf: 42, slope: 0.19 },
}

/** Lowest crf of the search. Excludes 0, which means lossless. */
const LOWEST_CRF = 1
/** Distance from the target at which the search ends: about half a point of visual quality. */
const NEAR_ENOUGH_DB = 0.12
const MOST_TRIALS = 6

type SearchJob = SampleJob & Pick<FileJob<VideoRecipe>, 'onProgress'>

/** @throws as `processVideo` does */
export async function crfForVisualQuality(job: SearchJob, codec: VideoCodec, look: Look): Promise<number> {
  using samples = await busySamples(job, codec)
  return await search(codec, decibelsOf(look), async (crf) => {
    await job.pause?.pass(job.signal)
    job.signal.throwIfAborted()
    job.onProgress({ phase: 'Measuring', share: 0 })
    const { decibels } = await tryOut(samples, (sample) => sample.software({ crf, bitrate: undefined }))
    return decibels
  })
}

type Point = { readonly crf: number; readonly decibels: number }

/**
 * Interpolates between the closest trials on either side of the target. While all trials are on one side, follows the line through the last
 * two, or the typical slope.
 * @returns the crf of the trial that came closest to the target
 */
export async function search(
  codec: VideoCodec,
  wanted: number,
  measure: (crf: number) => Promise<number>,
): Promise<number> {
  const points: Point[] = []
  let crf = rounded(codec, TYPICAL[codec].crf + (decibelsOf(65) - wanted) / TYPICAL[codec].slope)
  while (points.length < MOST_TRIALS && !points.some((point) => point.crf === crf)) {
    const decibels = await measure(crf)
    points.push({ crf, decibels })
    if (Math.abs(decibels - wanted) <= NEAR_ENOUGH_DB) break
    crf = rounded(codec, nextCrf(codec, points, wanted))
  }
  const [nearest] = points.toSorted(
    (one, other) => Math.abs(one.decibels - wanted) - Math.abs(other.decibels - wanted),
  )
  return nearest?.crf ?? crf
}

function nextCrf(codec: VideoCodec, points: readonly Point[], wanted: number): number {
  const better = points.filter(({ decibels }) => decibels >= wanted).toSorted((a, b) => b.crf - a.crf)[0]
  const worse = points.filter(({ decibels }) => decibels < wanted).toSorted((a, b) => a.crf - b.crf)[0]
  if (better !== undefined && worse !== undefined && better.crf !== worse.crf) {
    const share = (better.decibels - wanted) / (better.decibels - worse.decibels)
    return better.crf + share * (worse.crf - better.crf)
  }
  const last = points.at(-1)
  const before = points.at(-2)
  if (last === undefined) return TYPICAL[codec].crf
  const measured = before === undefined ? Number.NaN : slopeBetween(before, last)
  const slope = measured > TYPICAL[codec].slope / 3 ? measured : TYPICAL[codec].slope
  return last.crf + (last.decibels - wanted) / slope
}

const slopeBetween = (one: Point, other: Point): number =>
  (one.decibels - other.decibels) / (other.crf - one.crf)

function rounded(codec: VideoCodec, crf: number): number {
  const step = CRF_STEP[codec] === 1 ? 1 : 0.25
  return Math.min(CODINGS[codec].highestCrf, Math.max(LOWEST_CRF, Math.round(crf / step) * step))
}
