import { constants, setPriority } from 'node:os'

/**
 * How far to lower the priority.
 * `whole` puts the process below everything else. `half` gives it about a third of a job's CPU weight on Unix, so that jobs
 * continue and previews still appear on a busy computer. Windows has no half steps.
 */
export type Step = 'half' | 'whole'

const BELOW_NORMAL = constants.priority.PRIORITY_BELOW_NORMAL

/** Lowers the priority of this process. If the system refuses, the process continues at normal priority. */
export function lowerPriority(step: Step): void {
  try {
    setPriority(step === 'half' && process.platform !== 'win32' ? BELOW_NORMAL / 2 : BELOW_NORMAL)
  } catch {
    // Continue at normal priority.
  }
}
