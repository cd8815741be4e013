/** `app`: its lifecycle from start to quit, its names and paths, and how it appears on the desktop. */
import { spawn } from 'node:child_process'
import { EventEmitter } from 'node:events'
import { existsSync, mkdirSync } from 'node:fs'
import { homedir, tmpdir } from 'node:os'
import { join } from 'node:path'
import type * as Electron from 'electron'
import type { Chromium } from './chromium.ts'
import { createLoginItems } from './login-items.ts'
import { lacking, onlyEvents, preventable } from './lacking.ts'
import type { StandInMenu } from './menu.ts'
import type { Record } from './record.ts'
import { createInstanceLock } from './single-instance.ts'

export type AppParts = {
  /** What Chromium shows windows on: `wayland` or `x11`. */
  readonly ozonePlatform: string
  readonly name: string
  readonly version: string
  readonly appPath: string
  /** Replaces the user's home folder, so that none of the user's files are touched. Null keeps the real one. */
  readonly home: string | null
  readonly isPackaged: boolean
  readonly locale: string
  readonly platform: () => string
  readonly record: Record
  readonly chromium: () => Chromium
  readonly windows: () => readonly {
    close(): void
    readonly standIn: { setBadge(count: number): void }
  }[]
  readonly describeMenu: (menu: StandInMenu) => Record['now']['dockMenu']
}

const EVENTS = [
  'ready', 'before-quit', 'will-quit', 'quit', 'window-all-closed', 'second-instance', 'open-file', 'open-url', 'activate',
  'web-contents-created', 'render-process-gone',
] // prettier-ignore

const LIBRARIES = new Set(['documents', 'music', 'pictures', 'videos'])

export function createApp(parts: AppParts) {
  const { record } = parts
  const emitter = new EventEmitter()
  onlyEvents('app', emitter, EVENTS)
  let name = parts.name
  let ready = false
  let quitting = false
  let whenReady: (() => void) | null = null
  const readyPromise = new Promise<void>((resolve) => (whenReady = resolve))

  const home = parts.home ?? homedir()
  const paths = new Map<string, string>([
    ['home', home],
    ['appData', join(home, '.config')],
    ['sessionData', join(home, '.config', name)],
    ['temp', tmpdir()],
    ['exe', process.execPath],
    ['desktop', join(home, 'Desktop')],
    ['documents', join(home, 'Documents')],
    ['downloads', join(home, 'Downloads')],
    ['music', join(home, 'Music')],
    ['pictures', join(home, 'Pictures')],
    ['videos', join(home, 'Videos')],
  ])
  const fromArguments = process.argv.find((argument) => argument.startsWith('--user-data-dir='))?.slice(16)
  const userData = () => paths.get('userData') ?? fromArguments ?? join(home, '.config', name)

  const lock = createInstanceLock(
    () => {
      mkdirSync(userData(), { recursive: true })
      return userData()
    },
    ({ argv, workingDirectory, additionalData }) =>
      void readyPromise.then(() =>
        emitter.emit('second-instance', preventable({}), argv, workingDirectory, additionalData),
      ),
    parts.platform,
  )

  const relaunches: Required<Electron.RelaunchOptions>[] = []
  const exit = (code = 0) => {
    lock.release()
    record.flush()
    relaunches.forEach(startAgain)
    process.exit(code)
  }
  const endAll = async (code: number) => {
    await parts.chromium().end()
    emitter.emit('quit', preventable({}), code)
    exit(code)
  }
  const prevented = (event: string): boolean => {
    const details = preventable({})
    emitter.emit(event, details)
    return details.defaultPrevented
  }
  const quit = () => {
    if (quitting) return
    quitting = true
    if (prevented('before-quit')) {
      quitting = false
      return
    }
    if (parts.windows().length === 0) shutDown()
    for (const window of parts.windows()) window.close()
  }
  const shutDown = () => {
    if (prevented('will-quit')) quitting = false
    else void endAll(0)
  }
  const emit = (event: string, ...args: unknown[]) => {
    if (event !== 'window-all-closed') emitter.emit(event, ...args)
    // While quitting, closing the last window is part of the quit, even if that takes a while.
    else if (quitting) shutDown()
    else if (!emitter.emit(event)) quit()
  }
  /** A window that stays open cancels the quit. */
  const closeCancelled = () => {
    quitting = false
  }

  /** One badge for the app on macOS and Linux; on Windows one for each window that currently exists. */
  const setBadgeCount = (count = 0) => {
    if (parts.platform() !== 'win32') record.change({ badge: count })
    for (const window of parts.windows()) window.standIn.setBadge(count)
    return true
  }

  const loginItems = createLoginItems(record, parts.platform)
  let dockMenu: StandInMenu | null = null
  const dock = {
    setMenu(menu: StandInMenu) {
      dockMenu = menu
      record.change({ dockMenu: parts.describeMenu(menu) })
    },
  }
  const members = {
    get isPackaged() {
      return parts.isPackaged
    },
    get name() {
      return name
    },
    set name(value: string) {
      name = value
    },
    get dock() {
      return parts.platform() === 'darwin' ? lacking('app.dock', dock) : undefined
    },
    commandLine: lacking('app.commandLine', {
      // Chromium sets this one before the app runs, unless it was given.
      getSwitchValue: (name: string) =>
        name === 'ozone-platform' && parts.platform() === 'linux' ? parts.ozonePlatform : '',
    }),
    whenReady: () => readyPromise,
    quit,
    exit,
    /** Takes effect when this process has exited. */
    relaunch({ execPath = process.execPath, args = process.argv.slice(1) }: Electron.RelaunchOptions = {}) {
      relaunches.push({ execPath, args })
      return true
    },
    getName: () => name,
    getVersion: () => parts.version,
    getAppPath: () => parts.appPath,
    getPath(key: string) {
      const path =
        key === 'userData'
          ? userData()
          : key === 'logs'
            ? (paths.get(key) ?? join(userData(), 'logs'))
            : paths.get(key)
      if (path === undefined) throw new Error(`The stand-in has no app.getPath('${key}')`)
      // Windows verifies these folders.
      if (parts.platform() === 'win32' && LIBRARIES.has(key) && !existsSync(path))
        throw new Error(`Failed to get '${key}' path`)
      return path
    },
    setPath: (key: string, path: string) => void paths.set(key, path),
    getLocale: () => parts.locale,
    enableSandbox: () => refuseAfterReady('app.enableSandbox'),
    setAppUserModelId: (id: string) => record.change({ appUserModelId: id }),
    setToastActivatorCLSID(id: string) {
      if (!/^\{?[\dA-F]{8}(-[\dA-F]{4}){3}-[\dA-F]{12}\}?$/i.test(id)) throw new Error(`${id} isn't a CLSID`)
      record.change({ toastActivator: id })
    },
    requestSingleInstanceLock: (additionalData?: unknown) =>
      lock.request({
        argv: [...process.argv],
        workingDirectory: process.cwd(),
        additionalData: additionalData ?? {},
      }),
    releaseSingleInstanceLock: () => lock.release(),
    setAsDefaultProtocolClient(scheme: string) {
      record.change({ protocolClients: [...new Set([...record.now.protocolClients, scheme])] })
      return true
    },
    setBadgeCount,
    setUserTasks(tasks: Electron.Task[]) {
      record.change({ userTasks: tasks })
      return true
    },
    getLoginItemSettings: loginItems.get,
    setLoginItemSettings: loginItems.set,
  } satisfies Partial<Omit<Electron.App, 'dock' | 'getPath' | 'setPath' | 'commandLine'>> & {
    [key: string]: unknown
  }

  const refuseAfterReady = (what: string) => {
    if (ready) throw new Error(`${what} can only be called before app is ready`)
  }

  const target = Object.defineProperties(emitter, Object.getOwnPropertyDescriptors(members))
  const app = lacking('app', target) as EventEmitter & typeof members
  return {
    app,
    emit,
    closeCancelled,
    userData,
    dockMenu: () => dockMenu,
    isReady: () => ready,
    becomeReady() {
      ready = true
      emitter.emit('ready', preventable({}), {})
      record.change({ ready: true })
      whenReady?.()
    },
  }
}

/**
 * Starts the program again, detached and without a driver. The program is Node, so it needs the stand-in and takes no Chromium
 * options.
 */
function startAgain({ execPath, args }: Required<Electron.RelaunchOptions>): void {
  const given =
    execPath === process.execPath
      ? [
          ...process.execArgv,
          ...args.filter((argument) => !/^--(inspect|remote-debugging-port)=/.test(argument)),
        ]
      : args
  const env = { ...process.env, MEDIATRAY_STAND_IN_ROLE: 'main' }
  spawn(execPath, given, { env, detached: true, stdio: 'ignore' }).unref()
}
