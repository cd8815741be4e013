import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import {
  createBuiltInService,
  createConnection,
  createSessionKeyStore,
  spawnService,
} from '../src/main/connection/index.ts'
import { APP_ROLE, openCore, type Core } from '../src/main/core/index.ts'
import { createSettings, openSettingsFile } from '../src/main/settings/settings.ts'
import { systemTiming } from '../src/node/timing.ts'

/** The app without a window and without a service: what is started waits. */
export function openIdleCore(folder: string): Core {
  const settings = createSettings(openSettingsFile(join(folder, 'settings.json')))
  const keyStore = createSessionKeyStore()
  const builtIn = createBuiltInService({
    spawn: spawnService(process.execPath, 'never started', []),
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
    newId: () => `r_${randomUUID()}`,
    timing: systemTiming,
    log: (event, facts) => console.error(event, facts),
  })
}
