/**
 * Reads the gain map of a HEIC or AVIF, in ISO 21496-1 or Apple's format.
 * Returns it in the same form as a JPEG's gain map.
 */
import type { Extent } from '../../shared/extent.ts'
import { APPLE_GAIN_MAP, appleDescription, appleHeadroom, withLogarithms } from './apple-gain-map.ts'
import { type GainDescription, gainSegments, readIsoGain } from './gain-description.ts'
import { type GainMap, storeGainMap } from './gain-map.ts'
import {
  auxiliariesOf,
  describedBy,
  type HeifImage,
  itemsOf,
  readCodedItem,
  toneMapOf,
  transformsOf,
} from './heif-file.ts'
import type { Items } from '../../node/media-header/heif-items.ts'
import { unlessTooShort } from './image-failure.ts'

type FoundMap = {
  readonly image: HeifImage
  readonly description: GainDescription
  /** The ISO 21496-1 description as the file stores it. */
  readonly iso?: Buffer
  /** Apple's headroom: how many times brighter than white the brightest pixel may be. */
  readonly headroom?: number
}

/** Returns an image's opacity, upright and scaled to `size`, one byte per pixel. */
export type Seen = (size: Extent) => Promise<Buffer>

/**
 * Returns the gain map; undefined if the image has no supported gain map.
 * @param seen opacity of a transparent image, because invisible areas must not have any gain
 */
export async function readHeifGainMap(file: Buffer, seen?: Seen): Promise<GainMap | undefined> {
  const found = unlessTooShort(() => findMap(file))
  if (found === undefined) return undefined
  const { decodeHeif } = await import('./heif-pixels.ts')
  const decoded = await decodeHeif(found.image)
  if (decoded === undefined) return undefined
  const { width, height } = decoded
  const isGray = found.description.gains.length === 1
  const pixels = isGray ? everyThird(decoded.pixels) : decoded.pixels
  const stored = found.headroom === undefined ? pixels : withLogarithms(pixels, found.headroom)
  const values = seen === undefined ? stored : weighted(stored, await seen({ width, height }))
  // The decoder has made the map upright, like its image.
  return storeGainMap(values, { width, height, orientation: 1 }, gainSegments(found.description, found.iso))
}

function findMap(file: Buffer): FoundMap | undefined {
  const items = itemsOf(file)
  if (items === undefined) return undefined
  const found = standardMap(file, items, items.primary) ?? appleMap(file, items, items.primary)
  if (found === undefined || found.image.transforms.length > 0) return found
  // A map without its own orientation has the same orientation as its image.
  return { ...found, image: { ...found.image, transforms: transformsOf(file, items, items.primary) } }
}

/** Finds an ISO 21496-1 map. Unlike in a JPEG, a version byte precedes its description. */
function standardMap(file: Buffer, items: Items, primary: number): FoundMap | undefined {
  const toneMap = toneMapOf(items, primary)
  const map = toneMap?.to.find((item) => item !== primary)
  const data = toneMap && items.dataOf(toneMap.from)
  if (map === undefined || data?.[0] !== 0) return undefined
  const iso = data.subarray(1)
  const description = readIsoGain(iso)
  const image = readCodedItem(file, items, map, 'hevc') ?? readCodedItem(file, items, map, 'av1')
  return description && image && { image, description, iso }
}

function appleMap(file: Buffer, items: Items, primary: number): FoundMap | undefined {
  const map = auxiliariesOf(file, items, primary).find(({ purpose }) => purpose === APPLE_GAIN_MAP)?.item
  if (map === undefined) return undefined
  const headroom = appleHeadroom(describedBy(items, primary), describedBy(items, map))
  const image = readCodedItem(file, items, map, 'hevc')
  if (headroom === undefined || image === undefined) return undefined
  return { image, description: appleDescription(headroom), headroom }
}

/** Returns the red channel. A single-channel image decodes to equal red, green and blue. */
function everyThird(pixels: Buffer): Buffer {
  const channel = Buffer.alloc(pixels.length / 3)
  for (let at = 0; at < channel.length; at++) channel[at] = pixels[at * 3] ?? 0
  return channel
}

function weighted(values: Buffer, seen: Buffer): Buffer {
  const channels = values.length / seen.length
  const result = Buffer.alloc(values.length)
  for (let at = 0; at < values.length; at++)
    result[at] = Math.round(((values[at] ?? 0) * (seen[Math.floor(at / channels)] ?? 0)) / 255)
  return result
}
