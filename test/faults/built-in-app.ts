/** The app without a window, using the real built-in service. */
import { join } from 'node:path'
import { createBuiltInService, createConnection, spawnService } from '../../src/main/connection/index.ts'
import { openCore, type Core } from '../../src/main/core/index.ts'
import { createSettings, openSettingsFile } from '../../src/main/settings/settings.ts'
import type { Settings as StoredSettings } from '../../src/shared/model/settings.ts'
import { SERVICE } from '../entries.ts'
import { timing } from '../main/core/open-core.ts'
import { createSessionKeyStore } from '../main/connection/session-key-store.ts'

/**
 * @param data the data folder
 * @returns the app and a function that kills its service
 */
export function openApp(
  data: string,
  change: Partial<StoredSettings> = {},
): { core: Core; killService: () => void } {
  const settings = createSettings(openSettingsFile(join(data, 'settings.json')))
  settings.update({ connection: 'builtIn', ...change })
  const keyStore = createSessionKeyStore()
  const spawnReal = spawnService(process.execPath, SERVICE, ['--disable-warning=ExperimentalWarning'])
  let kill: (() => void) | undefined
  const builtIn = createBuiltInService({
    spawn(options) {
      const child = spawnReal(options)
      kill = () => child.kill()
      return child
    },
    dataDir: join(data, 'service'),
    timing,
  })
  const core = openCore({
    dataDir: data,
    home: data,
    settings,
    connection: createConnection({ settings, keyStore, builtIn, timing }),
    defaultOutput: data,
    timing,
    log: () => {},
  })
  return { core, killService: () => kill?.() }
}
