/** How a picture as stored becomes upright: the filters that do it, and whether width and height change places. */
export type Turn = { readonly filters: readonly string[]; readonly swapsSides: boolean }

export const NO_TURN: Turn = { filters: [], swapsSides: false }

const DISPLAY_MATRIX_BYTES = 36

/**
 * Reads a display matrix (nine 32-bit numbers in the byte order of this computer; the upper left four turn and mirror).
 * Angles between the right ones are taken for the nearest right one.
 */
export function turnOfDisplayMatrix(matrix: Buffer | null): Turn {
  if (matrix === null || matrix.length < DISPLAY_MATRIX_BYTES) return NO_TURN
  const entries = new Int32Array(new Uint8Array(matrix.subarray(0, DISPLAY_MATRIX_BYTES)).buffer)
  const [a = 0, b = 0, , c = 0, d = 0] = entries
  if (Math.abs(b) + Math.abs(c) > Math.abs(a) + Math.abs(d)) return sideways(b > 0, c > 0)
  const filters = [...(a < 0 ? ['hflip'] : []), ...(d < 0 ? ['vflip'] : [])]
  return { filters, swapsSides: false }
}

function sideways(rightBecomesDown: boolean, downBecomesRight: boolean): Turn {
  const direction = rightBecomesDown
    ? downBecomesRight
      ? 'cclock_flip'
      : 'clock'
    : downBecomesRight
      ? 'cclock'
      : 'clock_flip'
  return { filters: [`transpose=${direction}`], swapsSides: true }
}

const TURNS = {
  0: NO_TURN,
  90: { filters: ['transpose=clock'], swapsSides: true },
  180: { filters: ['hflip', 'vflip'], swapsSides: false },
  270: { filters: ['transpose=cclock'], swapsSides: true },
} as const satisfies Record<number, Turn>

/** A quarter turn, or several, clockwise. */
export function turnOfDegrees(degrees: keyof typeof TURNS): Turn {
  return TURNS[degrees]
}

/** One turn after the other; two opposite quarter turns cancel out, which spares two passes over every picture. */
export function combineTurns(first: Turn, second: Turn): Turn {
  const both = [...first.filters, ...second.filters]
  const cancels = both.length === 2 && both.includes('transpose=clock') && both.includes('transpose=cclock')
  return { filters: cancels ? [] : both, swapsSides: first.swapsSides !== second.swapsSides }
}
