/** Opens everything below the desktop: settings, connection, the core. Nothing here draws. */
import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import {
  createBuiltInService,
  createConnection,
  createKeychain,
  type SpawnService,
} from '../connection/index.ts'
import { APP_ROLE, openCore, type Core } from '../core/index.ts'
import { type Timing } from '../../node/timing.ts'
import { createSettings, openSettingsFile, type SettingsStore } from '../settings/index.ts'
import type { AppPaths } from './paths.ts'

export type OpenedCore = { readonly core: Core; readonly store: SettingsStore }

export type OpenCoreOptions = {
  readonly paths: AppPaths
  readonly spawnService: SpawnService
  readonly timing: Timing
  readonly log: (event: string, facts: Readonly<Record<string, unknown>>) => void
  /** Told of every key before it is used. */
  readonly hide: (secret: string) => void
}

export function openAppCore({ paths, spawnService, timing, log, hide }: OpenCoreOptions): OpenedCore {
  const store = openSettingsFile(join(paths.data, 'settings.json'))
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
    onKey: hide,
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
