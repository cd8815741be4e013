import { DEFAULT_BASE_URL } from '../../shared/api/limits.ts'
import type { DriveStatus, Presets } from '../../shared/api/resources.ts'
import type { ConnectionTest } from '../../shared/model/connection-test.ts'
import type {
  ConnectionKind,
  ConnectionState,
  ConnectionView,
  KeyStorage,
} from '../../shared/model/connection.ts'
import type { ServiceError } from '../../shared/service-error.ts'
import {
  createServiceApi,
  parseBaseUrl,
  type BaseUrl,
  type ServiceApi,
  type ServiceApiOptions,
} from '../service-api/index.ts'
import type { Settings } from '../settings/index.ts'
import type { BuiltInService, BuiltInState } from './built-in-service.ts'
import type { KeychainTrouble, KeyStore } from './key-store.ts'
import { probe, stateFor, type VersionRule } from './probe.ts'

export type ConnectionDeps = {
  readonly settings: Settings
  readonly keyStore: KeyStore
  /** Absent where there is none to start, as in a command that was given its service. */
  readonly builtIn?: BuiltInService | undefined
  /** Runs something once after some ms. @returns a function that prevents it */
  readonly after: (ms: number, run: () => void) => () => void
  /** 0..1, for the jitter of the back-off. */
  readonly random: () => number
  readonly createApi?: (options: ServiceApiOptions) => ServiceApi
  /** ms that a check may take. */
  readonly patience?: number
}

type KeyChoice = { readonly key: string; readonly keep: 'keychain' | 'session' }

export interface Connection {
  /** The same object until something changes. Never holds the key. */
  view(): ConnectionView
  /** @returns a function that ends the listening */
  onChange(listener: (view: ConnectionView) => void): () => void
  /** The service while it is online; undefined otherwise. Another object after a change of address or key. */
  api(): ServiceApi | undefined
  /**
   * Tests address and key, keeps the key, and goes over to that service. Nothing is changed when the test or the keychain
   * fails (`noKeychain`: offer to keep the key for this session), or when another choice was made meanwhile.
   */
  useExternal(choice: { readonly baseUrl: string } & KeyChoice): Promise<ConnectionTest>
  useBuiltIn(): void
  /** Another key for the external service in use; tested before the old one is given up. */
  replaceKey(choice: KeyChoice): Promise<ConnectionTest>
  /** Removes the key of the external service in use, wherever it is kept. */
  forgetKey(): Promise<void>
  /** Says whether a service takes a key. Changes and keeps nothing. */
  testKey(candidate: { readonly baseUrl: string; readonly key: string }): Promise<ConnectionTest>
  /** Looks at once; also reads the keychain again and starts a built-in service that had given up. */
  retry(): void
  /** Another room has seen this. @param from the api it was seen with; one that is no longer in use says nothing */
  noteError(error: ServiceError, from?: ServiceApi): void
  refreshPresets(): Promise<void>
  refreshDrive(): Promise<void>
  /** Ends the built-in service too. */
  close(): Promise<void>
}

const PATIENCE_MS = 10_000
const FIRST_WAIT_MS = 1_000
const LONGEST_WAIT_MS = 30_000
/** A service of the wrong version is looked at now and then: it may have been updated. */
const WRONG_VERSION_WAIT_MS = 60_000

/** One connection that is being tried or used. */
type Session = {
  readonly api: ServiceApi
  readonly abort: AbortController
  /** Checks under way. */
  checks: number
}

/**
 * Which service is in use, and whether it can be. Looks at it by itself only while it is not online; afterwards the other
 * rooms tell what they see. Of choices that overtake each other the last one wins.
 */
export function createConnection(deps: ConnectionDeps): Connection {
  const { settings, keyStore, builtIn, after, random, createApi = createServiceApi } = deps
  const patience = deps.patience ?? PATIENCE_MS
  const listeners = new Set<(view: ConnectionView) => void>()

  let session: Session | undefined
  let choices = 0
  let attempts = 0
  let cancelWait: (() => void) | undefined
  let closed = false

  let current: ConnectionView = {
    kind: settings.view().connection,
    baseUrl: settings.view().baseUrl,
    address: addressOf(settings.view().baseUrl),
    state: { status: 'unconfigured' },
    key: 'none',
    keychainTrouble: null,
    seesFiles: settings.view().seesFiles,
    presets: null,
    drive: null,
  }

  function show(change: Partial<ConnectionView>): void {
    const next = { ...current, ...change }
    if (JSON.stringify(next) === JSON.stringify(current)) return
    current = next
    for (const listener of listeners) listener(current)
  }

  const versionRule = (): VersionRule => {
    const { strictVersion, acceptedVersions } = settings.view()
    return { strict: strictVersion, accepted: acceptedVersions }
  }

  // ── One session at a time ─────────────────────────────────────────────────────────────────────────────────────────

  function endSession(): void {
    cancelWait?.()
    cancelWait = undefined
    attempts = 0
    const ended = session
    session = undefined
    ended?.abort.abort()
    void ended?.api.close()
  }

  function beginSession(baseUrl: BaseUrl, key: string | undefined): Session {
    endSession()
    const begun: Session = {
      api: createApi({ baseUrl, key: () => key }),
      abort: new AbortController(),
      checks: 0,
    }
    session = begun
    return begun
  }

  /** Looks at the service once, and again later while it can't be used. */
  async function check(): Promise<void> {
    cancelWait?.()
    cancelWait = undefined
    const looked = session
    if (!looked) return
    const signal = AbortSignal.any([looked.abort.signal, AbortSignal.timeout(patience)])
    looked.checks++
    const { state, presets } = await probe(looked.api, versionRule(), signal)
    looked.checks--
    if (session !== looked || closed) return
    attempts++
    if (state.status === 'online') attempts = 0
    show({ state, presets: presets ?? current.presets })
    lookAgainLater(state)
  }

  function lookAgainLater(state: ConnectionState): void {
    cancelWait?.()
    cancelWait = undefined
    if (state.status === 'wrongVersion') cancelWait = after(WRONG_VERSION_WAIT_MS, () => void check())
    if (state.status !== 'offline') return
    const longest = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** Math.min(attempts, 10))
    cancelWait = after(longest / 2 + (longest / 2) * random(), () => void check())
  }

  // ── External ──────────────────────────────────────────────────────────────────────────────────────────────────────

  /** At start, and when the keychain may have been opened since. */
  async function loadExternal(): Promise<void> {
    const turn = ++choices
    const { baseUrl, seesFiles } = settings.view()
    const parsed = parseBaseUrl(baseUrl)
    if (!parsed.ok) {
      show({ state: { status: 'offline', reason: 'notTheService', detail: parsed.why } })
      return
    }
    show({ ...place('external', parsed.value.href, seesFiles), state: { status: 'connecting' } })
    const kept = await keyStore.read(parsed.value.href)
    if (turn !== choices || closed) return
    const key = kept.ok ? (kept.value ?? undefined) : undefined
    show({
      key: key === undefined ? 'none' : keyStore.place,
      keychainTrouble: kept.ok ? null : kept.trouble,
    })
    beginSession(parsed.value, key)
    await check()
  }

  async function test(
    baseUrl: string,
    key: string,
  ): Promise<
    | {
        readonly ok: true
        readonly baseUrl: BaseUrl
        readonly version: string
        readonly presets: Presets | null
      }
    | (ConnectionTest & { readonly ok: false })
  > {
    const parsed = parseBaseUrl(baseUrl)
    if (!parsed.ok) return { ok: false, why: 'badAddress', detail: parsed.why }
    const limits = { request: patience, idle: patience }
    const api = createApi({ baseUrl: parsed.value, key: () => key, timeouts: limits })
    try {
      const health = await api.health()
      if (!health.ok) return notUsable(health.error, 'health')
      const presets = await api.presets()
      const { version } = health.value
      if (presets.ok) return { ok: true, baseUrl: parsed.value, version, presets: presets.value }
      return notUsable(presets.error, 'presets')
    } finally {
      await api.close()
    }
  }

  async function takeExternal(
    { baseUrl, key, keep }: { readonly baseUrl: string } & KeyChoice,
    seesFiles: boolean,
  ): Promise<ConnectionTest> {
    const turn = ++choices
    const tested = await test(baseUrl, key)
    if (!tested.ok) return tested
    const result = { ok: true, version: tested.version } as const
    const account = tested.baseUrl.href

    let storage: KeyStorage = 'session'
    let trouble: KeychainTrouble | null = current.keychainTrouble
    if (turn === choices && keep === 'keychain') {
      const written = await keyStore.write(account, key)
      if (!written.ok) {
        show({ keychainTrouble: written.trouble })
        return { ok: false, why: 'noKeychain', detail: written.trouble }
      }
      storage = keyStore.place
      trouble = null
    }
    if (turn !== choices || closed) return { ...result, storage }
    // A key that was kept before would come back at the next start, and be the wrong one.
    if (keep === 'session') void keyStore.remove(account)

    beginSession(tested.baseUrl, key)
    void builtIn?.stop()
    const state = stateFor(tested.version, versionRule())
    show({
      ...place('external', account, seesFiles),
      key: storage,
      keychainTrouble: trouble,
      state,
      presets: tested.presets,
      drive: null,
    })
    settings.update({ connection: 'external', baseUrl: account })
    lookAgainLater(state)
    return { ...result, storage }
  }

  // ── Built-in ──────────────────────────────────────────────────────────────────────────────────────────────────────

  function loadBuiltIn(): void {
    choices++
    endSession()
    show({
      ...place('builtIn', DEFAULT_BASE_URL, true),
      state: { status: 'connecting' },
      key: 'none',
      keychainTrouble: null,
      presets: null,
      drive: null,
    })
    if (!builtIn) {
      show({ state: { status: 'offline', reason: 'builtInFailed' } })
      return
    }
    builtIn.start()
    followBuiltIn(builtIn.state())
  }

  function followBuiltIn(state: BuiltInState): void {
    if (current.kind !== 'builtIn' || closed) return
    switch (state.kind) {
      case 'running': {
        const parsed = parseBaseUrl(state.baseUrl)
        if (!parsed.ok || session?.api.baseUrl.href === parsed.value.href) return
        show({ ...place('builtIn', parsed.value.href, true), key: state.storage })
        beginSession(parsed.value, state.key)
        void check()
        return
      }
      case 'failed':
        endSession()
        show({ state: { status: 'offline', reason: 'builtInFailed', detail: state.reason } })
        return
      case 'starting':
      case 'restarting':
      case 'stopped':
        endSession()
        show({ state: { status: 'connecting' } })
    }
  }

  // ── From the start ────────────────────────────────────────────────────────────────────────────────────────────────

  const stopFollowing = builtIn?.onChange(followBuiltIn)
  const stopSettings = settings.onChange(() => {
    if (current.kind !== 'builtIn') show({ seesFiles: settings.view().seesFiles })
    if (
      current.state.status === 'wrongVersion' ||
      (current.state.status === 'online' && versionRule().strict)
    ) {
      void check()
    }
  })
  if (current.kind === 'external') void loadExternal()
  if (current.kind === 'builtIn') loadBuiltIn()

  return {
    view: () => current,

    onChange(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },

    api: () => (current.state.status === 'online' ? session?.api : undefined),

    useExternal: (choice) => takeExternal(choice, settings.view().seesFiles),

    useBuiltIn() {
      settings.update({ connection: 'builtIn' })
      loadBuiltIn()
    },

    async replaceKey(choice) {
      if (current.kind === 'builtIn') {
        return { ok: false, why: 'badKey', detail: 'The built-in service has a key of its own.' }
      }
      return takeExternal({ ...choice, baseUrl: current.baseUrl }, current.seesFiles)
    },

    async forgetKey() {
      if (current.kind !== 'external') return
      choices++
      // What is under way with the old key must not come back and say that all is well.
      if (session) beginSession(session.api.baseUrl, undefined)
      show({ key: 'none', state: { status: 'keyRefused' }, presets: null, drive: null })
      const removed = await keyStore.remove(current.baseUrl)
      show({ keychainTrouble: removed.ok ? null : removed.trouble })
    },

    async testKey({ baseUrl, key }) {
      const tested = await test(baseUrl, key)
      return tested.ok ? { ok: true, version: tested.version, storage: 'none' } : tested
    },

    retry() {
      if (current.kind === 'builtIn' && builtIn && builtIn.state().kind !== 'running') {
        show({ state: { status: 'connecting' } })
        builtIn.start()
      } else if (current.kind === 'external' && current.key === 'none') {
        void loadExternal()
      } else {
        void check()
      }
    },

    noteError(error, from) {
      if (from !== undefined && from !== session?.api) return
      if (current.state.status !== 'online') return
      if (error.kind === 'unauthorized') show({ state: { status: 'keyRefused' } })
      const broken = error.kind === 'notReachable' || error.kind === 'noAnswer'
      if (broken && session?.checks === 0) void check()
    },

    async refreshPresets() {
      const asked = session
      const answer = await asked?.api.presets({ signal: asked.abort.signal })
      if (answer?.ok === true && session === asked) show({ presets: answer.value })
      if (answer?.ok === false) this.noteError(answer.error, asked?.api)
    },

    async refreshDrive() {
      const asked = session
      const answer = await asked?.api.driveStatus({ signal: asked.abort.signal })
      if (answer?.ok === true && session === asked) show({ drive: answer.value satisfies DriveStatus })
      if (answer?.ok === false) this.noteError(answer.error, asked?.api)
    },

    async close() {
      closed = true
      stopFollowing?.()
      stopSettings()
      endSession()
      await builtIn?.stop()
    },
  }
}

const addressOf = (baseUrl: string): string => (URL.canParse(baseUrl) ? new URL(baseUrl).host : baseUrl)

const place = (kind: ConnectionKind, baseUrl: string, seesFiles: boolean) => ({
  kind,
  baseUrl,
  address: addressOf(baseUrl),
  seesFiles,
})

/** Why a service can't be used with this key; the detail is the service's or the client's own message, without the key. */
function notUsable(
  error: ServiceError,
  asked: 'health' | 'presets',
): ConnectionTest & { readonly ok: false } {
  const detail = error.message
  // Health needs no key (section 5): whoever asks for one there is somebody else.
  if (asked === 'health' && error.kind === 'unauthorized') return { ok: false, why: 'notTheService', detail }
  switch (error.kind) {
    case 'unauthorized':
      return { ok: false, why: error.reason === 'rejected' ? 'keyRefused' : 'badKey', detail }
    case 'notReachable':
    case 'noAnswer':
    case 'aborted':
      return { ok: false, why: 'notReachable', detail }
    default:
      return { ok: false, why: 'notTheService', detail }
  }
}
