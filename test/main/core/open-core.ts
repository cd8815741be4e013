import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { randomUUID } from 'node:crypto'
import { onTestFinished } from 'vitest'
import {
  createBuiltInService,
  createConnection,
  createSessionKeyStore,
  spawnService,
} from '../../../src/main/connection/index.ts'
import { APP_ROLE, openCore, type Core } from '../../../src/main/core/index.ts'
import { createSettings, openSettingsFile } from '../../../src/main/settings/settings.ts'
import type { AppState } from '../../../src/shared/model/app-state.ts'
import { SERVICE } from '../../entries.ts'

export const samples = resolve(import.meta.dirname, '../../../assets/samples')

export const timing = {
  clock: () => Date.now(),
  monotonic: () => performance.now(),
  after(ms: number, run: () => void) {
    const timer = setTimeout(run, ms)
    return () => clearTimeout(timer)
  },
  random: () => 0.5,
}

export async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'mediatray-core-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  return folder
}

/** A core with the real built-in service, its keys in memory. */
export async function openTestCore(folder: string, on: typeof timing = timing): Promise<Core> {
  const settings = createSettings(openSettingsFile(join(folder, 'settings.json')))
  const keyStore = createSessionKeyStore()
  const builtIn = createBuiltInService({
    spawn: spawnService(process.execPath, SERVICE, ['--disable-warning=ExperimentalWarning']),
    dataDir: join(folder, 'service'),
    keyStore,
    timing: on,
    preferredPort: 0,
  })
  const connection = createConnection({ settings, keyStore, builtIn, timing: on })
  const core = openCore({
    role: APP_ROLE,
    dataDir: folder,
    settings,
    connection,
    defaultOutput: join(folder, 'out'),
    newId: () => `r_${randomUUID()}`,
    timing: on,
    log: () => {},
  })
  return core
}

/** Resolves with the first state that fits. */
export function stateWhen(core: Core, fits: (state: AppState) => boolean): Promise<AppState> {
  if (fits(core.state.get())) return Promise.resolve(core.state.get())
  return new Promise((found) => {
    const stop = core.state.onChange((state) => {
      if (!fits(state)) return
      stop()
      found(state)
    })
  })
}
