/** Reads numbers as users type them. */

const ARABIC_ZERO = 0x660

/**
 * Returns the number in a text, which may use a decimal point or comma, full-width digits or Arabic ones; NaN if the text isn't a number.
 */
export function readNumber(text: string): number {
  const plain = text
    .normalize('NFKC')
    .trim()
    .replace(/[\u0660-\u0669]/g, (digit) => String(digit.charCodeAt(0) - ARABIC_ZERO))
    .replace(/[,\u066b]/, '.')
  return /^-?(?:\d+\.?\d*|\.\d+)$/.test(plain) ? Number(plain) : Number.NaN
}
