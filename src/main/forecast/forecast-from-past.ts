/**
 * What a draft will come to at another program's service, which nobody can try: by the jobs with the same preset that it has
 * done. What a preset does there is not known, and what it did is.
 */
import type { MediaKind } from '../../shared/media-types.ts'
import type { Draft } from '../../shared/model/draft.ts'
import type { Expected, Forecast, PastJob } from '../../shared/model/forecast.ts'
import type { SizedFile } from './choose-samples.ts'
import { isTooWide, scaled, sumOf, together } from './expected.ts'
import { expectedOf } from './extrapolate.ts'

/** Two may be alike by chance. */
const FEWEST = 3

/** @returns null where the draft has no files to speak of */
export function forecastFromPast(
  { source, variations }: Pick<Draft, 'source' | 'variations'>,
  past: readonly PastJob[],
): Forecast | null {
  if (source.kind !== 'files' || source.items.length === 0) return null
  const { items } = source
  const parts = (['image', 'video'] as const)
    .map((kind) => ({ kind, files: items.filter((item) => item.kind === kind) }))
    .filter(({ files }) => files.length > 0)
  const sumUp = (valueOf: (job: PastJob) => number | null): Expected | undefined => {
    const found = parts.map(({ kind, files }) => partOf(files, past, kind, valueOf))
    const known = found.filter((part) => part !== undefined)
    return known.length === found.length ? scaled(together(known), variations) : undefined
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

/** Jobs are held against each other by their average file: what came of one, by the size of what went in. */
function partOf(
  files: readonly SizedFile[],
  past: readonly PastJob[],
  kind: MediaKind,
  valueOf: (job: PastJob) => number | null,
): Expected | undefined {
  const samples = past.flatMap((job) => {
    const value = job.kind === kind ? valueOf(job) : null
    if (value === null || job.inputBytes === 0) return []
    return [{ size: job.inputBytes / job.files, value: value / (job.files * job.variations) }]
  })
  if (samples.length < FEWEST) return undefined
  const size = sumOf(files.map((file) => file.size)) / files.length
  return scaled(expectedOf(size, samples), files.length)
}
