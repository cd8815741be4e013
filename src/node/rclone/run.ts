/** Runs rclone once, as every process of ours does. */
import { homedir } from 'node:os'
import { startProgram, type ChildEnd } from '../child-process.ts'
import { complaintsIn, explainTrouble, type LogEntry, parseLogLine, troubleOf } from './failure.ts'
import type { DriveTrouble } from '../../shared/model/built-in-service.ts'
import { RCLONE_FLAGS, rcloneEnvironment } from './program.ts'

export type RcloneCall = {
  readonly program: string
  /** The verb and its options. */
  readonly command: readonly string[]
  /** Paths and addresses; whatever they look like, none of them is read as an option. */
  readonly operands?: readonly string[]
  /** What rclone does not need of it stays outside. */
  readonly env: Readonly<Record<string, string | undefined>>
  /** Ends it. The caller knows then why there is no answer. */
  readonly signal?: AbortSignal
  /** Ended as unreachable after so many ms; without it, only rclone's own limits count. */
  readonly timeoutMs?: number
  readonly onLog?: (entry: LogEntry) => void
}

export type RcloneAnswer =
  | { readonly ok: true; readonly stdout: string }
  | { readonly ok: false; readonly trouble: DriveTrouble }

/** How long rclone may take to let go after it was told to end, in ms. */
const GRACE_MS = 2_000
const KEPT_LOG_LINES = 200

/** Never throws. */
export async function runRclone(call: RcloneCall): Promise<RcloneAnswer> {
  const { program, command, operands = [], env, timeoutMs, onLog } = call
  const lines: string[] = []
  const child = startProgram(program, {
    args: [...command, ...flagsBeside(command), '--', ...operands],
    env: rcloneEnvironment(env),
    // From the home folder, so that the relative paths of a local remote mean the same wherever we were started.
    cwd: homedir(),
    onStderrLine(line) {
      const entry = parseLogLine(line)
      if (entry) onLog?.(entry)
      lines.push(line)
      if (lines.length > KEPT_LOG_LINES) lines.shift()
    },
  })
  let stdout = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text))

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
  if (ending.code === 0) return { ok: true, stdout }
  return { ok: false, trouble: timeUp?.aborted === true ? troubleOf('network') : troubleIn(ending, lines) }
}

function troubleIn({ code, startError }: ChildEnd, lines: readonly string[]): DriveTrouble {
  if (startError === undefined) return explainTrouble(complaintsIn(lines), code)
  return {
    kind: 'other',
    message: `rclone can’t be started: ${startError.code ?? 'for an unknown reason'}`,
  }
}

/** Of a flag that is given twice the last one would count: what a command says itself is not said again. */
function flagsBeside(command: readonly string[]): readonly string[] {
  const own = new Set(command.map(nameOfFlag))
  return RCLONE_FLAGS.filter((flag) => !own.has(nameOfFlag(flag)))
}

const nameOfFlag = (flag: string): string => flag.split('=', 1)[0] ?? flag
