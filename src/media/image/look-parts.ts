/** The parts of a picture by which its look is judged: scoring all of a large one would take longer than making it. */
import type { Area, Extent } from './geometry.ts'
import type { RgbPicture } from './ssimulacra2.ts'

/** How many squares of which side, and how they are laid out. */
export type PartSize = { readonly side: number; readonly columns: number; readonly rows: number }

/** To be encoded again and again. A multiple of every block that an encoder works in, so that neighbours hardly touch. */
export const PARTS_TO_TRY: PartSize = { side: 128, columns: 4, rows: 4 }
/** To be looked at once in what was made. */
export const PARTS_TO_CHECK: PartSize = { side: 256, columns: 4, rows: 3 }

/**
 * Every degree of detail has its share: of all squares, sorted by how much is going on in them, those are taken that lie in the
 * middle of equally large groups. So the parts together are about as hard to encode as the whole.
 *
 * @returns undefined where the picture is so small that it is judged as a whole
 */
export function chooseParts(
  picture: RgbPicture,
  { side, columns, rows }: PartSize,
): readonly Area[] | undefined {
  const count = columns * rows
  const squares = squaresOf(picture, side)
  if (squares.length <= count * 1.5) return undefined
  const sorted = squares
    .map((area) => ({ area, detail: detailIn(picture, area) }))
    .toSorted((one, other) => one.detail - other.detail)
  return Array.from({ length: count }, (_, group) => {
    const middle = Math.floor(((group + 0.5) * sorted.length) / count)
    return sorted[middle]?.area
  }).filter((area) => area !== undefined)
}

function squaresOf({ width, height }: Extent, side: number): Area[] {
  const squares: Area[] = []
  for (let top = 0; top + side <= height; top += side)
    for (let left = 0; left + side <= width; left += side)
      squares.push({ left, top, width: side, height: side })
  return squares
}

/** How much neighbouring pixels differ, in the green that carries most of the light. */
function detailIn({ pixels, width }: RgbPicture, area: Area): number {
  let sum = 0
  for (let y = area.top; y < area.top + area.height; y += 2)
    for (let x = area.left; x < area.left + area.width - 1; x += 2) {
      const at = (y * width + x) * 3 + 1
      sum += Math.abs((pixels[at] ?? 0) - (pixels[at + 3] ?? 0))
    }
  return sum
}

/** The parts side by side, as one picture. */
export function joinParts(
  picture: RgbPicture,
  parts: readonly Area[] | undefined,
  { side, columns, rows }: PartSize,
): RgbPicture {
  if (parts === undefined) return picture
  const joined = { width: side * columns, height: side * rows }
  const pixels = new Uint8Array(joined.width * joined.height * 3)
  for (const [index, part] of parts.entries()) {
    const left = (index % columns) * side
    const top = Math.floor(index / columns) * side
    for (let y = 0; y < side; y++) {
      const from = ((part.top + y) * picture.width + part.left) * 3
      const to = ((top + y) * joined.width + left) * 3
      pixels.set(picture.pixels.subarray(from, from + side * 3), to)
    }
  }
  return { pixels, ...joined }
}
