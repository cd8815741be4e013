import { constants, setPriority } from 'node:os'

/**
 * `whole`: behind everything else. `half`: a third of the weight of a job on Unix, so that jobs go on, and what a person is looking
 * at comes nonetheless on a computer that is busy with something else; Windows has no half steps.
 */
export type Step = 'half' | 'whole'

const BELOW_NORMAL = constants.priority.PRIORITY_BELOW_NORMAL

/** Some systems refuse; the work is then done at the usual priority. */
export function stepBack(step: Step): void {
  try {
    setPriority(step === 'half' && process.platform !== 'win32' ? BELOW_NORMAL / 2 : BELOW_NORMAL)
  } catch {
    // Nothing depends on it.
  }
}
