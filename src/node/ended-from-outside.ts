/** Tells whether a helper process gave up or was ended by someone else. Only the former says something about its input. */
import { constants } from 'node:os'
import type { ChildEnd } from './child-process.ts'

type Ending = Pick<ChildEnd, 'code' | 'signal'>

/** Thrown if a helper process ended twice without an answer. That is no answer: the work must be repeated later. */
export class HelperEnded extends Error {}

/** A wrapper reports the signal that ended its child as 128 plus the signal's number. */
export const signalOf = ({ code, signal }: Ending): string | undefined =>
  signal ?? Object.entries(constants.signals).find(([, number]) => code === 128 + number)?.[0]

/** Whether the process couldn't be started, or was ended from outside. */
export const wasKilled = (ending: Ending): boolean =>
  (ending.code === null && ending.signal === null) || wasEndedFromOutside(ending)

/**
 * Whether the process was ended by a signal that it doesn't send to itself: the system's for lack of memory on the whole computer, or
 * one that Ctrl-C, a logoff or a service manager sends to all processes.
 */
export function wasEndedFromOutside(ending: Ending): boolean {
  const name = signalOf(ending)
  return name === 'SIGKILL' || name === 'SIGINT' || name === 'SIGTERM' || name === 'SIGHUP'
}
