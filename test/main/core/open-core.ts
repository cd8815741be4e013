import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { randomUUID } from 'node:crypto'
import { onTestFinished } from 'vitest'
import {
  createBuiltInService,
  createConnection,
  spawnService,
  withGivenKeys,
} from '../../../src/main/connection/index.ts'
import type { ownerInApp } from '../../../src/main/cli/index.ts'
import { openCore, type Core } from '../../../src/main/core/index.ts'
import { createSettings, openSettingsFile } from '../../../src/main/settings/settings.ts'
import { systemZone } from '../../../src/node/time-zone.ts'
import type { ComputerWatch } from '../../../src/main/quiet/index.ts'
import { scriptedComputer } from '../quiet/scripted-computer.ts'
import { systemTiming, type Timing } from '../../../src/node/timing.ts'
import type { AppState } from '../../../src/shared/model/app-state.ts'
import type { PartDetails } from '../../../src/shared/model/job.ts'
import { startWorker } from '../../../src/media/start-worker.ts'
import { PERMISSIONS } from '../../../src/node/confinement.ts'
import { WORKER, SERVICE } from '../../entries.ts'
import { createSessionKeyStore } from '../connection/session-key-store.ts'

export const samples = resolve(import.meta.dirname, '../../../assets/samples')

export const timing: Timing = { ...systemTiming, random: () => 0.5 }

export async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'mediatray-core-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  return folder
}

/** A core with the real built-in service and keys in memory. */
export const openTestCore = async (
  folder: string,
  on = timing,
  computer: ComputerWatch = scriptedComputer(),
): Promise<Core> => openTestApp(folder, on, computer).core

/** Like `openTestCore`, with what commands need of the app, and the keys that are hidden from the log. */
export function openTestApp(
  folder: string,
  on = timing,
  computer: ComputerWatch = scriptedComputer(),
): Parameters<typeof ownerInApp>[1] & { readonly core: Core; readonly hidden: readonly string[] } {
  const settings = createSettings(openSettingsFile(join(folder, 'settings.json')))
  const keyStore = withGivenKeys(createSessionKeyStore())
  const builtIn = createBuiltInService({
    spawn: spawnService(process.execPath, SERVICE, ['--disable-warning=ExperimentalWarning']),
    dataDir: join(folder, 'service'),
    timing: on,
  })
  const hidden: string[] = []
  const connecting = { keyStore, builtIn, onKey: (key: string) => void hidden.push(key) }
  const connection = createConnection({ ...connecting, settings, timing: on })
  const core = openCore({
    dataDir: folder,
    settings,
    connection,
    connecting,
    defaultOutput: join(folder, 'out'),
    newId: () => `r_${randomUUID()}`,
    home: folder,
    startChecker: () => startWorker('trials', { path: WORKER, confinement: PERMISSIONS }),
    quiet: { computer, zone: systemZone },
    timing: on,
    log: () => {},
  })
  return { core, builtIn, keyStore, hidden, timing: on }
}

/** Like `openTestCore`, until the test has finished. */
export async function openUntilEnd(folder: string, on = timing): Promise<Core> {
  const core = await openTestCore(folder, on)
  onTestFinished(() => core.close())
  return core
}

/** Selects the built-in service, and waits until it is online. */
export async function useBuiltIn(core: Core): Promise<void> {
  core.connection.useBuiltIn()
  await stateWhen(core, ({ connection }) => connection.state.status === 'online')
}

/** Resolves with the first state that matches. */
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

/** Resolves when the next work has finished. */
export const nextEnd = (core: Core): Promise<PartDetails> =>
  new Promise((resolve) => core.events.on('partFinished', resolve))
