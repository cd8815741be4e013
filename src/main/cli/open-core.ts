import { join } from 'node:path'
import { createConnection } from '../connection/index.ts'
import { openCore, type Core } from '../core/index.ts'
import { createSettings, SETTINGS_KEY, type SettingsStore } from '../settings/settings.ts'
import { type Environment, dataFolder } from './environment.ts'
import type { ChosenService } from './service-choice.ts'

export type CoreUse = {
  /** False: the service is left alone; only what is remembered is looked at. */
  readonly connected: boolean
  /** Whether it may send what waits, and fetch results. */
  readonly sends: boolean
}

export type OpenCore = (use: CoreUse) => Core

/** Where results go unless told otherwise. */
export const DEFAULT_OUTPUT = 'mediatray-output'

/**
 * The app's modules on the app's own files, with a connection for this command only: the app's settings are read and never
 * written.
 */
export function openCoreFor(service: ChosenService, environment: Environment, use: CoreUse): Core {
  const { timing, cwd } = environment
  const settings = createSettings(
    storeInMemory({
      ...service.saved.view(),
      ...connectionOf(service),
      ...(use.connected ? {} : { connection: null }),
      // A pause holds up what goes by itself; a command was asked for.
      outboxPaused: false,
    }),
  )
  const connection = createConnection({
    settings,
    keyStore: service.keyStore,
    ...(service.kind === 'builtIn' ? { builtIn: service.builtIn } : {}),
    timing,
  })
  return openCore({
    dataDir: dataFolder(environment),
    settings,
    connection,
    defaultOutput: join(cwd, DEFAULT_OUTPUT),
    timing,
    log: () => undefined,
    role: { sends: use.sends, keepsForeign: false, takesUnaddressed: service.isApps },
  })
}

const connectionOf = (service: ChosenService) =>
  service.kind === 'builtIn'
    ? { connection: 'builtIn' }
    : {
        connection: 'external',
        baseUrl: service.baseUrl.href,
        // What the app was told about its own service says nothing about another one.
        ...(service.isApps ? {} : { seesFiles: true }),
      }

function storeInMemory(initial: object): SettingsStore {
  const values = new Map<string, unknown>([[SETTINGS_KEY, initial]])
  return {
    get: (key) => values.get(key),
    set: (key, value) => void values.set(key, value),
    onDidChange: () => () => undefined,
    damage: null,
    keptAs: null,
  }
}
