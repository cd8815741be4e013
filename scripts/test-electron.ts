/**
 * `npm run test:electron`: runs the end-to-end specs on the real runtime, as far as it can be driven, and prints how many ran.
 */
import { spawn, spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { electronRuntime, runElectron } from './electron-runtime.ts'
import { onPath } from './on-path.ts'

const root = join(import.meta.dirname, '..')
const vitest = join(root, 'node_modules/vitest/vitest.mjs')

/** Downloads the runtime before the specs start, because parallel specs would all unpack it to the same folder. */
function whyNot(): string | undefined {
  const missing =
    process.platform === 'linux' ? ['dbus-daemon', 'gnome-keyring-daemon'].filter(isMissing) : []
  if (missing.length > 0)
    return `The specs need ${missing.join(' and ')}: sudo apt-get install -y dbus gnome-keyring libsecret-1-0`
  const electron = electronRuntime(root)
  if (electron === undefined) return 'Electron’s runtime isn’t installed and can’t be downloaded.'
  const asRoot = process.getuid?.() === 0 ? ['--no-sandbox'] : []
  const started = runElectron(electron, [...asRoot, '--version'])
  if (typeof started === 'string') return started
  return started === 0 ? undefined : `Electron exited with code ${started} when asked for its version.`
}

const isMissing = (command: string): boolean => onPath(command) === undefined

/**
 * Starts openbox, because a display without a desktop, such as Xvfb, can't focus or minimize windows. If a window manager is
 * already running, openbox exits immediately.
 */
function startWindowManager(): () => void {
  const { DISPLAY = '', XDG_CURRENT_DESKTOP = '' } = process.env
  if (process.platform !== 'linux' || DISPLAY === '' || XDG_CURRENT_DESKTOP !== '') return () => undefined
  const path = onPath('openbox')
  if (path === undefined) {
    console.log('Without a window manager the window can’t get the focus: sudo apt-get install -y openbox')
    return () => undefined
  }
  const manager = spawn(path, ['--sm-disable'], { stdio: 'ignore' })
  manager.on('error', (error) => console.log(`Couldn’t start openbox: ${error.message}`))
  return () => void manager.kill()
}

const reason = whyNot()
if (reason !== undefined) {
  console.error(reason)
  process.exitCode = 1
} else {
  const stopWindowManager = startWindowManager()
  const { status } = spawnSync(
    process.execPath,
    [vitest, 'run', '--config', 'vitest.e2e.config.ts', ...process.argv.slice(2)],
    { cwd: root, stdio: 'inherit', env: { ...process.env, MEDIATRAY_E2E: 'electron' } },
  )
  stopWindowManager()
  process.exitCode = status ?? 1
}
