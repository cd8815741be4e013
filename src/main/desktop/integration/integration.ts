/** What an installed app does beside its work, as the settings say: all of it follows from the state. */
import { app, globalShortcut, powerSaveBlocker, shell } from 'electron'
import { join } from 'node:path'
import type { AppState } from '../../../shared/model/app-state.ts'
import type { DiskWatch } from '../../disk/disk.ts'
import type { Settings } from '../../settings/settings.ts'
import type { StateStore } from '../../state/state.ts'
import { createKeepAwake, sleepComputer } from './computer-sleep.ts'
import { createWhenDone, createWorkReader, isWorking } from './when-done.ts'
import { setStartAtLogin } from './login-item.ts'
import type { ProgramFile } from './program-file.ts'
import { desktopBindsShortcuts, settingEffects, type SettingEffect } from './setting-effects.ts'
import type { Timing } from '../../../node/timing.ts'

export type IntegrationOptions = {
  readonly state: StateStore
  readonly settings: Pick<Settings, 'view'>
  readonly disk: DiskWatch
  readonly platform: NodeJS.Platform
  readonly timing: Timing
  readonly onShortcut: () => void
  /** The shortcut that was asked for is not to be had. */
  readonly onShortcutTaken: (accelerator: string) => void
  /** The tasks of the dock or the jump list have names in the language of the app. */
  readonly offerQuickTasks: () => void
  readonly program: ProgramFile
  /** Time to object to quitting or sleeping, in ms. */
  readonly endNoticeMs: number
  readonly log: (message: string) => void
}

export interface Integration {
  /** Neither quit nor sleep this time. */
  stayOpen(): void
  /** Whether the shortcut works is for the desktop to say, and it does not tell the app. */
  readonly desktopBindsShortcuts: boolean
  close(): void
}

export function startIntegration(options: IntegrationOptions): Integration {
  const { state: store, settings, disk, platform, timing, log } = options
  const keepAwake = createKeepAwake(powerSaveBlocker)
  const whenDone = createWhenDone({
    choice: () => settings.view().whenDone,
    actions: {
      sound: () => shell.beep(),
      quit: () => app.quit(),
      sleep: () => sleepComputer(platform, log),
    },
    after: timing.after,
    noticeMs: options.endNoticeMs,
    onPending: (pending) =>
      store.set({
        ending: pending === null ? null : { action: pending.action, at: timing.clock() + pending.inMs },
      }),
  })

  const readWork = createWorkReader(store.get())

  function follow(state: AppState): void {
    keepAwake.update({ wanted: state.settings.keepAwake, working: isWorking(state) })
    whenDone.update(readWork(state))
  }

  function bringAbout(effect: SettingEffect): void {
    switch (effect.do) {
      case 'setShortcut':
        return setShortcut(effect.accelerator)
      case 'setStartAtLogin':
        return startAtLogin(effect.wanted)
      case 'offerQuickTasks':
        return options.offerQuickTasks()
    }
  }

  function startAtLogin(wanted: boolean): void {
    void setStartAtLogin(wanted, {
      app,
      platform,
      program: options.program,
      configFolder: process.env['XDG_CONFIG_HOME'] ?? join(app.getPath('home'), '.config'),
    }).catch((error: unknown) => log(`start at login could not be set: ${String(error)}`))
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

  const stop = store.onChange((state, before) => {
    follow(state)
    if (state.jobs !== before.jobs || state.outbox !== before.outbox) void disk.refresh()
    if (state.settings !== before.settings) {
      settingEffects(state.settings, before.settings).forEach(bringAbout)
    }
  })
  follow(store.get())
  settingEffects(settings.view(), undefined).forEach(bringAbout)
  void disk.refresh()

  return {
    stayOpen: () => whenDone.cancel(),
    desktopBindsShortcuts: desktopBindsShortcuts(platform, {
      sessionType: process.env['XDG_SESSION_TYPE'],
      ozonePlatform: app.commandLine.getSwitchValue('ozone-platform'),
    }),
    close() {
      stop()
      keepAwake.close()
      whenDone.close()
      globalShortcut.unregisterAll()
    },
  }
}
