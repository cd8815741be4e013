/** The app on the real runtime, with the part of the driver's interface that works there. */
import { spawn, spawnSync } from 'node:child_process'
import { mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type ElectronApplication, _electron } from 'playwright-core'
import { TestRunner } from 'vitest'
import { keepLog, type LaunchOptions, LONG_ENOUGH_MS } from '../stand-in/driver.ts'
import type { AppUnderTest } from './app.ts'
import { dragOver, type DropTarget, pasteInto, type Pasted } from '../stand-in/page-input.ts'
import type { Rectangle } from '../stand-in/recorded.ts'
import { followDesktop } from './support/electron-desktop.ts'
import { electronLaunch, reasonNotOnElectron } from './support/electron-launch.ts'

declare global {
  /** The system's clock, while a spec holds the app's. */
  var mediatrayClock: typeof Date.now | undefined
}

const ROOT = join(import.meta.dirname, '../..')

export async function launchElectron(options: Partial<LaunchOptions>): Promise<AppUnderTest> {
  const reason = reasonNotOnElectron(options, process.platform)
  if (reason !== undefined) leaveSpec(reason)
  const ownHome = options.home === undefined
  // The real path, as the system reports it to the app: on macOS and Windows, the temporary folder's path contains a link or a
  // short name.
  const home = options.home ?? realpathSync.native(mkdtempSync(join(tmpdir(), 'mediatray-home-')))
  const executablePath = electronExecutable()
  const surroundings = { root: ROOT, home, platform: process.platform, environment: process.env }
  const start = (given: readonly string[]) => electronLaunch({ ...options, args: given }, surroundings)
  const { args, env } = start(options.args ?? [])
  const electron = await _electron.launch({
    executablePath,
    args: [...args],
    env,
    cwd: ROOT,
    timeout: LONG_ENOUGH_MS,
    // Sandboxed, as for users and in `secondInstance`. As root, Chromium refuses to run sandboxed.
    chromiumSandbox: process.getuid?.() !== 0,
  })
  const log: string[] = []
  keepLog(electron.process(), log)
  const pid = await electron.evaluate(() => process.pid)
  if ((options.waitFor ?? 'page') === 'page') {
    await electron.firstWindow().catch((error: unknown) => {
      endProcess(pid, 'SIGKILL')
      throw new Error(`No window appeared\n${log.join('')}`, { cause: error })
    })
  }
  const running = realApp({ electron, pid, home, log, executablePath, start, ownHome })
  const desktop = await followDesktop(electron, leaveSpec, { ended: running.exited, log: running.log })
  return limitToRealRuntime({ ...desktop, ...running })
}

function electronExecutable(): string {
  const path: unknown = createRequire(import.meta.url)('electron')
  if (typeof path !== 'string') throw new Error('The electron package did not give the path of its runtime')
  return path
}

type Running = {
  readonly electron: ElectronApplication
  /** The process ID of the app itself: on Windows, Playwright may have started a shell around it. */
  readonly pid: number
  readonly home: string
  readonly ownHome: boolean
  readonly log: string[]
  readonly executablePath: string
  readonly start: (args: readonly string[]) => ReturnType<typeof electronLaunch>
}

function realApp({ electron, pid, home, ownHome, log, executablePath, start }: Running) {
  const exited = new Promise<number | null>((resolve) => electron.process().once('close', resolve))
  const page = async () => electron.windows()[0] ?? (await electron.waitForEvent('window'))
  /** Emits one of Electron's own events, as the system would. */
  const emit = (module: 'app' | 'powerMonitor', event: string, value: unknown) =>
    electron.evaluate(
      (modules, { module, event, value }) => {
        modules[module].emit(event, { preventDefault: () => {} }, value)
      },
      { module, event, value },
    )
  const supply = async (isOnBattery: boolean) => {
    await electron.evaluate(({ powerMonitor }, battery) => {
      powerMonitor.isOnBatteryPower = () => battery
    }, isOnBattery)
    await emit('powerMonitor', isOnBattery ? 'on-battery' : 'on-ac', undefined)
  }
  const windowAct = (act: 'close' | 'focus' | 'blur' | 'minimize' | 'restore') =>
    electron.evaluate(({ BrowserWindow }, name) => BrowserWindow.getAllWindows()[0]?.[name](), act)
  const dragFiles = async (target: DropTarget, paths: readonly string[]) =>
    dragOver(await page(), target, paths)
  const kill = async (signal: NodeJS.Signals = 'SIGKILL') => {
    endProcess(pid, signal)
    await exited
  }
  return {
    runtime: 'electron' as const,
    pid,
    home,
    log: () => log.join(''),
    exited,
    page,
    dragFiles,
    async dropFiles(target: DropTarget, paths: readonly string[]) {
      const drop = await dragFiles(target, paths)
      await drop()
    },
    paste: async (given: Pasted) => pasteInto(await page(), given),
    closeWindow: () => windowAct('close'),
    focusWindow: () => windowAct('focus'),
    blurWindow: () => windowAct('blur'),
    minimizeWindow: () => windowAct('minimize'),
    restoreWindow: () => windowAct('restore'),
    toggleFullScreen: () =>
      electron.evaluate(({ BrowserWindow }) => {
        const [window] = BrowserWindow.getAllWindows()
        window?.setFullScreen(!window.isFullScreen())
      }),
    resizeWindow: (bounds: Partial<Rectangle>) =>
      electron.evaluate(
        ({ BrowserWindow }, wanted) => BrowserWindow.getAllWindows()[0]?.setBounds(wanted),
        bounds,
      ),
    async crashRenderer() {
      const crashed = (await page()).waitForEvent('crash', { timeout: LONG_ENOUGH_MS })
      await electron.evaluate(({ BrowserWindow }) =>
        BrowserWindow.getAllWindows()[0]?.webContents.forcefullyCrashRenderer(),
      )
      await crashed
    },
    clock: {
      hold: () =>
        electron.evaluate(() => {
          const held = Date.now()
          globalThis.mediatrayClock ??= Date.now
          Date.now = () => held
        }),
      release: () =>
        electron.evaluate(() => {
          Date.now = globalThis.mediatrayClock ?? Date.now
        }),
    },
    failInMain: (kind: 'exception' | 'rejection', message: string) =>
      electron.evaluate(
        (_modules, failure) => {
          setImmediate(() => {
            if (failure.kind === 'exception') throw new Error(failure.message)
            void Promise.reject(new Error(failure.message))
          })
        },
        { kind, message },
      ),
    setDark: (dark: boolean) =>
      electron.evaluate(({ nativeTheme }, dark) => {
        nativeTheme.themeSource = dark ? 'dark' : 'light'
      }, dark),
    power: {
      suspend: () => emit('powerMonitor', 'suspend', undefined),
      resume: () => emit('powerMonitor', 'resume', undefined),
      unplug: () => supply(true),
      plugIn: () => supply(false),
      idle: (seconds: number) =>
        electron.evaluate(({ powerMonitor }, idle) => {
          powerMonitor.getSystemIdleTime = () => idle
        }, seconds),
    },
    openFile: (path: string) => emit('app', 'open-file', path),
    openUrl: (url: string) => emit('app', 'open-url', url),
    activate: (hasVisibleWindows: boolean) => emit('app', 'activate', hasVisibleWindows),
    async secondInstance(given: readonly string[] = []) {
      const { args, env } = start(given)
      const second = spawn(executablePath, args, { env, cwd: ROOT, stdio: ['ignore', 'pipe', 'pipe'] })
      const printed: string[] = []
      keepLog(second, printed)
      const code = await new Promise<number | null>((resolve) => second.once('close', resolve))
      return { code, log: printed.join('') }
    },
    kill,
    async quit() {
      await electron.evaluate(({ app }) => app.quit()).catch(() => {})
      return await exited
    },
    async [Symbol.asyncDispose]() {
      await kill()
      if (ownHome) rmSync(home, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 })
    },
  } satisfies Partial<AppUnderTest>
}

function endProcess(pid: number, signal: NodeJS.Signals): void {
  if (process.platform === 'win32') {
    // Ends the child processes too; the shell around the app ends on its own.
    spawnSync('taskkill', ['/pid', String(pid), '/t', '/f'])
    return
  }
  try {
    process.kill(pid, signal)
  } catch {
    // It has already ended.
  }
}

/** Skips a spec when it uses a part of the interface that only the stand-in has. */
function limitToRealRuntime(app: Partial<AppUnderTest>): AppUnderTest {
  return new Proxy(app, {
    get(target, key, receiver) {
      if (key in target || typeof key === 'symbol' || key === 'then')
        return Reflect.get(target, key, receiver)
      return leaveSpec(`app.${key}`)
    },
  }) as AppUnderTest
}

function leaveSpec(reason: string): never {
  TestRunner.getCurrentTest()?.context.skip(reason)
  throw new Error(`Only the stand-in can do this: ${reason}`)
}
