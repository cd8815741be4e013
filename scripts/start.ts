/**
 * `npm start`, on the Node that with-node.cjs found: builds the app and opens it.
 * Uses real Electron if its runtime is installed or can be downloaded, otherwise the stand-in in a Chromium window. Without a
 * display it runs the demo in headless Chromium; without Chromium it runs the main job only. If anything is missing, one sentence
 * says what to type.
 */
import { spawnSync } from 'node:child_process'
import { accessSync, constants, existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { runOnStandIn } from '../test/stand-in/run.ts'
import { electronRuntime, runElectron } from './electron-runtime.ts'
import { findChromium, ON_DEBIAN } from './find-chromium.ts'
import { displayProblem } from './check-display.ts'

const root = resolve(import.meta.dirname, '..')
const mainBundle = join(root, 'dist/main/index.js')

const runNode = (...args: string[]): number =>
  spawnSync(process.execPath, ['--disable-warning=ExperimentalWarning', ...args], {
    stdio: 'inherit',
    cwd: root,
  }).status ?? 1

/** @returns why there is nothing to open, in a sentence. In a read-only folder, an existing build is used. */
function build(): string | undefined {
  const dist = join(root, 'dist')
  try {
    accessSync(existsSync(dist) ? dist : root, constants.W_OK)
  } catch {
    return existsSync(mainBundle) ? undefined : `Couldn’t build the app: ${root} isn’t writable.`
  }
  return runNode('scripts/build.ts') === 0 ? undefined : 'Couldn’t build the app.'
}

/** @param why the window can't be opened, in a sentence */
async function withoutWindow(why: string): Promise<number> {
  console.log(`${why} Running the main job without a window.\n`)
  const { INTERRUPTED, runMainJob } = await import('./main-job.ts')
  const code = await runMainJob()
  if (code === INTERRUPTED) return code
  console.log(`To see the window, run npm start on a computer with a display and Chromium. ${ON_DEBIAN}`)
  return code
}

async function start(args: readonly string[]): Promise<number> {
  const noDisplay = await displayProblem()
  const chromium = findChromium()
  // Make the stand-in use the Chromium that was checked.
  if (chromium.works) process.env['MEDIATRAY_STAND_IN_CHROMIUM'] = chromium.path
  if (noDisplay !== undefined) {
    if (!chromium.works) return withoutWindow(`${noDisplay} ${chromium.why}`)
    console.log(`${noDisplay} Running the demo in a headless browser.`)
    return runNode('scripts/demo.ts')
  }
  const notBuilt = build()
  if (notBuilt !== undefined) return withoutWindow(notBuilt)
  const opened = openOnElectron(args)
  if (typeof opened === 'number') return opened
  if (!chromium.works) return withoutWindow(`${opened} ${chromium.why}`)
  console.log(`${opened} Opening the app on the stand-in, in Chromium. Close the window to quit.`)
  return runOnStandIn({ mainBundle, visible: true, args: ['--no-tray', ...args] })
}

/** @returns its exit code, or why it didn't open */
function openOnElectron(args: readonly string[]): number | string {
  if (process.platform === 'linux' && process.getuid?.() === 0)
    return 'Electron doesn’t start as root. Run npm start as an ordinary user to get it.'
  const electron = electronRuntime(root)
  return electron === undefined
    ? 'Electron’s runtime isn’t installed and can’t be downloaded.'
    : runElectron(electron, [root, ...args])
}

try {
  process.exitCode = await start(process.argv.slice(2))
} catch (error) {
  console.error(error instanceof Error ? error.message : String(error))
  process.exitCode = 1
}
