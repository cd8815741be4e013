/** A service that somebody else runs: whether it can be used with a key, and where the key is kept. */
import type { Presets } from '../../shared/api/resources.ts'
import type { ConnectionTest, ConnectionView } from '../../shared/model/connection.ts'
import type { ServiceError } from '../../shared/service-error.ts'
import { parseBaseUrl, type BaseUrl, type ServiceApi, type ServiceApiOptions } from '../service-api/index.ts'
import type { Settings } from '../settings/settings.ts'
import type { KeyStore } from './keychain.ts'
import { stateFor, type VersionRule } from './probe.ts'
import type { Session } from './session.ts'

export type KeyChoice = { readonly key: string; readonly keep: 'keychain' | 'session' }
export type Candidate = { readonly baseUrl: string; readonly key: string }

/** What a person chose. It takes a while to carry out; once another choice has overtaken it, it changes nothing. */
export type Choice = {
  isOvertaken(): boolean
  show(change: Partial<ConnectionView>): void
  /** @returns undefined where it is overtaken */
  begin(baseUrl: BaseUrl, key: string | undefined): Session | undefined
}

export type ExternalService = {
  /** Goes over to the service of the settings, with the key that was kept for it. */
  load(choice: Choice): Promise<void>
  /** Goes over to this service when it can be used and its key can be kept. */
  take(
    choice: Choice,
    service: { readonly baseUrl: string } & KeyChoice,
    seesFiles: boolean,
  ): Promise<ConnectionTest>
  /** Changes and keeps nothing. */
  test(candidate: Candidate): Promise<Tested>
  /** @param baseUrl the normal form of it */
  forgetKey(choice: Choice, baseUrl: string): Promise<void>
}

export type ExternalServiceDeps = {
  readonly settings: Settings
  readonly keyStore: KeyStore
  readonly createApi: (options: ServiceApiOptions) => ServiceApi
  /** ms that a request may take. */
  readonly patience: number
  readonly versionRule: () => VersionRule
}

type Refused = ConnectionTest & { readonly ok: false }
type Tested =
  | {
      readonly ok: true
      readonly baseUrl: BaseUrl
      readonly version: string
      readonly presets: Presets
    }
  | Refused

export function createExternalService(deps: ExternalServiceDeps): ExternalService {
  const { settings, keyStore, createApi, patience, versionRule } = deps

  async function load(choice: Choice): Promise<void> {
    const { baseUrl, seesFiles } = settings.view()
    const parsed = parseBaseUrl(baseUrl)
    if (!parsed.ok) {
      choice.show({ state: { status: 'offline', reason: 'notTheService', detail: parsed.why } })
      return
    }
    choice.show({ ...serviceAt('external', parsed.value.href, seesFiles), state: { status: 'connecting' } })
    const kept = await keyStore.read(parsed.value.href)
    const key = kept.ok ? (kept.value ?? undefined) : undefined
    choice.show({
      key: key === undefined ? 'none' : keyStore.storage,
      keychainTrouble: kept.ok ? null : kept.trouble,
    })
    await choice.begin(parsed.value, key)?.check()
  }

  async function test({ baseUrl, key }: Candidate): Promise<Tested> {
    const parsed = parseBaseUrl(baseUrl)
    if (!parsed.ok) return { ok: false, why: 'badAddress', detail: parsed.why }
    const timeouts = { request: patience, idle: patience }
    const api = createApi({ baseUrl: parsed.value, key: () => key, timeouts })
    try {
      const health = await api.health()
      if (!health.ok) return notUsable(health.error, 'health')
      const presets = await api.presets()
      if (!presets.ok) return notUsable(presets.error, 'presets')
      return {
        ok: true,
        baseUrl: parsed.value,
        version: health.value.version,
        presets: presets.value,
      }
    } finally {
      await api.close()
    }
  }

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
      return { ok: false, why: 'noKeychain', detail: written.trouble }
    }
    const storage = toKeychain ? keyStore.storage : 'session'
    const session = choice.begin(tested.baseUrl, key)
    if (session === undefined) return { ok: true, version, storage }
    // A key that was kept before would come back at the next start, and be the wrong one.
    if (!toKeychain) void keyStore.remove(account)
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

  async function forgetKey(choice: Choice, baseUrl: string): Promise<void> {
    const parsed = parseBaseUrl(baseUrl)
    // What is under way with the old key must not come back and say that all is well.
    if (parsed.ok) choice.begin(parsed.value, undefined)
    choice.show({ key: 'none', state: { status: 'keyRefused' }, presets: null, drive: null })
    const removed = await keyStore.remove(baseUrl)
    choice.show({ keychainTrouble: removed.ok ? null : removed.trouble })
  }

  return { load, test, take, forgetKey }
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

/** How a person names it: without scheme and path. */
export const addressOf = (baseUrl: string): string =>
  URL.canParse(baseUrl) ? new URL(baseUrl).host : baseUrl

/** Why a service can't be used with this key; the detail is the service's or the client's own message, without the key. */
function notUsable(error: ServiceError, asked: 'health' | 'presets'): Refused {
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
