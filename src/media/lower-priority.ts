import { readdirSync } from 'node:fs'
import { constants, setPriority } from 'node:os'

/**
 * How far to lower the priority. `whole` is the system's below-normal priority. On Unix, `half` leaves the process about a third of the
 * normal CPU weight, so that jobs continue and previews still appear on a busy computer. On Windows, `half` is the same as `whole`.
 */
export type Step = 'half' | 'whole'

const BELOW_NORMAL = constants.priority.PRIORITY_BELOW_NORMAL

/**
 * Lowers the priority of this process. If the system refuses, the process continues at normal priority. On Linux, disk access follows
 * the CPU priority.
 */
export function lowerPriority(step: Step): void {
  const priority = step === 'half' && process.platform !== 'win32' ? BELOW_NORMAL / 2 : BELOW_NORMAL
  for (const thread of threads()) {
    try {
      setPriority(thread, priority)
    } catch {
      // Continue at normal priority.
    }
  }
}

/**
 * Returns the IDs to pass when setting the priority: 0 for the process or, on Linux, the ID of each of its threads. Threads created later
 * inherit the priority.
 */
function threads(): readonly number[] {
  if (process.platform !== 'linux') return [0]
  try {
    return readdirSync('/proc/self/task').map(Number)
  } catch {
    return [0]
  }
}
