/** Makes the tags of GeoTIFF describe the result (OGC 19-008r4). */
import type { ByteOrder } from '../image/tiff-block.ts'
import { type ExifContent, type ExifEntry, inOrder } from './exif-directories.ts'
import { isUpright, storedExtent } from './result-mapping.ts'
import type { ResultFacts } from './result-plan.ts'

const TAG = {
  pixelScale: 33_550,
  tiePoints: 33_922,
  matrix: 34_264,
  keys: 34_735,
  doubles: 34_736,
  texts: 34_737,
  gdalMetadata: 42_112,
  gdalNoData: 42_113,
} as const

export const GEO_TAGS: ReadonlySet<number> = new Set(Object.values(TAG))

/** Maps positions in the original to positions in the result, along one axis. */
type Axis = { readonly scale: number; readonly offset: number }

/** Returns tags that describe the result; undefined if it is rotated or mirrored, because not every program reads such maps. */
export function describeGeo(geo: ExifContent, facts: ResultFacts): ExifContent | undefined {
  const { extent, original, orientation, fromStored } = facts
  if (!isUpright(fromStored)) return undefined
  const [a, , c, , e, f] = fromStored
  const stored = storedExtent(original, orientation)
  const { entries } = inOrder(geo, ORDER)
  // Positions count from the corner of a pixel or from its center.
  const half = countsFromCenters(entries) ? 0.5 : 0
  const axis = (scale: number, start: number): Axis => ({ scale, offset: start + half * scale - half })
  const x = axis((a * extent.width) / stored.width, c * extent.width)
  const y = axis((e * extent.height) / stored.height, f * extent.height)
  return { order: ORDER, entries: entries.map((entry) => moved(entry, x, y)) }
}

const ORDER: ByteOrder = 'II'
const DOUBLE_BYTES = 8

function moved(entry: ExifEntry, x: Axis, y: Axis): ExifEntry {
  if (entry.kind === 'directory' || entry.bytes.length !== entry.count * DOUBLE_BYTES) return entry
  const numbers = Array.from({ length: entry.count }, (_, at) => entry.bytes.readDoubleLE(at * DOUBLE_BYTES))
  const bytes = Buffer.alloc(entry.bytes.length)
  for (const [at, value] of movedNumbers(entry.tag, numbers, x, y).entries())
    bytes.writeDoubleLE(value, at * DOUBLE_BYTES)
  return { ...entry, bytes }
}

function movedNumbers(tag: number, numbers: readonly number[], x: Axis, y: Axis): readonly number[] {
  switch (tag) {
    case TAG.pixelScale:
      return numbers.map((value, at) => value / ([x.scale, y.scale][at] ?? 1))
    case TAG.tiePoints:
      // Position, height, and three coordinates on the map.
      return numbers.map((value, at) => {
        const axis = [x, y][at % 6]
        return axis === undefined ? value : value * axis.scale + axis.offset
      })
    case TAG.matrix:
      return numbers.map((value, at) => {
        const row = at - (at % 4)
        const [perX = 0, perY = 0] = [numbers[row], numbers[row + 1]]
        const axis = [x, y][at % 4]
        if (at >= 12 || at % 4 === 2) return value
        if (axis !== undefined) return value / axis.scale
        return value - (perX / x.scale) * x.offset - (perY / y.scale) * y.offset
      })
    default:
      return numbers
  }
}

const RASTER_TYPE = 1025
const POINT = 2

/** Returns whether positions count from pixel centers. Keys have four numbers each: ID, location, count, and value. */
function countsFromCenters(entries: readonly ExifEntry[]): boolean {
  const keys = entries.find(({ tag }) => tag === TAG.keys)
  if (keys?.kind !== 'value') return false
  for (let at = 8; at + 8 <= keys.bytes.length; at += 8)
    if (keys.bytes.readUInt16LE(at) === RASTER_TYPE) return keys.bytes.readUInt16LE(at + 6) === POINT
  return false
}
