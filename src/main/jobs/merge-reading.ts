import { isInProgress } from '../../shared/api/job-status.ts'
import type { Job, ReadJobList } from '../../shared/api/resources.ts'
import type { QueueReading } from '../../shared/model/app-state.ts'
import { isAcceptedJob } from '../../shared/api/service-time.ts'
import type { RecordId } from '../../shared/model/ids.ts'
import { outcomeOf } from '../../shared/model/outcome.ts'
import type { ActiveJob } from '../../shared/model/work.ts'
import { learnScale, NO_EVIDENCE, type ProgressScale, type ScaleEvidence } from './progress-scale.ts'
import { queuePositions } from './queue-order.ts'
import {
  foreignTitle,
  isSameJob,
  phaseOf,
  readJob,
  stageOf,
  type Now,
  type ReadingContext,
} from './read-job.ts'
import { unnamedInputs } from './unnamed-inputs.ts'
import { newlyTracked, type Followed, type JobEvent, type JobPhase, type TrackedJob } from './tracked-job.ts'

export type TrackerState = {
  readonly tracked: readonly TrackedJob[]
  /** Jobs that need no more looking at, by id and creation; the newest last. */
  readonly over: ReadonlySet<string>
  /** Whether the list was read before: jobs of others that had ended by then are none of our business. */
  readonly started: boolean
  readonly scale: ScaleEvidence
  readonly queue: QueueReading | null
  /** The same array until something in it changes. */
  readonly shown: readonly ActiveJob[]
}

export const emptyState: TrackerState = {
  tracked: [],
  over: new Set(),
  started: false,
  scale: NO_EVIDENCE,
  queue: null,
  shown: [],
}

/** What one tick has brought. */
export type Reading = {
  readonly list: ReadJobList
  /** Answers to `GET /jobs/{id}` for those that the list lacks; one that could not be asked is absent. */
  readonly looked: ReadonlyMap<string, Job | 'gone'>
}

export type MergeOptions = {
  readonly newId: () => RecordId
  /** A job nobody follows may be one of ours whose acceptance is still in doubt: it is left alone while this says so. */
  readonly isSpokenFor: (job: Job) => boolean
  /** Where it is known, as with the built-in service. */
  readonly scale?: ProgressScale | undefined
}

type Merged = { readonly state: TrackerState; readonly events: readonly JobEvent[] }

/** Enough that whatever can still be listed is remembered. */
const REMEMBERED = 1_000

/** Begins to follow a job of ours; one that had been taken for another client's becomes ours. */
export function follow(state: TrackerState, followed: Followed): Merged {
  const { title, jobId, skipped = [], acceptedAt = null, unconfirmed = [] } = followed
  if (state.tracked.some(({ title: known }) => known.id === title.id)) return { state, events: [] }
  const foreign = state.tracked.find(
    (job) => job.jobId === jobId && job.title.origin === 'other' && isFollowed(followed, job),
  )
  const ours: TrackedJob = foreign
    ? { ...foreign, title, skipped, acceptedAt, unconfirmed, shown: { ...foreign.shown, ...title } }
    : newlyTracked(followed)
  const tracked = [...state.tracked.filter((job) => job !== foreign), ours]
  return {
    state: withTracked(state, tracked),
    events: foreign ? [{ kind: 'adopted', id: title.id, foreignId: foreign.title.id, jobId }] : [],
  }
}

/** A job of another client that has the id of one of ours may be another job. */
const isFollowed = ({ createdAt, acceptedAt }: Followed, { createdText }: TrackedJob): boolean =>
  createdText === null ||
  isAcceptedJob({ createdAt: createdAt ?? null, acceptedAt: acceptedAt ?? null }, createdText)

/** Says of a job that its cancellation was asked for, or that it was not after all. */
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

/** The ids to ask for one by one: jobs that are not over, and that the list no longer shows or does not show whole. */
export function missingFrom(state: TrackerState, list: ReadJobList): readonly string[] {
  const whole = list.jobs.filter((job) => !lacksOutcome(job)).map(({ jobId }) => jobId)
  const listed = new Set([...whole, ...(list.unreadable ?? [])])
  return state.tracked.filter(({ jobId }) => !listed.has(jobId)).map(({ jobId }) => jobId)
}

/** A service may leave the outcome of large batches out of its list, where it is optional (section 2). */
const lacksOutcome = ({ type, status, results, errors, progress }: Job): boolean =>
  type === 'batch' &&
  !isInProgress(status) &&
  results === undefined &&
  errors === undefined &&
  (progress.completedFiles ?? 0) > 0

/**
 * What a reading changes: the whole tracker but for the clock and the network.
 *
 * Whatever the service says, a job only moves forward, its share never falls, and it is over once. Reading the same again
 * gives the same objects.
 */
export function mergeReading(state: TrackerState, reading: Reading, now: Now, options: MergeOptions): Merged {
  const listed = firstOfEach(reading.list.jobs)
  const evidence = learnScale(state.scale, reading.list.jobs)
  const context: ReadingContext = {
    now,
    scale: options.scale ?? evidence.scale,
    rescaled: options.scale === undefined && state.scale.scale === 'fraction' && evidence.scale === 'percent',
    positions: queuePositions(reading.list.jobs),
  }

  const events: JobEvent[] = []
  const finished: string[] = []
  const tracked: TrackedJob[] = []
  const claimed = new Set<Job>()

  for (const known of state.tracked) {
    const listedJob = listed.get(known.jobId)
    if (listedJob !== undefined && isSameJob(known, listedJob)) claimed.add(listedJob)
    const isWhole = listedJob !== undefined && !lacksOutcome(listedJob)
    const found = isWhole ? listedJob : reading.looked.get(known.jobId)
    if (found === undefined) {
      tracked.push(known)
      continue
    }
    if (found === 'gone' || !isSameJob(known, found)) {
      events.push(forgotten(known))
      if (known.createdText !== null) finished.push(keyOf(known.jobId, known.createdText))
      continue
    }
    const next = readJob(known, found, context)
    if (next.phase !== known.phase) events.push(moved(known.phase, next))
    if (next.phase === 'over') finished.push(keyOf(next.jobId, found.createdAt))
    else tracked.push(next)
  }

  for (const job of listed.values()) {
    const key = keyOf(job.jobId, job.createdAt)
    if (claimed.has(job) || state.over.has(key) || options.isSpokenFor(job)) continue
    if (!state.started && phaseOf(job) === 'over') {
      finished.push(key)
      continue
    }
    const found = readJob(
      newlyTracked({ title: foreignTitle(options.newId(), job, now.wall), jobId: job.jobId }),
      job,
      context,
    )
    events.push(moved(null, found))
    if (found.phase === 'over') finished.push(key)
    else tracked.push(found)
  }

  const merged = withTracked(
    {
      ...state,
      started: true,
      scale: evidence,
      over: remember(state.over, finished),
      queue: queueReading(state.queue, reading.list),
    },
    tracked,
  )
  return { state: merged, events }
}

/**
 * A new state but for what could not be written: those jobs stay as they were before, so that the next reading brings the same
 * events again.
 */
export function heldBack(
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
  const over = new Set([...merged.over].filter((key) => !keys.has(key) || before.over.has(key)))
  return withTracked({ ...merged, over }, tracked)
}

// ── Events ──────────────────────────────────────────────────────────────────────────────────────────────────────────

function moved(from: JobPhase | null, job: TrackedJob): JobEvent {
  const ended = job.phase === 'over' ? job.last : null
  const unnamed = ended === null ? [] : unnamedInputs(ended, job.unconfirmed)
  return {
    kind: 'moved',
    id: job.title.id,
    jobId: job.jobId,
    title: job.title,
    job: job.last,
    from,
    to: job.phase ?? 'queued',
    outcome: ended === null ? null : outcomeOf(ended, [...job.skipped, ...unnamed]),
    unnamed,
  }
}

const forgotten = (job: TrackedJob): JobEvent => ({
  kind: 'moved',
  id: job.title.id,
  jobId: job.jobId,
  title: job.title,
  job: job.last,
  from: job.phase,
  to: 'over',
  outcome: { kind: 'forgotten' },
  unnamed: [],
})

// ── The whole ───────────────────────────────────────────────────────────────────────────────────────────────────────

const keyOf = (jobId: string, createdText: string): string => `${jobId} ${createdText}`

function firstOfEach(jobs: readonly Job[]): ReadonlyMap<string, Job> {
  const first = new Map<string, Job>()
  for (const job of jobs) if (!first.has(job.jobId)) first.set(job.jobId, job)
  return first
}

function remember(over: ReadonlySet<string>, finished: readonly string[]): ReadonlySet<string> {
  if (finished.length === 0) return over
  const all = [...over, ...finished]
  return new Set(all.slice(-REMEMBERED))
}

/** What waits is counted by status, which is specified; whether `queueLength` counts the running one is not. */
function queueReading(before: QueueReading | null, list: ReadJobList): QueueReading {
  const waiting = list.jobs.filter(({ status }) => status === 'queued').length
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

/** Now, then Up next. */
function rank({ stage, startedAt }: ActiveJob): number {
  if (stage.kind === 'queued') return 2 + stage.position
  if (stage.kind === 'uploading') return 1
  return startedAt === null ? 2 : 0
}
