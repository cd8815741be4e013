/** The size that the user types for *Under a size*. */
import type { WindowTranslation } from '../../shared/i18n/i18n.ts'
import { readSize } from '../../shared/i18n/typed-size.ts'
import { LEAST_MEGABYTES, MOST_MEGABYTES } from '../../shared/preset/task-names.ts'

/** A size with decimals, so that the example shows the language's separator. */
const EXAMPLE_MEGABYTES = 1.5

/** Returns a size in MB, rounded to kilobytes; NaN if the text isn't a size. A number without a unit counts as MB. */
export const readMegabytes = (text: string, t: WindowTranslation): number =>
  Math.round(readSize(text, 'MB', t) / 1_000) / 1_000

/** Returns why a size can't be used; null if it can. */
export function sizeFault(text: string, t: WindowTranslation): string | null {
  const megabytes = readMegabytes(text, t)
  if (Number.isNaN(megabytes)) return t.tasks.noSize({ size: t.sizeIn(EXAMPLE_MEGABYTES, 'MB') })
  if (megabytes > MOST_MEGABYTES) return t.tasks.tooLarge({ size: t.sizeIn(MOST_MEGABYTES, 'MB') })
  return megabytes >= LEAST_MEGABYTES ? null : t.tasks.tooSmall({ size: t.sizeIn(LEAST_MEGABYTES, 'MB') })
}
