/** Applies the settings that affect the system: keep awake, action when done, shortcut, start at login, quick tasks. */
import { app, globalShortcut, powerSaveBlocker, shell } from 'electron'
import { hostname } from 'node:os'
import { callEach } from '../../../node/call-each.ts'
import type { AppState } from '../../../shared/model/app-state.ts'
import type { Core } from '../../core/index.ts'
import { hasDesktopEntry } from './desktop-entry.ts'
import { createKeepAwake, sleepComputer } from './computer-sleep.ts'
import { createWhenDone, followActivity, isWorking } from './when-done.ts'
import { computerId, setStartAtLogin } from './login-item.ts'
import type { GlobalShortcut, Shell } from '../shell.ts'
import { desktopBindsShortcuts, settingEffects, type SettingEffect } from './setting-effects.ts'
import type { Timing } from '../../../node/timing.ts'

/**
 * Whether the app runs on Wayland, where the desktop assigns shortcuts and only the app in front sees the clipboard. In a Wayland session,
 * the app may still run on X11.
 */
export const runsOnWayland = (platform: NodeJS.Platform): boolean =>
  desktopBindsShortcuts(platform, app.commandLine.getSwitchValue('ozone-platform'))

export function startIntegration(
  options: Pick<Core, 'state' | 'settings' | 'disk'> &
    Pick<Shell, 'platform' | 'program' | 'log'> & {
      readonly timing: Timing
      readonly onShortcut: (pressed: GlobalShortcut) => void
      /** Called if the requested shortcut belongs to another app. */
      readonly onShortcutTaken: (accelerator: string) => void
      /** Called if the user has to allow the start at login in the system's settings. */
      readonly onLoginNeedsApproval: () => void
      /** Registers the tasks of the dock menu or jump list in the app's current language. */
      readonly offerQuickTasks: () => void
      readonly endNoticeMs: number
    },
) {
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

  const computer = computerId(hostname(), app.getPath('home'), platform)
  const activityIn = followActivity(store.get())

  /** Makes all calls even if some of them throw. Logs the errors instead of passing them to the module that changed the state. */
  const each = (...calls: readonly (() => void)[]): void =>
    callEach(calls, (error) => log(`could not apply a setting: ${String(error)}`))

  const follow = (state: AppState): void =>
    each(
      () => keepAwake.update({ wanted: state.settings.keepAwake, working: isWorking(state) }),
      () => whenDone.update(activityIn(state)),
    )

  const applyEffects = (effects: readonly SettingEffect[]): void =>
    each(...effects.map((effect) => () => applyEffect(effect)))

  function applyEffect(effect: SettingEffect): void {
    switch (effect.do) {
      case 'setShortcut':
        return setShortcut(effect.for, effect.accelerator)
      case 'setStartAtLogin':
        return void startAtLogin(effect.wanted)
      case 'offerQuickTasks':
        return options.offerQuickTasks()
    }
  }

  async function startAtLogin(wanted: boolean): Promise<void> {
    try {
      const needsApproval = await setStartAtLogin(wanted, {
        app,
        platform,
        program: options.program,
        environment: process.env,
        homeFolder: app.getPath('home'),
      })
      if (needsApproval) options.onLoginNeedsApproval()
      settings.update({ startAtLoginOn: wanted ? computer : null })
    } catch (error) {
      log(`could not change start at login: ${String(error)}`)
    }
  }

  const desktopBinds = runsOnWayland(platform)
  const current = new Map<GlobalShortcut, string>()

  /**
   * Releases the shortcut, unless the desktop assigned it. The desktop keeps an assigned shortcut bound, and Electron crashes when a key
   * arrives for a listener that it has removed.
   */
  function releaseShortcut(shortcut: GlobalShortcut): void {
    const accelerator = current.get(shortcut)
    current.delete(shortcut)
    if (accelerator === undefined || desktopBinds) return
    try {
      globalShortcut.unregister(accelerator)
    } catch {
      // A shortcut that can't be released must not prevent other changes.
    }
  }

  function setShortcut(shortcut: GlobalShortcut, accelerator: string | null): void {
    releaseShortcut(shortcut)
    if (accelerator === null) return
    const pressed = () => {
      for (const [name, keys] of current) if (keys === accelerator) options.onShortcut(name)
    }
    try {
      // Remember only a registered shortcut, so that only this one is released later: another app, or the app's other shortcut, may use the
      // same keys.
      if (globalShortcut.register(accelerator, pressed)) {
        current.set(shortcut, accelerator)
        return
      }
      log(`${accelerator} belongs to another app`)
      options.onShortcutTaken(accelerator)
    } catch (error) {
      log(`${accelerator} is not a valid shortcut: ${String(error)}`)
    }
  }

  const stop = store.onChange((state, before) => {
    follow(state)
    if (state.jobs !== before.jobs || state.outbox !== before.outbox) void disk.refresh()
    if (state.settings !== before.settings)
      applyEffects(settingEffects(state.settings, before.settings, computer))
  })
  follow(store.get())
  applyEffects(settingEffects(settings.view(), undefined, computer))
  void disk.refresh()

  return {
    /** Cancels the pending automatic quit or sleep. */
    stayOpen: (): void => whenDone.cancel(),
    /** Whether the desktop assigns the shortcut. If it does, the app can't tell whether the shortcut works. */
    desktopBindsShortcuts: desktopBinds,
    /** Whether the desktop may refuse shortcuts, because it can't find the app's desktop file. */
    desktopMayRefuseShortcuts: desktopBinds && !hasDesktopEntry(app.getPath('home'), process.env),
    close(): void {
      stop()
      each(keepAwake.close, whenDone.close)
      for (const shortcut of current.keys()) releaseShortcut(shortcut)
    },
  }
}
