/**
 * `npm start`, on the Node that with-node.cjs has found: builds the app and opens it, on real Electron wherever its runtime is there
 * or can be fetched, otherwise on the stand-in, in a window of Chromium. Without a display it runs the demo in that Chromium, and
 * without a Chromium the main job alone. Whatever is missing is one sentence that says what to type.
 */
import { spawnSync } from 'node:child_process'
import { accessSync, constants, existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { runOnStandIn } from '../test/stand-in/run.ts'
import { lookForChromium } from './look-for-chromium.ts'
import { lookForDisplay } from './look-for-display.ts'

const root = resolve(import.meta.dirname, '..')
const mainBundle = join(root, 'dist/main/index.js')
const FETCHING_MS = 120_000
/** The system's loader ends a program like this that lacks a library. */
const LACKS_LIBRARY = 127
const ON_DEBIAN = 'On Debian: sudo apt-get install -y chromium'

const runNode = (...args: string[]): number =>
  spawnSync(process.execPath, ['--disable-warning=ExperimentalWarning', ...args], {
    stdio: 'inherit',
    cwd: root,
  }).status ?? 1

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

/** @returns why there is nothing to open, in a sentence; where nothing can be written, what was built before will do */
function build(): string | undefined {
  const dist = join(root, 'dist')
  try {
    accessSync(existsSync(dist) ? dist : root, constants.W_OK)
  } catch {
    return existsSync(mainBundle) ? undefined : `The app can’t be built, because ${root} can’t be written.`
  }
  return runNode('scripts/build.ts') === 0 ? undefined : 'The app could not be built.'
}

/** @param why it is not the window, in a sentence */
async function withoutWindow(why: string): Promise<number> {
  console.log(`${why} So this is the main job without the window.\n`)
  const { INTERRUPTED, runMainJob } = await import('./main-job.ts')
  const code = await runMainJob()
  if (code === INTERRUPTED) return code
  console.log(`To see the window: npm start on a computer with a display, and a Chromium. ${ON_DEBIAN}`)
  return code
}

async function start(args: readonly string[]): Promise<number> {
  const noDisplay = await lookForDisplay()
  const chromium = lookForChromium()
  // The stand-in shall use the one that was tried.
  if (chromium.works) process.env['MEDIATRAY_STAND_IN_CHROMIUM'] = chromium.path
  if (noDisplay !== undefined) {
    if (!chromium.works) return withoutWindow(`${noDisplay} ${chromium.why}`)
    console.log(`${noDisplay} So this is the demo: the app is used in a headless browser.`)
    return runNode('scripts/demo.ts')
  }
  const notBuilt = build()
  if (notBuilt !== undefined) return withoutWindow(notBuilt)
  const opened = openOnElectron(args)
  if (typeof opened === 'number') return opened
  if (!chromium.works) return withoutWindow(`${opened} ${chromium.why}`)
  console.log(`${opened} So the app opens on its stand-in, in Chromium. Closing the window ends it.`)
  return runOnStandIn({ mainBundle, visible: true, args: ['--no-tray', ...args] })
}

/** @returns its exit code, or why it did not open */
function openOnElectron(args: readonly string[]): number | string {
  if (process.platform === 'linux' && process.getuid?.() === 0)
    return 'Electron does not start for root; an ordinary user gets it with npm start.'
  const electron = electronRuntime()
  if (electron === undefined) return 'Electron’s runtime is not here and can’t be fetched.'
  const status = spawnSync(electron, [root, ...args], { stdio: 'inherit' }).status ?? 1
  return status === LACKS_LIBRARY ? 'Electron lacks libraries of the system; Chromium brings them.' : status
}

try {
  process.exitCode = await start(process.argv.slice(2))
} catch (error) {
  console.error(error instanceof Error ? error.message : String(error))
  process.exitCode = 1
}
