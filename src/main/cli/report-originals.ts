import { EXIT, type ExitCode } from '../../shared/command-end.ts'
import type { PartDetails } from '../../shared/model/job.ts'
import type { RecordId } from '../../shared/model/ids.ts'
import { replacedCounts, type Replacement } from '../../shared/model/replacement.ts'
import type { Line } from '../core/index.ts'
import type { Context } from './context.ts'

/** Reports the originals of a job's parts. @returns an exit code if the job replaces originals */
export function reportOriginals(
  report: Context['report'],
  replacing: Line['replacing'],
  job: RecordId,
  parts: readonly Pick<PartDetails, 'output' | 'inputs' | 'outcome'>[],
): readonly ExitCode[] {
  // Look up the originals of each part separately, because the first part would also include parts that earlier commands followed.
  const files = parts.flatMap(({ output, inputs }) => replacing.of({ output, inputs, parts: [] }))
  const counts = files.length === 0 ? null : replacedCounts(files)
  if (counts === null) return []
  report.say({ event: 'originals', id: job, counts, files })
  if (!files.some(wasKeptByProblem)) return [EXIT.done]
  // A failed job has no results. Its unreplaced originals aren't a separate problem.
  const hasFailed = counts.replaced === 0 && parts.every(({ outcome }) => outcome?.kind === 'failed')
  return [hasFailed ? EXIT.failed : EXIT.problems]
}

/** Whether the original was kept because of a problem. A result that isn't smaller isn't a problem. */
export const wasKeptByProblem = ({ state }: Replacement): boolean =>
  state.kind === 'kept' && state.why !== 'notSmaller'
