import { execFile } from 'node:child_process'
import { homedir } from 'node:os'
import {
  complaintsIn,
  type DriveTrouble,
  explainTrouble,
  RCLONE_HABITS,
  rcloneEnvironment,
  troubleOf,
} from '../../node/rclone/index.ts'

export type Asked =
  | { readonly ok: true; readonly text: string }
  | { readonly ok: false; readonly trouble: DriveTrouble }

export type Question = {
  readonly program: string
  /** The verb and its options. */
  readonly command: readonly string[]
  /** Addresses; whatever they look like, none of them is read as an option. */
  readonly operands?: readonly string[]
  readonly env: Readonly<Record<string, string | undefined>>
}

/** A person is waiting for the answer; in ms. */
const PATIENCE_MS = 15_000
const MOST_BYTES = 64 * 1024 * 1024

/** Runs rclone once for a short answer. Never throws. */
export function askRclone({ program, command, operands = [], env }: Question): Promise<Asked> {
  const { promise, resolve } = Promise.withResolvers<Asked>()
  const options = {
    env: rcloneEnvironment(env),
    // As the service does, so that the relative paths of a local remote mean the same.
    cwd: homedir(),
    timeout: PATIENCE_MS,
    maxBuffer: MOST_BYTES,
    windowsHide: true,
  }
  execFile(program, [...command, ...RCLONE_HABITS, '--', ...operands], options, (error, stdout, stderr) => {
    if (!error) resolve({ ok: true, text: stdout })
    else resolve({ ok: false, trouble: troubleIn(error, stderr) })
  })
  return promise
}

function troubleIn(
  error: { readonly killed?: boolean | undefined; readonly code?: string | number | null | undefined },
  stderr: string,
): DriveTrouble {
  if (error.killed === true) return troubleOf('network')
  if (typeof error.code === 'string')
    return { kind: 'other', message: `rclone can’t be started: ${error.code}` }
  return explainTrouble(complaintsIn(stderr.split('\n')), error.code ?? null)
}
