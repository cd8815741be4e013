/** The smaller parts of a desktop: clock, shell, power, theme, displays, shortcuts. */
import { EventEmitter } from 'node:events'
import type * as Electron from 'electron'
import type { Rectangle, RecordedShellCall } from '../recorded.ts'
import { lacking, onlyEvents, preventable } from './lacking.ts'
import type { Record } from './record.ts'

/** Controls the clock of this process, which stands in for the computer's. */
export function createClock() {
  const now = Date.now
  return {
    hold() {
      const held = now()
      Date.now = () => held
    },
    release() {
      Date.now = now
    },
  }
}

export function createShell(record: Record, platform: () => string) {
  const did = (call: RecordedShellCall['call'], target = '') =>
    record.change({ shellCalls: [...record.now.shellCalls, { call, target }] })
  return lacking('shell', {
    openExternal: (url: string) => Promise.resolve(did('openExternal', url)),
    openPath(path: string) {
      did('openPath', path)
      return platform() === 'linux' ? new Promise<string>(() => {}) : Promise.resolve('')
    },
    showItemInFolder: (path: string) => did('showItemInFolder', path),
    beep: () => did('beep'),
  } satisfies Pick<typeof Electron.shell, 'openExternal' | 'openPath' | 'showItemInFolder' | 'beep'>)
}

export function createPower(record: Record) {
  const emitter = new EventEmitter()
  onlyEvents('powerMonitor', emitter, [
    'suspend', 'resume', 'lock-screen', 'unlock-screen', 'on-battery', 'on-ac', 'shutdown', 'user-did-become-active',
    'user-did-resign-active', 'thermal-state-change', 'speed-limit-change',
  ]) // prettier-ignore
  const blockers = new Set<number>()
  let nextBlocker = 1
  let isOnBattery = false
  let idleSeconds = 0
  const changed = () => record.change({ powerBlockers: blockers.size })
  return {
    powerMonitor: lacking(
      'powerMonitor',
      Object.assign(emitter, {
        isOnBatteryPower: () => isOnBattery,
        getSystemIdleTime: () => idleSeconds,
      }),
    ),
    powerSaveBlocker: lacking('powerSaveBlocker', {
      start() {
        blockers.add(nextBlocker)
        changed()
        return nextBlocker++
      },
      stop(id: number) {
        const had = blockers.delete(id)
        changed()
        return had
      },
    } satisfies Pick<typeof Electron.powerSaveBlocker, 'start' | 'stop'>),
    /** Seconds since the last input. */
    idle(seconds: number) {
      idleSeconds = seconds
    },
    happen(event: string) {
      if (event === 'on-battery' || event === 'on-ac') isOnBattery = event === 'on-battery'
      emitter.emit(event, preventable({}))
    },
  }
}

type ThemeParts = { readonly platform: () => string; readonly onChange: () => void }

export function createTheme({ platform, onChange }: ThemeParts) {
  const emitter = new EventEmitter()
  onlyEvents('nativeTheme', emitter, ['updated'])
  let systemIsDark = false
  let source: 'system' | 'light' | 'dark' = 'system'
  const isDark = () => (source === 'system' ? systemIsDark : source === 'dark')
  const updated = () => {
    onChange()
    emitter.emit('updated', preventable({}))
  }
  const members = {
    get shouldUseDarkColors() {
      return isDark()
    },
    /** Only Windows has a separate theme for the taskbar; elsewhere Electron returns the window's. */
    get shouldUseDarkColorsForSystemIntegratedUI() {
      return platform() === 'win32' ? systemIsDark : isDark()
    },
    get themeSource() {
      return source
    },
    set themeSource(value) {
      source = value
      updated()
    },
  } satisfies Partial<typeof Electron.nativeTheme>
  return {
    nativeTheme: lacking(
      'nativeTheme',
      Object.defineProperties(emitter, Object.getOwnPropertyDescriptors(members)) as EventEmitter &
        typeof members,
    ),
    isDark,
    setSystemDark: (dark: boolean): void => {
      systemIsDark = dark
      updated()
    },
  }
}

const PANEL_HEIGHT = 32

const display = (rectangle: Rectangle, id: number) => {
  const { x, y, width, height } = rectangle
  const workArea = { x, y: y + PANEL_HEIGHT, width, height: height - PANEL_HEIGHT }
  return {
    id,
    label: `Screen ${id}`,
    bounds: rectangle,
    size: { width, height },
    workArea,
    workAreaSize: { width, height: workArea.height },
    scaleFactor: 1,
    rotation: 0,
    internal: id === 0,
  } satisfies Partial<Electron.Display>
}

/** Simulated displays in any arrangement; a panel at the top takes up part of each. */
export function createScreen() {
  const emitter = new EventEmitter()
  onlyEvents('screen', emitter, ['display-added', 'display-removed', 'display-metrics-changed'])
  let bounds: readonly Rectangle[] = [{ x: 0, y: 0, width: 1920, height: 1080 }]
  const all = () => bounds.map(display)
  const first = () => display(bounds[0] ?? { x: 0, y: 0, width: 1920, height: 1080 }, 0)
  const members = { getAllDisplays: all, getPrimaryDisplay: first }
  return {
    screen: lacking('screen', Object.assign(emitter, members)),
    set(rectangles: readonly Rectangle[]) {
      bounds = rectangles
      emitter.emit('display-metrics-changed', preventable({}), first(), ['bounds', 'workArea'])
    },
  }
}

/**
 * @param taken accelerators that are registered by another app
 * @param isWayland whether the desktop binds shortcuts itself, and registration always reports success
 */
export function createShortcuts(record: Record, taken: readonly string[], isWayland: boolean) {
  const shortcuts = new Map<string, () => void>()
  /** Shortcuts that a Wayland session's portal has bound, which stay bound. */
  const bound = new Set<string>()
  const changed = () => record.change({ shortcuts: isWayland ? [...bound] : [...shortcuts.keys()] })
  return {
    globalShortcut: lacking('globalShortcut', {
      register(accelerator: string, callback: () => void) {
        if (!isWayland && (taken.includes(accelerator) || shortcuts.has(accelerator))) return false
        shortcuts.set(accelerator, callback)
        bound.add(accelerator)
        changed()
        return true
      },
      unregister(accelerator: string) {
        if (!isWayland) shortcuts.delete(accelerator)
        changed()
      },
      unregisterAll() {
        shortcuts.clear()
        changed()
      },
    } satisfies Pick<typeof Electron.globalShortcut, 'register' | 'unregister' | 'unregisterAll'>),
    press(accelerator: string) {
      const callback = shortcuts.get(accelerator)
      if (callback === undefined && isWayland && bound.has(accelerator))
        throw new Error(
          `${accelerator} is unregistered in Electron but still bound by the desktop, so the app crashes`,
        )
      if (callback === undefined || taken.includes(accelerator))
        throw new Error(`${accelerator} isn't registered`)
      callback()
    },
  }
}
