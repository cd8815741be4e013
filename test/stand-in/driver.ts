/** Controls an app on the stand-in from a test. Does what a user and the system would do, and reads what they would see. */
import type { ChildProcess } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Browser, type Page, chromium } from 'playwright-core'
import {
  type Argument,
  type CommandName,
  type FromApp,
  type Recorded,
  type RecordedTray,
  type Result,
  nothingRecorded,
} from './recorded.ts'
import { dragOver, type DropTarget, pasteInto, type Pasted } from './page-input.ts'
import { spawnOnStandIn } from './run.ts'
import { userActs } from './user-acts.ts'

/** Timeout for events that never occur. Even a busy machine stays well below it. */
export const LONG_ENOUGH_MS = 60_000

export type LaunchOptions = {
  readonly mainBundle: string
  readonly args?: readonly string[]
  readonly env?: Readonly<{ [name: string]: string | undefined }>
  /** The app's home. Default: a new folder that is removed at the end. */
  readonly home?: string
  readonly platform?: 'linux' | 'darwin' | 'win32'
  readonly noTray?: boolean
  /** Simulates Wayland desktops where `ready-to-show` never fires. */
  readonly noReadyToShow?: boolean
  readonly locale?: string
  /** Accelerators that are registered by another app. */
  readonly takenShortcuts?: readonly string[]
  /** Keeps the clipboard, which otherwise ends with the app; see `readClipboardFile`. */
  readonly clipboardFile?: string
  /** What `launchApp` waits for: the first window's page to load (default), only `ready`, or nothing. */
  readonly waitFor?: 'page' | 'ready' | 'nothing'
}

export type TrayView = Omit<RecordedTray, 'id' | 'menu'> & {
  readonly menu: NonNullable<RecordedTray['menu']>
}

export type App = Awaited<ReturnType<typeof launchApp>>

export async function launchApp(options: LaunchOptions) {
  const ownHome = options.home === undefined
  const home = options.home ?? mkdtempSync(join(tmpdir(), 'mediatray-home-'))
  const env = {
    MEDIATRAY_STAND_IN_HOME: home,
    MEDIATRAY_STAND_IN_PLATFORM: options.platform,
    MEDIATRAY_STAND_IN_NO_TRAY: options.noTray === true ? '1' : undefined,
    MEDIATRAY_STAND_IN_NO_READY_TO_SHOW: options.noReadyToShow === true ? '1' : undefined,
    MEDIATRAY_STAND_IN_LOCALE: options.locale,
    MEDIATRAY_STAND_IN_TAKEN_SHORTCUTS: options.takenShortcuts?.join(' '),
    MEDIATRAY_STAND_IN_CLIPBOARD: options.clipboardFile,
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
    for (const waiting of answers.values()) waiting.reject(new Error(`The app has exited.\n${log.join('')}`))
    for (const listener of listeners) listener()
  }
  void exited.then(onEnd)

  const tell = <Name extends CommandName>(name: Name, argument: Argument<Name>) =>
    new Promise<Result<Name>>((resolve, reject) => {
      const id = nextCommand++
      answers.set(id, { resolve: (value) => resolve(value as Result<Name>), reject })
      child.send({ id, name, argument }, (error) => {
        if (error !== null) reject(error)
      })
    })

  /**
   * Waits until the app's recorded state matches.
   * @param match returns undefined, null or false until the state matches
   */
  const until = <T>(what: string, match: (recorded: Recorded) => T | undefined | null | false): Promise<T> =>
    new Promise((resolve, reject) => {
      const check = () => {
        const found = match(recorded)
        if (found !== undefined && found !== null && found !== false) {
          stop()
          resolve(found)
        } else if (ended) {
          stop()
          reject(new Error(`The app exited while waiting for ${what}.\n${log.join('')}`))
        }
      }
      const timer = setTimeout(() => {
        stop()
        const last = JSON.stringify(recorded, null, 1)
        reject(new Error(`Waited ${LONG_ENOUGH_MS} ms for ${what}.\n${last}\n${log.join('')}`))
      }, LONG_ENOUGH_MS)
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
  /** Returns the page of the window once it has loaded, as a Playwright page. */
  const page = async (): Promise<Page> => {
    const { port, targetId } = await until('the page', ({ windows: [window], debuggerPort }) => {
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
    throw new Error("Playwright can't find the page of this window")
  }

  /**
   * Playwright never talks to a crashed page again, so a new connection is needed. A new connection treats the page like any other.
   */
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

  const dragFiles = async (target: DropTarget, paths: readonly string[]) =>
    dragOver(await page(), target, paths)
  const dropFiles = async (target: DropTarget, paths: readonly string[]): Promise<void> => {
    const drop = await dragFiles(target, paths)
    await drop()
  }
  const paste = async (given: Pasted): Promise<void> => pasteInto(await page(), given)

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
    // Chromium would also exit without this, only later.
    if (chromiumPid !== null) endGroup(chromiumPid)
    await disconnect()
  }

  const quitBy = async (command: 'quit' | 'quitForUpdate') => {
    await tell(command, null).catch(() => {})
    const code = await exited
    await disconnect()
    return code
  }

  const tray = () => {
    const [shown] = recorded.trays
    return shown === undefined ? null : { ...shown, menu: shown.menu ?? [] }
  }
  const windowId = (): number => {
    const [found] = recorded.windows
    if (found === undefined) throw new Error('There is no window')
    return found.id
  }
  const windowAct = (act: Argument<'window'>['act']) => tell('window', { window: windowId(), act })
  /**
   * Resolves when both the app and Playwright have noticed the crash. Until then, the slower one would still use the dead page.
   */
  const crashRenderer = async (): Promise<void> => {
    const crashed = (await page()).waitForEvent('crash', { timeout: LONG_ENOUGH_MS })
    await windowAct('crash')
    await crashed
  }
  const acts = userActs(tell, () => recorded)

  const app = {
    runtime: 'stand-in' as const,
    pid: child.pid,
    home,
    /** Returns the app's current recorded state. */
    recorded: () => recorded,
    until,
    log: () => log.join(''),
    exited,
    page,
    dragFiles,
    dropFiles,
    paste,
    windows: () => recorded.windows,
    closeWindow: () => windowAct('close'),
    focusWindow: () => windowAct('focus'),
    blurWindow: () => windowAct('blur'),
    minimizeWindow: () => windowAct('minimize'),
    restoreWindow: () => windowAct('restore'),
    toggleFullScreen: () => windowAct('toggleFullScreen'),
    endSession: () => windowAct('endSession'),
    crashRenderer,
    resizeWindow: (bounds: Argument<'resize'>['bounds']) => tell('resize', { window: windowId(), bounds }),
    ...acts,
    tray: { now: (): TrayView | null => tray(), ...acts.tray },
    badge: () => (options.platform === 'win32' ? (recorded.windows[0]?.badge ?? 0) : recorded.badge),
    progressBar: () =>
      options.platform === 'win32' ? (recorded.windows[0]?.progress ?? -1) : recorded.progress,
    power: {
      suspend: () => tell('power', 'suspend'),
      resume: () => tell('power', 'resume'),
      unplug: () => tell('power', 'on-battery'),
      plugIn: () => tell('power', 'on-ac'),
      idle: (seconds: number) => tell('idle', seconds),
    },
    clipboard: {
      set: (content: Argument<'clipboard'>) => tell('clipboard', content),
      get: () => tell('clipboardContent', null),
    },
    /** Holds the app's wall clock, for actions with a deadline that a slow machine could miss. */
    clock: { hold: () => tell('clock', 'hold'), release: () => tell('clock', 'release') },
    setDark: (dark: boolean) => tell('theme', { dark }),
    setDisplays: (displays: Argument<'displays'>) => tell('displays', displays),
    openFile: (path: string) => tell('appEvent', { event: 'open-file', value: path }),
    openUrl: (url: string) => tell('appEvent', { event: 'open-url', value: url }),
    activate: (hasVisibleWindows: boolean) => tell('appEvent', { event: 'activate', hasVisibleWindows }),
    permission: (permission: string) => tell('permission', { window: windowId(), permission }),
    /** Calls IPC as a frame that isn't the app's own page, or as one that is gone (`frame: null`). */
    forgeInvoke: (channel: string, args: readonly unknown[], frame: Argument<'forgeInvoke'>['frame']) =>
      tell('forgeInvoke', { window: windowId(), channel, args, frame }),
    /**
     * Starts the app again as a separate process.
     * @returns its exit code and what it printed
     */
    async secondInstance(args: readonly string[] = []): Promise<{ code: number | null; log: string }> {
      const second = start(args)
      const printed: string[] = []
      keepLog(second, printed)
      const code = await exitOf(second)
      return { code, log: printed.join('') }
    },
    failInMain: (kind: 'exception' | 'rejection', message: string) => tell('failInMain', { kind, message }),
    kill,
    /** Quits the app as its menu would and waits for it to exit. */
    quit: () => quitBy('quit'),
    /** Quits for an update, as Squirrel does on macOS and electron-updater elsewhere. */
    quitForUpdate: () => quitBy('quitForUpdate'),
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

export function keepLog(child: ChildProcess, log: string[]): void {
  for (const stream of [child.stdout, child.stderr])
    stream?.setEncoding('utf8').on('data', (text: string) => log.push(text))
}

const exitOf = (child: ChildProcess): Promise<number | null> =>
  new Promise((resolve) => {
    child.once('error', () => resolve(null))
    child.once('close', (code) => resolve(code))
  })

function endGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL')
  } catch {
    // It has already exited.
  }
}
