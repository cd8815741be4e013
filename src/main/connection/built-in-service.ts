import { randomBytes } from 'node:crypto'
import { createServer } from 'node:net'
import { createInterface } from 'node:readline'
import * as z from 'zod'
import { DEFAULT_PORT } from '../../shared/api/limits.ts'
import type { KeyStorage } from '../../shared/model/connection.ts'
import type { KeyStore } from './key-store.ts'
import type { ServiceProcess, SpawnService } from './service-process.ts'

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
  /** Runs something once after some ms. @returns a function that prevents it */
  readonly after: (ms: number, run: () => void) => () => void
  /** ms, never going back. */
  readonly monotonic: () => number
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
  /** ms before the first restart; doubled with each crash. */
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

type Run = {
  readonly process: ServiceProcess
  readonly ended: Promise<void>
  /** It was asked to end, so that its end is no crash. */
  stopping: boolean
}

export interface BuiltInService {
  state(): BuiltInState
  /** @returns a function that ends the listening */
  onChange(listener: (state: BuiltInState) => void): () => void
  /** Wants it running. Does nothing when it is; begins anew after it has failed. */
  start(): void
  /** Resolves when the process has ended. */
  stop(): Promise<void>
}

/** Under this name the key of the built-in service is kept; its address changes with its port. */
const KEY_ACCOUNT = 'built-in service'

const Listening = z.object({ event: z.literal('listening'), baseUrl: z.string() })

/**
 * Runs the service that ships with the app: gives it a key of its own, waits until it listens, starts it again after a
 * crash, and gives up with a reason when it crashes too often.
 */
export function createBuiltInService(deps: BuiltInServiceDeps): BuiltInService {
  const limits = { ...LIMITS, ...deps.limits }
  const listeners = new Set<(state: BuiltInState) => void>()
  let state: BuiltInState = { kind: 'stopped' }
  let wanted = false
  let running: Run | undefined
  let cancelWait: (() => void) | undefined
  let crashes: number[] = []
  let sessionKey: string | undefined
  let starting: Promise<void> | undefined

  function become(next: BuiltInState): void {
    state = next
    for (const listener of listeners) listener(state)
  }

  /**
   * The key made at the first start; kept for this session where there is no keychain. A keychain that waits for its
   * password is not waited for: nobody but us needs this key.
   */
  async function ownKey(): Promise<OwnKey> {
    const key = (sessionKey ??= randomBytes(32).toString('base64url'))
    const tooLate = Promise.withResolvers<OwnKey>()
    const cancel = deps.after(limits.keychain, () => tooLate.resolve({ key, storage: 'session' }))
    const kept = await Promise.race([keptKey(key), tooLate.promise])
    cancel()
    sessionKey = kept.key
    return kept
  }

  async function keptKey(made: string): Promise<OwnKey> {
    const kept = await deps.keyStore.read(KEY_ACCOUNT)
    if (kept.ok && kept.value !== null) return { key: kept.value, storage: deps.keyStore.place }
    const written = kept.ok && (await deps.keyStore.write(KEY_ACCOUNT, made)).ok
    return { key: made, storage: written ? deps.keyStore.place : 'session' }
  }

  async function run(): Promise<void> {
    become({ kind: 'starting' })
    const { key, storage } = await ownKey()
    const preferred = deps.preferredPort ?? DEFAULT_PORT
    const port = (await isFree(preferred)) ? preferred : 0
    if (!wanted) {
      become({ kind: 'stopped' })
      return
    }
    const process = deps.spawn({
      args: ['--port', String(port), '--data-dir', deps.dataDir, '--exit-with-parent'],
      env: { MEDIATRAY_API_KEY: key },
    })
    const ended = Promise.withResolvers<void>()
    const current: Run = { process, ended: ended.promise, stopping: false }
    running = current
    const lastWords = lastLine(process, key)
    const giveUp = deps.after(limits.start, () => process.kill())

    const lines = createInterface({ input: process.stdout })
    lines.once('line', (line) => {
      const listening = readListening(line)
      if (listening === undefined) {
        process.kill()
        return
      }
      giveUp()
      if (!current.stopping) become({ kind: 'running', baseUrl: listening, key, storage })
    })
    process.onExit((how) => {
      giveUp()
      running = undefined
      ended.resolve()
      if (!current.stopping) crashed([how, lastWords()].filter((part) => part !== '').join(': '))
      else become({ kind: 'stopped' })
    })
  }

  function crashed(reason: string): void {
    const now = deps.monotonic()
    crashes = [...crashes.filter((at) => now - at < limits.within), now]
    if (crashes.length >= limits.crashes) {
      wanted = false
      become({ kind: 'failed', reason })
      return
    }
    become({ kind: 'restarting' })
    const wait = Math.min(LONGEST_WAIT_MS, limits.firstWait * 2 ** (crashes.length - 1))
    cancelWait = deps.after(wait, begin)
  }

  function begin(): void {
    cancelWait = undefined
    if (!wanted || running || starting) return
    starting = run()
      .catch((error: unknown) => crashed(error instanceof Error ? error.message : 'It could not be started.'))
      .finally(() => {
        starting = undefined
      })
  }

  return {
    state: () => state,

    onChange(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },

    start() {
      if (wanted) return
      wanted = true
      crashes = []
      const before = running?.ended ?? starting ?? Promise.resolve()
      void before.then(begin)
    },

    async stop() {
      wanted = false
      cancelWait?.()
      cancelWait = undefined
      await starting
      const current = running
      if (!current) {
        if (state.kind !== 'stopped') become({ kind: 'stopped' })
        return
      }
      current.stopping = true
      current.process.terminate()
      const cancelKill = deps.after(limits.stop, () => current.process.kill())
      await current.ended
      cancelKill()
    },
  }
}

function readListening(line: string): string | undefined {
  try {
    const parsed = Listening.safeParse(JSON.parse(line))
    return parsed.success ? parsed.data.baseUrl : undefined
  } catch {
    return undefined
  }
}

/** What a process said last on stderr, for the reason of a failure. The key is never part of it. */
function lastLine(process: ServiceProcess, key: string): () => string {
  let last = ''
  createInterface({ input: process.stderr }).on('line', (line) => {
    if (line.trim() !== '') last = line.trim().slice(0, 500)
  })
  return () => last.replaceAll(key, '…')
}

function isFree(port: number): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>()
  const server = createServer()
  server.once('error', () => resolve(false))
  server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)))
  return promise
}
