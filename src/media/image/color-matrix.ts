export type Triple = readonly [number, number, number]
export type Matrix = readonly [Triple, Triple, Triple]

/** The Bradford transform: converts XYZ to cone responses, which are then scaled to adapt colors to another white point. */
export const BRADFORD: Matrix = [
  [0.8951, 0.2664, -0.1614],
  [-0.7502, 1.7135, 0.0367],
  [0.0389, -0.0685, 1.0296],
]

export function times(matrix: Matrix, [x, y, z]: Triple): Triple {
  const of = (row: Triple) => row[0] * x + row[1] * y + row[2] * z
  return [of(matrix[0]), of(matrix[1]), of(matrix[2])]
}
