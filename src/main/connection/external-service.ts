/** Tests and connects to an external service and stores its key. */
import type { Presets } from '../../shared/api/resources.ts'
import { addressOf, type ConnectionTest, type ConnectionView } from '../../shared/model/connection.ts'
import type { ServiceError } from '../../shared/service-error.ts'
import { parseBaseUrl, type BaseUrl, type ServiceApi, type ServiceApiOptions } from '../service-api/index.ts'
import type { Settings } from '../settings/settings.ts'
import type { KeyStore } from './keychain.ts'
import { stateFor, type VersionRule } from './probe.ts'
import type { Session } from './session.ts'

export type KeyChoice = { readonly key: string; readonly keep: 'keychain' | 'session' }
export type Candidate = { readonly baseUrl: string; readonly key: string }

/** The user's choice of a service. Applying it takes time, and a newer choice cancels it. */
export type Choice = {
  isOvertaken(): boolean
  show(change: Partial<ConnectionView>): void
  /** @returns undefined if a newer choice has been made */
  begin(baseUrl: BaseUrl, key: string | undefined): Session | undefined
}

type Refused = ConnectionTest & { readonly ok: false }
export type Tested =
  | { readonly ok: true; readonly baseUrl: BaseUrl; readonly version: string; readonly presets: Presets }
  | Refused

export function createExternalService(deps: {
  readonly settings: Settings
  readonly keyStore: KeyStore
  readonly createApi: (options: ServiceApiOptions) => ServiceApi
  /** How long a request may take, in ms. */
  readonly patience: number
  readonly versionRule: () => VersionRule
}) {
  const { settings, keyStore, createApi, patience, versionRule } = deps

  /** The key in use, which a service may have rejected. */
  let inUse: string | undefined

  /** Switches to the service in the settings, with its stored key. */
  async function load(choice: Choice): Promise<void> {
    const { baseUrl, seesFiles } = settings.view()
    const parsed = parseBaseUrl(baseUrl)
    if (!parsed.ok)
      return choice.show({ state: { status: 'offline', reason: 'notTheService', detail: parsed.why } })
    choice.show({ ...serviceAt('external', parsed.value.href, seesFiles), state: { status: 'connecting' } })
    const kept = await keyStore.read(parsed.value.href)
    const key = kept.ok ? (kept.value ?? undefined) : undefined
    inUse = key
    choice.show({
      key: key === undefined ? 'none' : keyStore.storage,
      keychainTrouble: kept.ok ? null : kept.trouble,
    })
    await choice.begin(parsed.value, key)?.check()
  }

  /** Tests a service without storing or changing anything. */
  async function test({ baseUrl, key }: Candidate): Promise<Tested> {
    const parsed = parseBaseUrl(baseUrl)
    if (!parsed.ok) return { ok: false, why: 'badAddress' }
    const timeouts = { request: patience, idle: patience }
    const api = createApi({ baseUrl: parsed.value, key: () => key, timeouts })
    try {
      const health = await api.health()
      if (!health.ok) return notUsable(health.error, 'health')
      const presets = await api.presets()
      if (!presets.ok) return notUsable(presets.error, 'presets')
      const { version } = health.value
      return { ok: true, baseUrl: parsed.value, version, presets: presets.value }
    } finally {
      await api.close()
    }
  }

  /** Switches to this service if it can be used and its key can be kept as chosen. */
  async function take(
    choice: Choice,
    { baseUrl, key, keep }: { readonly baseUrl: string } & KeyChoice,
    seesFiles: boolean,
  ): Promise<ConnectionTest> {
    const tested = await test({ baseUrl, key })
    if (!tested.ok) return tested
    const { version, presets } = tested
    const account = tested.baseUrl.href

    const toKeychain = keep === 'keychain' && !choice.isOvertaken()
    const written = toKeychain ? await keyStore.write(account, key) : undefined
    if (written?.ok === false) {
      choice.show({ keychainTrouble: written.trouble })
      return { ok: false, why: 'noKeychain' }
    }
    const storage = toKeychain ? keyStore.storage : 'session'
    const session = choice.begin(tested.baseUrl, key)
    if (session === undefined) return { ok: true, version, storage }
    inUse = key
    // Remove the previously stored key. Otherwise, the next launch would load it.
    if (!toKeychain) {
      void keyStore.remove(account)
      // If this service stops being the main one, a secondary line may still need the key for it.
      keyStore.give?.(account, key)
    }
    const state = stateFor(version, versionRule())
    choice.show({
      ...serviceAt('external', account, seesFiles),
      key: storage,
      ...(toKeychain ? { keychainTrouble: null } : {}),
      state,
      presets,
      drive: null,
    })
    settings.update({ connection: 'external', baseUrl: account })
    session.checkAfter(state)
    return { ok: true, version, storage }
  }

  /** @param baseUrl in its normalized form */
  async function forgetKey(choice: Choice, baseUrl: string): Promise<void> {
    const parsed = parseBaseUrl(baseUrl)
    // Begin a session without a key. In the old session, a pending request could still report success.
    if (parsed.ok) choice.begin(parsed.value, undefined)
    choice.show({ key: 'none', state: { status: 'keyRefused' }, presets: null, drive: null })
    const removed = await keyStore.remove(baseUrl)
    choice.show({ keychainTrouble: removed.ok ? null : removed.trouble })
  }

  /** Whether a key other than the one in use has been stored, for example by another program. */
  async function hasOtherKey(baseUrl: string): Promise<boolean> {
    const stored = await keyStore.read(baseUrl)
    return stored.ok && stored.value !== null && stored.value !== inUse
  }

  return { load, test, take, forgetKey, hasOtherKey }
}

export const serviceAt = (
  kind: 'external' | 'builtIn',
  baseUrl: string,
  seesFiles: boolean,
): Pick<ConnectionView, 'kind' | 'baseUrl' | 'address' | 'seesFiles'> => ({
  kind,
  baseUrl,
  address: addressOf(baseUrl),
  seesFiles,
})

/** Returns why a service can't be used with this key. */
function notUsable(error: ServiceError, asked: 'health' | 'presets'): Refused {
  // The health route doesn't need a key (section 5). A server that requires one isn't a Local Media Job service.
  if (asked === 'health' && error.kind === 'unauthorized') return { ok: false, why: 'notTheService' }
  switch (error.kind) {
    case 'unauthorized':
      return { ok: false, why: error.reason === 'rejected' ? 'keyRefused' : 'badKey' }
    case 'notReachable':
    case 'noAnswer':
    case 'aborted':
      return { ok: false, why: 'notReachable' }
    default:
      return { ok: false, why: 'notTheService' }
  }
}
