import { DEFAULT_BASE_URL } from '../../shared/api/limits.ts'
import type { ConnectionTest, FoundService } from '../../shared/model/connection.ts'
import type { Steering } from '../../shared/steering.ts'
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
  type Tested,
} from './external-service.ts'
import type { KeyStore } from './keychain.ts'
import { createRetryKey } from './retry-key.ts'
import {
  createCurrentMode,
  createShownView,
  showBuiltIn,
  versionRuleOf,
  type CurrentMode,
  type ShownView,
} from './mode.ts'

export type ConnectionDeps = {
  readonly settings: Settings
  readonly keyStore: KeyStore
  /** The built-in service; absent if this connection must not start or stop it, for example on a line to another service. */
  readonly builtIn?: BuiltInService | undefined
  readonly timing: Pick<Timing, 'after' | 'random'>
  /** Called with every key before its first use. Lets logs and reports leave the key out. */
  readonly onKey?: (key: string) => void
  /**
   * Checks what responds at an address while no service has been chosen. If no other service responds, the connection uses the built-in
   * one. Without this function, it always asks the user.
   */
  readonly discover?: (baseUrl: string) => Promise<FoundService>
  /** How long a check may take, in ms. */
  readonly patience?: number
}

export type Connection = ReturnType<typeof createConnection>

/** What happens to the built-in service when its owner ends. */
export type BuiltInEnd = 'stop' | 'leave'

const PATIENCE_MS = 10_000

const NOTHING_YET = { key: 'none', keychainTrouble: null, presets: null, drive: null } as const

/**
 * Manages which service is in use and whether it is available. Polls the service only while it can't be used; while it is online,
 * other modules report errors. If choices overlap, the last one wins.
 */
export function createConnection(deps: ConnectionDeps) {
  const { settings, builtIn, patience = PATIENCE_MS, discover: find } = deps
  const createApi = withKeyListener(deps)
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
    show({ ...serviceAt('builtIn', DEFAULT_BASE_URL, true), state, ...NOTHING_YET })
    if (builtIn === undefined) return show({ state: { status: 'offline', reason: 'builtInFailed' } })
    builtIn.start()
    followBuiltIn(builtIn.state())
  }

  function useBuiltIn(): void {
    settings.update({ connection: 'builtIn' })
    loadBuiltIn()
  }

  function followBuiltIn(state: BuiltInState): void {
    if (isBuiltIn() && !closed) showBuiltIn(state, current, shown)
  }

  const retryKey = createRetryKey({
    view: shown.view,
    after: deps.timing.after,
    hasOtherKey: () => external.hasOtherKey(shown.view().baseUrl),
    load: () => void external.load(choose()),
    check: () => void session()?.checkAfterFailure(),
  })
  shown.onChange(retryKey.changed)
  const stopFollowing = builtIn?.onChange(followBuiltIn)
  const stopSettings = settings.onChange(() => takeSettings(settings, current, shown))
  const first = settings.view().connection
  if (first === 'external') {
    current.leave('external')
    void external.load(choose())
  }
  if (first === 'builtIn') loadBuiltIn()
  if (first === null && find) {
    void decideAtFirstRun(() => find(settings.view().baseUrl), choose(), { useBuiltIn, loadBuiltIn })
  }

  return {
    /** Returns the same object until something changes. It never contains the key. */
    view: shown.view,
    /** @returns a function that removes the listener */
    onChange: shown.onChange,
    /** Returns the service while it is online, otherwise undefined. Returns a new object after the address or key changes. */
    api: (): ServiceApi | undefined => (shown.view().state.status === 'online' ? session()?.api : undefined),
    /**
     * Tests the address and key, stores the key and switches to that service. Keeps the service in use if the test or the keychain fails,
     * or if the user made another choice in the meantime. If the result is `noKeychain`, offer to keep the key for this session.
     */
    useExternal: (choice: { readonly baseUrl: string } & KeyChoice) =>
      takeExternal(choice, settings.view().seesFiles),

    useBuiltIn,
    /** Switches to an external service that was in use before, with its stored key. */
    useKnown(baseUrl: string): void {
      settings.update({ connection: 'external', baseUrl })
      current.leave('external')
      show({ ...NOTHING_YET, state: { status: 'connecting' } })
      void external.load(choose())
      void builtIn?.stop()
    },

    /** Replaces the key of the external service in use, after testing the new one. */
    async replaceKey(choice: KeyChoice): Promise<ConnectionTest> {
      const { baseUrl, seesFiles } = shown.view()
      // The key of the built-in service can't be replaced.
      return isBuiltIn() ? { ok: false, why: 'badKey' } : takeExternal({ ...choice, baseUrl }, seesFiles)
    },

    /** Deletes the key of the external service in use, from memory and from the keychain. */
    async forgetKey(): Promise<void> {
      if (current.kind() === 'external') await external.forgetKey(choose(), shown.view().baseUrl)
    },

    /** Tests whether a service accepts a key. Doesn't store or change anything. */
    testKey: async (candidate: Candidate) => resultOf(await external.test(candidate)),

    /** Rereads the key of the external service, and uses it. */
    reload: () => void (current.kind() === 'external' && external.load(choose())),

    /** Checks the service immediately. Without a key, rereads the keychain first. Starts the built-in service if it isn't running. */
    retry(): void {
      if (isBuiltIn() && builtIn && builtIn.state().kind !== 'running') {
        show({ state: { status: 'connecting' } })
        builtIn.start()
      } else if (current.kind() === 'external' && shown.view().key === 'none') {
        void external.load(choose())
      } else {
        void session()?.check()
      }
    },

    /**
     * Reports an error that another module received from the service. Also pass the API object that failed, because it may no longer be in
     * use.
     */
    noteError: current.noteError,
    ...refreshing(current),

    ...followingBuiltIn(builtIn, isBuiltIn),

    /** @param end whether to leave the built-in service to the next owner */
    async close(end: BuiltInEnd = 'stop'): Promise<void> {
      closed = true
      retryKey.stop()
      stopFollowing?.()
      stopSettings()
      session()?.end()
      await builtIn?.[end]()
    },
  }
}

const resultOf = (tested: Tested): ConnectionTest =>
  tested.ok ? { ok: true, version: tested.version, storage: 'none' } : tested

/** Applies changed settings to the service in use. */
function takeSettings(settings: Settings, current: CurrentMode, { show, view }: ShownView): void {
  if (!current.isBuiltIn()) show({ seesFiles: settings.view().seesFiles })
  const { status } = view().state
  const isStrict = versionRuleOf(settings).strict
  if (status === 'wrongVersion' || (status === 'online' && isStrict)) void current.session()?.check()
}

/** Asks the user to choose a service only if an external service responds at the usual address. Otherwise uses the built-in service. */
async function decideAtFirstRun(
  find: () => Promise<FoundService>,
  choice: Choice,
  builtIn: { readonly useBuiltIn: () => void; readonly loadBuiltIn: () => void },
): Promise<void> {
  choice.show({ state: { status: 'connecting' } })
  const once = await find()
  // Ask again: a busy service may not have responded in time.
  const found = once.kind === 'somethingElse' ? await find() : once
  if (choice.isOvertaken()) return
  if (found.kind === 'service') return choice.show({ state: { status: 'unconfigured' } })
  try {
    builtIn.useBuiltIn()
  } catch {
    // The settings can't be written. The choice applies only to this run and is made again at the next launch.
    builtIn.loadBuiltIn()
  }
}

const refreshing = ({ refresh }: CurrentMode) => ({
  refreshPresets: () =>
    refresh(
      (api, options) => api.presets(options),
      (presets) => ({ presets }),
    ),
  refreshDrive: () =>
    refresh(
      (api, options) => api.driveStatus(options),
      (drive) => ({ drive }),
    ),
})

const followingBuiltIn = (builtIn: BuiltInService | undefined, isInUse: () => boolean) => ({
  /** Calls the listener with the final state of the built-in service's jobs when the service has ended, even if `close` ended it. */
  onBuiltInEnded: (listener: EndedListener) => builtIn?.onEnded(listener) ?? nothingToStop,
  /**
   * Calls the listener whenever a job of the built-in service ends while that service is in use. Lets the tracker poll the job list
   * immediately.
   */
  onBuiltInJobEnded: (listener: () => void) =>
    builtIn?.onJobEnded(() => isInUse() && listener()) ?? nothingToStop,
  /**
   * Sets the function that decides whether to continue with a built-in service that an earlier owner has left, see `BuiltInService.onLeft`.
   */
  onBuiltInLeft: (listener: (mark: string) => boolean) => builtIn?.onLeft(listener),
  /**
   * Tells the built-in service how to run its jobs, if that service is in use. Applies until the next call, even after a restart of the
   * service.
   */
  steerBuiltIn: (steering: Steering) => (isInUse() ? builtIn?.steer(steering) : undefined),
})

const nothingToStop = (): void => undefined

const withKeyListener =
  ({ onKey }: Pick<ConnectionDeps, 'onKey'>) =>
  (options: ServiceApiOptions): ServiceApi => {
    const key = options.key()
    if (key !== undefined) onKey?.(key)
    return createServiceApi(options)
  }
