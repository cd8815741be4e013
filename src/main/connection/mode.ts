/** Manages which service the connection uses, and the connection view that other modules see. */
import { createListeners } from '../../node/listeners.ts'
import { isDeepStrictEqual } from 'node:util'
import { addressOf, type ConnectionView } from '../../shared/model/connection.ts'
import type { Result, ServiceError } from '../../shared/service-error.ts'
import type { Timing } from '../../node/timing.ts'
import { parseBaseUrl, type BaseUrl, type ServiceApi, type ServiceApiOptions } from '../service-api/index.ts'
import type { Settings } from '../settings/settings.ts'
import type { BuiltInState } from './built-in-service.ts'
import { serviceAt } from './external-service.ts'
import type { VersionRule } from './probe.ts'
import { createSession, type Session } from './session.ts'

/** The selected service. There is no session until its address and key are known. */
type Mode =
  | { readonly kind: 'none' }
  | { readonly kind: 'external' | 'builtIn'; readonly session: Session | undefined }

export type CurrentMode = ReturnType<typeof createCurrentMode>

export type ModeDeps = {
  readonly settings: Settings
  readonly timing: Pick<Timing, 'after' | 'random'>
  readonly createApi: (options: ServiceApiOptions) => ServiceApi
  /** How long a check may take, in ms. */
  readonly patience: number
}

/** Holds one session at a time. Beginning a session ends the previous one. */
export function createCurrentMode(
  { settings, timing, createApi, patience }: ModeDeps,
  { view, show }: ShownView,
) {
  let mode: Mode = { kind: 'none' }
  const session = () => (mode.kind === 'none' ? undefined : mode.session)

  function change(next: Mode): void {
    session()?.end()
    mode = next
  }

  function noteError(error: ServiceError, from?: object): void {
    if (from !== undefined && from !== session()?.api) return
    if (view().state.status !== 'online') return
    if (error.kind === 'unauthorized') show({ state: { status: 'keyRefused' } })
    const isDoubtful = !ABOUT_ONE_REQUEST.has(error.kind) && error.kind !== 'unauthorized'
    if (isDoubtful && session()?.isBeingChecked() === false) void session()?.checkAfterFailure()
  }

  /** Requests data for the view from the service in use. */
  async function refresh<T>(
    ask: (api: ServiceApi, options: { signal: AbortSignal }) => Promise<Result<T>>,
    facts: (value: T) => Partial<ConnectionView>,
  ): Promise<void> {
    const asked = session()
    if (asked === undefined) return
    const answer = await ask(asked.api, { signal: asked.signal })
    if (!answer.ok) noteError(answer.error, asked.api)
    else if (session() === asked) show(facts(answer.value))
  }

  return {
    kind: () => mode.kind,
    isBuiltIn: () => mode.kind === 'builtIn',
    session,
    noteError,
    refresh,

    /** Switches to a service whose address or key isn't known yet. */
    leave: (kind: 'external' | 'builtIn') => change({ kind, session: undefined }),

    begin(kind: 'external' | 'builtIn', baseUrl: BaseUrl, key: string | undefined): Session {
      const begun = createSession({
        api: createApi({ baseUrl, key: () => key, isBuiltIn: kind === 'builtIn' }),
        timing,
        versionRule: () => versionRuleOf(settings),
        patience,
        onChecked: (state, presets) => show({ state, presets: presets ?? view().presets }),
      })
      change({ kind, session: begun })
      return begun
    },
  }
}

/** Errors of a single request, which don't mean that the service is unavailable. */
const ABOUT_ONE_REQUEST: ReadonlySet<ServiceError['kind']> = new Set([
  'aborted',
  'localFile',
  'conflict',
  'queueFull',
  'driveNotReady',
])

/** Applies the built-in service's state to the connection. After a crash, the service has another address. */
export function showBuiltIn(state: BuiltInState, current: CurrentMode, { show }: ShownView): void {
  switch (state.kind) {
    case 'running': {
      const parsed = parseBaseUrl(state.baseUrl)
      if (!parsed.ok || current.session()?.api.baseUrl.href === parsed.value.href) return
      show({ ...serviceAt('builtIn', parsed.value.href, true), key: 'session' })
      void current.begin('builtIn', parsed.value, state.key).check()
      return
    }
    case 'failed':
      current.leave('builtIn')
      show({ state: { status: 'offline', reason: 'builtInFailed', detail: state.reason } })
      return
    case 'starting':
    case 'restarting':
    case 'stopped':
      current.leave('builtIn')
      show({ state: { status: 'connecting' } })
  }
}

export function versionRuleOf(settings: Settings): VersionRule {
  const { strictVersion, acceptedVersions } = settings.view()
  return { strict: strictVersion, accepted: acceptedVersions }
}

export type ShownView = ReturnType<typeof createShownView>

/** Holds the connection view. Listeners are called only when it actually changes. */
export function createShownView(settings: Settings) {
  const listeners = createListeners<[ConnectionView]>()
  const { connection, baseUrl, seesFiles } = settings.view()
  let current: ConnectionView = {
    kind: connection,
    baseUrl,
    address: addressOf(baseUrl),
    state: { status: 'unconfigured' },
    key: 'none',
    keychainTrouble: null,
    seesFiles,
    presets: null,
    drive: null,
  }
  return {
    view: () => current,

    show: (change: Partial<ConnectionView>): void => {
      const next = { ...current, ...change }
      if (isDeepStrictEqual(next, current)) return
      current = next
      listeners.call(current)
    },

    onChange: listeners.add,
  }
}
