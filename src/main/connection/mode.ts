/** Which service the connection goes to, and what everybody sees of it. */
import { isDeepStrictEqual } from 'node:util'
import type { ConnectionView } from '../../shared/model/connection.ts'
import type { Result, ServiceError } from '../../shared/service-error.ts'
import type { Timing } from '../../node/timing.ts'
import { parseBaseUrl, type BaseUrl, type ServiceApi, type ServiceApiOptions } from '../service-api/index.ts'
import type { Settings } from '../settings/settings.ts'
import type { BuiltInState } from './built-in-service.ts'
import { addressOf, serviceAt } from './external-service.ts'
import type { VersionRule } from './probe.ts'
import { createSession, type Session } from './session.ts'

/** Which service was chosen. There is no session while its address or key is not known yet. */
type Mode =
  | { readonly kind: 'none' }
  | { readonly kind: 'external' | 'builtIn'; readonly session: Session | undefined }

export type CurrentMode = ReturnType<typeof createCurrentMode>

export type ModeDeps = {
  readonly settings: Settings
  readonly timing: Pick<Timing, 'after' | 'random'>
  readonly createApi: (options: ServiceApiOptions) => ServiceApi
  /** ms that a check may take. */
  readonly patience: number
}

/** One session at a time: the one before ends when another begins. */
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
    const isBroken = error.kind === 'notReachable' || error.kind === 'noAnswer'
    if (isBroken && session()?.isBeingChecked() === false) void session()?.check()
  }

  /** Asks the service in use for something that the view shows. */
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

    /** Goes over to a service whose address or key is still to come. */
    leave: (kind: 'external' | 'builtIn') => change({ kind, session: undefined }),

    begin(kind: 'external' | 'builtIn', baseUrl: BaseUrl, key: string | undefined): Session {
      const begun = createSession({
        api: createApi({ baseUrl, key: () => key }),
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

/** A built-in service is used while it runs; it comes back at another address after a crash. */
export function showBuiltIn(state: BuiltInState, current: CurrentMode, { show }: ShownView): void {
  switch (state.kind) {
    case 'running': {
      const parsed = parseBaseUrl(state.baseUrl)
      if (!parsed.ok || current.session()?.api.baseUrl.href === parsed.value.href) return
      show({ ...serviceAt('builtIn', parsed.value.href, true), key: state.storage })
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

/** What everybody sees of the connection. Whoever listens is told of real changes only. */
export function createShownView(settings: Settings) {
  const listeners = new Set<(view: ConnectionView) => void>()
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
      for (const listener of listeners) listener(current)
    },

    onChange: (listener: (view: ConnectionView) => void): (() => void) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}
