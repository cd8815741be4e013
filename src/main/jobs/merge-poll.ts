import { waitingIn } from '../../shared/api/job-status.ts'
import type { ServiceJob, ReadJobList } from '../../shared/api/resources.ts'
import type { ServiceQueue } from '../../shared/model/app-state.ts'
import type { RecordId } from '../../shared/model/ids.ts'
import { outcomeOf, saysItsOutcome } from '../../shared/model/outcome.ts'
import type { PartAt } from '../../shared/model/job.ts'
import { learnScale, NO_EVIDENCE, type ProgressScale, type ScaleEvidence } from './progress-scale.ts'
import { queuePositions } from './queue-order.ts'
import {
  endOf,
  foreignTitle,
  isSameJob,
  phaseOf,
  readJob,
  stageOf,
  type Now,
  type PollContext,
} from './read-job.ts'
import { unaccountedInputs } from './unaccounted-inputs.ts'
import {
  newlyTracked,
  sentRequest,
  type NewlyTracked,
  type JobEvent,
  type JobPhase,
  type TrackedJob,
} from './tracked-job.ts'

export type TrackerState = {
  readonly tracked: readonly TrackedJob[]
  /** Finished jobs by ID and creation time, newest last. */
  readonly ended: ReadonlySet<string>
  /** Whether a list has been read before. Other clients' jobs that had finished before the first list are ignored. */
  readonly started: boolean
  readonly scale: ScaleEvidence
  readonly queue: ServiceQueue | null
  /** Stays the same array until an element changes. */
  readonly shown: readonly PartAt<'service'>[]
}

export const emptyState: TrackerState = {
  tracked: [],
  ended: new Set(),
  started: false,
  scale: NO_EVIDENCE,
  queue: null,
  shown: [],
}

export type Poll = {
  readonly list: ReadJobList
  /**
   * Responses to `GET /jobs/{id}` for jobs that the list lacks or shows without their outcome. An entry is absent if its request failed.
   */
  readonly fetched: ReadonlyMap<string, ServiceJob | 'gone'>
}

type Merged = { readonly state: TrackerState; readonly events: readonly JobEvent[] }

/** Maximum number of finished jobs to remember: enough for every job that the service can still list. */
const REMEMBERED = 1_000

/** Starts tracking one of our jobs. A job previously attributed to another client becomes ours. */
export function follow(state: TrackerState, followed: NewlyTracked): Merged {
  const { title, jobId } = followed
  if (state.tracked.some(({ title: known }) => known.id === title.id)) return { state, events: [] }
  const asNew = newlyTracked(followed)
  const foreign = state.tracked.find(
    (job) =>
      job.jobId === jobId &&
      job.title.origin === 'other' &&
      (job.last === null || isSameJob(asNew, job.last, Number.NaN)),
  )
  const ours: TrackedJob = foreign
    ? { ...foreign, ...followed, shown: { ...foreign.shown, ...title } }
    : asNew
  const tracked = [...state.tracked.filter((job) => job !== foreign), ours]
  return {
    state: withTracked(state, tracked),
    events: foreign ? [{ kind: 'adopted', id: title.id, foreignId: foreign.title.id, jobId }] : [],
  }
}

/** Marks a job as being canceled, or removes the mark. */
export function markCancelling(state: TrackerState, id: RecordId, cancelling: boolean): TrackerState {
  const tracked = state.tracked.map((job) =>
    job.title.id === id && job.cancelling !== cancelling
      ? {
          ...job,
          cancelling,
          shown: { ...job.shown, stage: stageOf(job.phase, cancelling, job.shown.stage) },
        }
      : job,
  )
  return withTracked(state, tracked)
}

/** Returns the IDs to fetch individually: tracked jobs that the list omits or shows without their outcome. */
export function missingFrom(state: TrackerState, list: ReadJobList): readonly string[] {
  const whole = list.jobs.filter((job) => !lacksOutcome(job)).map(({ jobId }) => jobId)
  const listed = new Set([...whole, ...(list.unreadable ?? []).map(({ jobId }) => jobId)])
  return state.tracked.filter(({ jobId }) => !listed.has(jobId)).map(({ jobId }) => jobId)
}

/**
 * Whether the list omits the job's optional outcome (section 2). Drive jobs don't count, because their upload is polled until it
 * reports the results.
 */
const lacksOutcome = (job: ServiceJob): boolean =>
  job.status === 'completed' && job.drive === undefined && !saysItsOutcome(job)

/** Keeps a job as last read. Stores the unreadable field of the service's response, if there is one. */
function withUnreadable(job: TrackedJob, field: string | undefined): TrackedJob {
  if (field === undefined || job.shown.unreadable === field) return job
  return { ...job, shown: { ...job.shown, unreadable: field } }
}

/**
 * Applies a poll to the state. This is the whole tracker except for clock and network. Regardless of what the service reports, a
 * job only moves forward and finishes once. Its progress decreases only if the built-in service processes a file again. If no job's
 * view has changed, `shown` stays the same array.
 */
export function mergePoll(
  state: TrackerState,
  polled: Poll,
  now: Now,
  options: {
    readonly newId: () => RecordId
    /**
     * Whether an untracked job may be a submission of ours whose acceptance is uncertain. Such a job isn't attributed to another
     * client.
     */
    readonly mayBeOurs: (job: ServiceJob) => boolean
    /** Set if the scale is known, as with the built-in service. */
    readonly scale?: ProgressScale | undefined
    /** Whether the service has paused its jobs. */
    readonly isHeld?: boolean | undefined
  },
): Merged {
  const listed = firstOfEach(polled.list.jobs)
  const evidence = learnScale(state.scale, polled.list.jobs)
  const context: PollContext = {
    now,
    scale: options.scale ?? evidence.scale,
    mayDecrease: options.scale !== undefined,
    isHeld: options.isHeld,
    rescaled: options.scale === undefined && state.scale.scale === 'fraction' && evidence.scale === 'percent',
    positions: queuePositions(polled.list.jobs),
  }

  const unreadable = new Map((polled.list.unreadable ?? []).map(({ jobId, field }) => [jobId, field]))
  const events: JobEvent[] = []
  const finished: string[] = []
  const tracked: TrackedJob[] = []
  const claimed = new Set<ServiceJob>()

  for (const known of state.tracked) {
    const listedJob = listed.get(known.jobId)
    if (listedJob !== undefined && isJobOf(state, known, listedJob, now)) claimed.add(listedJob)
    const isWhole = listedJob !== undefined && !lacksOutcome(listedJob)
    const found = isWhole ? listedJob : polled.fetched.get(known.jobId)
    if (found === undefined) {
      tracked.push(withUnreadable(known, unreadable.get(known.jobId)))
      continue
    }
    if (found === 'gone' || !isJobOf(state, known, found, now)) {
      events.push(forgotten(known, now))
      if (known.jobCreatedAt !== null) finished.push(keyOf(known.jobId, known.jobCreatedAt))
      continue
    }
    const next = readJob(known, found, context)
    if (next.phase !== known.phase) events.push(moved(known.phase, next, now))
    if (next.phase === 'ended') finished.push(keyOf(next.jobId, found.createdAt))
    else tracked.push(next)
  }

  for (const job of listed.values()) {
    const key = keyOf(job.jobId, job.createdAt)
    if (claimed.has(job) || state.ended.has(key) || options.mayBeOurs(job)) continue
    if (!state.started && phaseOf(job) === 'ended') {
      finished.push(key)
      continue
    }
    const found = readJob(
      newlyTracked({ title: foreignTitle(options.newId(), job, now.wall), jobId: job.jobId }),
      job,
      context,
    )
    events.push(moved(null, found, now))
    if (found.phase === 'ended') finished.push(key)
    else tracked.push(found)
  }

  const merged = withTracked(
    {
      ...state,
      started: true,
      scale: evidence,
      ended: remember(state.ended, finished),
      queue: serviceQueue(state.queue, polled.list),
    },
    tracked,
  )
  return { state: merged, events }
}

/** Reverts the jobs whose events couldn't be written, so that the next poll produces the same events again. */
export function withoutUnwritten(
  merged: TrackerState,
  before: TrackerState,
  unwritten: readonly JobEvent[],
): TrackerState {
  const moved = unwritten.filter((event) => event.kind === 'moved')
  if (moved.length === 0) return merged
  const ids = new Set(moved.map(({ id }) => id))
  const keys = new Set(moved.flatMap(({ jobId, job }) => (job === null ? [] : [keyOf(jobId, job.createdAt)])))
  const tracked = [
    ...before.tracked.filter(({ title }) => ids.has(title.id)),
    ...merged.tracked.filter(({ title }) => !ids.has(title.id)),
  ]
  const ended = new Set([...merged.ended].filter((key) => !keys.has(key) || before.ended.has(key)))
  return withTracked({ ...merged, ended }, tracked)
}

// ── Events ──────────────────────────────────────────────────────────────────────────────────────────────────────────

function moved(from: JobPhase | null, job: TrackedJob, now: Now): JobEvent {
  const ended = job.phase === 'ended' ? job.last : null
  // We don't know what another client expected its job to produce.
  const isOurs = ended !== null && job.title.origin === 'ours'
  const unaccounted = isOurs ? unaccountedInputs(ended, sentRequest(job), job.skipped) : []
  return {
    ...atService(job),
    from,
    to: job.phase ?? 'queued',
    outcome: ended === null ? null : outcomeOf(ended, [...job.skipped, ...unaccounted]),
    endedAt: ended === null ? null : endOf(job, ended, now),
    unaccounted,
  }
}

const forgotten = (job: TrackedJob, { wall }: Now): JobEvent => ({
  ...atService(job),
  from: job.phase,
  to: 'ended',
  outcome: { kind: 'forgotten' },
  endedAt: wall,
  unaccounted: [],
})

const atService = ({ title, jobId, last, shown: { startedAt } }: TrackedJob) =>
  ({ kind: 'moved', id: title.id, jobId, title, job: last, startedAt }) as const

/** Whether a listed job is this one, rather than another submission of ours that received the same ID. */
const isJobOf = ({ tracked }: TrackerState, known: TrackedJob, job: ServiceJob, { wall }: Now): boolean =>
  isSameJob(known, job, wall) &&
  !tracked.some((other) => isBetterFit(other, known) && isSameJob(other, job, wall))

/**
 * Whether `other` is the better match of two jobs with the same ID: the one whose creation time is known, or else the one accepted
 * last.
 */
function isBetterFit(other: TrackedJob, known: TrackedJob): boolean {
  if (other === known || other.jobId !== known.jobId) return false
  if (other.title.origin === 'other' || known.title.origin === 'other') return false
  if ((other.jobCreatedAt === null) !== (known.jobCreatedAt === null)) return other.jobCreatedAt !== null
  return (other.acceptedAt ?? 0) > (known.acceptedAt ?? 0)
}

// ── State ───────────────────────────────────────────────────────────────────────────────────────────────────────────

const keyOf = (jobId: string, jobCreatedAt: string): string => `${jobId} ${jobCreatedAt}`

function firstOfEach(jobs: readonly ServiceJob[]): ReadonlyMap<string, ServiceJob> {
  const first = new Map<string, ServiceJob>()
  for (const job of jobs) if (!first.has(job.jobId)) first.set(job.jobId, job)
  return first
}

function remember(ended: ReadonlySet<string>, finished: readonly string[]): ReadonlySet<string> {
  if (finished.length === 0) return ended
  const all = [...ended, ...finished]
  return new Set(all.slice(-REMEMBERED))
}

function serviceQueue(before: ServiceQueue | null, list: ReadJobList): ServiceQueue {
  const waiting = waitingIn(list)
  const processing = list.processing || list.jobs.some(({ status }) => status === 'processing')
  return before?.waiting === waiting && before.processing === processing ? before : { waiting, processing }
}

function withTracked(state: TrackerState, tracked: readonly TrackedJob[]): TrackerState {
  const shown = tracked
    .map((job) => job.shown)
    .toSorted((a, b) => rank(a) - rank(b) || a.createdAt - b.createdAt)
  const same = shown.length === state.shown.length && shown.every((job, index) => job === state.shown[index])
  return { ...state, tracked, shown: same ? state.shown : shown }
}

/** Returns the sort key of a job in the list: started jobs first, then uploads, then queued jobs. */
function rank({ stage, startedAt }: PartAt<'service'>): number {
  if (stage.kind === 'queued') return 2 + stage.position
  if (stage.kind === 'uploading') return 1
  return startedAt === null ? 2 : 0
}
