import { spawn } from 'node:child_process'
import { homedir } from 'node:os'
import { createInterface } from 'node:readline'
import {
  complaintsIn,
  explainTrouble,
  type LogEntry,
  parseLogLine,
  RCLONE_HABITS,
  rcloneEnvironment,
  troubleOf,
} from '../../node/rclone/index.ts'
import { DriveFailure } from './drive.ts'
import { codeOf } from '../../node/errors.ts'

export type RcloneCall = {
  /** The verb and its options. */
  readonly command: readonly string[]
  /** Paths and addresses; whatever they look like, none of them is read as an option. */
  readonly operands: readonly string[]
  readonly signal: AbortSignal
  /** Ended as unreachable after so many ms; without it, only rclone's own limits count. */
  readonly timeoutMs?: number
  readonly onLog?: (entry: LogEntry) => void
}

/** Runs rclone once. @returns its stdout @throws DriveFailure; `signal.reason` when it was stopped */
export type RunRclone = (call: RcloneCall) => Promise<string>

/** How long rclone may take to let go after it was told to end, in ms. */
const GRACE_MS = 2_000
const KEPT_LOG_LINES = 200

export function rcloneRunner(program: string, env: NodeJS.ProcessEnv): RunRclone {
  const environment = rcloneEnvironment(env)
  return async ({ command, operands, signal, timeoutMs, onLog }) => {
    signal.throwIfAborted()
    // From the home folder, so that the relative paths of a local remote mean the same wherever the service was started.
    const child = spawn(program, [...command, ...RCLONE_HABITS, '--', ...operands], {
      env: environment,
      cwd: homedir(),
      stdio: ['ignore', 'pipe', 'pipe'],
      windowsHide: true,
    })
    const ended = Promise.withResolvers<number | null>()
    child.once('error', ended.reject)
    child.once('close', ended.resolve)

    let stdout = ''
    child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text))
    const lines: string[] = []
    createInterface({ input: child.stderr }).on('line', (line) => {
      const entry = parseLogLine(line)
      if (entry) onLog?.(entry)
      lines.push(line)
      if (lines.length > KEPT_LOG_LINES) lines.shift()
    })

    let timedOut = false
    let killing: NodeJS.Timeout | undefined
    const end = () => {
      child.kill('SIGTERM')
      killing ??= setTimeout(() => child.kill('SIGKILL'), GRACE_MS)
    }
    const onTimeout = () => {
      timedOut = true
      end()
    }
    const timer = timeoutMs === undefined ? undefined : setTimeout(onTimeout, timeoutMs)
    signal.addEventListener('abort', end)
    try {
      const code = await ended.promise.catch((error: unknown) => {
        throw new DriveFailure({
          kind: 'other',
          message: `rclone can’t be started: ${codeOf(error) || 'for an unknown reason'}`,
        })
      })
      if (code === 0) return stdout
      signal.throwIfAborted()
      throw new DriveFailure(timedOut ? troubleOf('network') : explainTrouble(complaintsIn(lines), code))
    } finally {
      clearTimeout(timer)
      clearTimeout(killing)
      signal.removeEventListener('abort', end)
    }
  }
}
