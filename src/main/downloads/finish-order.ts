import type { FileError } from '../../shared/api/resources.ts'
import type { Outcome } from '../../shared/model/outcome.ts'
import type { Fetched } from './fetch-order.ts'
import type { StoredOrder } from './open-orders.ts'
import { localName } from './place-result.ts'

/** What came of an order of which nothing more is coming. */
export function fetchedOf({ id, jobId, outcome, endedAt, files, problems, told }: StoredOrder): Fetched {
  const results = files.flatMap(({ index, file, path, state }) =>
    state === 'here' && path !== null ? [{ index, file, outputPath: path }] : [],
  )
  const missing = files.flatMap(({ file, remotePath, problem, state }) =>
    state === 'here' ? [] : [{ file: file || localName(remotePath, jobId), error: problem ?? '' }],
  )
  const allProblems = [...problems, ...missing]
  return {
    id,
    outcome: outcomeAfter(outcome, results.length, allProblems, missing),
    endedAt,
    results,
    problems: allProblems,
    again: told,
  }
}

/** The outcome of a job once it is known which of its results arrived. */
function outcomeAfter(
  outcome: Outcome,
  fetched: number,
  problems: readonly FileError[],
  missing: readonly FileError[],
): Outcome {
  if (missing.length === 0 || (outcome.kind !== 'done' && outcome.kind !== 'problems')) return outcome
  if (fetched === 0) return { kind: 'failed', reason: missing[0]?.error ?? '' }
  return { kind: 'problems', results: fetched, problems: problems.length, uploaded: outcome.uploaded }
}
