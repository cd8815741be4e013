/**
 * `npm start`: builds the app and opens it. On real Electron wherever its runtime is there or can be fetched; otherwise on
 * the stand-in, in a window of Chromium; and where there is no display, as the demo.
 */
import { spawnSync } from 'node:child_process'
import { accessSync, constants } from 'node:fs'
import { delimiter, join, resolve } from 'node:path'
import { runOnStandIn } from '../test/stand-in/run.ts'

const root = resolve(import.meta.dirname, '..')
const mainBundle = join(root, 'dist/main/index.js')
const FETCHING_MS = 120_000

const runNode = (...args: string[]): number =>
  spawnSync(process.execPath, ['--disable-warning=ExperimentalWarning', ...args], {
    stdio: 'inherit',
    cwd: root,
  }).status ?? 1

const hasDisplay = (): boolean =>
  process.platform !== 'linux' ||
  (process.env['DISPLAY'] ?? '') !== '' ||
  (process.env['WAYLAND_DISPLAY'] ?? '') !== ''

/** @returns the runtime's path; undefined where it is not there and can't be fetched */
function electronRuntime(): string | undefined {
  const asked = spawnSync(process.execPath, ['-e', "process.stdout.write('\\n' + require('electron'))"], {
    cwd: root,
    encoding: 'utf8',
    timeout: FETCHING_MS,
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  const path = asked.stdout.split('\n').at(-1) ?? ''
  return asked.status === 0 && path !== '' ? path : undefined
}

function hasChromium(): boolean {
  const folders = (process.env['PATH'] ?? '').split(delimiter)
  return folders.some((folder) => {
    try {
      accessSync(join(folder, 'chromium'), constants.X_OK)
      return true
    } catch {
      return false
    }
  })
}

async function start(args: readonly string[]): Promise<number> {
  if (!hasDisplay()) {
    console.log('There is no display here, so this is the demo: the app is used in a headless browser.')
    return runNode('scripts/demo.ts')
  }
  const built = runNode('scripts/build.ts')
  if (built !== 0) return built
  const electron = electronRuntime()
  if (electron !== undefined) {
    return spawnSync(electron, [root, ...args], { stdio: 'inherit' }).status ?? 1
  }
  if (!hasChromium()) {
    console.error(
      'Electron’s runtime can’t be fetched, and there is no Chromium to stand in for it. Install `chromium`.',
    )
    return 1
  }
  console.log(
    'Electron’s runtime can’t be fetched: the app opens on its stand-in, in Chromium. Closing the window ends it.',
  )
  return runOnStandIn({ mainBundle, visible: true, args: ['--no-tray', ...args] })
}

process.exitCode = await start(process.argv.slice(2))
