/** Treats the parts of a job as one job. Reports when it has ended, and cancels it or some of its parts. */
import { setImmediate as nextTick } from 'node:timers/promises'
import type { FileError } from '../../shared/api/resources.ts'
import { failed, type Result } from '../../shared/service-error.ts'
import type { RecordId } from '../../shared/model/ids.ts'
import type { Job, PartDetails } from '../../shared/model/job.ts'
import { endOf } from '../../shared/model/job-outcome.ts'
import { jobOfDetails, stateOfPart, titleOf } from '../../shared/model/job-state.ts'
import type { JobScope } from '../../shared/model/job-sections.ts'
import { pathOfProblem } from '../history/index.ts'
import { partIds } from './job-parts.ts'
import type { Modules } from './modules.ts'
import { vaultOutputOf } from './placed-results.ts'
import { isPending } from './replace-originals.ts'

type Needed = 'events' | 'history' | 'outbox' | 'timing'

/** The jobs of all lines. */
type AllJobs = { readonly tracker: Pick<Modules['tracker'], 'jobs' | 'cancel'> }

export type WholeJobs = ReturnType<typeof wholeJobs>

/** Number of submissions to withdraw per event-loop tick. More would block the event loop for too long. */
const AT_ONCE = 50

const CANCELLED = { kind: 'cancelled', results: 0 } as const

export function wholeJobs(modules: Pick<Modules, Needed> & AllJobs) {
  const { events, history, outbox, tracker, timing } = modules
  const tellFinished = events.tell('jobFinished')

  function tellIfEnded(record: PartDetails): void {
    const whole = wholeIfEnded(modules, record)
    if (whole !== undefined) tellFinished(whole)
  }

  events.on('partFinished', tellIfEnded)
  events.on('originalsReplaced', tellIfEnded)

  /**
   * Removes submissions that aren't being sent. Ends their records so that their jobs don't wait for them.
   * @returns the removed ones
   */
  function withdraw(all: readonly RecordId[]): readonly RecordId[] {
    // Records of large drafts are written over several event-loop ticks.
    const missing = all.flatMap((id) => (history.has(id) ? [] : (outbox.get(id) ?? [])))
    if (missing.length > 0) history.recordSubmissions(missing)
    const ids = outbox.removeEach(all)
    if (ids.length === 0) return ids
    history.recordOutcomes(ids, CANCELLED, timing.clock())
    const records = ids.flatMap((id) => history.details(id) ?? [])
    records.forEach(events.tell('partWithdrawn'))
    for (const [first] of Map.groupBy(records, ({ place }) => place.id).values())
      if (first !== undefined) tellIfEnded(first)
    return ids
  }

  /** Cancel requests that are being passed on to the service, or that it has confirmed. */
  const asked = new Set<RecordId>()

  /** Passes on cancel requests that a crash or the service has left unhandled. */
  function cancelRequested(): void {
    const ids = outbox.cancelRequests.all()
    const over = new Set(ids.filter((id) => isOver(modules, id)))
    const next = ids.filter((id) => !over.has(id) && !asked.has(id))
    // Update `asked` first, because changing the outbox calls this function again.
    for (const id of over) asked.delete(id)
    for (const id of next) asked.add(id)
    outbox.cancelRequests.drop(...over)
    for (const id of next) void cancelParts(id, 'part')
  }
  for (const change of ['outboxChanged', 'connectionChanged', 'partFinished', 'originalsReplaced'] as const)
    events.on(change, cancelRequested)

  /** Cancels a job. Records the request before asking the service, so that the job isn't resumed if the service ends first. */
  async function cancelJob(id: RecordId): Promise<Result<void>> {
    const isTracked = tracker.jobs().some((job) => job.id === id)
    if (isTracked && !isOver(modules, id)) {
      asked.add(id)
      outbox.cancelRequests.add(id)
    }
    const result = await tracker.cancel(id)
    // A job that has just ended can't be canceled, but it keeps its originals.
    const record = history.summary(id)
    if (result.ok || (isTracked && record !== undefined && vaultOutputOf(record) !== undefined)) return result
    asked.delete(id)
    const { kind } = result.error
    const isRefused = isTracked && kind !== 'notReachable' && kind !== 'noAnswer'
    if (isRefused && outbox.cancelRequests.has(id)) outbox.cancelRequests.drop(id)
    return result
  }

  /**
   * Cancels running parts and withdraws waiting ones. Parts that are being sent stay. Ended parts keep the originals that haven't been
   * replaced yet.
   * @returns the first error of the service
   */
  async function cancelParts(id: RecordId, scope: JobScope): Promise<Result<void>> {
    const parts = partIds(modules, id, scope)
    const withdrawn = withdraw(parts)
    const replacing = parts.filter((part) => isReplacing(modules, part))
    outbox.cancelRequests.add(...replacing)
    const running = parts.filter((part) => tracker.jobs().some((job) => job.id === part))
    if (withdrawn.length + running.length + replacing.length === 0) return cancelJob(id)
    const results = await Promise.all(running.map(cancelJob))
    const error = results.find((result) => !result.ok)
    return error?.ok === false ? failed(error.error) : { ok: true, value: undefined }
  }

  /** Withdraws the submissions that are waiting. Takes several event-loop ticks if there are many. @returns the withdrawn ones */
  async function withdrawWaiting(ids: readonly RecordId[]): Promise<readonly RecordId[]> {
    const withdrawn: RecordId[] = []
    // Start with the last ones, because the first ones are sent next.
    for (let end = ids.length; end > 0; end -= AT_ONCE) {
      const some = ids.slice(Math.max(0, end - AT_ONCE), end)
      withdrawn.push(...withdraw(some.filter((id) => outbox.get(id)?.state.kind === 'waiting')))
      if (end > AT_ONCE) await nextTick()
    }
    return withdrawn
  }

  return {
    cancelParts,
    withdrawWaiting,
    /** Removes a submission that is no longer needed. The history records what happened to its files. */
    withdrawPart(id: RecordId, why: readonly FileError[]): void {
      history.recordResults(id, [], why)
      withdraw([id])
    },
    /** Restores a removed submission and the parts that were removed together with it. */
    restoreParts: (id: RecordId): void => {
      for (const restored of outbox.restore(id)) {
        const submission = outbox.get(restored)
        if (submission !== undefined && (history.summary(restored)?.outcome ?? null) !== null)
          history.recordReturned(submission, 0)
      }
    },
  }
}

/** Whether nothing is left to cancel: the job has ended and its originals are replaced, or its submission was withdrawn. */
function isOver(modules: Pick<Modules, 'history' | 'outbox'>, id: RecordId): boolean {
  const record = modules.history.summary(id)
  if (modules.outbox.get(id) !== undefined || isReplacing(modules, id)) return false
  return record?.outcome !== null || record.jobId === null
}

/** Whether a job has ended but its originals still have to be replaced. */
function isReplacing({ history }: Pick<Modules, 'history'>, id: RecordId): boolean {
  const record = history.summary(id)
  return record !== undefined && record.outcome !== null && isPending(record)
}

/**
 * Returns the details of a whole job that has ended: its first part, with the counts, outcome and problems of all parts. Returns undefined
 * while a part is unfinished or an original still has to be replaced. Parts removed from the outbox count as canceled.
 */
function wholeIfEnded(
  { history, outbox, timing }: Pick<Modules, 'history' | 'outbox' | 'timing'>,
  { id, place }: PartDetails,
): PartDetails | undefined {
  if (outbox.partsOf(place.id).length > 0) return undefined
  const first = history.wholeJob(id)[0] ?? id
  const open = history.details(first)?.parts.filter(({ outcome }) => outcome === null) ?? []
  const isWithdrawn = (part: { readonly id: RecordId }) =>
    outbox.get(part.id) === undefined && history.summary(part.id)?.jobId === null
  const withdrawn = open.filter(isWithdrawn).map((part) => part.id)
  if (withdrawn.length < open.length) return undefined
  history.recordOutcomes(withdrawn, CANCELLED, timing.clock())
  const details = history.details(first)
  if (details === undefined || [details, ...details.parts].some(isPending)) return undefined
  const job = jobOfDetails(details)
  const { photos, videos, files } = titleOf(job)
  return { ...details, photos, videos, files, ...endOf(job), problems: problemsOf(history, job) }
}

/** Returns the problems of all parts, with paths. Reads only parts with problems, because a job may have hundreds of parts. */
const problemsOf = (history: Modules['history'], { parts }: Job): PartDetails['problems'] =>
  parts
    .filter((part) => ['problems', 'failed', 'forgotten'].includes(stateOfPart(part)))
    .flatMap(({ id }) => {
      const part = history.details(id)
      return part === undefined ? [] : problemsInPart(part)
    })

/** Returns the problems of a part. If the whole part failed or was forgotten, each of its files is a problem. */
export function problemsInPart(record: PartDetails): PartDetails['problems'] {
  const { outcome, inputs, problems } = record
  if (outcome?.kind === 'problems')
    return problems.map((problem) => ({ ...problem, file: pathOfProblem(problem, record) }))
  const { reason = '', failure } = outcome?.kind === 'failed' ? outcome : {}
  return inputs.map(({ path }) => ({ file: path, error: reason, failure }))
}
