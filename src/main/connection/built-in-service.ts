import { createListeners } from '../../node/listeners.ts'
import type { ServiceJob } from '../../shared/api/resources.ts'
import { backoffDelay } from '../../shared/backoff.ts'
import { NOT_STEERED, sameSteering, type Steering } from '../../shared/steering.ts'
import type { Timing } from '../../node/timing.ts'
import { findServiceRun, startServiceRun, type ServiceRun, type SpawnService } from './service-run.ts'

export type BuiltInState =
  | { readonly kind: 'stopped' }
  | { readonly kind: 'starting' }
  | { readonly kind: 'running'; readonly baseUrl: string; readonly key: string }
  /** The service crashed and will be restarted. */
  | { readonly kind: 'restarting' }
  /** The service crashed too often. `start` tries again. */
  | { readonly kind: 'failed'; readonly reason: string }

export type BuiltInServiceDeps = {
  readonly spawn: SpawnService
  /** Absolute; the service keeps all its data below it. */
  readonly dataDir: string
  readonly timing: Pick<Timing, 'after' | 'monotonic' | 'random'>
  readonly limits?: Partial<typeof LIMITS>
}

const LIMITS = {
  /** How long the service may take to start, in ms. */
  start: 60_000,
  /** How long the service may take to exit after being asked to, in ms. */
  stop: 10_000,
  /** Number of crashes within `within` ms after which the service stays stopped. */
  crashes: 5,
  within: 5 * 60_000,
  /** Delay before the first restart, in ms; grows with each crash. */
  firstWait: 500,
}
const LONGEST_WAIT_MS = 30_000

/** @param jobs the final state of the service's jobs as it reported them; none if it crashed or was killed */
export type EndedListener = (jobs: readonly ServiceJob[]) => void

export type BuiltInService = ReturnType<typeof createBuiltInService>

/** The state of the service's process. `preparing` ends when the process has been spawned or is no longer needed. */
type Life =
  | { readonly kind: 'none' }
  | { readonly kind: 'waiting'; readonly cancel: () => void }
  | { readonly kind: 'preparing'; readonly prepared: Promise<void> }
  /** `stopping`: the process was asked to exit. Its end isn't a crash. */
  | { readonly kind: 'alive'; readonly run: ServiceRun; readonly stopping: boolean }

/**
 * Runs the service that ships with the app. Waits until it listens and restarts it after a crash. If it crashes too often, it stays
 * stopped and the state contains the reason.
 */
export function createBuiltInService(deps: BuiltInServiceDeps) {
  const { timing } = deps
  const limits = { ...LIMITS, ...deps.limits }
  const changes = createListeners<[BuiltInState]>()
  const ends = createListeners<[readonly ServiceJob[]]>()
  const jobEnds = createListeners()
  let state: BuiltInState = { kind: 'stopped' }
  let life: Life = { kind: 'none' }
  let wanted = false
  let mayUse: ((mark: string) => boolean) | undefined
  let crashes: readonly number[] = []
  let steering = NOT_STEERED

  function become(next: BuiltInState): void {
    state = next
    changes.call(state)
  }

  const alive = () => (life.kind === 'alive' ? life : undefined)

  function begin(): void {
    if (!wanted || life.kind === 'preparing' || life.kind === 'alive') return
    const prepared = Promise.resolve()
      .then(prepare)
      .catch((error: unknown) => crashed(error instanceof Error ? error.message : 'Couldn’t start it.'))
    life = { kind: 'preparing', prepared }
  }

  async function prepare(): Promise<void> {
    become({ kind: 'starting' })
    const place = { dataDir: deps.dataDir, after: timing.after }
    const left = await findServiceRun(place)
    const isUsed = wanted && left !== undefined && mayUse?.((await left.listening).mark) !== false
    if (isUsed) return supervise(left)
    if (left !== undefined) ends.call(await endOf(left, limits.stop))
    if (!wanted) {
      life = { kind: 'none' }
      become({ kind: 'stopped' })
      return
    }
    supervise(startServiceRun({ ...place, spawn: deps.spawn, patience: limits.start }))
  }

  function supervise(run: ServiceRun): void {
    life = { kind: 'alive', run, stopping: false }
    run.steer(steering)
    void run.listening.then(({ serving }) => {
      if (alive()?.run === run && alive()?.stopping === false) become({ kind: 'running', ...serving })
    })
    run.onJobEnded(jobEnds.call)
    void run.ended.then((reason) => {
      const current = alive()
      // This process now belongs to the next owner.
      if (current?.run !== run) return
      life = { kind: 'none' }
      ends.call(run.lastJobs())
      if (current.stopping) become({ kind: 'stopped' })
      else crashed(reason)
    })
  }

  function crashed(reason: string): void {
    const now = timing.monotonic()
    crashes = [...crashes.filter((at) => now - at < limits.within), now]
    if (crashes.length >= limits.crashes) {
      wanted = false
      life = { kind: 'none' }
      become({ kind: 'failed', reason })
      return
    }
    become({ kind: 'restarting' })
    const pace = { first: limits.firstWait, longest: LONGEST_WAIT_MS }
    const wait = backoffDelay(pace, crashes.length, timing.random)
    life = { kind: 'waiting', cancel: timing.after(wait, begin) }
  }

  async function end(how: 'stop' | 'leave'): Promise<void> {
    wanted = false
    if (life.kind === 'waiting') {
      life.cancel()
      life = { kind: 'none' }
    }
    if (life.kind === 'preparing') await life.prepared
    // `start` may have been called in the meantime.
    if (wanted) return
    const current = alive()
    if (current !== undefined && (how === 'stop' || state.kind !== 'running')) {
      life = { ...current, stopping: true }
      await endOf(current.run, limits.stop)
      return
    }
    life = { kind: 'none' }
    await current?.run.leave()
    if (state.kind !== 'stopped') become({ kind: 'stopped' })
  }

  return {
    state: () => state,
    /** @returns a function that removes the listener */
    onChange: changes.add,
    /**
     * Calls the listener whenever the service ends, with the final state of the service's jobs.
     * @returns a function that removes the listener
     */
    onEnded: ends.add,
    /**
     * Calls the listener whenever a job of the service ends. Poll the job list to find out which job ended, and how.
     * @returns a function that removes the listener
     */
    onJobEnded: jobEnds.add,
    /**
     * Sets the function that decides whether to continue with a service that an earlier owner has left. If the function returns false,
     * `start` ends that service and starts a new one.
     * @param listener gets the mark of the service's process
     */
    onLeft: (listener: (mark: string) => boolean) => void (mayUse = listener),
    /**
     * Starts the service, or continues with the one that an earlier owner has left. Does nothing while the service is starting, running or
     * restarting. Otherwise, also resets the crash count.
     */
    start(): void {
      if (wanted) return
      wanted = true
      crashes = []
      const before = life.kind === 'preparing' ? life.prepared : alive()?.run.ended
      void Promise.resolve(before).then(begin)
    },
    /** Tells the service how to run its jobs, now and after each restart. */
    steer(next: Steering): void {
      if (sameSteering(next, steering)) return
      steering = next
      alive()?.run.steer(steering)
    },
    /** Resolves when the process has ended. */
    stop: () => end('stop'),
    /** Leaves the service with its jobs to the next owner. Stops a service that isn't running yet. */
    leave: () => end('leave'),
  }
}

/** Ends a service. @returns the final state of its jobs */
async function endOf(run: ServiceRun, patience: number): Promise<readonly ServiceJob[]> {
  run.stop(patience)
  await run.ended
  return run.lastJobs()
}
