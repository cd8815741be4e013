/** Reads sizes as users type them. */
import { decimalOf, plainTyped, readNumber } from '../typed-number.ts'
import type { Format } from './format.ts'

const FACTORS: Readonly<Record<string, number>> = {
  b: 1,
  k: 1e3,
  kb: 1e3,
  m: 1e6,
  mb: 1e6,
  g: 1e9,
  gb: 1e9,
  kib: 1024,
  mib: 1024 ** 2,
  gib: 1024 ** 3,
}

/**
 * Returns the bytes of a size such as "1.5 MB", with the units above or those of the language; NaN if the text isn't a size.
 * @param unit of a number without a unit
 * @param decimals the separators that always mark decimals
 */
export function readSize(
  text: string,
  unit: 'B' | 'MB',
  t: Pick<Format, 'number' | 'sizeUnit'>,
  decimals = decimalOf(t),
): number {
  const [, number = '', typed = ''] = /^(\P{L}*?)\s*(\p{L}.*)?$/u.exec(plainTyped(text)) ?? []
  const chosen = (typed || unit).toLowerCase()
  const local = (['kB', 'MB', 'GB'] as const).find((one) => t.sizeUnit(one).toLowerCase() === chosen)
  return readNumber(number, decimals) * (FACTORS[(local ?? chosen).toLowerCase()] ?? Number.NaN)
}
