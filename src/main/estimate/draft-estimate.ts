import { sumOf } from '../../shared/sum.ts'
import { draftConnection, type AppState } from '../../shared/model/app-state.ts'
import type { DraftEstimate, Estimate, EstimateRange } from '../../shared/model/estimate.ts'
import { partsToProcess } from '../../shared/model/done-files.ts'
import type { PresetItems } from '../../shared/model/draft-parts.ts'
import type { History } from '../history/index.ts'
import { estimateFromPast } from './estimate-from-past.ts'
import { addRanges, sumIfAll } from './ranges.ts'

type Known = Extract<Estimate, { readonly kind: 'known' }>

/**
 * Lists the estimates of a draft's presets and adds them up.
 * @param inputBytes size of the draft's files, each counted once
 * @returns null if there is nothing to estimate
 */
export function draftEstimate(
  parts: readonly { readonly preset: string | null; readonly estimate: Estimate | null }[],
  inputBytes: number,
): DraftEstimate | null {
  const presets = parts.flatMap(({ preset, estimate }) => (estimate === null ? [] : [{ preset, estimate }]))
  if (presets.length === 0) return null
  const total = totalEstimate(
    presets.map(({ estimate }) => estimate),
    inputBytes,
  )
  return { presets, total }
}

/**
 * Adds estimates of the same files with several presets. The total is unknown if any of them is.
 * @param inputBytes size of the files, each counted once
 */
export function totalEstimate(estimates: readonly Estimate[], inputBytes: number): Estimate {
  const [first] = estimates
  if (first !== undefined && estimates.length === 1) return first
  const known = estimates.filter((one): one is Known => one.kind === 'known')
  const unknown = estimates.filter((one) => one.kind === 'unknown')
  // The total may still become known if a sample is still being processed.
  const [why] = unknown.toSorted((a, b) => Number(b.why === 'counting') - Number(a.why === 'counting'))
  if (why !== undefined) return why
  const times = known.map(({ milliseconds }) => milliseconds)
  return {
    kind: 'known',
    inputBytes,
    bytes: addRanges(known.map(({ bytes }) => bytes)),
    milliseconds: times.every((time): time is EstimateRange => time !== null) ? addRanges(times) : null,
    atMostBytes: sumIfAll(known.map(({ atMostBytes }) => atMostBytes)),
    isGrowing: known.some(({ isGrowing }) => isGrowing),
  }
}

type DraftState = Pick<AppState, 'draft' | 'connection' | 'services' | 'doneFiles'>

/** Returns the files that each of the draft's presets will process. */
export const partsIn = (state: DraftState): readonly PresetItems[] =>
  partsToProcess(state.draft, draftConnection(state).presets, state.doneFiles)

/** Returns the size of the files that will be processed, each counted once. */
export function inputBytesOf(state: DraftState): number {
  const items = new Set(partsIn(state).flatMap((part) => part.items))
  return sumOf([...items].map(({ size }) => size))
}

/** Estimates a draft for an external service from finished jobs. Returns null for other services and without files. */
export function draftEstimateFromPast(
  state: DraftState,
  pastJobs: History['pastJobs'],
): DraftEstimate | null {
  const { draft, connection } = state
  if (connection.kind !== 'external' || draft.source.kind !== 'files') return null
  const parts = partsIn(state).map(({ preset, items }) => {
    const part = { source: { kind: 'files' as const, items }, variations: draft.variations }
    return { preset, estimate: estimateFromPast(part, pastJobs({ preset, baseUrl: connection.baseUrl })) }
  })
  return draftEstimate(parts, inputBytesOf(state))
}
