/** Runs rclone once. Every process that needs rclone uses this module. */
import { homedir } from 'node:os'
import { startProgram, type ChildEnd } from '../child-process.ts'
import { wasEndedFromOutside } from '../ended-from-outside.ts'
import { complaintsIn, explainTrouble, type LogEntry, parseLogLine, troubleOf } from './failure.ts'
import { reason } from '../../shared/failure/failure.ts'
import type { DriveTrouble } from '../../shared/model/built-in-service.ts'
import { RCLONE_FLAGS, rcloneEnvironment } from './program.ts'

export type RcloneCall = {
  readonly program: string
  /** The verb and its options. */
  readonly command: readonly string[]
  /** Paths and addresses. rclone never parses them as options. */
  readonly operands?: readonly string[]
  /** Only the variables that rclone needs are passed on. */
  readonly env: NodeJS.ProcessEnv
  /** Ends rclone when aborted. The result then has no output, and the caller already knows the reason. */
  readonly signal?: AbortSignal
  /** Ends rclone after this many ms and reports the remote as unreachable. If missing, only rclone's own limits apply. */
  readonly timeoutMs?: number
  readonly onLog?: (entry: LogEntry) => void
}

export type RcloneAnswer =
  | { readonly ok: true; readonly stdout: string }
  | { readonly ok: false; readonly trouble: DriveTrouble }

/** Time that rclone gets to exit after a request to terminate, in ms. */
const GRACE_MS = 2_000
const KEPT_LOG_LINES = 200
/** Maximum length of the output, in characters. A folder of 100,000 files with IDs needs less. */
const LONGEST_OUTPUT = 64 * 1024 * 1024

/** Runs rclone and returns its output. Never throws. */
export async function runRclone(call: RcloneCall): Promise<RcloneAnswer> {
  const { program, command, operands = [], env, timeoutMs, onLog } = call
  const lines: string[] = []
  const child = startProgram(program, {
    args: [...command, ...flagsBeside(command), '--', ...operands],
    env: rcloneEnvironment(env),
    // Runs in the home folder, so that relative paths of a local remote don't depend on our own working folder.
    cwd: homedir(),
    onStderrLine(line) {
      const entry = parseLogLine(line)
      if (entry) onLog?.(entry)
      lines.push(line)
      if (lines.length > KEPT_LOG_LINES) lines.shift()
    },
  })
  let stdout = ''
  let isTooLong = false
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    isTooLong ||= stdout.length + text.length > LONGEST_OUTPUT
    if (isTooLong) end()
    else stdout += text
  })

  const timeUp = timeoutMs === undefined ? undefined : AbortSignal.timeout(timeoutMs)
  const stop = AbortSignal.any([call.signal, timeUp].filter((signal) => signal !== undefined))
  let killing: NodeJS.Timeout | undefined
  const end = () => {
    child.terminate()
    killing ??= setTimeout(() => child.kill(), GRACE_MS)
  }
  if (stop.aborted) end()
  stop.addEventListener('abort', end)
  const ending = await child.ended
  clearTimeout(killing)
  stop.removeEventListener('abort', end)
  if (isTooLong) return { ok: false, trouble: { kind: 'other', reason: reason('driveFolderTooLarge') } }
  if (ending.code === 0) return { ok: true, stdout }
  if (timeUp?.aborted === true) return { ok: false, trouble: troubleOf('network') }
  const isEnded = !stop.aborted && wasEndedFromOutside(ending)
  return { ok: false, trouble: isEnded ? troubleOf('ended') : troubleIn(ending, lines) }
}

function troubleIn({ code, startError }: ChildEnd, lines: readonly string[]): DriveTrouble {
  if (startError === undefined) return explainTrouble(complaintsIn(lines), code)
  return { kind: 'other', reason: reason('rcloneNotStarted', { code: startError.code ?? 'unknown' }) }
}

/** Returns the flags that the command doesn't already set, because rclone uses the last one if a flag is given twice. */
function flagsBeside(command: readonly string[]): readonly string[] {
  const own = new Set(command.map(nameOfFlag))
  return RCLONE_FLAGS.filter((flag) => !own.has(nameOfFlag(flag)))
}

const nameOfFlag = (flag: string): string => flag.split('=', 1)[0] ?? flag
