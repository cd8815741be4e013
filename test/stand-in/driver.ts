/** A test's hand on an app that runs on the stand-in: what a person would see and do, and what the system would. */
import type { ChildProcess } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Browser, type Page, chromium } from 'playwright-core'
import {
  type CommandName,
  type Commands,
  type FromApp,
  type Recorded,
  type RecordedDialog,
  type RecordedMenuItem,
  type RecordedWindow,
  nothingRecorded,
} from './recorded.ts'
import { spawnOnStandIn } from './run.ts'

/** Nothing is expected to take so long, on however busy a machine: it only ends a wait for what never comes. */
export const LONG_ENOUGH_MS = 60_000

export type LaunchOptions = {
  readonly mainBundle: string
  readonly args?: readonly string[]
  readonly env?: Readonly<{ [name: string]: string | undefined }>
  /** The app's home. Left out: a new folder, removed at the end. */
  readonly home?: string
  readonly platform?: 'linux' | 'darwin' | 'win32'
  readonly noTray?: boolean
  readonly noNotifications?: boolean
  /** As on some Wayland desktops, windows never say that they were painted. */
  readonly noReadyToShow?: boolean
  readonly locale?: string
  /** Accelerators that belong to another app. */
  readonly takenShortcuts?: readonly string[]
  /** Milliseconds until a wait gives up; a minute unless said. */
  readonly timeout?: number
  /** What launching waits for: the first window's page loaded (usual), only `ready`, or nothing. */
  readonly waitFor?: 'page' | 'ready' | 'nothing'
}

export type TrayView = {
  readonly icon: string
  readonly iconChanges: number
  readonly toolTip: string
  readonly title: string
  readonly menu: readonly RecordedMenuItem[]
}

export type App = Awaited<ReturnType<typeof launchApp>>

export async function launchApp(options: LaunchOptions) {
  const ownHome = options.home === undefined
  const home = options.home ?? mkdtempSync(join(tmpdir(), 'mediatray-home-'))
  const timeout = options.timeout ?? LONG_ENOUGH_MS
  const env = {
    MEDIATRAY_STAND_IN_HOME: home,
    MEDIATRAY_STAND_IN_PLATFORM: options.platform,
    MEDIATRAY_STAND_IN_NO_TRAY: options.noTray === true ? '1' : undefined,
    MEDIATRAY_STAND_IN_NO_NOTIFICATIONS: options.noNotifications === true ? '1' : undefined,
    MEDIATRAY_STAND_IN_NO_READY_TO_SHOW: options.noReadyToShow === true ? '1' : undefined,
    MEDIATRAY_STAND_IN_LOCALE: options.locale,
    MEDIATRAY_STAND_IN_TAKEN_SHORTCUTS: options.takenShortcuts?.join(' '),
    ...options.env,
  }
  const start = (args: readonly string[]) =>
    spawnOnStandIn({ mainBundle: options.mainBundle, args, env, stdio: 'driven' })
  const child = start(options.args ?? [])

  let recorded: Recorded = nothingRecorded()
  const log: string[] = []
  keepLog(child, log)
  const exited = exitOf(child)
  const listeners = new Set<() => void>()
  const answers = new Map<number, { resolve(value: unknown): void; reject(error: Error): void }>()
  let nextCommand = 1
  let ended = false

  child.on('message', (message) => {
    const news = message as FromApp
    if (news.type === 'recorded') {
      recorded = news.recorded
      for (const listener of listeners) listener()
      return
    }
    const waiting = answers.get(news.id)
    answers.delete(news.id)
    if (news.type === 'answer') waiting?.resolve(news.result)
    else waiting?.reject(new Error(news.message))
  })
  const onEnd = () => {
    ended = true
    for (const waiting of answers.values()) waiting.reject(new Error(`The app has ended.\n${log.join('')}`))
    for (const listener of listeners) listener()
  }
  void exited.then(onEnd)

  const tell = <Name extends CommandName>(name: Name, argument: Commands[Name]['argument']) =>
    new Promise<Commands[Name]['result']>((resolve, reject) => {
      const id = nextCommand++
      answers.set(id, { resolve: (value) => resolve(value as Commands[Name]['result']), reject })
      child.send({ id, name, argument }, (error) => {
        if (error !== null) reject(error)
      })
    })

  /**
   * Waits until what the app shows fits.
   *
   * @param look gives undefined, null or false while it does not fit yet
   */
  const until = <T>(what: string, look: (recorded: Recorded) => T | undefined | null | false): Promise<T> =>
    new Promise((resolve, reject) => {
      const check = () => {
        const found = look(recorded)
        if (found !== undefined && found !== null && found !== false) {
          stop()
          resolve(found)
        } else if (ended) {
          stop()
          reject(new Error(`The app ended while waiting for ${what}.\n${log.join('')}`))
        }
      }
      const timer = setTimeout(() => {
        stop()
        const last = JSON.stringify(recorded, null, 1)
        reject(new Error(`Waited ${timeout} ms for ${what}.\n${last}\n${log.join('')}`))
      }, timeout)
      const stop = () => {
        clearTimeout(timer)
        listeners.delete(check)
      }
      listeners.add(check)
      check()
    })

  // ── The page ────────────────────────────────────────────────────────────────────────────────────────────────────
  let connected: { readonly port: number; readonly browser: Promise<Browser> } | null = null
  const browserAt = (port: number): Promise<Browser> => {
    if (connected?.port !== port)
      connected = { port, browser: chromium.connectOverCDP(`http://127.0.0.1:${port}`, { noDefaults: true }) }
    return connected.browser
  }
  /** The page of the n-th window once it has loaded, with all that Playwright can do. */
  const page = async (index = 0): Promise<Page> => {
    const { port, targetId } = await until(`the page of window ${index}`, ({ windows, debuggerPort }) => {
      const window = windows[index]
      if (window === undefined || !window.loaded || window.targetId === null || debuggerPort === null)
        return null
      return { port: debuggerPort, targetId: window.targetId }
    })
    const browser = await browserAt(port)
    for (const context of browser.contexts())
      for (const candidate of context.pages()) {
        const session = await context.newCDPSession(candidate)
        const { targetInfo } = await session.send('Target.getTargetInfo')
        await session.detach()
        if (targetInfo.targetId === targetId) return untilItCrashes(candidate, browser)
      }
    throw new Error('Playwright does not see the page of this window')
  }

  /** Playwright never speaks to a page again that has crashed; to another connection it is one like any other. */
  const followed = new WeakSet<Page>()
  const untilItCrashes = (shown: Page, browser: Browser): Page => {
    if (followed.has(shown)) return shown
    followed.add(shown)
    shown.once('crash', () => {
      connected = null
      void browser.close().catch(() => {})
    })
    return shown
  }

  type DropTarget = string | { readonly x: number; readonly y: number }
  /**
   * Drags files and folders, by their paths, over the window, as from a file manager.
   *
   * @returns lets them go
   */
  const dragFiles = async (
    target: DropTarget,
    paths: readonly string[],
    index = 0,
  ): Promise<() => Promise<void>> => {
    const shown = await page(index)
    const { x, y } = typeof target === 'string' ? await middleOf(shown, target) : target
    const session = await shown.context().newCDPSession(shown)
    const data = { items: [], files: [...paths], dragOperationsMask: 1 }
    const send = (type: 'dragEnter' | 'dragOver' | 'drop') =>
      session.send('Input.dispatchDragEvent', { type, x, y, data })
    await send('dragEnter')
    await send('dragOver')
    return async () => {
      // A pointer that rests is told of again and again, and what lies below it may be something else by now.
      await send('dragOver')
      await send('drop')
      await session.detach()
    }
  }
  const dropFiles = async (target: DropTarget, paths: readonly string[], index = 0): Promise<void> => {
    const drop = await dragFiles(target, paths, index)
    await drop()
  }

  /** Chooses files in a file field, by their paths. Playwright's own `setInputFiles` would send their contents instead. */
  const chooseFiles = async (selector: string, paths: readonly string[], index = 0): Promise<void> => {
    const shown = await page(index)
    const session = await shown.context().newCDPSession(shown)
    const expression = `document.querySelector(${JSON.stringify(selector)})`
    const { result } = await session.send('Runtime.evaluate', { expression })
    if (result.objectId === undefined) throw new Error(`${selector} is not on the page`)
    await session.send('DOM.setFileInputFiles', { files: [...paths], objectId: result.objectId })
    await session.detach()
  }

  /** Pastes into the page: files that have a path, or images that have none. */
  const paste = async (
    given: {
      readonly paths?: readonly string[]
      readonly images?: readonly {
        readonly name: string
        readonly type: string
        readonly bytes: Uint8Array
      }[]
    },
    index = 0,
  ): Promise<void> => {
    const shown = await page(index)
    const session = await shown.context().newCDPSession(shown)
    const expression = `Object.assign(document.createElement('input'), { type: 'file', multiple: true })`
    const { result } = await session.send('Runtime.evaluate', { expression })
    const field = { objectId: result.objectId ?? '' }
    if (given.paths !== undefined)
      await session.send('DOM.setFileInputFiles', { files: [...given.paths], ...field })
    const images = (given.images ?? []).map((image) => ({ ...image, bytes: [...image.bytes] }))
    const { exceptionDetails } = await session.send('Runtime.callFunctionOn', {
      ...field,
      functionDeclaration: `function (images) {
        const clipboardData = new DataTransfer()
        for (const file of this.files) clipboardData.items.add(file)
        for (const { name, type, bytes } of images)
          clipboardData.items.add(new File([new Uint8Array(bytes)], name, { type }))
        const target = document.activeElement ?? document.body
        target.dispatchEvent(
          new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true, composed: true }),
        )
      }`,
      arguments: [{ value: images }],
    })
    await session.detach()
    if (exceptionDetails !== undefined) throw new Error(exceptionDetails.text)
  }

  // ── The app as a whole ──────────────────────────────────────────────────────────────────────────────────────────
  const clean = () => {
    if (ownHome) rmSync(home, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 })
  }
  const disconnect = async () => {
    const browser = await connected?.browser.catch(() => null)
    await browser?.close().catch(() => {})
  }
  const kill = async (signal: NodeJS.Signals = 'SIGKILL') => {
    const { chromiumPid } = recorded
    if (child.exitCode === null && child.signalCode === null) child.kill(signal)
    await exited
    // Its Chromium ends by itself as well, only later.
    if (chromiumPid !== null) endGroup(chromiumPid)
    await disconnect()
  }

  const tray = () => {
    const [shown] = recorded.trays
    return shown === undefined ? null : { ...shown, menu: shown.menu ?? [] }
  }
  const window = (index: number): RecordedWindow => {
    const found = recorded.windows[index]
    if (found === undefined) throw new Error('There is no such window')
    return found
  }
  const windowAct = (act: Commands['window']['argument']['act'], index = 0) =>
    tell('window', { window: window(index).id, act })
  /** Over when the app and Playwright both know: until the slower one does, it takes the dead page for a living one. */
  const crashRenderer = async (index = 0): Promise<void> => {
    const crashed = (await page(index)).waitForEvent('crash', { timeout })
    await windowAct('crash', index)
    await crashed
  }
  const answer = (kind: RecordedDialog['kind'], given: Omit<Commands['answerDialog']['argument'], 'kind'>) =>
    tell('answerDialog', { kind, ...given })

  const app = {
    runtime: 'stand-in' as const,
    pid: child.pid,
    home,
    /** What the app shows just now. */
    recorded: () => recorded,
    until,
    log: () => log.join(''),
    exited,
    page,
    dragFiles,
    dropFiles,
    chooseFiles,
    paste,
    windows: () => recorded.windows,
    closeWindow: (index?: number) => windowAct('close', index),
    focusWindow: (index?: number) => windowAct('focus', index),
    blurWindow: (index?: number) => windowAct('blur', index),
    minimizeWindow: (index?: number) => windowAct('minimize', index),
    restoreWindow: (index?: number) => windowAct('restore', index),
    crashRenderer,
    resizeWindow: (bounds: Commands['resize']['argument']['bounds'], index = 0) =>
      tell('resize', { window: window(index).id, bounds }),
    tray: {
      now: (): TrayView | null => tray(),
      /** Clicks through the menu by labels or ids. */
      choose: (...path: string[]) => tell('clickMenu', { menu: 'tray', path }),
      click: () => tell('trayEvent', { event: 'click', tray: 0 }),
      rightClick: () => tell('trayEvent', { event: 'right-click', tray: 0 }),
      dropFiles: (paths: readonly string[]) => tell('trayDrop', { paths, tray: 0 }),
    },
    menu: {
      application: () => recorded.applicationMenu,
      choose: (...path: string[]) => tell('clickMenu', { menu: 'application', path }),
      dock: () => recorded.dockMenu,
      chooseDock: (...path: string[]) => tell('clickMenu', { menu: 'dock', path }),
      popup: () => recorded.popupMenu,
      choosePopup: (...path: string[]) => tell('clickMenu', { menu: 'popup', path }),
    },
    notifications: {
      all: () => recorded.notifications,
      click: (number: number) => tell('notificationClick', number),
      close: (number: number) => tell('notificationClose', number),
      timeOut: (number: number) => tell('notificationTimeOut', number),
      action: (number: number, action: number) => tell('notificationAction', { number, action }),
      fail: (number: number, error: string) => tell('notificationFail', { number, error }),
    },
    /** An answer given before the dialog opens is kept for it. */
    dialogs: {
      all: () => recorded.dialogs,
      answerOpen: (paths: readonly string[]) => answer('open', { paths }),
      answerSave: (path: string) => answer('save', { paths: [path] }),
      answerMessage: (response: number, checked = false) => answer('message', { response, checked }),
      dismiss: (kind: 'open' | 'save') => answer(kind, {}),
    },
    shellCalls: () => recorded.shellCalls,
    badge: () => (options.platform === 'win32' ? (recorded.windows[0]?.badge ?? 0) : recorded.badge),
    progressBar: () =>
      options.platform === 'win32' ? (recorded.windows[0]?.progress ?? -1) : recorded.progress,
    power: {
      suspend: () => tell('power', 'suspend'),
      resume: () => tell('power', 'resume'),
      happen: (event: Commands['power']['argument']) => tell('power', event),
    },
    clipboard: {
      set: (content: Commands['clipboard']['argument']) => tell('clipboard', content),
      read: () => tell('readClipboard', null),
    },
    /** For what has to happen within a minute of the app's own: it may take as long as it likes. */
    clock: { hold: () => tell('clock', 'hold'), release: () => tell('clock', 'release') },
    setDark: (dark: boolean) => tell('theme', { dark }),
    setDisplays: (displays: Commands['displays']['argument']) => tell('displays', displays),
    pressShortcut: (accelerator: string) => tell('shortcut', accelerator),
    openFile: (path: string) => tell('appEvent', { event: 'open-file', value: path }),
    openUrl: (url: string) => tell('appEvent', { event: 'open-url', value: url }),
    activate: (hasVisibleWindows: boolean) => tell('appEvent', { event: 'activate', hasVisibleWindows }),
    permission: (permission: string, index = 0) =>
      tell('permission', { window: window(index).id, permission }),
    /** Calls IPC as a frame that is not the app's own page would; frame null: one that has gone. */
    forgeInvoke: (
      channel: string,
      args: readonly unknown[],
      frame: Commands['forgeInvoke']['argument']['frame'],
      index = 0,
    ) => tell('forgeInvoke', { window: window(index).id, channel, args, frame }),
    /** Starts the app once more, as a real process. @returns its exit code and what it printed */
    async secondInstance(args: readonly string[] = []): Promise<{ code: number | null; log: string }> {
      const second = start(args)
      const printed: string[] = []
      keepLog(second, printed)
      const code = await exitOf(second)
      return { code, log: printed.join('') }
    },
    failInMain: (kind: 'exception' | 'rejection', message: string) => tell('failInMain', { kind, message }),
    kill,
    /** Asks the app to quit, as its menu would, and waits for its end. */
    async quit(): Promise<number | null> {
      await tell('quit', null).catch(() => {})
      const code = await exited
      await disconnect()
      return code
    },
    /** Squirrel on macOS ends the app for an update. */
    async quitForUpdate(): Promise<number | null> {
      await tell('quitForUpdate', null).catch(() => {})
      const code = await exited
      await disconnect()
      return code
    },
    async [Symbol.asyncDispose]() {
      await kill()
      clean()
    },
  }

  const waitFor = options.waitFor ?? 'page'
  try {
    if (waitFor !== 'nothing') await until('the app to be ready', ({ ready }) => ready)
    if (waitFor === 'page') await page()
  } catch (error) {
    await app[Symbol.asyncDispose]()
    throw error
  }
  return app
}

function keepLog(child: ChildProcess, log: string[]): void {
  for (const stream of [child.stdout, child.stderr])
    stream?.setEncoding('utf8').on('data', (text: string) => log.push(text))
}

const exitOf = (child: ChildProcess): Promise<number | null> =>
  new Promise((resolve) => {
    child.once('error', () => resolve(null))
    child.once('close', (code) => resolve(code))
  })

async function middleOf(page: Page, selector: string): Promise<{ x: number; y: number }> {
  const box = await page.locator(selector).boundingBox()
  if (box === null) throw new Error(`${selector} is not on the page`)
  return { x: box.x + box.width / 2, y: box.y + box.height / 2 }
}

function endGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL')
  } catch {
    // It has gone already.
  }
}
