/**
 * The app without a window in simulated time: watched folders with rules, quiet mode, outbox, history and hooks are the real ones, and
 * so are the files. The service, the power supply and the user's input are scripted.
 */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { onTestFinished } from 'vitest'
import { openCore, startWatching, type Core } from '../../../src/main/core/index.ts'
import { createSettings, openSettingsFile } from '../../../src/main/settings/settings.ts'
import type { WatchFolders } from '../../../src/main/watch/index.ts'
import type { DirectAction } from '../../../src/shared/model/hook-state.ts'
import type { WatchedOutput } from '../../../src/shared/model/stored-output.ts'
import type { FolderRule } from '../../../src/shared/model/folder-rules.ts'
import { scriptedComputer, type ScriptedComputer } from '../../main/quiet/scripted-computer.ts'
import { connectToModel } from '../model/model-connection.ts'
import { createModelService, type ModelService } from '../model/model-service.ts'
import { createVirtualTime } from '../model/virtual-time.ts'
import { openHookTargets, type HookTargets } from './hook-targets.ts'
import { createSessionKeyStore } from '../../main/connection/session-key-store.ts'
import { watchFolder } from '../../watch-folder.ts'

export type AutomaticApp = {
  readonly inbox: string
  readonly core: Core
  readonly watch: WatchFolders
  readonly computer: ScriptedComputer
  readonly service: ModelService
  readonly hooks: HookTargets
  /** Simulated time in ms since 1970. */
  readonly clock: () => number
  /** How often each record has ended. */
  readonly ends: ReadonlyMap<string, number>
  /** Lets simulated time pass. Programs and requests that run meanwhile end first, unless they hang. */
  pass(ms: number): Promise<void>
  close(): Promise<void>
}

/** Simulated ms between two looks at what runs in real time. */
const PIECE_MS = 10_000
const EVERY_NTH_FAILS = 7

const named = (pattern: string, action: FolderRule['action']): FolderRule => ({
  id: pattern,
  when: [{ about: 'name', matches: true, pattern }],
  action,
})

export async function openAutomaticApp(folder: string): Promise<AutomaticApp> {
  const at = (name: string) => join(folder, name)
  const inFolder = (name: string): WatchedOutput => ({ kind: 'folder', path: at(name) })
  for (const name of ['data', 'hooks', 'in', 'out']) mkdirSync(at(name))
  const time = createVirtualTime()
  // Watched folders compare the clock with the times of files.
  time.setWallClock(Date.now() - time.forProcess(() => true).clock())
  const timing = time.forProcess(() => true)
  const service = createModelService(time, at('out'))
  const hooks = await openHookTargets(at('hooks'))
  const computer = scriptedComputer()
  const settings = createSettings(openSettingsFile(at('settings.json')))
  settings.update({
    afterJob: { program: hooks.program, url: hooks.url },
    watchFolders: [watchFolder(at('in'), at('out'), { id: 'in', recursive: true, presets: ['Web 2048'] })],
    folderRules: {
      in: {
        rest: 'process',
        rules: [
          named('ignored*', { do: 'ignore' }),
          named('pair*', { do: 'process', presets: ['Web 2048', 'Mail'], output: inFolder('out') }),
        ],
      },
    },
  })
  const core = openCore({
    dataDir: at('data'),
    home: at('home'),
    settings,
    connection: connectToModel(service, () => true),
    defaultOutput: at('out'),
    quiet: { computer, zone: () => () => 0 },
    keyStore: createSessionKeyStore(),
    timing,
    log: () => undefined,
  })
  const ends = new Map<string, number>()
  core.events.on('partFinished', ({ id }) => ends.set(id, (ends.get(id) ?? 0) + 1))
  const watch = startWatching({ core, timing, onTrouble: () => {}, log: () => {} })
  await watch.whenScanned()
  let worked = 0

  async function untilHooksEnd(): Promise<void> {
    while (core.hooks.busy()) {
      await sleep(2)
      for (const action of hooks.hanging()) await untilKilled(action)
    }
  }

  async function untilKilled(action: DirectAction): Promise<void> {
    const path = hooks[action]
    while (core.hooks.status({ action, path }).isRunning) {
      await time.advance(1_000)
      await sleep(1)
    }
  }

  async function closeAll(): Promise<void> {
    const closed = watch.close().then(() => core.close())
    const closedOrNot = async () => await Promise.race([closed.then(() => true), sleep(2, false)])
    while (!(await closedOrNot())) await time.advance(PIECE_MS)
    await hooks.close()
  }
  let closing: Promise<void> | undefined
  const close = () => (closing ??= closeAll())
  onTestFinished(close)

  return {
    inbox: at('in'),
    core,
    watch,
    computer,
    service,
    hooks,
    clock: timing.clock,
    ends,
    async pass(ms) {
      for (let left = ms; left > 0; left -= PIECE_MS) {
        await time.advance(Math.min(left, PIECE_MS))
        worked += 1
        service.work(worked % EVERY_NTH_FAILS === 0)
        await untilHooksEnd()
      }
    },
    close,
  }
}

/** Whether no job is on its way and nothing follows one. */
export const isDone = ({ core, watch }: Pick<AutomaticApp, 'core' | 'watch'>): boolean =>
  !watch.busy() &&
  !core.busy() &&
  core.outbox.list().length === 0 &&
  core.tracker.jobs().length === 0 &&
  core.history.hooks.waiting().length === 0
