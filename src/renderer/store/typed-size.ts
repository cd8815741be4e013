/** The size that the user types for *Under a size*. */
import type { WindowTranslation } from '../../shared/i18n/i18n.ts'
import { LEAST_MEGABYTES, MOST_MEGABYTES } from '../../shared/preset/task-names.ts'

/** Steps per MB: a size is a multiple of a kilobyte. */
const STEPS = 1_000

/** Reads a size in MB; NaN if the text isn't a number. */
export const readMegabytes = (text: string): number =>
  /^\s*\d+([.,]\d*)?\s*$/.test(text) ? Math.round(Number(text.replace(',', '.')) * STEPS) / STEPS : Number.NaN

/** Returns why a size can't be used; null if it can. */
export function sizeFault(text: string, t: WindowTranslation): string | null {
  const megabytes = readMegabytes(text)
  if (megabytes > MOST_MEGABYTES) return t.tasks.tooLarge({ size: MOST_MEGABYTES })
  return megabytes >= LEAST_MEGABYTES ? null : t.tasks.tooSmall({ size: LEAST_MEGABYTES })
}
