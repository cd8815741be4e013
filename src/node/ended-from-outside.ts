/** Distinguishes helper processes that failed from those that were ended from outside. Only a failure reveals something about the input. */
import { constants } from 'node:os'
import type { ChildEnd } from './child-process.ts'

type Ending = Pick<ChildEnd, 'code' | 'signal'>

/** Thrown if a helper process gave no answer, for example because it was killed twice. The work must be repeated later. */
export class HelperEnded extends Error {}

/**
 * Returns the signal that ended a process; undefined if none did. A wrapper reports the signal of its child as 128 plus the signal's
 * number.
 */
export const signalOf = ({ code, signal }: Ending): string | undefined =>
  signal ?? Object.entries(constants.signals).find(([, number]) => code === 128 + number)?.[0]

/** Whether the process couldn't be started, was killed for an invalid message (see `WorkerEnding`), or was ended from outside. */
export const wasKilled = (ending: Ending): boolean =>
  (ending.code === null && ending.signal === null) || wasEndedFromOutside(ending)

/**
 * Whether a signal from outside ended the process: from the system when the computer ran out of memory, or from Ctrl-C, a logoff or a
 * service manager, which signal all processes.
 */
export function wasEndedFromOutside(ending: Ending): boolean {
  const name = signalOf(ending)
  return name === 'SIGKILL' || name === 'SIGINT' || name === 'SIGTERM' || name === 'SIGHUP'
}
