/** Assembles the stand-in: one Electron for this process, configured by environment variables. */
import { existsSync, readFileSync } from 'node:fs'
import type { RequestOptions } from 'node:http'
import { dirname, join } from 'node:path'
import type * as Electron from 'electron'
import type { CommandTable, FromApp, ToApp } from '../recorded.ts'
import { createApp } from './app.ts'
import { createAutoUpdater } from './auto-updater.ts'
import { createBrowserWindows } from './browser-window.ts'
import { createChromium } from './chromium.ts'
import { createClipboard } from './clipboard.ts'
import {
  createClock,
  createPower,
  createScreen,
  createShell,
  createShortcuts,
  createTheme,
} from './desktop.ts'
import { createDialogs } from './dialog.ts'
import { createIpcMain } from './ipc-main.ts'
import { lacking } from './lacking.ts'
import { clickMenu, createMenus, describeMenu } from './menu.ts'
import { nativeImage } from './native-image.ts'
import { createNotifications } from './notification.ts'
import { createRecord } from './record.ts'
import { createSchemes } from './scheme.ts'
import { createSession } from './session.ts'
import { createTrays } from './tray.ts'

export type StandInEnvironment = {
  readonly home: string | null
  readonly visible: boolean
  readonly readyToShow: boolean
  readonly tray: boolean
  readonly platform: string
  readonly locale: string
  readonly packaged: boolean
  readonly takenShortcuts: readonly string[]
  /** Where the clipboard is kept, as by the app that has copied or a clipboard manager. */
  readonly clipboardFile: string | null
  readonly wayland: boolean
  readonly chromium: string
  readonly mainBundle: string
}

export function startElectron(environment: StandInEnvironment) {
  const { platform } = environment
  const manifest = readManifest(environment.mainBundle)
  const record = createRecord()
  const platformNow = () => platform
  const schemes = createSchemes()
  const ipc = createIpcMain()
  const menus = createMenus(record)
  const life = createApp({
    name: manifest.name,
    version: manifest.version,
    appPath: manifest.folder,
    home: environment.home,
    isPackaged: environment.packaged,
    locale: environment.locale,
    platform: platformNow,
    ozonePlatform: environment.wayland ? 'wayland' : 'x11',
    record,
    chromium: () => chromium,
    windows: () => windows.all(),
    describeMenu,
  })
  const chromium = createChromium({
    executable: environment.chromium,
    profilesFolder: () => join(life.userData(), 'stand-in'),
    visible: environment.visible,
    record,
  })
  const sessions = createSession(schemes, life.isReady, record)
  const theme = createTheme({
    platform: platformNow,
    onChange() {
      for (const window of windows.all()) void window.standIn.user.applyTheme()
    },
  })
  const windows = createBrowserWindows({
    platform: platformNow,
    chromium,
    schemes,
    ipc,
    session: sessions.defaultSession,
    visible: environment.visible,
    readyToShow: environment.readyToShow,
    dark: theme.isDark,
    onChange: (recorded) => record.change({ windows: recorded }),
    onAppProgress: (progress) => record.change({ progress }),
    onCloseCancelled: life.closeCancelled,
    emitApp(event, ...args) {
      life.emit(event, ...args)
      if (event === 'window-all-closed') updater.windowsChanged()
    },
  })
  const trays = createTrays({
    shown: () => environment.tray,
    platform: platformNow,
    onChange: (recorded) => record.change({ trays: recorded }),
  })
  const notifications = createNotifications({
    supported: () => true,
    platform: platformNow,
    onUse() {
      if (platform === 'win32') record.change({ startMenu: process.execPath })
    },
    onChange: (recorded) => record.change({ notifications: recorded }),
  })
  const dialogs = createDialogs((recorded) => record.change({ dialogs: recorded }), platformNow)
  const clipboards = createClipboard({
    file: environment.clipboardFile,
    platform: platformNow,
    acceptsWrites: () => !environment.wayland || windows.all().some((window) => window.isFocused()),
  })
  const power = createPower(record)
  const screens = createScreen()
  const shortcuts = createShortcuts(record, environment.takenShortcuts, environment.wayland)
  const clock = createClock()
  const quit = () => life.app.quit()
  const roles = { quit }
  const updater = createAutoUpdater({ windows: windows.all, quit, platform: platformNow })

  const windowOf = (id: number) => {
    const window = windows.byId(id)
    if (window === undefined) throw new Error('There is no window')
    return window
  }
  const commands: CommandTable = {
    trayEvent: ({ event, tray }) => trays.shown(tray).act(event),
    trayDrop({ paths, tray }) {
      if (platform !== 'darwin') throw new Error('Only macOS supports dropping files on the tray')
      trays.shown(tray).act('drop-files', [[...paths]])
    },
    clickMenu({ menu, path }) {
      const shown = {
        tray: () => trays.shown(0).menu(),
        application: menus.application,
        dock: () => life.dockMenu(),
      }
      clickMenu(shown[menu](), path, roles)
    },
    notificationClick: (number) => notifications.byNumber(number).click(),
    notificationAction: ({ number, action }) => notifications.byNumber(number).action(action),
    answerDialog: (given) => dialogs.answer(given),
    power: (event) => power.happen(event),
    idle: (seconds) => power.idle(seconds),
    appEvent(argument) {
      const event = { preventDefault: () => {}, defaultPrevented: false }
      if (argument.event === 'activate') life.emit('activate', event, argument.hasVisibleWindows)
      else life.emit(argument.event, event, argument.value)
    },
    clock: (act) => clock[act](),
    shortcut: (accelerator) => shortcuts.press(accelerator),
    theme: ({ dark }) => theme.setSystemDark(dark),
    displays: (bounds) => screens.set(bounds),
    clipboard: (content) => clipboards.set(content),
    clipboardContent: () => clipboards.get(),
    window: ({ window, act }) => windowOf(window).standIn.user[act](),
    resize: ({ window, bounds }) => windowOf(window).standIn.user.resize(bounds),
    permission({ window, permission }) {
      const { webContents } = windowOf(window)
      return sessions.permission(webContents, permission, webContents.getURL())
    },
    forgeInvoke: ({ window, channel, args, frame }) =>
      windowOf(window).standIn.contents.invokeAs(frame, channel, args),
    failInMain({ kind, message }) {
      const error = new Error(message)
      if (kind === 'rejection') void Promise.reject(error)
      else
        setImmediate(() => {
          throw error
        })
    },
    quit,
    quitForUpdate: updater.quitAndInstall,
  }
  connectDriver(commands, record)
  outliveErrors((title, text) => dialogs.dialog.showErrorBox(title, text))

  return {
    electron: {
      app: life.app,
      BrowserWindow: windows.BrowserWindow,
      Tray: trays.Tray,
      Menu: menus.Menu,
      Notification: notifications.Notification,
      nativeImage,
      dialog: dialogs.dialog,
      shell: createShell(record, platformNow),
      clipboard: clipboards.clipboard,
      ClipboardItem: clipboards.ClipboardItem,
      powerMonitor: power.powerMonitor,
      powerSaveBlocker: power.powerSaveBlocker,
      nativeTheme: theme.nativeTheme,
      screen: screens.screen,
      globalShortcut: shortcuts.globalShortcut,
      ipcMain: lacking('ipcMain', ipc.ipcMain),
      protocol: sessions.protocol,
      session: sessions.session,
      net: lacking('net', { fetch: fetchWithFiles, request: requestOf }),
      autoUpdater: updater.autoUpdater,
      systemPreferences: lacking('systemPreferences', {
        getAnimationSettings: () => ({
          shouldRenderRichAnimation: true,
          scrollAnimationsEnabledBySystem: true,
          prefersReducedMotion: false,
        }),
      } satisfies Pick<typeof Electron.systemPreferences, 'getAnimationSettings'>),
    },
    async becomeReady() {
      // Chromium starts anyway.
      if (environment.visible) screens.set([await chromium.display()])
      life.becomeReady()
    },
  }
}

/** Node's own request covers the part of `net.request` that an updater needs. It doesn't follow redirects. */
function requestOf(options: RequestOptions & { readonly session?: unknown; readonly redirect?: unknown }) {
  const { session: _session, redirect: _redirect, ...plain } = options
  // Importing it would load Node's undici at each start.
  const http = process.getBuiltinModule(plain.protocol === 'https:' ? 'node:https' : 'node:http')
  return http.request(plain)
}

/** `net.fetch` is `fetch` with support for `file:`. */
async function fetchWithFiles(input: string | URL | Request, init?: RequestInit): Promise<Response> {
  const url = new URL(input instanceof Request ? input.url : input)
  if (url.protocol !== 'file:') return await fetch(input, init)
  if (!existsSync(url)) throw new Error('net::ERR_FILE_NOT_FOUND')
  return new Response(readFileSync(url))
}

/** Returns the app's name and version from the manifest next to or above the bundle, as Electron does. */
function readManifest(mainBundle: string): { name: string; version: string; folder: string } {
  for (let folder = dirname(mainBundle); ; folder = dirname(folder)) {
    const file = join(folder, 'package.json')
    if (existsSync(file)) {
      const { name, productName, version } = JSON.parse(readFileSync(file, 'utf8')) as {
        [key: string]: string
      }
      return { name: productName ?? name ?? 'Electron', version: version ?? '0.0.0', folder }
    }
    if (folder === dirname(folder)) return { name: 'Electron', version: '0.0.0', folder: dirname(mainBundle) }
  }
}

/**
 * Keeps the process running after errors, as Electron's main process does: shows uncaught exceptions, and only warns about
 * rejections.
 */
function outliveErrors(showError: (title: string, text: string) => void): void {
  process.on('uncaughtException', (error) => {
    if (process.listenerCount('uncaughtException') > 1) return
    showError('A JavaScript error occurred in the main process', `Uncaught Exception:\n${error.stack}`)
  })
  process.on('unhandledRejection', (reason) => {
    if (process.listenerCount('unhandledRejection') > 1) return
    process.emitWarning(reason instanceof Error ? reason : String(reason), 'UnhandledPromiseRejectionWarning')
  })
}

const tell = (message: FromApp): void => void process.send?.(message, undefined, {}, () => {})

/** Connects to the driver. If a user runs the app, there is none, and the console shows what would be visible. */
function connectDriver(commands: CommandTable, record: ReturnType<typeof createRecord>): void {
  if (process.send === undefined) {
    printForUser(record)
    return
  }
  const answerTo = async (id: number, run: () => unknown): Promise<FromApp> => {
    try {
      return { type: 'answer', id, result: await run() }
    } catch (error) {
      return { type: 'failed', id, message: error instanceof Error ? error.message : String(error) }
    } finally {
      // Sends the command's effects before its reply.
      record.flush()
    }
  }
  record.onChange((recorded) => tell({ type: 'recorded', recorded }))
  process.on('message', (message) => {
    const { id, name, argument } = message as ToApp
    const run = commands[name] as (argument: unknown) => unknown
    void answerTo(id, () => run(argument)).then(tell)
  })
  // When its test has disconnected, the app has nothing left to do.
  process.on('disconnect', () => process.exit(1))
}

function printForUser(record: ReturnType<typeof createRecord>): void {
  let notifications = 0
  let calls = 0
  record.onChange((now) => {
    for (const { title, body } of now.notifications.slice(notifications))
      console.log(`notification: ${title} – ${body}`)
    for (const { call, target } of now.shellCalls.slice(calls)) console.log(`${call}: ${target}`)
    notifications = now.notifications.length
    calls = now.shellCalls.length
  })
}
