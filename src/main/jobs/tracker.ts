import type { ServiceJob, ReadJobList, UnreadableJob } from '../../shared/api/resources.ts'
import type { Timing } from '../../node/timing.ts'
import type { ServiceQueue } from '../../shared/model/app-state.ts'
import type { RecordId } from '../../shared/model/ids.ts'
import type { PartAt } from '../../shared/model/job.ts'
import { failure } from '../../shared/failure/failure.ts'
import { because, failed, succeeded, type Result, type ServiceError } from '../../shared/service-error.ts'
import type { ServiceApi } from '../service-api/index.ts'
import {
  emptyState,
  follow,
  withoutUnwritten,
  markCancelling,
  mergePoll,
  missingFrom,
  type Poll,
  type TrackerState,
} from './merge-poll.ts'
import { checkOutputs } from './check-outputs.ts'
import { createPollSchedule } from './poll-schedule.ts'
import type { ProgressScale } from './progress-scale.ts'
import { withOwnNames } from '../aliases/index.ts'
import type { NewlyTracked, JobEvent, TrackedJob } from './tracked-job.ts'

export type TrackerUpdate = {
  /** The same array as in the previous update if no job has changed. */
  readonly jobs: readonly PartAt<'service'>[]
  readonly queue: ServiceQueue | null
  readonly events: readonly JobEvent[]
}

export type Unanswered = {
  /** Monotonic time in ms at which the first unanswered list request was sent. */
  readonly since: number
  /** Why the last request failed; null before the first failure. */
  readonly error: ServiceError | null
}

export type TrackerDeps = Timing & {
  /** undefined while no service is configured. */
  readonly api: () => ServiceApi | undefined
  /** Creates a record ID for another client's job. */
  readonly newId: () => RecordId
  /**
   * Whether an untracked job in the list may be one of our submissions whose response is pending or uncertain. Such a job isn't
   * attributed to another client.
   */
  readonly mayBeOurs?: (job: ServiceJob) => boolean
  /** Returns the progress scale; undefined if it is unknown, as with an external service. */
  readonly scale?: () => ProgressScale | undefined
  /** Whether the service has paused its jobs, so that their speed can't be observed. */
  readonly isHeld?: () => boolean
  /** Whether the service is the built-in one, which is polled more often. */
  readonly isBuiltIn?: () => boolean
  /** Whether the service writes its results to this computer, so that the files it names can be checked. */
  readonly seesFiles?: () => boolean
  /** Jobs from earlier runs that were unfinished when last read. */
  readonly known: readonly NewlyTracked[]
  /**
   * Persists an event before it is shown. If this throws, the job keeps its state and the next poll emits the event again. An
   * unwritten event is never treated as known.
   */
  readonly record?: (event: JobEvent) => void
  /** Called when an event couldn't be written. The next poll retries it. */
  readonly onUnwritten?: (error: unknown) => void
  /** Called when the jobs or the queue have changed, or when there are events. */
  readonly onUpdate: (update: TrackerUpdate) => void
  /** Receives every job list. Used to find lost submissions and free queue slots. */
  readonly onList?: (list: ReadJobList, jobs: readonly PartAt<'service'>[]) => void
  /** Called when a poll fails. The tracker retries automatically, except after `unauthorized`, when it waits for `keyChanged`. */
  readonly onError?: (error: ServiceError, from: ServiceApi) => void
}

export type Tracker = ReturnType<typeof createTracker>

/**
 * Tracks the jobs of one service by polling it (rules 2 to 5 of the design). Each tick sends one `GET /jobs`, plus one `GET /jobs/{id}` for
 * each tracked job that the list omits or shows without its outcome. Polls never overlap.
 */
export function createTracker(deps: TrackerDeps) {
  const { api } = deps
  const { after, random, isBuiltIn = () => false } = deps
  const schedule = createPollSchedule({ after, random, isBuiltIn }, () => void poll())
  const tracked = createTrackedState(deps)
  const { advance } = tracked
  let polling: Polling = { kind: 'idle' }
  let unanswered: Unanswered | null = null

  async function poll(): Promise<void> {
    if (polling.kind === 'underWay' || !schedule.mayPoll()) return
    const service = api()
    if (!service) {
      schedule.next(isBusy(tracked.state()))
      return
    }
    const abort = new AbortController()
    polling = { kind: 'underWay', abort, again: false }
    unanswered ??= { since: deps.monotonic(), error: null }
    const said = await read(service, tracked.state, abort.signal)
    const answered = said.ok ? succeeded(inOwnNames(said.value, tracked.state().tracked)) : said
    const isHere = answered.ok && deps.seesFiles?.() === true
    const polled = isHere
      ? succeeded(await checkOutputs(answered.value, tracked.state().tracked, after))
      : answered
    // The poll was dropped in the meantime, so its response is obsolete.
    if (polling.kind !== 'underWay' || polling.abort !== abort) return
    const { again } = polling
    polling = { kind: 'idle' }
    take(polled, service)
    if (again) schedule.now()
    else schedule.next(isBusy(tracked.state()))
  }

  function take(polled: Result<Poll>, from: ServiceApi): void {
    if (polled.ok) {
      unanswered = null
      schedule.succeeded()
      const now = { wall: deps.clock(), monotonic: deps.monotonic() }
      const merged = mergePoll(tracked.state(), polled.value, now, optionsOf(deps))
      advance(merged.state, merged.events)
      try {
        deps.onList?.(polled.value.list, tracked.state().shown)
      } catch (error) {
        deps.onUnwritten?.(error)
      }
      return
    }
    schedule.failed()
    if (unanswered !== null) unanswered = { ...unanswered, error: polled.error }
    if (polled.error.kind === 'unauthorized') schedule.keyRefused()
    deps.onError?.(polled.error, from)
  }

  function dropPoll(): void {
    if (polling.kind === 'underWay') polling.abort.abort()
    polling = { kind: 'idle' }
    unanswered = null
  }

  function pollSoon(): void {
    if (polling.kind === 'underWay') polling = { ...polling, again: true }
    else schedule.now()
  }

  schedule.now()

  return {
    jobs: () => tracked.state().shown,
    queue: () => tracked.state().queue,
    /** Returns the unanswered list request; null if the last one was answered. */
    unanswered: (): Unanswered | null => unanswered,
    /** Starts tracking the job of an accepted submission and polls soon. */
    follow(job: NewlyTracked): void {
      const followed = follow(tracked.state(), job)
      advance(followed.state, followed.events)
      if (polling.kind === 'underWay') polling = { ...polling, again: true }
      schedule.accepted()
    },
    /** Asks the service to cancel the job. It shows as *canceling* until a poll shows that it has finished, or the request fails. */
    async cancel(id: RecordId): Promise<Result<void>> {
      const cancelled = await cancelJob(api(), tracked, id)
      if (cancelled.asked) pollSoon()
      return cancelled.result
    },
    /** Polls now. If a poll is in progress, polls again afterwards, because the current one may have started too early. */
    pollSoon,
    /** Stops polling until `resume`. Called before the computer sleeps. */
    suspend(): void {
      schedule.suspend()
      dropPoll()
    },
    resume: (): void => void (schedule.resume() && schedule.now()),
    /** Drops a pending poll, and polls with the new key. */
    keyChanged(): void {
      // A pending poll was sent with the old key, so its response doesn't show whether the new key is valid.
      dropPoll()
      schedule.keyChanged()
      schedule.now()
    },
    setVisible(visible: boolean): void {
      if (schedule.setVisible(visible)) pollSoon()
    },
    /** Switches to another service. Forgets the previous service's jobs without emitting events. */
    reset(known: readonly NewlyTracked[]): void {
      dropPoll()
      schedule.keyChanged()
      advance(followAll(known))
      schedule.now()
    },
    close(): void {
      schedule.close()
      dropPoll()
    },
  }
}

const optionsOf = ({ newId, mayBeOurs = () => false, scale, isHeld }: TrackerDeps) => ({
  newId,
  mayBeOurs,
  scale: scale?.(),
  isHeld: isHeld?.(),
})

type Cancelled = { readonly asked: boolean; readonly result: Result<void> }

const notRequested = (error: ServiceError): Cancelled => ({ asked: false, result: failed(error) })

async function cancelJob(
  service: ServiceApi | undefined,
  { state, advance }: TrackedState,
  id: RecordId,
): Promise<Cancelled> {
  const job = state().tracked.find(({ title }) => title.id === id)
  if (!job) return notRequested({ kind: 'notFound', ...because(failure('jobEnded')) })
  if (!service) {
    return notRequested({ kind: 'notReachable', reason: 'offline', ...because(failure('serviceOffline')) })
  }
  advance(markCancelling(state(), id, true))
  const result = await service.cancelJob(job.jobId)
  if (!result.ok) advance(markCancelling(state(), id, false))
  return { asked: true, result: result.ok ? succeeded(undefined) : result }
}

type TrackedState = ReturnType<typeof createTrackedState>

/** Persists events before advancing the state. */
function createTrackedState(deps: Pick<TrackerDeps, 'known' | 'record' | 'onUnwritten' | 'onUpdate'>) {
  let state = followAll(deps.known)
  /** Unwritten `adopted` events: their jobs turned out to be ours. */
  let adoptions: readonly JobEvent[] = []

  function isRecorded(event: JobEvent): boolean {
    try {
      deps.record?.(event)
      return true
    } catch (error) {
      deps.onUnwritten?.(error)
      return false
    }
  }

  return {
    state: (): TrackerState => state,
    /** Switches to a new state, except for jobs whose events couldn't be written, and reports the changes. */
    advance: (merged: TrackerState, happenedNow: readonly JobEvent[] = []): void => {
      const happened = [...adoptions, ...happenedNow]
      const unwritten = happened.filter((event) => !isRecorded(event))
      adoptions = unwritten.filter(({ kind }) => kind === 'adopted')
      const next = unwritten.length === 0 ? merged : withoutUnwritten(merged, state, unwritten)
      const events = happened.filter((event) => !unwritten.includes(event))
      const changed = next.shown !== state.shown || next.queue !== state.queue
      state = next
      if (changed || events.length > 0) deps.onUpdate({ jobs: state.shown, queue: state.queue, events })
    },
  }
}

/** If `again` is set, another poll follows immediately, because the current one may have missed a recent change. */
type Polling =
  | { readonly kind: 'idle' }
  | { readonly kind: 'underWay'; readonly abort: AbortController; readonly again: boolean }

const isBusy = ({ tracked, queue }: TrackerState): boolean =>
  tracked.length > 0 || queue?.processing === true || (queue?.waiting ?? 0) > 0

const followAll = (known: readonly NewlyTracked[]): TrackerState =>
  known.reduce((state, job) => follow(state, { ...job, isEarlier: true }).state, emptyState)

/** Replaces the names that the service received with those of the user's files, in polls of our jobs. */
function inOwnNames(polled: Poll, tracked: readonly TrackedJob[]): Poll {
  const renamed = new Map(tracked.filter(({ names }) => names.length > 0).map((job) => [job.jobId, job]))
  if (renamed.size === 0) return polled
  const translated = <T extends ServiceJob | 'gone'>(id: string, job: T): T => {
    const known = renamed.get(id)
    return known === undefined ? job : withOwnNames(job, known.names, known.inputs)
  }
  return {
    list: { ...polled.list, jobs: polled.list.jobs.map((job) => translated(job.jobId, job)) },
    fetched: new Map([...polled.fetched].map(([id, job]) => [id, translated(id, job)])),
  }
}

/** Performs one tick's requests. A job whose request fails keeps its state until the next tick. */
async function read(
  service: ServiceApi,
  state: () => TrackerState,
  signal: AbortSignal,
): Promise<Result<Poll>> {
  const listed = await service.jobs({ signal })
  if (!listed.ok) return listed
  const fetched = new Map<string, ServiceJob | 'gone'>()
  const unreadable: UnreadableJob[] = [...(listed.value.unreadable ?? [])]
  for (const jobId of missingFrom(state(), listed.value)) {
    const answer = await service.job(jobId, { signal })
    if (answer.ok) fetched.set(jobId, answer.value)
    else if (answer.error.kind === 'notFound') fetched.set(jobId, 'gone')
    else if (answer.error.kind === 'badResponse') unreadable.push({ jobId, field: answer.error.field })
    else if (answer.error.kind === 'unauthorized' || signal.aborted) return answer
  }
  return { ok: true, value: { list: { ...listed.value, unreadable }, fetched } }
}
