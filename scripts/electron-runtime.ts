/** Downloads the real Electron runtime once and starts it. Reports why if it can't start. */
import { spawnSync } from 'node:child_process'

const FETCHING_MS = 600_000
/** In ms. A runtime that crashes after this time did start, so it isn't replaced by the stand-in. */
const STARTING_MS = 15_000
/** Exit code of a program with a missing system library. */
const LACKS_LIBRARY = 127
/** Signals that end Chromium when it can't initialize, for example without its sandbox. */
const ABORTS: readonly (NodeJS.Signals | null)[] = ['SIGTRAP', 'SIGABRT', 'SIGILL', 'SIGSEGV']

/** @returns the runtime's path; undefined if it isn't installed and can't be downloaded */
export function electronRuntime(root: string): string | undefined {
  const asked = spawnSync(process.execPath, ['-e', "process.stdout.write('\\n' + require('electron'))"], {
    cwd: root,
    encoding: 'utf8',
    timeout: FETCHING_MS,
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  const path = asked.stdout.split('\n').at(-1) ?? ''
  return asked.status === 0 && path !== '' ? path : undefined
}

/** @returns its exit code, or a sentence that says why it can't run here */
export function runElectron(electron: string, args: readonly string[]): number | string {
  const begun = performance.now()
  const { status, signal, error } = spawnSync(electron, [...args], { stdio: 'inherit' })
  if (error !== undefined) return `Couldn’t start Electron: ${error.message}.`
  if (status === LACKS_LIBRARY)
    return 'Electron needs system libraries that are missing. Installing Chromium adds them.'
  if (ABORTS.includes(signal) && performance.now() - begun < STARTING_MS) {
    return `Electron crashed on startup (${signal}). ${SANDBOX}`
  }
  return status ?? 1
}

const SANDBOX =
  'Ubuntu 24.04 and later, for example, block its sandbox unless sysctl kernel.apparmor_restrict_unprivileged_userns is 0.'
