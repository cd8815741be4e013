import { join, resolve } from 'node:path'
import {
  createBuiltInService,
  createConnection,
  createSessionKeyStore,
  spawnService,
  type SpawnService,
} from '../src/main/connection/index.ts'
import { APP_ROLE, openCore, type Core, type CoreOptions } from '../src/main/core/index.ts'
import { createSettings, openSettingsFile } from '../src/main/settings/settings.ts'
import { systemTiming } from '../src/node/timing.ts'

/** The app without a window and without a service: what is started waits. */
export const openIdleCore = (folder: string): Core =>
  open(folder, spawnService(process.execPath, 'never started', []), console.error)

/** The app without a window, and the built-in service with it. */
export function openWorkingCore(folder: string): Core {
  const entry = resolve(import.meta.dirname, '../src/service/main.ts')
  const spawn = spawnService(process.execPath, entry, ['--disable-warning=ExperimentalWarning'])
  const core = open(folder, spawn, () => {})
  core.connection.useBuiltIn()
  return core
}

function open(folder: string, spawn: SpawnService, log: CoreOptions['log']): Core {
  const settings = createSettings(openSettingsFile(join(folder, 'settings.json')))
  const keyStore = createSessionKeyStore()
  const builtIn = createBuiltInService({
    spawn,
    dataDir: join(folder, 'service'),
    keyStore,
    timing: systemTiming,
    preferredPort: 0,
  })
  return openCore({
    role: APP_ROLE,
    dataDir: folder,
    settings,
    connection: createConnection({ settings, keyStore, builtIn, timing: systemTiming }),
    defaultOutput: join(folder, 'out'),
    timing: systemTiming,
    log,
  })
}
