import { DEFAULT_BASE_URL } from '../../shared/api/limits.ts'
import type { ConnectionTest, ConnectionView } from '../../shared/model/connection.ts'
import type { ServiceError } from '../../shared/service-error.ts'
import type { Timing } from '../../node/timing.ts'
import { createServiceApi, type ServiceApi, type ServiceApiOptions } from '../service-api/index.ts'
import type { Settings } from '../settings/settings.ts'
import type { BuiltInService, BuiltInState, EndedListener } from './built-in-service.ts'
import {
  createExternalService,
  serviceAt,
  type Candidate,
  type Choice,
  type KeyChoice,
} from './external-service.ts'
import type { KeyStore } from './keychain.ts'
import { createCurrentMode, createShownView, showBuiltIn, versionRuleOf } from './mode.ts'

export type ConnectionDeps = {
  readonly settings: Settings
  readonly keyStore: KeyStore
  /** Absent where there is none to start, as in a command that was given its service. */
  readonly builtIn?: BuiltInService | undefined
  readonly timing: Pick<Timing, 'after' | 'random'>
  readonly createApi?: (options: ServiceApiOptions) => ServiceApi
  /** Told of every key before it is used, so that it can be kept out of logs and reports. */
  readonly onKey?: (key: string) => void
  /** ms that a check may take. */
  readonly patience?: number
}

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
  testKey(candidate: Candidate): Promise<ConnectionTest>
  /** Checks at once; also reads the keychain again and starts a built-in service that had given up. */
  retry(): void
  /** Another module has seen this. @param from the api it was seen with; one that is no longer in use says nothing */
  noteError(error: ServiceError, from?: object): void
  refreshPresets(): Promise<void>
  refreshDrive(): Promise<void>
  /** Told what has become of the jobs of the built-in service when it has ended in order, also by `close`. */
  onBuiltInEnded(listener: EndedListener): () => void
  /** Told each time that a job of the built-in service has ended, while it is the one in use: a poll shows it at once. */
  onBuiltInJobEnded(listener: () => void): () => void
  /** Ends the built-in service too. */
  close(): Promise<void>
}

const PATIENCE_MS = 10_000

/**
 * Which service is in use, and whether it can be. Asks it by itself only while it is not online; afterwards the other modules
 * tell what they see. Of choices that overtake each other the last one wins.
 */
export function createConnection(deps: ConnectionDeps): Connection {
  const { settings, builtIn, patience = PATIENCE_MS } = deps
  const createApi = tellingKeys(deps)
  const versionRule = () => versionRuleOf(settings)
  const shown = createShownView(settings)
  const { show } = shown
  const current = createCurrentMode({ ...deps, createApi, patience }, shown)
  const { session, isBuiltIn } = current
  const external = createExternalService({ ...deps, createApi, patience, versionRule })
  let turn = 0
  let closed = false

  function choose(): Choice {
    const own = ++turn
    const isOvertaken = () => own !== turn || closed
    return {
      isOvertaken,
      show: (facts) => void (isOvertaken() || show(facts)),
      begin: (baseUrl, key) => (isOvertaken() ? undefined : current.begin('external', baseUrl, key)),
    }
  }

  async function takeExternal(
    service: { readonly baseUrl: string } & KeyChoice,
    seesFiles: boolean,
  ): Promise<ConnectionTest> {
    const taken = await external.take(choose(), service, seesFiles)
    if (current.kind() === 'external') void builtIn?.stop()
    return taken
  }

  function loadBuiltIn(): void {
    turn++
    current.leave('builtIn')
    const state = { status: 'connecting' } as const
    const nothingYet = { key: 'none', keychainTrouble: null, presets: null, drive: null } as const
    show({ ...serviceAt('builtIn', DEFAULT_BASE_URL, true), state, ...nothingYet })
    if (builtIn === undefined) return show({ state: { status: 'offline', reason: 'builtInFailed' } })
    builtIn.start()
    followBuiltIn(builtIn.state())
  }

  function followBuiltIn(state: BuiltInState): void {
    if (isBuiltIn() && !closed) showBuiltIn(state, current, shown)
  }

  const stopFollowing = builtIn?.onChange(followBuiltIn)
  const stopSettings = settings.onChange(({ seesFiles }) => {
    if (!isBuiltIn()) show({ seesFiles })
    const { status } = shown.view().state
    if (status === 'wrongVersion' || (status === 'online' && versionRule().strict)) void session()?.check()
  })
  const first = settings.view().connection
  if (first === 'external') {
    current.leave('external')
    void external.load(choose())
  }
  if (first === 'builtIn') loadBuiltIn()

  return {
    view: shown.view,
    onChange: shown.onChange,
    api: () => (shown.view().state.status === 'online' ? session()?.api : undefined),
    useExternal: (choice) => takeExternal(choice, settings.view().seesFiles),

    useBuiltIn() {
      settings.update({ connection: 'builtIn' })
      loadBuiltIn()
    },

    async replaceKey(choice) {
      const { baseUrl, seesFiles } = shown.view()
      if (!isBuiltIn()) return takeExternal({ ...choice, baseUrl }, seesFiles)
      return { ok: false, why: 'badKey', detail: 'The built-in service has a key of its own.' }
    },

    async forgetKey() {
      if (current.kind() === 'external') await external.forgetKey(choose(), shown.view().baseUrl)
    },

    async testKey(candidate) {
      const tested = await external.test(candidate)
      return tested.ok ? { ok: true, version: tested.version, storage: 'none' } : tested
    },

    retry() {
      if (isBuiltIn() && builtIn && builtIn.state().kind !== 'running') {
        show({ state: { status: 'connecting' } })
        builtIn.start()
      } else if (current.kind() === 'external' && shown.view().key === 'none') {
        void external.load(choose())
      } else {
        void session()?.check()
      }
    },

    noteError: current.noteError,
    refreshPresets: () =>
      current.refresh(
        (api, options) => api.presets(options),
        (presets) => ({ presets }),
      ),
    refreshDrive: () =>
      current.refresh(
        (api, options) => api.driveStatus(options),
        (drive) => ({ drive }),
      ),

    onBuiltInEnded: (listener) => builtIn?.onEnded(listener) ?? nothingToStop,
    onBuiltInJobEnded: (listener) => builtIn?.onJobEnded(() => isBuiltIn() && listener()) ?? nothingToStop,

    async close() {
      closed = true
      stopFollowing?.()
      stopSettings()
      session()?.end()
      await builtIn?.stop()
    },
  }
}

const nothingToStop = (): void => undefined

const tellingKeys =
  ({ createApi = createServiceApi, onKey }: Pick<ConnectionDeps, 'createApi' | 'onKey'>) =>
  (options: ServiceApiOptions): ServiceApi => {
    const key = options.key()
    if (key !== undefined) onKey?.(key)
    return createApi(options)
  }
