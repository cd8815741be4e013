import { addLost } from '../loss/lost-counts.ts'
import { lostIn, type Outcome } from './outcome.ts'

type EndedPart = {
  readonly outcome: Outcome
  /** Number of inputs; null if unknown. */ readonly files: number | null
}

/**
 * Returns the outcome of a group whose parts have all ended. A part without results counts as one problem for each of its files, so
 * that a group with some results is never shown as failed.
 * @param parts at least one
 */
export function groupOutcome(parts: readonly [EndedPart, ...EndedPart[]]): Outcome {
  const outcomes = parts.map(({ outcome }) => outcome)
  const [first] = outcomes
  const results = sumOf(outcomes.map((outcome) => ('results' in outcome ? outcome.results : 0)))
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
  return failed ?? first ?? { kind: 'forgotten' }
}

function problemsIn({ outcome, files }: EndedPart): number {
  switch (outcome.kind) {
    case 'problems':
      return outcome.problems
    case 'failed':
    case 'forgotten':
      return Math.max(1, files ?? 1)
    case 'done':
    case 'cancelled':
      return 0
  }
}

const sumOf = (numbers: readonly number[]): number => numbers.reduce((sum, one) => sum + one, 0)
