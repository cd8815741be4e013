/** Reports what happened to the originals of jobs that replace them, once for each job. */
import type { RecordId } from '../../shared/model/ids.ts'
import { replacedCounts, type Replacement } from '../../shared/model/replacement.ts'
import type { RecordDetails } from '../../shared/model/work.ts'
import type { Line } from '../core/index.ts'
import type { Context } from './context.ts'
import { EXIT, type ExitCode } from './exit-code.ts'

export interface FollowedOriginals {
  /** Whether the job has ended, but its originals still have to be replaced. */
  isPending(id: RecordId): boolean
  /**
   * Reports the jobs without open parts and waiting originals, each once.
   * @returns an exit code for each of them
   */
  report(open: ReadonlySet<RecordId>): readonly ExitCode[]
}

/** @param submitted the submissions that the command follows, and ended ones whose originals wait */
export function followOriginals(
  { report }: Pick<Context, 'report'>,
  { history, outbox, replacing }: Pick<Line, 'history' | 'outbox' | 'replacing'>,
  submitted: readonly RecordId[],
): FollowedOriginals {
  const jobOf = (id: RecordId): RecordId => (outbox.get(id)?.title ?? history.details(id))?.group?.id ?? id
  const waiting = Map.groupBy(submitted, jobOf)

  function reportJob(job: RecordId, parts: readonly RecordId[]): readonly ExitCode[] {
    const records = parts.flatMap((id) => history.details(id) ?? [])
    return reportOriginals(report, replacing, job, records)
  }

  function isPending(id: RecordId): boolean {
    const record = history.details(id)
    return record !== undefined && record.outcome !== null && replacing.isPending(record)
  }

  return {
    isPending,
    report(open) {
      const codes: ExitCode[] = []
      for (const [job, parts] of waiting) {
        if (parts.some((id) => open.has(id)) || parts.some(isPending)) continue
        waiting.delete(job)
        codes.push(...reportJob(job, parts))
      }
      return codes
    },
  }
}

/** Reports the originals of a job's parts. @returns an exit code if the job replaces originals */
export function reportOriginals(
  report: Context['report'],
  replacing: Line['replacing'],
  job: RecordId,
  parts: readonly Pick<RecordDetails, 'output' | 'inputs' | 'outcome'>[],
): readonly ExitCode[] {
  // Each part is read alone, because the first one also has the originals of parts from earlier commands.
  const files = parts.flatMap(({ output, inputs }) => replacing.of({ output, inputs, parts: [] }))
  const counts = files.length === 0 ? null : replacedCounts(files)
  if (counts === null) return []
  report.say({ event: 'originals', id: job, counts, files })
  if (!files.some(wasKeptByProblem)) return [EXIT.done]
  // Originals without results aren't a second problem of a job that failed.
  const hasFailed = counts.replaced === 0 && parts.every(({ outcome }) => outcome?.kind === 'failed')
  return [hasFailed ? EXIT.failed : EXIT.problems]
}

/** A result that isn't smaller is a reason to keep the original, not a problem. */
export const wasKeptByProblem = ({ state }: Replacement): boolean =>
  state.kind === 'kept' && state.why !== 'notSmaller'
