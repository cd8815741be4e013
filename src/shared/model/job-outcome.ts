/** The outcome of a job, and the number of results that it should create. */
import { sumOf } from '../sum.ts'
import { addLost } from '../loss/lost-counts.ts'
import type { Job, Outcome, Part, PartAt, PartTitle } from './job.ts'
import { lostIn } from './outcome.ts'
import { addedCounts } from './replacement.ts'

type Ended = Pick<PartAt<'history'>, 'outcome' | 'files'>

/** Returns the outcome of all parts together; null while any of them is unfinished. */
export const outcomeOfParts = (parts: readonly Part[]): Outcome | null =>
  combinedOutcome(parts.map((part) => (part.at === 'history' ? part : { outcome: null, files: null })))

/**
 * Returns the outcome of all parts together; null while any of them is unfinished. If a job has several parts,
 * a failed or forgotten one counts as one problem for each of its files, so that a job with some results is never shown as failed.
 */
export function combinedOutcome(parts: readonly Ended[]): Outcome | null {
  const outcomes = parts.flatMap(({ outcome }) => outcome ?? [])
  const [first] = outcomes
  if (first === undefined || outcomes.length < parts.length) return null
  if (outcomes.length === 1) return first
  const results = sumOf(outcomes.map(resultsIn))
  const uploads = outcomes.flatMap((outcome) => ('uploaded' in outcome ? (outcome.uploaded ?? []) : []))
  const uploaded = uploads.length === 0 ? null : sumOf(uploads)
  const problems = sumOf(parts.map(problemsIn))
  const lost = addLost(outcomes.map(lostIn))
  const losses = lost === undefined ? {} : { lost }
  if (outcomes.every(({ kind }) => kind === 'done')) return { kind: 'done', results, uploaded, ...losses }
  if (problems === 0) return { kind: 'cancelled', results }
  const failed = outcomes.find(({ kind }) => kind === 'failed')
  const hasResults = outcomes.some(({ kind }) => kind === 'done' || kind === 'problems') || results > 0
  if (hasResults) return { kind: 'problems', results, problems, uploaded, ...losses }
  return failed ?? first
}

function problemsIn({ outcome, files }: Ended): number {
  switch (outcome?.kind) {
    case 'problems':
      return outcome.problems
    case 'failed':
    case 'forgotten':
      return Math.max(1, files ?? 1)
    case 'done':
    case 'cancelled':
    case undefined:
      return 0
  }
}

export const resultsIn = (outcome: Outcome | null): number =>
  outcome !== null && 'results' in outcome ? outcome.results : 0

/** Combines the ends of a job's parts in the same way as a page of the history does. */
export function endOf({
  parts,
}: Pick<Job, 'parts'>): Pick<PartAt<'history'>, 'outcome' | 'endedAt' | 'unseen' | 'replaced'> {
  const ended = parts.filter((part) => part.at === 'history')
  const outcome = outcomeOfParts(parts)
  const ends = outcome === null ? [] : ended.flatMap(({ endedAt }) => endedAt ?? [])
  return {
    outcome,
    endedAt: ends.length === 0 ? null : Math.max(...ends),
    unseen: ended.some(({ unseen }) => unseen),
    replaced: outcome === null ? null : addedCounts(ended.map(({ replaced }) => replaced)),
  }
}

/** Returns the number of results if nothing goes wrong; null until the files have been counted. */
export const plannedResults = ({
  files,
  variations,
}: Pick<PartTitle, 'files' | 'variations'>): number | null => (files === null ? null : files * variations)

/** Returns the number of results that the parts create if nothing goes wrong; null until their files have been counted. */
export function expectedResults({ parts }: { readonly parts: readonly PartTitle[] }): number | null {
  const counts = parts.map(plannedResults)
  return counts.includes(null) ? null : sumOf(counts.map((count) => count ?? 0))
}
