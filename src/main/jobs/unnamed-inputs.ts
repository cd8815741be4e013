import type { FileError, Job } from '../../shared/api/resources.ts'
import { resultsOf } from '../../shared/model/outcome.ts'
import { baseName } from '../../shared/paths.ts'

/** The service has no word for this, since its answer was lost. */
const UNSAID = 'The service did not say what became of this file.'

/**
 * Inputs that a finished job names neither among its results nor among its errors. The answer to `POST /jobs` would have told
 * which inputs the service left out (section 2, `skipped`); where it was lost, this is all that can be known.
 *
 * @param inputs paths of a job whose acceptance was inferred; none where the answer was heard
 */
export function unnamedInputs(job: Job, inputs: readonly string[]): readonly FileError[] {
  if (inputs.length === 0 || job.status !== 'completed') return []
  const named = [...resultsOf(job), ...(job.errors ?? [])].map(({ file }) => comparableName(file))
  const distinct = new Set(named)
  const unnamed = inputs.filter((path) => !distinct.has(comparableName(path)))
  // A service may give uploads names of its own: then only their number tells.
  const missing =
    unnamed.length === inputs.length ? Math.max(0, inputs.length - distinct.size) : unnamed.length
  return unnamed.slice(0, missing).map((path) => ({ file: baseName(path), error: UNSAID }))
}

/** Two systems may write an umlaut in two ways. */
const comparableName = (path: string): string => baseName(path).normalize('NFC')
