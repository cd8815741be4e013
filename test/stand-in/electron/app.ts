/** `app`: its life from start to quit, its names and paths, and what the desktop shows of it. */
import { EventEmitter } from 'node:events'
import { mkdirSync } from 'node:fs'
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
  readonly name: string
  readonly version: string
  readonly appPath: string
  /** In place of a person's home, so that nothing of theirs is touched; null: their own. */
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
  /** The last thing before the process ends. */
}

const EVENTS = [
  'ready', 'will-finish-launching', 'before-quit', 'will-quit', 'quit', 'window-all-closed', 'second-instance', 'open-file', 'open-url',
  'activate', 'did-become-active', 'browser-window-created', 'browser-window-focus', 'browser-window-blur', 'web-contents-created',
  'child-process-gone', 'render-process-gone', 'certificate-error', 'login', 'select-client-certificate',
] // prettier-ignore

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
  )

  const exit = (code = 0) => {
    lock.release()
    record.flush()
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
    for (const window of parts.windows()) window.close()
    if (parts.windows().length > 0) {
      quitting = false
      return
    }
    if (prevented('will-quit')) quitting = false
    else void endAll(0)
  }
  // While quitting, closing the last window is part of it.
  const emit = (event: string, ...args: unknown[]) => {
    if (event !== 'window-all-closed') emitter.emit(event, ...args)
    else if (!quitting && !emitter.emit(event)) quit()
  }

  /** One for the app on macOS and Linux; on Windows for each window that is there just now. */
  const setBadgeCount = (count = 0) => {
    if (parts.platform() !== 'win32') record.change({ badge: count })
    for (const window of parts.windows()) window.standIn.setBadge(count)
    return true
  }

  const loginItems = createLoginItems(record, parts.platform)
  const switches = new Map<string, string>()
  let dockMenu: StandInMenu | null = null
  const dock = {
    setMenu(menu: StandInMenu) {
      dockMenu = menu
      record.change({ dockMenu: parts.describeMenu(menu) })
    },
    setBadge: (text: string) => record.change({ dockBadge: text }),
    getBadge: () => record.now.dockBadge,
    bounce: () => 0,
    cancelBounce: () => {},
    show: () => Promise.resolve(),
    hide: () => {},
    isVisible: () => true,
    setIcon: () => {},
    downloadFinished: () => {},
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
    get badgeCount() {
      return record.now.badge
    },
    set badgeCount(count: number) {
      setBadgeCount(count)
    },
    applicationMenu: null,
    accessibilitySupportEnabled: false,
    userAgentFallback: '',
    commandLine: lacking('app.commandLine', {
      appendArgument: (value: string) => void switches.set(value, ''),
      removeSwitch: (key: string) => void switches.delete(key),
      appendSwitch(key: string, value = '') {
        switches.set(key, value)
        record.change({ switches: Object.fromEntries(switches) })
      },
      hasSwitch: (key: string) => switches.has(key),
      getSwitchValue: (key: string) => switches.get(key) ?? '',
    }),
    whenReady: () => readyPromise,
    isReady: () => ready,
    quit,
    exit,
    relaunch: () => {},
    focus: () => {},
    show: () => {},
    hide: () => {},
    getName: () => name,
    setName(value: string) {
      name = value
    },
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
      return path
    },
    setPath: (key: string, path: string) => void paths.set(key, path),
    setAppLogsPath: (path?: string) => void paths.set('logs', path ?? join(userData(), 'logs')),
    getFileIcon: () => Promise.reject(new Error('The stand-in has no file icons')),
    getLocale: () => parts.locale,
    getSystemLocale: () => parts.locale,
    getPreferredSystemLanguages: () => [parts.locale],
    getLocaleCountryCode: () => parts.locale.split('-')[1] ?? '',
    enableSandbox: () => refuseAfterReady('app.enableSandbox'),
    disableHardwareAcceleration: () => refuseAfterReady('app.disableHardwareAcceleration'),
    setAppUserModelId: (id: string) => record.change({ appUserModelId: id }),
    setToastActivatorCLSID(id: string) {
      if (!/^\{?[\dA-F]{8}(-[\dA-F]{4}){3}-[\dA-F]{12}\}?$/i.test(id)) throw new Error(`${id} is no CLSID`)
      record.change({ toastActivator: id })
    },
    setActivationPolicy: () => {},
    setAboutPanelOptions: () => {},
    showAboutPanel: () => {},
    addRecentDocument: () => {},
    clearRecentDocuments: () => {},
    isHidden: () => false,
    isEmojiPanelSupported: () => false,
    isInApplicationsFolder: () => true,
    getAppMetrics: () => [],
    requestSingleInstanceLock: (additionalData?: unknown) =>
      lock.request({
        argv: [...process.argv],
        workingDirectory: process.cwd(),
        additionalData: additionalData ?? {},
      }),
    hasSingleInstanceLock: () => lock.has(),
    releaseSingleInstanceLock: () => lock.release(),
    setAsDefaultProtocolClient(scheme: string) {
      record.change({ protocolClients: [...new Set([...record.now.protocolClients, scheme])] })
      return true
    },
    removeAsDefaultProtocolClient(scheme: string) {
      record.change({ protocolClients: record.now.protocolClients.filter((known) => known !== scheme) })
      return true
    },
    isDefaultProtocolClient: (scheme: string) => record.now.protocolClients.includes(scheme),
    setBadgeCount,
    getBadgeCount: () => record.now.badge,
    setJumpList(categories: Electron.JumpListCategory[] | null) {
      record.change({ jumpList: categories })
      return 'ok' as const
    },
    setUserTasks(tasks: Electron.Task[]) {
      record.change({ userTasks: tasks })
      return true
    },
    getLoginItemSettings: loginItems.get,
    setLoginItemSettings: loginItems.set,
  } satisfies Partial<Omit<Electron.App, 'dock' | 'getPath' | 'setPath' | 'applicationMenu'>> & {
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
    userData,
    dockMenu: () => dockMenu,
    isReady: () => ready,
    becomeReady() {
      ready = true
      emitter.emit('will-finish-launching')
      emitter.emit('ready', preventable({}), {})
      record.change({ ready: true })
      whenReady?.()
    },
  }
}
