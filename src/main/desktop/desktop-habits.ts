/** What an installed app does beside its work, as the settings say: all of it follows from the state. */
import { app, globalShortcut, powerSaveBlocker, shell } from 'electron'
import { join } from 'node:path'
import type { AppState } from '../../shared/model/app-state.ts'
import type { Settings } from '../../shared/model/settings.ts'
import type { Wording } from '../../shared/wording/index.ts'
import type { Core, Timing } from '../core/index.ts'
import { createDiskWatch } from '../disk/index.ts'
import { createKeepAwake, createWhenDone } from '../habits/index.ts'
import { setStartAtLogin } from './login-item.ts'
import { offerQuickTasks } from './offer-quick-tasks.ts'
import { sleepComputer } from './sleep-computer.ts'

export type HabitOptions = {
  readonly core: Core
  readonly platform: NodeJS.Platform
  readonly timing: Timing
  readonly wording: () => Wording
  readonly onShortcut: () => void
  /** The shortcut that was asked for is not to be had. */
  readonly onShortcutTaken: (accelerator: string) => void
  /** A quick task of the dock, by its arguments. */
  readonly onTask: (argument: string) => void
  /** Time to object to quitting or sleeping, in ms. */
  readonly endNoticeMs: number
  readonly log: (message: string) => void
  readonly logEvent: (event: string, facts: Readonly<Record<string, unknown>>) => void
}

export interface DesktopHabits {
  /** Neither quit nor sleep this time. */
  stayOpen(): void
  close(): void
}

const isWorking = ({ jobs, outbox }: AppState): boolean =>
  jobs.some((job) => job.stage.kind !== 'queued') || outbox.some((entry) => entry.state.kind === 'sending')

/** @param unseenBefore problems of earlier runs, which this one has not made */
const needsPerson = ({ outbox, unseen, connection }: AppState, unseenBefore: number): boolean =>
  unseen > unseenBefore ||
  connection.state.status === 'keyRefused' ||
  outbox.some(({ state }) => state.kind === 'refused' || state.kind === 'unknown')

/** Where results of waiting or running work go, as far as this computer's disks are concerned. */
const outputFolders = ({ jobs, outbox, connection }: AppState): readonly string[] =>
  connection.seesFiles
    ? [...jobs, ...outbox].flatMap(({ output }) => (output?.kind === 'folder' ? [output.path] : []))
    : []

export function startHabits(options: HabitOptions): DesktopHabits {
  const { core, platform, timing, log } = options
  const keepAwake = createKeepAwake(powerSaveBlocker)
  const disk = createDiskWatch({
    folders: () => outputFolders(core.state.get()),
    onFull: (folder) => core.setFullDisk(folder),
    onFree: () => core.setFullDisk(null),
    after: timing.after,
    log: options.logEvent,
  })
  const whenDone = createWhenDone({
    choice: () => core.settings.view().whenDone,
    actions: {
      sound: () => shell.beep(),
      quit: () => app.quit(),
      sleep: () => sleepComputer(platform, log),
    },
    after: timing.after,
    noticeMs: options.endNoticeMs,
    onPending: (pending) =>
      core.state.set({
        ending: pending === null ? null : { action: pending.action, at: timing.clock() + pending.inMs },
      }),
  })

  let unfinished = 0
  let unseenBefore = core.state.get().unseen

  function follow(state: AppState): void {
    const left = state.jobs.length + state.outbox.length
    const begins = unfinished === 0 && left > 0
    unseenBefore = begins ? state.unseen : Math.min(unseenBefore, state.unseen)
    unfinished = left
    keepAwake.update({ wanted: state.settings.keepAwake, working: isWorking(state) })
    whenDone.update({ unfinished, needsPerson: needsPerson(state, unseenBefore) })
  }

  function followSettings(settings: Settings, before: Settings | undefined): void {
    if (settings.globalShortcut !== (before?.globalShortcut ?? null)) setShortcut(settings.globalShortcut)
    if (before !== undefined && settings.startAtLogin !== before.startAtLogin) {
      void setStartAtLogin(settings.startAtLogin, {
        app,
        platform,
        executable: process.env['APPIMAGE'] ?? process.execPath,
        configFolder: process.env['XDG_CONFIG_HOME'] ?? join(app.getPath('home'), '.config'),
      }).catch((error: unknown) => log(`start at login could not be set: ${String(error)}`))
    }
    if (settings.language !== before?.language) {
      offerQuickTasks({
        wording: options.wording(),
        platform,
        run: options.onTask,
      })
    }
  }

  function setShortcut(accelerator: string | null): void {
    globalShortcut.unregisterAll()
    if (accelerator === null) return
    try {
      if (globalShortcut.register(accelerator, options.onShortcut)) return
      log(`${accelerator} belongs to another app`)
      options.onShortcutTaken(accelerator)
    } catch (error) {
      log(`${accelerator} is no shortcut: ${String(error)}`)
    }
  }

  const stop = core.state.onChange((state, before) => {
    follow(state)
    if (state.jobs !== before.jobs || state.outbox !== before.outbox) void disk.look()
    if (state.settings !== before.settings) followSettings(state.settings, before.settings)
  })
  follow(core.state.get())
  followSettings(core.settings.view(), undefined)
  void disk.look()

  return {
    stayOpen: () => whenDone.cancel(),
    close() {
      stop()
      keepAwake.close()
      whenDone.close()
      disk.close()
      globalShortcut.unregisterAll()
    },
  }
}
