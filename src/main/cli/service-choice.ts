import { join } from 'node:path'
import {
  createKeychain,
  createSessionKeyStore,
  type BuiltInService,
  type KeyStore,
  createBuiltInService,
  spawnService,
  type BuiltInState,
} from '../connection/index.ts'
import { createServiceApi, parseBaseUrl, type BaseUrl, type ServiceApi } from '../service-api/index.ts'
import { createSettings, openSettingsFile, type Settings } from '../settings/settings.ts'
import { builtInServiceFolder, type Environment, dataFolder } from './environment.ts'
import { EXIT, type ExitCode } from './exit-code.ts'
import { SERVICE_OPTIONS } from './standby-service.ts'

type Common = {
  /** A stable identifier of the service; see `StartOptions.target`. */
  readonly identity: string
  /** Whether the app uses the same service. */
  readonly isApps: boolean
  /** The user's settings from the app, read-only. */
  readonly saved: Settings
  readonly keyStore: KeyStore
  /** Returns the API for a command that sends a single request. Starts the built-in service if necessary. */
  api(): Promise<
    { readonly ok: true; readonly api: ServiceApi } | { readonly ok: false; readonly message: string }
  >
  close(): Promise<void>
}

export type ChosenService = Common &
  (
    | { readonly kind: 'external'; readonly baseUrl: BaseUrl }
    /** The built-in service ends with the command. */
    | { readonly kind: 'builtIn'; readonly builtIn: BuiltInService }
  )

export type ServiceOptions = { readonly baseUrl?: string; readonly keyStdin?: boolean }

export type Choice =
  | { readonly ok: true; readonly service: ChosenService }
  /** It is a usage error only if `code` is `EXIT.usage`. */
  | { readonly ok: false; readonly code: ExitCode; readonly message: string }

/**
 * Selects the service: the one named in the options, otherwise the app's, otherwise a built-in one for this command. Doesn't
 * contact or start the service.
 */
export async function chooseService(options: ServiceOptions, environment: Environment): Promise<Choice> {
  const { env } = environment
  const file = join(dataFolder(environment), 'settings.json')
  const store = openSettingsFile(file, { keepsDamaged: false })
  const saved = createSettings(store)
  const apps = saved.view().connection
  const named = options.baseUrl ?? env['MEDIATRAY_BASE_URL'] ?? ''
  if (named === '' && options.keyStdin === true) {
    return { ok: false, code: EXIT.usage, message: '--key-stdin requires --base-url.' }
  }
  // Damaged settings fall back to the defaults, which name no service. The command might then use a different service than the user
  // selected.
  if (named === '' && store.damage !== null) return { ok: false, ...damagedSettings(file, store.damage) }
  const unread = saved.unread().filter((name) => name === 'connection' || name === 'baseUrl')
  if (named === '' && unread.length > 0) return { ok: false, ...unreadSettings(file, unread) }
  if (named === '' && apps !== 'external') {
    return { ok: true, service: builtIn(saved, apps === 'builtIn', environment) }
  }
  const baseUrl = parseBaseUrl(named === '' ? saved.view().baseUrl : named)
  if (!baseUrl.ok) return { ok: false, code: EXIT.usage, message: baseUrl.why }
  const given = options.keyStdin === true ? await environment.readKey() : env['MEDIATRAY_API_KEY']
  const keys = given === undefined || given === '' ? [] : ([[baseUrl.value.href, given]] as const)
  const keyStore = named === '' && keys.length === 0 ? createKeychain() : createSessionKeyStore(keys)
  return { ok: true, service: external(baseUrl.value, keyStore, saved) }
}

const damagedSettings = (file: string, damage: 'damaged' | 'unreadable') => ({
  code: EXIT.failed,
  message: `Couldn’t ${damage === 'damaged' ? 'parse' : 'read'} the settings, so the service to use is unknown: ${file}. Start Mediatray, which keeps a damaged file and resets the settings, or specify the service with --base-url.`,
})

const unreadSettings = (file: string, names: readonly string[]) => ({
  code: EXIT.failed,
  message: `Couldn’t read ${names.join(' and ')} in ${file}, so the service to use is unknown. Correct the file, or specify the service with --base-url.`,
})

function external(baseUrl: BaseUrl, keyStore: KeyStore, saved: Settings): ChosenService {
  const identity = baseUrl.href
  const appsUrl = parseBaseUrl(saved.view().baseUrl)
  let opened: ServiceApi | undefined
  return {
    kind: 'external',
    baseUrl,
    identity,
    isApps: saved.view().connection === 'external' && appsUrl.ok && appsUrl.value.href === identity,
    saved,
    keyStore,
    async api() {
      const kept = await keyStore.read(identity)
      const key = kept.ok ? (kept.value ?? undefined) : undefined
      opened = createServiceApi({ baseUrl, key: () => key })
      return { ok: true, api: opened }
    },
    close: async () => opened?.close(),
  }
}

function builtIn(saved: Settings, isApps: boolean, environment: Environment): ChosenService {
  const service = builtInForCommand(environment)
  let opened: ServiceApi | undefined
  return {
    kind: 'builtIn',
    builtIn: service,
    identity: 'builtIn',
    isApps,
    saved,
    keyStore: createSessionKeyStore(),
    async api() {
      const state = await builtInReady(service)
      if (state.kind === 'failed') {
        return { ok: false, message: `Couldn’t start the built-in service: ${state.reason}` }
      }
      const baseUrl = parseBaseUrl(state.baseUrl)
      if (!baseUrl.ok) {
        return { ok: false, message: `The built-in service reported an invalid address: ${baseUrl.why}` }
      }
      opened = createServiceApi({ baseUrl: baseUrl.value, key: () => state.key, isBuiltIn: true })
      return { ok: true, api: opened }
    },
    async close() {
      await opened?.close()
      await service.stop()
    },
  }
}

/** Creates a built-in service for one command, with a free port and a new random key. The service ends with the command. */
export function builtInForCommand(environment: Environment): BuiltInService {
  const spawn = spawnService(process.execPath, environment.builtInEntry, SERVICE_OPTIONS)
  return createBuiltInService({
    spawn: (start) => environment.standby?.take(start) ?? spawn(start),
    dataDir: builtInServiceFolder(environment),
    keyStore: createSessionKeyStore(),
    timing: environment.timing,
    preferredPort: 0,
    // Report a crash instead of retrying for minutes.
    limits: { crashes: 1 },
  })
}

/** Resolves when the service is running or has failed to start. */
export function builtInReady(
  builtIn: BuiltInService,
): Promise<Extract<BuiltInState, { kind: 'running' | 'failed' }>> {
  return new Promise((resolve) => {
    const look = (state: BuiltInState) => {
      if (state.kind !== 'running' && state.kind !== 'failed') return
      stop()
      resolve(state)
    }
    const stop = builtIn.onChange(look)
    builtIn.start()
    look(builtIn.state())
  })
}
