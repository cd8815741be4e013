/**
 * Applies a Gaussian blur at a cost that doesn't depend on the radius.
 * Sums three cosines, each computed recursively from its last two values (D. Charalampidis, "Recursive Implementation of
 * the Gaussian Filter Using Truncated Cosine Functions", 2016). The comments give the paper's equation numbers.
 */
// Variables that a hot loop changes aren't initialized by destructuring an array, because V8 would allocate an object for each number.
import type { Extent } from '../../shared/extent.ts'
import type { Matrix, Triple } from './color-matrix.ts'

const SIGMA = 1.5
const RADIUS = Math.round(3.2795 * SIGMA + 0.2546) // (57)
const [IN, BACK] = coefficients()

/** Returns the input coefficients and the feedback coefficients, one per cosine. */
function coefficients(): readonly [Triple, Triple] {
  const step = Math.PI / (2 * RADIUS)
  const omega: Triple = [step, 3 * step, 5 * step]
  const each = (work: (omega: number, index: number) => number): Triple => [
    work(omega[0], 0),
    work(omega[1], 1),
    work(omega[2], 2),
  ]
  const p = each((value, index) => (index === 1 ? -1 : 1) / Math.tan(value / 2)) // (37)
  const r = each((value, index) => ((index === 1 ? -1 : 1) * p[index as 0] ** 2) / Math.sin(value)) // (44)
  const rho = each((value) => Math.exp(-0.5 * SIGMA * SIGMA * value * value) / RADIUS) // (50)
  const minor = (one: 0 | 1 | 2, other: 0 | 1 | 2) => p[one] * r[other] - r[one] * p[other] // (52)
  const zeta: Triple = [minor(1, 2) / minor(0, 1), minor(2, 0) / minor(0, 1), 1]
  const wanted: Triple = [1, RADIUS * RADIUS - SIGMA * SIGMA, zeta[0] * rho[0] + zeta[1] * rho[1] + rho[2]] // (55)
  const beta = solve([p, r, zeta], wanted) // (53)
  return [
    each((value, index) => -beta[index as 0] * Math.cos(value * (RADIUS + 1))), // (33)
    each((value) => 2 * Math.cos(value)),
  ]
}

/** Solves a system of three linear equations by Cramer's rule. */
function solve(rows: Matrix, right: Triple): Triple {
  const whole = determinant(rows)
  const column = (index: 0 | 1 | 2) => {
    const replaced = (row: Triple, value: number): Triple => [
      index === 0 ? value : row[0],
      index === 1 ? value : row[1],
      index === 2 ? value : row[2],
    ]
    return (
      determinant([replaced(rows[0], right[0]), replaced(rows[1], right[1]), replaced(rows[2], right[2])]) /
      whole
    )
  }
  return [column(0), column(1), column(2)]
}

function determinant([a, b, c]: Matrix): number {
  return (
    a[0] * (b[1] * c[2] - b[2] * c[1]) -
    a[1] * (b[0] * c[2] - b[2] * c[0]) +
    a[2] * (b[0] * c[1] - b[1] * c[0])
  )
}

/** Returns one row of a plane. */
export type RowSource = (y: number) => Float32Array

/**
 * Blurs a plane row by row, without allocating whole planes. Pixels outside the image count as zero, as in the
 * published metric.
 * @returns a function that returns the next row, each time in the same array
 */
export function rowBlur(rowAt: RowSource, { width, height }: Extent): () => Float32Array {
  const [blurRow, blurColumns] = [createRows(width), createColumns(width)]
  const kept = Array.from({ length: KEPT_ROWS }, () => new Float32Array(width))
  const zeros = new Float32Array(width)
  const keptAt = (y: number) => (y >= 0 && y < height ? kept[y % KEPT_ROWS] : undefined) ?? zeros
  let y = 1 - RADIUS
  const next = () => {
    const [upper, lower] = [y - RADIUS - 1, y + RADIUS - 1]
    y += 1
    if (lower < height) blurRow(rowAt(lower), keptAt(lower))
    return blurColumns(keptAt(upper), keptAt(lower))
  }
  // Start the recursion above the image, where its first rows already count. These results are discarded.
  for (let row = 1; row < RADIUS; row++) next()
  return next
}

/** Each row of the result needs the row RADIUS + 1 above it and the one RADIUS - 1 below. */
const KEPT_ROWS = 2 * RADIUS + 1

/** Returns a function that blurs a row into another array. */
function createRows(width: number): (row: Float32Array, result: Float32Array) => void {
  const [in0, in1, in2] = IN
  const [back0, back1, back2] = BACK
  const padded = new Float32Array(width + 3 * RADIUS)
  return (row, result) => {
    padded.set(row, 2 * RADIUS)
    let last0 = 0
    let last1 = 0
    let last2 = 0
    let older0 = 0
    let older1 = 0
    let older2 = 0
    for (let x = 1 - RADIUS, left = 0; x < width; x++, left++) {
      const sum = (padded[left] ?? 0) + (padded[left + 2 * RADIUS] ?? 0)
      const next0 = sum * in0 + last0 * back0 - older0
      const next1 = sum * in1 + last1 * back1 - older1
      const next2 = sum * in2 + last2 * back2 - older2
      older0 = last0
      older1 = last1
      older2 = last2
      last0 = next0
      last1 = next1
      last2 = next2
      if (x >= 0) result[x] = next0 + next1 + next2
    }
  }
}

/** Returns a function that blurs all columns one row further, with separate state for each column. */
function createColumns(width: number): (upper: Float32Array, lower: Float32Array) => Float32Array {
  const [in0, in1, in2] = IN
  const [back0, back1, back2] = BACK
  const result = new Float32Array(width)
  const last = new Float64Array(width * 3)
  const older = new Float64Array(width * 3)
  return (upper, lower) => {
    for (let x = 0, at = 0; x < width; x++, at += 3) {
      const sum = (upper[x] ?? 0) + (lower[x] ?? 0)
      const last0 = last[at] ?? 0
      const last1 = last[at + 1] ?? 0
      const last2 = last[at + 2] ?? 0
      const next0 = sum * in0 + last0 * back0 - (older[at] ?? 0)
      const next1 = sum * in1 + last1 * back1 - (older[at + 1] ?? 0)
      const next2 = sum * in2 + last2 * back2 - (older[at + 2] ?? 0)
      older[at] = last0
      older[at + 1] = last1
      older[at + 2] = last2
      last[at] = next0
      last[at + 1] = next1
      last[at + 2] = next2
      result[x] = next0 + next1 + next2
    }
    return result
  }
}
