/** Opens everything below the desktop: settings, connection, the core. Nothing here draws. */
import { randomUUID } from 'node:crypto'
import Store from 'electron-store'
import {
  createBuiltInService,
  createConnection,
  createKeychain,
  type SpawnService,
} from '../connection/index.ts'
import { APP_ROLE, openCore, type Core } from '../core/index.ts'
import { type Timing } from '../../node/timing.ts'
import { createSettings, type SettingsStore } from '../settings/index.ts'
import type { AppPaths } from './paths.ts'

export type OpenedCore = { readonly core: Core; readonly store: SettingsStore }

export type OpenCoreOptions = {
  readonly paths: AppPaths
  readonly spawnService: SpawnService
  readonly timing: Timing
  readonly log: (event: string, facts: Readonly<Record<string, unknown>>) => void
}

export function openAppCore({ paths, spawnService, timing, log }: OpenCoreOptions): OpenedCore {
  const store = openStore(paths.data)
  const settings = createSettings(store)
  const keyStore = createKeychain()
  const builtIn = createBuiltInService({
    spawn: spawnService,
    dataDir: paths.serviceData,
    keyStore,
    timing,
  })
  const connection = createConnection({
    settings,
    keyStore,
    builtIn,
    timing,
  })
  const core = openCore({
    dataDir: paths.data,
    settings,
    connection,
    defaultOutput: paths.output,
    newId: () => `r_${randomUUID()}`,
    role: APP_ROLE,
    timing,
    log,
  })
  return { core, store }
}

/** What was damaged by hand or by a crash is read as far as it goes, and never stops the app from starting. */
function openStore(folder: string): SettingsStore {
  const store = new Store<Record<string, unknown>>({
    cwd: folder,
    name: 'settings',
    clearInvalidConfig: true,
    accessPropertiesByDotNotation: false,
  })
  return {
    get: (key) => store.get(key),
    set: (key, value) => store.set(key, value),
    onDidChange: (key, listener) => store.onDidChange(key, listener),
  }
}
