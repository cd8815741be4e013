import { type LogEntry, runRclone } from '../../node/rclone/index.ts'
import { DriveFailure } from './drive.ts'

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

export function rcloneRunner(program: string, env: NodeJS.ProcessEnv): RunRclone {
  return async (call) => {
    call.signal.throwIfAborted()
    const answer = await runRclone({ ...call, program, env })
    if (answer.ok) return answer.stdout
    call.signal.throwIfAborted()
    throw new DriveFailure(answer.trouble)
  }
}
