/** Reports what happens to a command's submissions: each step, and each job once the command no longer waits for any of its parts. */
import { EXIT, type ExitCode, USER_CANCEL } from '../../shared/command-end.ts'
import { forEachInSlices } from '../../node/slices.ts'
import type { RecordId } from '../../shared/model/ids.ts'
import { combinedOutcome } from '../../shared/model/job-outcome.ts'
import type { Outcome, PartDetails, PartTitle, WaitingReason } from '../../shared/model/job.ts'
import { type PartState, stateOfPart } from '../core/index.ts'
import type { Context } from './context.ts'
import { exitCodeOfOutcome } from './exit-code.ts'
import { t } from './output/language.ts'
import { endWith, type EventOf, notice, type OutcomeReport } from './output/events.ts'
import { checkUnsent } from './report-unsent.ts'
import { reportOriginals } from './report-originals.ts'
import { finishedEvent, keptEvent, partRefOf, submissionIn, submissionOf } from './submission-events.ts'
import { areFilesInPlace, createStopRule, type FollowOptions, type Stop } from './why-stop.ts'

/** @param submitted the submissions that the command follows */
export async function reportSubmissions(
  context: Context,
  submitted: readonly RecordId[],
  options: FollowOptions,
) {
  const { replacing = [], isContinued = false, canRepeat, untilQuiet = false } = options
  const { report, environment, line } = context
  const hasJob = (id: RecordId) => (line.history.summary(id)?.jobId ?? null) !== null
  const open = new Set(submitted)
  // An earlier owner has already reported these as accepted.
  const accepted = new Set(isContinued ? submitted.filter(hasJob) : [])
  const checked = new Set<RecordId>()
  const codes: ExitCode[] = []
  const outcomes = report.outcomes(submitted.length, canRepeat)
  const jobs = await reportJobs(context, outcomes, submitted, replacing)
  const whyStop = createStopRule(context, { open, accepted }, options)
  const isOver = (): boolean => open.size === 0 && !(untilQuiet && line.busy())

  /** Reports what is new about a submission. @returns an exit code; undefined while the command waits for the submission */
  function check(id: RecordId, isWaiting: boolean): ExitCode | undefined {
    const unsent = line.outbox.get(id)
    if (unsent !== undefined && unsent.state.kind !== 'accepted')
      return checkUnsent(context, { checked, say: (event) => outcomes.say(event) }, id)
    const record = line.history.details(id)
    // The record may be missing for a while if the disk is full, because the history is written after the outbox.
    if (record === undefined && unsent !== undefined) return undefined
    const jobId = record?.facts.jobId ?? null
    if (record === undefined || jobId === null) {
      // Ctrl-C canceled the submission before it was sent.
      if (record?.outcome && environment.interrupted.reason === USER_CANCEL)
        return ended(record, record.outcome)
      return endWith(report, t().submissions.removedMeanwhile({ id }))
    }
    const { skipped, outcome } = record
    if (!accepted.has(id)) {
      accepted.add(id)
      outcomes.say({ event: 'accepted', ...submissionOf(record), jobId, skipped })
    }
    if (outcome !== null) return ended(record, outcome)
    if (isWaiting) return undefined
    return skipped.length > 0 ? EXIT.problems : EXIT.done
  }

  function ended(record: PartDetails, outcome: Outcome): ExitCode {
    outcomes.say(finishedEvent(record, outcome))
    return exitCodeOfOutcome(outcome)
  }

  /**
   * Checks submissions, and reports the jobs that have nothing left to wait for.
   * @param isWaiting whether the command waits until the jobs end
   */
  async function checkEach(
    ids: readonly RecordId[],
    isWaiting: boolean,
    isReportedLater: (id: RecordId) => boolean = () => false,
  ): Promise<void> {
    await forEachInSlices(ids, (id) => {
      if (isReportedLater(id) || (isWaiting && jobs.isPending(id))) return
      const code = check(id, isWaiting)
      if (code === undefined) return
      open.delete(id)
      codes.push(code)
    })
    await jobs.reportEnded(open)
    codes.push(...(await jobs.reportReplaced(open)))
  }

  return {
    /** Submissions that the command is still waiting for. */
    open: open as ReadonlySet<RecordId>,
    accepted: accepted as ReadonlySet<RecordId>,
    /** One exit code for each submission that the command no longer waits for, for each job that replaces originals, and for `stop`. */
    codes: codes as readonly ExitCode[],
    /** Whether there is nothing left to wait for. */
    isOver,
    /** Reports each change once. @returns why to stop waiting; undefined while waiting is useful, or if nothing is left to wait for */
    async check(ids: readonly RecordId[], isWaiting: boolean): Promise<Stop | undefined> {
      await checkEach(ids, isWaiting)
      return isOver() ? undefined : whyStop()
    },
    /** Reports the last changes, why the command stops waiting, and what happens to the remaining submissions. */
    async stop(why: Stop): Promise<void> {
      await checkEach([...open], true, (id) => line.outbox.get(id)?.state.kind === 'unknown')
      report.progress([])
      if (why.words !== undefined) report.say(notice(why.words))
      // If the data files are gone, no outbox keeps the submissions, and no history will show an outcome.
      if (areFilesInPlace(line)) {
        // If the service lost a submission's job, the submission is back in the outbox.
        const isSent = (id: RecordId) => accepted.has(id) && hasJob(id)
        const { sent = [], unsent = [] } = Object.groupBy(open, (id) => (isSent(id) ? 'sent' : 'unsent'))
        await reportKept(context, outcomes, unsent, why.because)
        if (sent.length > 0) report.say(notice(continuingWords(context, sent, why)))
      }
      await jobs.reportEnded(new Set())
      codes.push(why.code)
    },
    /** Call this when the command no longer follows the submissions. */
    close(): void {
      report.progress([])
      outcomes.end()
    },
  }
}

/** Reports which submissions the outbox keeps. One with an unknown outcome must not be reported as waiting. */
async function reportKept(
  { report, line }: Context,
  outcomes: OutcomeReport,
  unsent: readonly RecordId[],
  because: WaitingReason,
): Promise<void> {
  const kept: EventOf<'kept'>[] = []
  await forEachInSlices(unsent, (id) => {
    const submission = line.outbox.get(id)
    if (submission === undefined) return
    const { state } = submission
    const lookAlikes = state.kind === 'unknown' ? state.candidates : []
    if (state.kind === 'unknown' || state.kind === 'sending')
      outcomes.say({ event: 'unknown', ...submissionIn(submission), lookAlikes })
    else kept.push(keptEvent(submission, because))
  })
  report.sayEach(kept)
}

function continuingWords(
  { service, line }: Context,
  sent: readonly RecordId[],
  { isCanceled = false }: Stop,
): string {
  if (sent.every((id) => line.history.summary(id)?.outcome)) return t().stops.notAllReplaced
  if (isCanceled) return t().stops.notConfirmed
  return service.kind === 'external' ? t().stops.continueThere : t().stops.continueHere
}

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
async function reportJobs(
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
