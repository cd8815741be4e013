import { constants, setPriority } from 'node:os'

/** Out of the way of everything else. Some systems refuse; the work is then done at the usual priority. */
export function stepBack(): void {
  try {
    setPriority(constants.priority.PRIORITY_BELOW_NORMAL)
  } catch {
    // Nothing depends on it.
  }
}
