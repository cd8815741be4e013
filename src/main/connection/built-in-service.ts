import { createListeners } from '../../node/listeners.ts'
import { randomBytes } from 'node:crypto'
import { DEFAULT_PORT } from '../../shared/api/limits.ts'
import type { Job } from '../../shared/api/resources.ts'
import { backoffDelay } from '../../shared/backoff.ts'
import { NOT_STEERED, sameSteering, type Steering } from '../../shared/steering.ts'
import type { KeyStorage } from '../../shared/model/connection.ts'
import type { Timing } from '../../node/timing.ts'
import type { KeyStore } from './keychain.ts'
import { isFreePort, startServiceRun, type ServiceRun, type SpawnService } from './service-run.ts'

export type BuiltInState =
  | { readonly kind: 'stopped' }
  | { readonly kind: 'starting' }
  | { readonly kind: 'running'; readonly baseUrl: string; readonly key: string; readonly storage: KeyStorage }
  /** The service crashed and will be restarted. */
  | { readonly kind: 'restarting' }
  /** The service crashed too often. `start` tries again. */
  | { readonly kind: 'failed'; readonly reason: string }

export type BuiltInServiceDeps = {
  readonly spawn: SpawnService
  /** Absolute; the service keeps all its data below it. */
  readonly dataDir: string
  readonly keyStore: KeyStore
  readonly timing: Pick<Timing, 'after' | 'monotonic' | 'random'>
  /** Port to use if it is free. Otherwise, a random port is used. */
  readonly preferredPort?: number
  readonly limits?: Partial<Limits>
}

type OwnKey = { readonly key: string; readonly storage: KeyStorage }

type Limits = {
  /** How long the service may take to start, in ms. */
  readonly start: number
  /** How long the service may take to exit after being asked to, in ms. */
  readonly stop: number
  /** Number of crashes within `within` ms after which the service is no longer restarted. */
  readonly crashes: number
  readonly within: number
  /** How long the keychain may take to respond, in ms. */
  readonly keychain: number
  /** Delay before the first restart, in ms; grows with each crash. */
  readonly firstWait: number
}

const LIMITS: Limits = {
  start: 30_000,
  stop: 10_000,
  crashes: 5,
  within: 5 * 60_000,
  keychain: 5_000,
  firstWait: 500,
}
const LONGEST_WAIT_MS = 30_000

/** @param jobs the final state of the service's jobs as it reported them; none if it crashed or was killed */
export type EndedListener = (jobs: readonly Job[]) => void

export interface BuiltInService {
  state(): BuiltInState
  /** @returns a function that removes the listener */
  onChange(listener: (state: BuiltInState) => void): () => void
  /**
   * Calls the listener with the final state of its jobs whenever the service ends.
   * @returns a function that removes the listener
   */
  onEnded(listener: EndedListener): () => void
  /**
   * Calls the listener whenever a job of the service ends. Poll the job list to find out which job ended, and how.
   * @returns a function that removes the listener
   */
  onJobEnded(listener: () => void): () => void
  /** Starts the service unless it is running. If the service had failed, resets its crash count. */
  start(): void
  /** Tells the service how to run its jobs, now and after each restart. */
  steer(steering: Steering): void
  /** Resolves when the process has ended. */
  stop(): Promise<void>
}

/** The keychain account for the built-in service's key. The service's address can't be used instead, because the port changes. */
const KEY_ACCOUNT = 'built-in service'

/** The state of the service's process. `preparing` ends when the process has been spawned or is no longer wanted. */
type Life =
  | { readonly kind: 'none' }
  | { readonly kind: 'waiting'; readonly cancel: () => void }
  | { readonly kind: 'preparing'; readonly prepared: Promise<void> }
  /** If `stopping` is set, the process was asked to exit, so its end isn't a crash. */
  | { readonly kind: 'alive'; readonly run: ServiceRun; readonly stopping: boolean }

/**
 * Runs the service that ships with the app. Gives it a generated key, waits until it listens and restarts it after a crash. If it
 * crashes too often, it stays stopped and the state contains the reason.
 */
export function createBuiltInService(deps: BuiltInServiceDeps): BuiltInService {
  const { timing } = deps
  const limits = { ...LIMITS, ...deps.limits }
  const ownKey = createOwnKey(deps.keyStore, timing.after, limits.keychain)
  const changes = createListeners<[BuiltInState]>()
  const ends = createListeners<[readonly Job[]]>()
  const jobEnds = createListeners()
  let state: BuiltInState = { kind: 'stopped' }
  let life: Life = { kind: 'none' }
  let wanted = false
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
    const own = await ownKey()
    const preferred = deps.preferredPort ?? DEFAULT_PORT
    const port = preferred !== 0 && (await isFreePort(preferred)) ? preferred : 0
    if (!wanted) {
      life = { kind: 'none' }
      become({ kind: 'stopped' })
      return
    }
    const { spawn, dataDir } = deps
    const { after } = timing
    const { key } = own
    supervise(startServiceRun({ spawn, dataDir, port, key, patience: limits.start, after }), own)
  }

  function supervise(run: ServiceRun, own: OwnKey): void {
    life = { kind: 'alive', run, stopping: false }
    if (!sameSteering(steering, NOT_STEERED)) run.steer(steering)
    run.onListening((baseUrl) => {
      if (alive()?.stopping === false) become({ kind: 'running', baseUrl, ...own })
    })
    run.onJobEnded(jobEnds.call)
    void run.ended.then((reason) => {
      const wasAsked = alive()?.stopping === true
      life = { kind: 'none' }
      ends.call(run.lastJobs())
      if (wasAsked) become({ kind: 'stopped' })
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

  return {
    state: () => state,
    onChange: changes.add,
    onEnded: ends.add,
    onJobEnded: jobEnds.add,

    start() {
      if (wanted) return
      wanted = true
      crashes = []
      const before = life.kind === 'preparing' ? life.prepared : alive()?.run.ended
      void Promise.resolve(before).then(begin)
    },

    steer(next) {
      if (sameSteering(next, steering)) return
      steering = next
      alive()?.run.steer(steering)
    },

    async stop() {
      wanted = false
      if (life.kind === 'waiting') {
        life.cancel()
        life = { kind: 'none' }
      }
      if (life.kind === 'preparing') await life.prepared
      // `start` may have been called in the meantime.
      if (wanted) return
      const current = alive()
      if (current === undefined) {
        if (state.kind !== 'stopped') become({ kind: 'stopped' })
        return
      }
      life = { ...current, stopping: true }
      current.run.stop(limits.stop)
      await current.run.ended
    },
  }
}

/**
 * Returns the key that was generated on the first launch, or a key for this session if the keychain isn't usable. Doesn't wait for
 * a keychain that prompts for a password, because no other program needs this key.
 */
function createOwnKey(keyStore: KeyStore, after: Timing['after'], patience: number): () => Promise<OwnKey> {
  let key = randomBytes(32).toString('base64url')

  async function keptKey(): Promise<OwnKey> {
    const kept = await keyStore.read(KEY_ACCOUNT)
    if (kept.ok && kept.value !== null) return { key: kept.value, storage: keyStore.storage }
    const written = kept.ok && (await keyStore.write(KEY_ACCOUNT, key)).ok
    return { key, storage: written ? keyStore.storage : 'session' }
  }

  return async () => {
    const tooLate = Promise.withResolvers<OwnKey>()
    const cancel = after(patience, () => tooLate.resolve({ key, storage: 'session' }))
    const own = await Promise.race([keptKey(), tooLate.promise])
    cancel()
    key = own.key
    return own
  }
}
