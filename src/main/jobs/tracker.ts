import type { Job, ReadJobList } from '../../shared/api/resources.ts'
import type { QueueReading } from '../../shared/model/app-state.ts'
import type { RecordId } from '../../shared/model/ids.ts'
import type { ActiveJob } from '../../shared/model/work.ts'
import { failed, type Result, type ServiceError } from '../../shared/service-error.ts'
import type { ServiceApi } from '../service-api/index.ts'
import {
  emptyState,
  follow,
  heldBack,
  markCancelling,
  mergeReading,
  missingFrom,
  type MergeOptions,
  type Reading,
  type TrackerState,
} from './merge-reading.ts'
import { createPollSchedule } from './poll-schedule.ts'
import type { ProgressScale } from './progress-scale.ts'
import type { Followed, JobEvent } from './tracked-job.ts'

export type TrackerUpdate = {
  /** The same array as before where nothing in it has changed. */
  readonly jobs: readonly ActiveJob[]
  readonly queue: QueueReading | null
  readonly events: readonly JobEvent[]
}

export type TrackerDeps = {
  /** undefined while there is no service to ask. */
  readonly api: () => ServiceApi | undefined
  /** ms since 1970; may jump. */
  readonly clock: () => number
  /** ms, never going back, such as `performance.now`. */
  readonly monotonic: () => number
  /** Runs something once after some ms. @returns a function that prevents it */
  readonly after: (ms: number, run: () => void) => () => void
  /** 0..1, for the jitter of the back-off. */
  readonly random: () => number
  /** An id for the record of a job that another client made. */
  readonly newId: () => RecordId
  /**
   * A job in the list that nobody follows may be a submission of ours whose answer is still awaited or in doubt. While this
   * says so, it is not taken for another client's.
   */
  readonly isSpokenFor?: (job: Job) => boolean
  /** The scale of the progress numbers, where it is known, as with the built-in service. */
  readonly scale?: () => ProgressScale | undefined
  /** Whether the service is the built-in one, which may be asked more often. */
  readonly isBuiltIn?: () => boolean
  /** Jobs from earlier that were not known to be over. */
  readonly known: readonly Followed[]
  /**
   * Writes down what happened to a job, before anybody is shown it. Where it throws, the job stays as it was, and the next
   * reading shows the same again: nothing that was not written is taken for known.
   */
  readonly record?: (event: JobEvent) => void
  /** Something could not be written; it is tried again with the next reading. */
  readonly onUnwritten?: (error: unknown) => void
  /** Called when jobs, queue or both have changed, or something happened. */
  readonly onUpdate: (update: TrackerUpdate) => void
  /** Every list as it was read, for whoever looks for a lost submission or for room in the queue. */
  readonly onList?: (list: ReadJobList, jobs: readonly ActiveJob[]) => void
  /** A poll has failed; the tracker goes on by itself, but for `unauthorized`, where it waits for `keyChanged`. */
  readonly onError?: (error: ServiceError, from: ServiceApi) => void
}

export interface Tracker {
  jobs(): readonly ActiveJob[]
  queue(): QueueReading | null
  /** A submission was accepted: follows its job and reads it soon. */
  follow(job: Followed): void
  /**
   * Asks the service to cancel. The job counts as *cancelling* until it is read again as over; a request that failed takes
   * that back.
   */
  cancel(id: RecordId): Promise<Result<void>>
  /** Reads now, or once more when a reading is under way, which may have begun too early to show what just happened. */
  pollSoon(): void
  /** The computer goes to sleep: nothing is sent until `resume`. */
  suspend(): void
  resume(): void
  /** Authenticated calls may be tried again. */
  keyChanged(): void
  /** Whether somebody is looking. */
  setVisible(visible: boolean): void
  /** Another service is asked from now on: forgets what the one before had, without a word about its jobs. */
  reset(known: readonly Followed[]): void
  close(): void
}

/**
 * Watches the jobs of one service by polling it (rules 2 to 5 of the design): one `GET /jobs` a tick, plus one
 * `GET /jobs/{id}` for each job that is not over and that the list lacks. There are never two polls at a time.
 */
export function createTracker(deps: TrackerDeps): Tracker {
  const { api } = deps
  const { after, random, isBuiltIn = () => false } = deps
  const schedule = createPollSchedule({ after, random, isBuiltIn }, () => void poll())
  const tracked = createTrackedState(deps)
  const { become } = tracked
  let polling: Polling = { kind: 'idle' }

  const options = (): MergeOptions => ({
    newId: deps.newId,
    isSpokenFor: deps.isSpokenFor ?? (() => false),
    scale: deps.scale?.(),
  })

  async function poll(): Promise<void> {
    if (polling.kind === 'underWay' || !schedule.mayPoll()) return
    const service = api()
    if (!service) {
      schedule.next(isBusy(tracked.state()))
      return
    }
    const abort = new AbortController()
    polling = { kind: 'underWay', abort, again: false }
    const reading = await read(service, tracked.state, abort.signal)
    // Dropped meanwhile: its answer is of no use any more.
    if (polling.kind !== 'underWay' || polling.abort !== abort) return
    const { again } = polling
    polling = { kind: 'idle' }
    take(reading, service)
    if (again) schedule.now()
    else schedule.next(isBusy(tracked.state()))
  }

  function take(reading: Result<Reading>, from: ServiceApi): void {
    if (reading.ok) {
      schedule.succeeded()
      const now = { wall: deps.clock(), monotonic: deps.monotonic() }
      const merged = mergeReading(tracked.state(), reading.value, now, options())
      become(merged.state, merged.events)
      try {
        deps.onList?.(reading.value.list, tracked.state().shown)
      } catch (error) {
        deps.onUnwritten?.(error)
      }
      return
    }
    schedule.failed()
    if (reading.error.kind === 'unauthorized') schedule.keyRefused()
    deps.onError?.(reading.error, from)
  }

  function dropPoll(): void {
    if (polling.kind === 'underWay') polling.abort.abort()
    polling = { kind: 'idle' }
  }

  function pollSoon(): void {
    if (polling.kind === 'underWay') polling = { ...polling, again: true }
    else schedule.now()
  }

  async function cancel(id: RecordId): Promise<Result<void>> {
    const job = tracked.state().tracked.find(({ title }) => title.id === id)
    if (!job) return failed({ kind: 'notFound', message: 'This job is over already.' })
    const service = api()
    if (!service) {
      return failed({ kind: 'notReachable', reason: 'offline', message: 'The service cannot be reached.' })
    }
    become(markCancelling(tracked.state(), id, true))
    const asked = await service.cancelJob(job.jobId)
    if (!asked.ok) become(markCancelling(tracked.state(), id, false))
    pollSoon()
    return asked.ok ? { ok: true, value: undefined } : asked
  }

  schedule.now()

  return {
    jobs: () => tracked.state().shown,
    queue: () => tracked.state().queue,
    follow(job) {
      const followed = follow(tracked.state(), job)
      become(followed.state, followed.events)
      if (polling.kind === 'underWay') polling = { ...polling, again: true }
      schedule.accepted()
    },
    cancel,
    pollSoon,
    suspend() {
      schedule.suspend()
      dropPoll()
    },
    resume() {
      if (schedule.resume()) schedule.now()
    },
    keyChanged() {
      // A poll under way was sent with the old key: that it is refused says nothing about the new one.
      dropPoll()
      schedule.keyChanged()
      schedule.now()
    },
    setVisible(visible) {
      if (schedule.setVisible(visible)) pollSoon()
    },
    reset(known) {
      dropPoll()
      schedule.keyChanged()
      become(followAll(known))
      schedule.now()
    },
    close() {
      schedule.close()
      dropPoll()
    },
  }
}

type TrackedState = {
  readonly state: () => TrackerState
  /** Takes over a new state as far as it could be written, and says what is new about it. */
  readonly become: (merged: TrackerState, happened?: readonly JobEvent[]) => void
}

/** Stores first and advances afterwards. */
function createTrackedState(
  deps: Pick<TrackerDeps, 'known' | 'record' | 'onUnwritten' | 'onUpdate'>,
): TrackedState {
  let state = followAll(deps.known)
  /** That jobs turned out to be ours, where that is not written yet. */
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
    state: () => state,
    become(merged, happenedNow = []) {
      const happened = [...adoptions, ...happenedNow]
      const unwritten = happened.filter((event) => !isRecorded(event))
      adoptions = unwritten.filter(({ kind }) => kind === 'adopted')
      const next = unwritten.length === 0 ? merged : heldBack(merged, state, unwritten)
      const events = happened.filter((event) => !unwritten.includes(event))
      const changed = next.shown !== state.shown || next.queue !== state.queue
      state = next
      if (changed || events.length > 0) deps.onUpdate({ jobs: state.shown, queue: state.queue, events })
    },
  }
}

/** `again`: what was just done may be missing from this reading, so that another one follows at once. */
type Polling =
  | { readonly kind: 'idle' }
  | { readonly kind: 'underWay'; readonly abort: AbortController; readonly again: boolean }

const isBusy = ({ tracked, queue }: TrackerState): boolean =>
  tracked.length > 0 || queue?.processing === true || (queue?.waiting ?? 0) > 0

const followAll = (known: readonly Followed[]): TrackerState =>
  known.reduce((state, job) => follow(state, job).state, emptyState)

/** One tick's worth of answers. A job that could not be asked for stays as it is until the next tick. */
async function read(
  service: ServiceApi,
  state: () => TrackerState,
  signal: AbortSignal,
): Promise<Result<Reading>> {
  const listed = await service.jobs({ signal })
  if (!listed.ok) return listed
  const looked = new Map<string, Job | 'gone'>()
  for (const jobId of missingFrom(state(), listed.value)) {
    const answer = await service.job(jobId, { signal })
    if (answer.ok) looked.set(jobId, answer.value)
    else if (answer.error.kind === 'notFound') looked.set(jobId, 'gone')
    else if (answer.error.kind === 'unauthorized' || signal.aborted) return answer
  }
  return { ok: true, value: { list: listed.value, looked } }
}
