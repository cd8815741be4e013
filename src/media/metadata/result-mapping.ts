/** Maps positions in an image to positions in its result. All positions are fractions of width and height. */
import { type Extent, turnedExtent } from '../../shared/extent.ts'
import type { Geometry } from '../image/geometry.ts'

/** x' = a·x + b·y + c, y' = d·x + e·y + f */
export type Mapping = readonly [a: number, b: number, c: number, d: number, e: number, f: number]
export type Point = { readonly x: number; readonly y: number }
/** A region, given by its center and its size. */
export type Region = Point & { readonly w: number; readonly h: number }

const then = (first: Mapping, next: Mapping): Mapping => {
  const [a, b, c, d, e, f] = first
  const [A, B, C, D, E, F] = next
  return [A * a + B * d, A * b + B * e, A * c + B * f + C, D * a + E * d, D * b + E * e, D * c + E * f + F]
}

/** From the stored to the upright image, by Exif orientation. */
const UPRIGHT: readonly Mapping[] = [
  [1, 0, 0, 0, 1, 0],
  [-1, 0, 1, 0, 1, 0],
  [-1, 0, 1, 0, -1, 1],
  [1, 0, 0, 0, -1, 1],
  [0, 1, 0, 1, 0, 0],
  [0, -1, 1, 1, 0, 0],
  [0, -1, 1, -1, 0, 1],
  [0, 1, 0, -1, 0, 1],
]
export const UNCHANGED: Mapping = [1, 0, 0, 0, 1, 0]

export const fromStored = (orientation: number, upright: Mapping): Mapping =>
  then(UPRIGHT[orientation - 1] ?? UNCHANGED, upright)

/**
 * Returns the mapping from the upright original to the result.
 * @param geometry planned for `original`
 */
export function mappingOf(original: Extent, geometry: Geometry): Mapping {
  const { scaled = original, mirror, rotation, kept, image, framed = image } = geometry
  const angle = (rotation * Math.PI) / 180
  const [sin, cos] = [Math.sin(angle), Math.cos(angle)].map((value) =>
    rotation % 90 === 0 ? Math.round(value) : value,
  ) as [number, number]
  const rotated = {
    width: Math.abs(scaled.width * cos) + Math.abs(scaled.height * sin),
    height: Math.abs(scaled.width * sin) + Math.abs(scaled.height * cos),
  }
  const area = kept ?? { left: 0, top: 0, ...image }
  const toPixels: Mapping = [
    mirror ? -scaled.width : scaled.width,
    0,
    mirror ? scaled.width / 2 : -scaled.width / 2,
    0,
    scaled.height,
    -scaled.height / 2,
  ]
  const turned: Mapping = [cos, -sin, rotated.width / 2, sin, cos, rotated.height / 2]
  const placed: Mapping = [
    1 / framed.width,
    0,
    (Math.floor((framed.width - image.width) / 2) - area.left) / framed.width,
    0,
    1 / framed.height,
    (Math.floor((framed.height - image.height) / 2) - area.top) / framed.height,
  ]
  return then(then(toPixels, turned), placed)
}

const NEARLY = 0.005

/** Returns whether the result shows exactly what the original shows, regardless of its size. */
export const isSameView = (mapping: Mapping): boolean =>
  mapping.every((value, index) => Math.abs(value - (UNCHANGED[index] ?? 0)) < NEARLY)

/** Returns an original's extent before its orientation is applied. */
export const storedExtent = (original: Extent, orientation: number): Extent =>
  turnedExtent(original, orientation >= 5)

/** Returns whether the result is neither rotated nor mirrored. */
export const isUpright = ([a, b, , d, e]: Mapping): boolean =>
  a > 0 && e > 0 && Math.abs(b) < NEARLY && Math.abs(d) < NEARLY

export const swapsSides = ([a, b]: Mapping): boolean => Math.abs(b) > Math.abs(a)

export const mapPoint = ({ x, y }: Point, [a, b, c, d, e, f]: Mapping): Point => ({
  x: a * x + b * y + c,
  y: d * x + e * y + f,
})

/** Returns the range of the values within the image. */
const inside = (values: readonly number[]) =>
  [Math.max(0, Math.min(...values)), Math.min(1, Math.max(...values))] as const

/** Returns the part of the region that the result shows; undefined if none of it is visible. */
export function mapRegion({ x, y, w, h }: Region, mapping: Mapping): Region | undefined {
  const corners = [-1, 1].flatMap((right) =>
    [-1, 1].map((down) => mapPoint({ x: x + (right * w) / 2, y: y + (down * h) / 2 }, mapping)),
  )
  const [left, right] = inside(corners.map((corner) => corner.x))
  const [top, bottom] = inside(corners.map((corner) => corner.y))
  if (!(right >= left && bottom >= top) || (w > 0 && right === left) || (h > 0 && bottom === top))
    return undefined
  return { x: (left + right) / 2, y: (top + bottom) / 2, w: right - left, h: bottom - top }
}
