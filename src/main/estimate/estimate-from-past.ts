/**
 * Estimates a draft for an external service from finished jobs with the same preset, because the contents of the service's presets
 * are unknown.
 */
import { sumOf } from '../../shared/sum.ts'
import type { MediaKind } from '../../shared/media-types.ts'
import type { Draft } from '../../shared/model/draft.ts'
import type { EstimateRange, Estimate } from '../../shared/model/estimate.ts'
import type { History } from '../history/index.ts'
import type { SizedFile } from './choose-samples.ts'
import { isTooWide, scaleRange, addRanges } from './ranges.ts'
import { predict } from './extrapolate.ts'

type PastJobs = ReturnType<History['pastJobs']>

/** Minimum number of past jobs. Two jobs may be similar by chance. */
const MIN_JOBS = 3

/** @returns null if the draft has no files */
export function estimateFromPast(
  { source, variations }: Pick<Draft, 'source' | 'variations'>,
  past: PastJobs,
): Estimate | null {
  if (source.kind !== 'files' || source.items.length === 0) return null
  const { items } = source
  const parts = (['image', 'video'] as const)
    .map((kind) => ({ kind, files: items.filter((item) => item.kind === kind) }))
    .filter(({ files }) => files.length > 0)
  const sumUp = (valueOf: (job: PastJobs[number]) => number | null): EstimateRange | undefined => {
    const found = parts.map(({ kind, files }) => partOf(files, past, kind, valueOf))
    const known = found.filter((part) => part !== undefined)
    return known.length === found.length ? scaleRange(addRanges(known), variations) : undefined
  }
  const bytes = sumUp((job) => job.resultBytes)
  if (bytes === undefined) return { kind: 'unknown', why: 'noHistory' }
  if (isTooWide(bytes)) return { kind: 'unknown', why: 'tooDifferent' }
  return {
    kind: 'known',
    inputBytes: sumOf(items.map(({ size }) => size)),
    bytes,
    milliseconds: sumUp((job) => job.milliseconds) ?? null,
    atMostBytes: null,
    isGrowing: false,
  }
}

/** Estimates the files of one kind. Each past job counts as one sample, with its average input size and average result. */
function partOf(
  files: readonly SizedFile[],
  past: PastJobs,
  kind: MediaKind,
  valueOf: (job: PastJobs[number]) => number | null,
): EstimateRange | undefined {
  const samples = past.flatMap((job) => {
    const value = job.kind === kind ? valueOf(job) : null
    if (value === null || job.inputBytes === 0) return []
    return [{ size: job.inputBytes / job.files, value: value / (job.files * job.variations) }]
  })
  if (samples.length < MIN_JOBS) return undefined
  const size = sumOf(files.map((file) => file.size)) / files.length
  return scaleRange(predict(size, samples), files.length)
}
