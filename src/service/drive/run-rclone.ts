import { type RcloneCall as AnyCall, runRclone } from '../../node/rclone/index.ts'
import { DriveFailure } from './drive.ts'

export type RcloneCall = Omit<AnyCall, 'program' | 'env'> & Required<Pick<AnyCall, 'operands' | 'signal'>>

/**
 * Runs rclone once.
 * @returns its stdout
 * @throws DriveFailure; `signal.reason` if it was aborted
 */
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
