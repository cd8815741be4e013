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

type Common = {
  /** The same service is always called by this; see `StartOptions.target`. */
  readonly identity: string
  /** It is the one that the app uses. */
  readonly isApps: boolean
  /** What the person has chosen in the app; only read. */
  readonly saved: Settings
  readonly keyStore: KeyStore
  /** For the commands that ask one thing. Starts the built-in service. */
  api(): Promise<
    { readonly ok: true; readonly api: ServiceApi } | { readonly ok: false; readonly message: string }
  >
  close(): Promise<void>
}

export type ChosenService = Common &
  (
    | { readonly kind: 'external'; readonly baseUrl: BaseUrl }
    /** It lives only as long as the command. */
    | { readonly kind: 'builtIn'; readonly builtIn: BuiltInService }
  )

export type ServiceOptions = { readonly baseUrl?: string; readonly keyStdin?: boolean }

export type Choice =
  | { readonly ok: true; readonly service: ChosenService }
  /** Not the person's mistake in what was typed unless it says so. */
  | { readonly ok: false; readonly code: ExitCode; readonly message: string }

/**
 * The service that was named; else the one that the app uses; else the built-in one, for this command. Nothing is asked and
 * nothing started yet.
 */
export async function chooseService(options: ServiceOptions, environment: Environment): Promise<Choice> {
  const { env } = environment
  const file = join(dataFolder(environment), 'settings.json')
  const store = openSettingsFile(file, { keepsDamaged: false })
  const saved = createSettings(store)
  const apps = saved.view().connection
  const named = options.baseUrl ?? env['MEDIATRAY_BASE_URL'] ?? ''
  if (named === '' && options.keyStdin === true) {
    return { ok: false, code: EXIT.usage, message: 'A key is only of use together with --base-url.' }
  }
  // The defaults name no service: a command would go to another one than the person has chosen.
  if (named === '' && store.damage !== null) return { ok: false, ...damagedSettings(file, store.damage) }
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
  message: `The settings can’t be ${damage === 'damaged' ? 'understood' : 'read'}, so it is not known which service to use: ${file}. Mediatray keeps a damaged file and begins with new settings; or name the service with --base-url.`,
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
        return { ok: false, message: `The built-in service could not be started: ${state.reason}` }
      }
      const baseUrl = parseBaseUrl(state.baseUrl)
      if (!baseUrl.ok) {
        return { ok: false, message: `The built-in service gave an unusable address: ${baseUrl.why}` }
      }
      opened = createServiceApi({ baseUrl: baseUrl.value, key: () => state.key })
      return { ok: true, api: opened }
    },
    async close() {
      await opened?.close()
      await service.stop()
    },
  }
}

/** The built-in service for one command: on a free port, with a key that nobody else has seen; it ends with the command. */
export function builtInForCommand(environment: Environment): BuiltInService {
  return createBuiltInService({
    spawn: spawnService(process.execPath, environment.builtInEntry, [
      '--disable-warning=ExperimentalWarning',
    ]),
    dataDir: builtInServiceFolder(environment),
    keyStore: createSessionKeyStore(),
    timing: environment.timing,
    preferredPort: 0,
    // A command that can't have it says so instead of trying for minutes.
    limits: { crashes: 1 },
  })
}

/** Resolves when it runs, or has given up. */
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
