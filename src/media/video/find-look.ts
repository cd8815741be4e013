/**
 * The quality setting with which a film looks as the recipe wants, whatever the codec: found on short samples from where most
 * moves, because there an encoder loses most.
 */
import type { VideoRecipe } from '../../shared/preset/preset.ts'
import { type Look, lookNumber } from '../../shared/preset/look.ts'
import type { FileJob } from '../protocol.ts'
import { type FilmCodec, HIGHEST_CRF } from './encoder-settings.ts'
import { busySamples, tryOut } from './busy-samples.ts'
import type { SampleJob } from './sample.ts'
import { CRF_STEP } from './size-forecast.ts'

/** 90 is 45 dB, where nobody sees a difference side by side; 45 is 33.75 dB, where everybody does. */
export const decibelsOf = (look: Look): number => 22.5 + lookNumber(look) * 0.25

/** What a look of 65 takes with most films, and how many dB a step of crf costs there; the search begins with that. */
const USUAL: Readonly<Record<FilmCodec, { readonly crf: number; readonly slope: number }>> = {
  h264: { crf: 28, slope: 0.6 },
  hevc: { crf: 29, slope: 0.5 },
  vp9: { crf: 43, slope: 0.2 },
  av1: { crf: 42, slope: 0.19 },
}

/** 0 would be lossless. */
const LOWEST_CRF = 1
/** Half of a point of look. */
const NEAR_ENOUGH_DB = 0.12
const MOST_TRIALS = 6

type LookJob = SampleJob & Pick<FileJob<VideoRecipe>, 'onProgress'>

/** @throws as `processVideo` does */
export async function crfForLook(job: LookJob, codec: FilmCodec, look: Look): Promise<number> {
  const { samples, areAll } = await busySamples(job, codec)
  try {
    return await search(codec, decibelsOf(look), async (crf) => {
      job.signal.throwIfAborted()
      job.onProgress({ phase: 'Measuring', share: 0 })
      const { decibels } = await tryOut({ samples, areAll }, (sample) =>
        sample.software({ crf, bitrate: undefined }),
      )
      return decibels
    })
  } finally {
    for (const sample of samples) sample.free()
  }
}

type Point = { readonly crf: number; readonly decibels: number }

/**
 * Goes along the line through the last two points, and stays between the nearest ones on both sides.
 *
 * @returns the crf nearest to the wanted score
 */
export async function search(
  codec: FilmCodec,
  wanted: number,
  measure: (crf: number) => Promise<number>,
): Promise<number> {
  const points: Point[] = []
  let crf = rounded(codec, USUAL[codec].crf + (decibelsOf(65) - wanted) / USUAL[codec].slope)
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

function nextCrf(codec: FilmCodec, points: readonly Point[], wanted: number): number {
  const better = points.filter(({ decibels }) => decibels >= wanted).toSorted((a, b) => b.crf - a.crf)[0]
  const worse = points.filter(({ decibels }) => decibels < wanted).toSorted((a, b) => a.crf - b.crf)[0]
  if (better !== undefined && worse !== undefined && better.crf !== worse.crf) {
    const share = (better.decibels - wanted) / (better.decibels - worse.decibels)
    return better.crf + share * (worse.crf - better.crf)
  }
  const last = points.at(-1)
  const before = points.at(-2)
  if (last === undefined) return USUAL[codec].crf
  const measured = before === undefined ? Number.NaN : slopeBetween(before, last)
  const slope = measured > USUAL[codec].slope / 3 ? measured : USUAL[codec].slope
  return last.crf + (last.decibels - wanted) / slope
}

const slopeBetween = (one: Point, other: Point): number =>
  (one.decibels - other.decibels) / (other.crf - one.crf)

function rounded(codec: FilmCodec, crf: number): number {
  const step = CRF_STEP[codec] === 1 ? 1 : 0.25
  return Math.min(HIGHEST_CRF[codec], Math.max(LOWEST_CRF, Math.round(crf / step) * step))
}
