/**
 * Chooses the parts of a large image in which to measure its visual quality. Scoring the whole image would take longer than
 * encoding it.
 */
import type { Area, Extent } from '../../shared/extent.ts'
import type { RgbImage } from './ssimulacra2.ts'

export type PartSize = { readonly side: number; readonly columns: number; readonly rows: number }

/** Parts that are encoded repeatedly. Their side is a multiple of every encoder's block size, so they hardly affect each other. */
export const AREAS_TO_TRY: PartSize = { side: 128, columns: 4, rows: 4 }
/** Parts used once, to check the finished encoding. */
export const AREAS_TO_CHECK: PartSize = { side: 256, columns: 4, rows: 3 }
/** Parts that rate a job's result, in a sixth of the time. The score is up to two points higher than for the whole image. */
export const AREAS_TO_RATE: PartSize = { side: 128, columns: 4, rows: 2 }

/**
 * Chooses squares of every level of detail.
 * Sorts all squares by detail, divides them into equal groups, and takes the middle square of each group. Together, these
 * squares are about as hard to encode as the whole image.
 * @returns undefined if the image is small enough to be measured as a whole
 */
export function chooseParts(image: RgbImage, { side, columns, rows }: PartSize): readonly Area[] | undefined {
  const count = columns * rows
  const squares = squaresOf(image, side)
  if (squares.length <= count * 1.5) return undefined
  const sorted = squares
    .map((area) => ({ area, detail: detailIn(image, area) }))
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

/** Returns how much neighboring pixels differ in green, which carries most of the luminance. */
function detailIn({ pixels, width }: RgbImage, area: Area): number {
  let sum = 0
  for (let y = area.top; y < area.top + area.height; y += 2)
    for (let x = area.left; x < area.left + area.width - 1; x += 2) {
      const at = (y * width + x) * 3 + 1
      sum += Math.abs((pixels[at] ?? 0) - (pixels[at + 3] ?? 0))
    }
  return sum
}

/** Joins the parts into one image, in rows and columns. Without parts, returns the whole image. */
export function joinParts(
  image: RgbImage,
  parts: readonly Area[] | undefined,
  { side, columns, rows }: PartSize,
): RgbImage {
  if (parts === undefined) return image
  const joined = { width: side * columns, height: side * rows }
  const pixels = new Uint8Array(joined.width * joined.height * 3)
  for (const [index, part] of parts.entries()) {
    const left = (index % columns) * side
    const top = Math.floor(index / columns) * side
    for (let y = 0; y < side; y++) {
      const from = ((part.top + y) * image.width + part.left) * 3
      const to = ((top + y) * joined.width + left) * 3
      pixels.set(image.pixels.subarray(from, from + side * 3), to)
    }
  }
  return { pixels, ...joined }
}
