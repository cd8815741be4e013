import { join, resolve } from 'node:path'
import { randomUUID } from 'node:crypto'
import { expect, onTestFinished } from 'vitest'
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
import { once } from '../../../src/shared/once.ts'
import { systemTiming, type Timing } from '../../../src/node/timing.ts'
import type { AppState } from '../../../src/shared/model/app-state.ts'
import type { Draft } from '../../../src/shared/model/draft.ts'
import type { RecordId } from '../../../src/shared/model/ids.ts'
import type { PartDetails } from '../../../src/shared/model/job.ts'
import { startWorker } from '../../../src/media/start-worker.ts'
import { PERMISSIONS } from '../../../src/node/confinement.ts'
import { WORKER, SERVICE } from '../../entries.ts'
import { createSessionKeyStore } from '../connection/session-key-store.ts'

export const samples = resolve(import.meta.dirname, '../../../assets/samples')

export const timing: Timing = { ...systemTiming, random: () => 0.5 }

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

/** Closes a core when the test has finished, unless the test closes it earlier. */
export function closing(core: Core): Core {
  const close = once(() => core.close())
  onTestFinished(close)
  return { ...core, close }
}

/** Like `openTestCore`, until the test has finished. */
export const openUntilEnd = async (...given: Parameters<typeof openTestCore>): Promise<Core> =>
  closing(await openTestCore(...given))

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

/** Starts a job of this draft. @returns the ID of its first part */
export async function startDraft(core: Core, draft: Draft): Promise<RecordId> {
  const started = await core.drafts.startDraft(draft, { split: false, grace: 0 })
  const [id] = started.ok ? started.ids : []
  if (id === undefined) throw new Error('the start failed')
  return id
}

/** Starts the draft, and resolves with the record of the next part that ends. */
export async function endOfDraft(core: Core, more: { readonly upload?: boolean } = {}): Promise<PartDetails> {
  const ended = nextEnd(core)
  const started = await core.drafts.start({ split: false, grace: 0, ...more })
  expect(started).toMatchObject({ ok: true })
  return ended
}
