/** Reads numbers as users type them. */
import { withoutMarks } from './i18n/direction.ts'
import type { Format } from './i18n/format.ts'

const ARABIC_ZERO = 0x660

/**
 * Parses a number, which may have a decimal point or comma, and full-width or Arabic-Indic digits. Returns NaN if the text isn't a number,
 * or if its separator may separate thousands, as in "2,000".
 * @param decimals the separators that always mark decimals
 */
export function readNumber(text: string, decimals: string): number {
  const plain = plainTyped(text)
    .replace(/[\u0660-\u0669]/g, (digit) => String(digit.charCodeAt(0) - ARABIC_ZERO))
    .replace(/\u066b/, '.')
  const [, separator] = /^-?[1-9]\d{0,2}([.,])\d{3}$/.exec(plain) ?? []
  if (separator !== undefined && !decimals.includes(separator)) return Number.NaN
  return /^-?(?:\d+[.,]?\d*|[.,]\d+)$/.test(plain) ? Number(plain.replace(',', '.')) : Number.NaN
}

/** Returns typed text without marks of direction and full-width characters. */
export const plainTyped = (text: string): string => withoutMarks(text.normalize('NFKC')).trim()

export const decimalOf = (t: Pick<Format, 'number'>): string => (t.number(1.5).includes(',') ? ',' : '.')

/** The separators that always mark decimals on the command line. Scripts always write a point. */
export const terminalDecimals = (t: Pick<Format, 'number'>): string => `.${decimalOf(t)}`
