/**
 * The app as the end-to-end specs see it: on the stand-in, or on the real runtime (`MEDIATRAY_E2E=electron`). Both have
 * the same interface; what only the stand-in can tell says so by name on the other.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type ElectronApplication, _electron } from 'playwright-core'
import { type App, launchApp, type LaunchOptions, LONG_ENOUGH_MS } from '../stand-in/driver.ts'

const MAIN_BUNDLE = join(import.meta.dirname, '../../dist/main/index.js')

export type AppUnderTest = Omit<App, 'runtime'> & { readonly runtime: 'stand-in' | 'electron' }

export const onRealElectron = (): boolean => process.env['MEDIATRAY_E2E'] === 'electron'

/** Starts the built app; `await using` ends it. */
export function launch(options: Partial<LaunchOptions> = {}): Promise<AppUnderTest> {
  const wanted = { mainBundle: MAIN_BUNDLE, ...options }
  return onRealElectron() ? launchElectron(wanted) : launchApp(wanted)
}

async function launchElectron(options: LaunchOptions): Promise<AppUnderTest> {
  if (options.platform !== undefined && options.platform !== process.platform)
    throw new Error(`The real runtime runs on ${process.platform}, not on ${options.platform}`)
  const ownHome = options.home === undefined
  const home = options.home ?? mkdtempSync(join(tmpdir(), 'mediatray-home-'))
  const executablePath = electronExecutable()
  const args = [
    options.mainBundle,
    `--user-data-dir=${join(home, '.config', 'Mediatray')}`,
    ...(options.args ?? []),
  ]
  const env = Object.fromEntries(
    Object.entries({ ...process.env, ...options.env }).filter(
      (entry): entry is [string, string] => entry[1] !== undefined,
    ),
  )
  const electron = await _electron.launch({
    executablePath,
    args,
    env,
    timeout: options.timeout ?? LONG_ENOUGH_MS,
  })
  const log: string[] = []
  keepLog(electron.process(), log)
  if ((options.waitFor ?? 'page') === 'page') await electron.firstWindow()
  return lackingOnElectron(realApp({ electron, home, log, executablePath, args, env, ownHome }))
}

function electronExecutable(): string {
  const path: unknown = createRequire(import.meta.url)('electron')
  if (typeof path !== 'string') throw new Error('The electron package did not give the path of its runtime')
  return path
}

type Running = {
  readonly electron: ElectronApplication
  readonly home: string
  readonly ownHome: boolean
  readonly log: string[]
  readonly executablePath: string
  readonly args: readonly string[]
  readonly env: { [name: string]: string }
}

function realApp({ electron, home, ownHome, log, executablePath, args, env }: Running) {
  const child = electron.process()
  const exited = new Promise<number | null>((resolve) => child.once('close', resolve))
  const page = async (index = 0) => electron.windows()[index] ?? (await electron.waitForEvent('window'))
  /** Emits an event of Electron's own, as the system would. */
  const emit = (module: 'app' | 'powerMonitor', event: string, value: unknown) =>
    electron.evaluate(
      (modules, { module, event, value }) => {
        modules[module].emit(event, { preventDefault: () => {} }, value)
      },
      { module, event, value },
    )
  const windowAct = (act: 'close' | 'focus' | 'blur' | 'minimize' | 'restore', index = 0) =>
    electron.evaluate(({ BrowserWindow }, { act, index }) => BrowserWindow.getAllWindows()[index]?.[act](), {
      act,
      index,
    })
  const kill = async (signal: NodeJS.Signals = 'SIGKILL') => {
    child.kill(signal)
    await exited
  }
  return {
    runtime: 'electron' as const,
    pid: child.pid,
    home,
    log: () => log.join(''),
    exited,
    page,
    async dropFiles(
      target: string | { readonly x: number; readonly y: number },
      paths: readonly string[],
      index = 0,
    ) {
      const shown = await page(index)
      const box =
        typeof target === 'string'
          ? await shown.locator(target).boundingBox()
          : { ...target, width: 0, height: 0 }
      if (box === null) throw new Error('There is nothing on the page to drop on')
      const session = await shown.context().newCDPSession(shown)
      const place = { x: box.x + box.width / 2, y: box.y + box.height / 2 }
      const data = { items: [], files: [...paths], dragOperationsMask: 1 }
      for (const type of ['dragEnter', 'dragOver', 'drop'] as const)
        await session.send('Input.dispatchDragEvent', { type, ...place, data })
      await session.detach()
    },
    closeWindow: (index?: number) => windowAct('close', index),
    focusWindow: (index?: number) => windowAct('focus', index),
    blurWindow: (index?: number) => windowAct('blur', index),
    minimizeWindow: (index?: number) => windowAct('minimize', index),
    restoreWindow: (index?: number) => windowAct('restore', index),
    setDark: (dark: boolean) =>
      electron.evaluate(({ nativeTheme }, dark) => {
        nativeTheme.themeSource = dark ? 'dark' : 'light'
      }, dark),
    power: {
      suspend: () => emit('powerMonitor', 'suspend', undefined),
      resume: () => emit('powerMonitor', 'resume', undefined),
      happen: (event: string) => emit('powerMonitor', event, undefined),
    },
    openFile: (path: string) => emit('app', 'open-file', path),
    openUrl: (url: string) => emit('app', 'open-url', url),
    activate: (hasVisibleWindows: boolean) => emit('app', 'activate', hasVisibleWindows),
    async secondInstance(more: readonly string[] = []) {
      const second = spawn(executablePath, [...args, ...more], { env, stdio: ['ignore', 'pipe', 'pipe'] })
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

/** The rest of the interface throws by name when it is read. */
function lackingOnElectron(app: Partial<AppUnderTest>): AppUnderTest {
  return new Proxy(app, {
    get(target, key, receiver) {
      if (key in target || typeof key === 'symbol' || key === 'then')
        return Reflect.get(target, key, receiver)
      throw new Error(`Only the stand-in can do app.${key}: run this spec without MEDIATRAY_E2E=electron`)
    },
  }) as AppUnderTest
}

function keepLog(child: ChildProcess, log: string[]): void {
  for (const stream of [child.stdout, child.stderr])
    stream?.setEncoding('utf8').on('data', (text: string) => log.push(text))
}
