/** Starts a main bundle on the stand-in. */
import { type ChildProcess, spawn } from 'node:child_process'
import { resolve } from 'node:path'

const REGISTER = new URL('./register.ts', import.meta.url).href

export type StandInOptions = {
  /** Path of the built main process. */
  readonly mainBundle: string
  readonly args?: readonly string[]
  /** Added to this process's environment. */
  readonly env?: Readonly<{ [name: string]: string | undefined }>
  readonly stdio: 'inherit' | 'driven'
}

/** With stdio `driven`, the child has an IPC channel and its output is piped. */
export function spawnOnStandIn(options: StandInOptions): ChildProcess {
  return spawn(
    process.execPath,
    [
      '--disable-warning=ExperimentalWarning',
      '--import',
      REGISTER,
      resolve(options.mainBundle),
      ...(options.args ?? []),
    ],
    {
      env: { ...process.env, ...options.env, MEDIATRAY_STAND_IN_ROLE: 'main' },
      stdio: options.stdio === 'inherit' ? 'inherit' : ['ignore', 'pipe', 'pipe', 'ipc'],
      serialization: 'advanced',
    },
  )
}

/**
 * Runs the app for interactive use until it quits. Prints what a desktop would show and Chromium can't, such as notifications and
 * shell calls.
 * @param options.visible false: Chromium has no window
 * @returns its exit code
 */
export function runOnStandIn(options: {
  readonly mainBundle: string
  readonly visible: boolean
  readonly args?: readonly string[]
  readonly env?: StandInOptions['env']
}): Promise<number> {
  const child = spawnOnStandIn({
    mainBundle: options.mainBundle,
    args: options.args ?? [],
    // There is no tray from which the app could be reopened.
    env: {
      MEDIATRAY_STAND_IN_NO_TRAY: '1',
      MEDIATRAY_STAND_IN_VISIBLE: options.visible ? '1' : '0',
      ...options.env,
    },
    stdio: 'inherit',
  })
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('exit', (code) => resolve(code ?? 1))
  })
}
