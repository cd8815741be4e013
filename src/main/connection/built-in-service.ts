import { randomBytes } from 'node:crypto'
import { DEFAULT_PORT } from '../../shared/api/limits.ts'
import type { Job } from '../../shared/api/resources.ts'
import { backoffDelay } from '../../shared/backoff.ts'
import type { KeyStorage } from '../../shared/model/connection.ts'
import type { Timing } from '../../node/timing.ts'
import type { KeyStore } from './keychain.ts'
import {
  isFreePort,
  startServiceRun,
  type ExpectedWork,
  type ServiceRun,
  type SpawnService,
} from './service-run.ts'

export type BuiltInState =
  | { readonly kind: 'stopped' }
  | { readonly kind: 'starting' }
  | { readonly kind: 'running'; readonly baseUrl: string; readonly key: string; readonly storage: KeyStorage }
  /** It has crashed and will be started again. */
  | { readonly kind: 'restarting' }
  /** It crashed too often; `start` tries again. */
  | { readonly kind: 'failed'; readonly reason: string }

export type BuiltInServiceDeps = {
  readonly spawn: SpawnService
  /** Absolute; everything the service keeps is below it. */
  readonly dataDir: string
  readonly keyStore: KeyStore
  readonly timing: Pick<Timing, 'after' | 'monotonic' | 'random'>
  /** Taken when it is free; another one otherwise. */
  readonly preferredPort?: number
  readonly limits?: Partial<Limits>
}

type OwnKey = { readonly key: string; readonly storage: KeyStorage }

type Limits = {
  /** ms a start may take. */
  readonly start: number
  /** ms it may take to end when asked to. */
  readonly stop: number
  /** Crashes within `within` ms after which it is left alone. */
  readonly crashes: number
  readonly within: number
  /** ms the keychain may take. */
  readonly keychain: number
  /** ms before the first restart; longer with each crash. */
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

export type EndedListener = (jobs: readonly Job[]) => void

export interface BuiltInService {
  state(): BuiltInState
  /** @returns a function that ends the listening */
  onChange(listener: (state: BuiltInState) => void): () => void
  /** Told what has become of its jobs, each time that it has ended in order. @returns a function that ends the listening */
  onEnded(listener: EndedListener): () => void
  /** Told each time that one of its jobs has ended; which, and how, a poll tells. @returns a function that ends the listening */
  onJobEnded(listener: () => void): () => void
  /** Wants it running. Does nothing when it is; begins anew after it has failed. */
  start(expected?: ExpectedWork): void
  /** Resolves when the process has ended. */
  stop(): Promise<void>
}

/** Under this name the key of the built-in service is kept; its address changes with its port. */
const KEY_ACCOUNT = 'built-in service'

/** What there is of a process. `preparing` ends when it was spawned, or will not be. */
type Life =
  | { readonly kind: 'none' }
  | { readonly kind: 'waiting'; readonly cancel: () => void }
  | { readonly kind: 'preparing'; readonly prepared: Promise<void> }
  /** One that was asked to end is no crash when it does. */
  | { readonly kind: 'alive'; readonly run: ServiceRun; readonly stopping: boolean }

/**
 * Runs the service that ships with the app: gives it a key of its own, waits until it listens, starts it again after a
 * crash, and gives up with a reason when it crashes too often.
 */
export function createBuiltInService(deps: BuiltInServiceDeps): BuiltInService {
  const { timing } = deps
  const limits = { ...LIMITS, ...deps.limits }
  const ownKey = createOwnKey(deps.keyStore, timing.after, limits.keychain)
  const changes = createListeners<BuiltInState>()
  const ends = createListeners<readonly Job[]>()
  const jobEnds = createListeners<void>()
  let state: BuiltInState = { kind: 'stopped' }
  let life: Life = { kind: 'none' }
  let wanted = false
  let expected: ExpectedWork | undefined
  let crashes: readonly number[] = []

  function become(next: BuiltInState): void {
    state = next
    changes.tell(state)
  }

  const alive = () => (life.kind === 'alive' ? life : undefined)

  function begin(): void {
    if (!wanted || life.kind === 'preparing' || life.kind === 'alive') return
    const prepared = Promise.resolve()
      .then(prepare)
      .catch((error: unknown) => crashed(error instanceof Error ? error.message : 'It could not be started.'))
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
    supervise(startServiceRun({ spawn, dataDir, port, key, expected, patience: limits.start, after }), own)
  }

  function supervise(run: ServiceRun, own: OwnKey): void {
    life = { kind: 'alive', run, stopping: false }
    run.onListening((baseUrl) => {
      if (alive()?.stopping === false) become({ kind: 'running', baseUrl, ...own })
    })
    run.onJobEnded(jobEnds.tell)
    void run.ended.then((reason) => {
      const wasAsked = alive()?.stopping === true
      // Of a crash nobody can tell here: the next service has forgotten its jobs, and so it will be said.
      const jobs = run.lastJobs()
      if (jobs !== undefined) ends.tell(jobs)
      life = { kind: 'none' }
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
    onChange: changes.on,
    onEnded: ends.on,
    onJobEnded: jobEnds.on,

    start(work) {
      if (wanted) return
      wanted = true
      expected = work
      crashes = []
      const before = life.kind === 'preparing' ? life.prepared : alive()?.run.ended
      void Promise.resolve(before).then(begin)
    },

    async stop() {
      wanted = false
      if (life.kind === 'waiting') {
        life.cancel()
        life = { kind: 'none' }
      }
      if (life.kind === 'preparing') await life.prepared
      // It may be wanted again since.
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

function createListeners<Fact>() {
  const listeners = new Set<(fact: Fact) => void>()
  return {
    tell(this: void, fact: Fact): void {
      for (const listener of listeners) listener(fact)
    },
    on(this: void, listener: (fact: Fact) => void): () => void {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}

/**
 * The key made at the first start, or for this session where there is no keychain. A keychain that waits for its password is
 * not waited for: nobody but us needs this key.
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
