/** Reports the parts and the originals of each of a command's jobs, once the command no longer waits for any part of that job. */
import { forEachInSlices } from '../../node/slices.ts'
import { combinedOutcome } from '../../shared/model/job-outcome.ts'
import type { PartTitle } from '../../shared/model/job.ts'
import type { RecordId } from '../../shared/model/ids.ts'
import { type PartState, stateOfPart } from '../core/index.ts'
import type { Context } from './context.ts'
import type { ExitCode } from './exit-code.ts'
import type { EventOf, OutcomeReport } from './output/events.ts'
import { reportOriginals } from './report-originals.ts'
import { partRefOf } from './submission-events.ts'

type Part = EventOf<'group'>['parts'][number]

const shownState = (state: PartState): Part['state'] => {
  if (state === 'running') return 'accepted'
  if (state === 'checking') return 'unknown'
  return state === 'sending' ? 'waiting' : state
}

/**
 * Prepares the reports of a command's jobs. Each job is reported once.
 * @param submitted the submissions that the command follows
 * @param ended records of ended jobs whose originals still have to be replaced
 */
export async function reportJobs(
  { report, line }: Pick<Context, 'report' | 'line'>,
  outcomes: OutcomeReport,
  submitted: readonly RecordId[],
  ended: readonly RecordId[],
) {
  const { history, outbox, replacing } = line
  const readTitle = (id: RecordId): Pick<PartTitle, 'place' | 'preset'> | undefined =>
    outbox.get(id)?.title ?? history.summary(id)
  // Read in slices, because a submission of 2,000 files takes many ms.
  const titles = new Map<RecordId, ReturnType<typeof readTitle>>()
  await forEachInSlices([...submitted, ...ended], (id) => titles.set(id, readTitle(id)))
  const jobOf = (id: RecordId): RecordId => titles.get(id)?.place.id ?? id
  const unreported = Map.groupBy(submitted, jobOf)
  const replaced = Map.groupBy([...submitted, ...ended], jobOf)

  function placeOf(id: RecordId): ReturnType<typeof partRefOf> {
    const title = titles.get(id) ?? readTitle(id)
    return title === undefined ? {} : partRefOf(title)
  }

  /**
   * Reports the parts of a job if it has several. The completed files of an interrupted job also count as a part.
   * @param followed the parts that the command follows; earlier commands may have followed other parts
   */
  function reportParts(job: RecordId, followed: readonly RecordId[]): void {
    const ids = [...new Set([...followed.slice(0, 1).flatMap((id) => history.wholeJob(id)), ...followed])]
    const parts = ids.flatMap((id) => {
      const { group } = placeOf(id)
      return group === undefined
        ? []
        : [{ ...group, submission: id, state: shownState(stateOfPart(line, id)) }]
    })
    if (parts.length === 0) return
    outcomes.say({
      event: 'group',
      id: job,
      outcome: combinedOutcome(ids.map((id) => history.summary(id) ?? { outcome: null, files: null })),
      parts,
    })
  }

  /** Whether the job has ended but its originals still have to be replaced. */
  function isPending(id: RecordId): boolean {
    const record = history.summary(id)
    return record !== undefined && record.outcome !== null && replacing.isPending(record)
  }

  return {
    isPending,
    /** Reports the jobs without open parts, each once. */
    reportEnded: (open: ReadonlySet<RecordId>): Promise<void> =>
      forEachInSlices(unreported, ([job, parts]) => {
        if (parts.some((id) => open.has(id))) return
        unreported.delete(job)
        reportParts(job, parts)
      }),
    /**
     * Reports the originals of the jobs that have nothing left to wait for. Reports each job once.
     * @returns an exit code for each job that replaces originals
     */
    async reportReplaced(open: ReadonlySet<RecordId>): Promise<readonly ExitCode[]> {
      const codes: ExitCode[] = []
      await forEachInSlices(replaced, ([job, parts]) => {
        if (parts.some((id) => open.has(id) || isPending(id))) return
        replaced.delete(job)
        const records = parts.flatMap((id) => history.details(id) ?? [])
        codes.push(...reportOriginals(report, replacing, job, records))
      })
      return codes
    },
  }
}
