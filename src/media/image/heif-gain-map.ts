/** The gain map of a HEIC or AVIF, by ISO 21496-1 or by Apple alone, as the JPEG that a photo in that format has behind it. */
import { APPLE_GAIN_MAP, appleDescription, appleHeadroom, withLogarithms } from './apple-gain-map.ts'
import { type GainDescription, gainSegments, readIsoGain } from './gain-description.ts'
import { type GainMap, storeGainMap } from './gain-map.ts'
import type { Extent } from './geometry.ts'
import {
  auxiliariesOf,
  describedBy,
  type HeifPicture,
  itemsOf,
  readCodedItem,
  toneMapOf,
  transformsOf,
} from './heif-file.ts'
import type { Items } from './heif-items.ts'

type FoundMap = {
  readonly picture: HeifPicture
  readonly description: GainDescription
  /** As the file has it. */
  readonly iso?: Buffer
  /** Apple's: what the brightest pixel stands for. */
  readonly headroom?: number
}

/** How much is seen of each place of a picture, upright and in that size, from 0 to 255. */
export type Seen = (size: Extent) => Promise<Buffer>

/**
 * @param seen of a see-through picture: what lies behind it has no gain
 * @returns undefined where there is none, or none that is understood
 */
export async function readHeifGainMap(file: Buffer, seen?: Seen): Promise<GainMap | undefined> {
  const found = findMap(file)
  if (found === undefined) return undefined
  // Its decoders are loaded with the first picture that needs them.
  const { decodeHeif } = await import('./heif-pixels.ts')
  const decoded = await decodeHeif(found.picture)
  if (decoded === undefined) return undefined
  const { width, height } = decoded
  const isGray = found.description.gains.length === 1
  const pixels = isGray ? everyThird(decoded.pixels) : decoded.pixels
  const stored = found.headroom === undefined ? pixels : withLogarithms(pixels, found.headroom)
  const values = seen === undefined ? stored : weighted(stored, await seen({ width, height }))
  // The pixels come upright, like those of the picture.
  return storeGainMap(values, { width, height, orientation: 1 }, gainSegments(found.description, found.iso))
}

function findMap(file: Buffer): FoundMap | undefined {
  try {
    const items = itemsOf(file)
    if (items?.primary === undefined) return undefined
    const found = standardMap(file, items, items.primary) ?? appleMap(file, items, items.primary)
    if (found === undefined || found.picture.transforms.length > 0) return found
    // A map that is not turned by itself lies as the pixels of its picture do.
    return { ...found, picture: { ...found.picture, transforms: transformsOf(file, items, items.primary) } }
  } catch (error) {
    if (error instanceof RangeError) return undefined
    throw error
  }
}

/** The data of its item has a version in front of what a JPEG would hold. */
function standardMap(file: Buffer, items: Items, primary: number): FoundMap | undefined {
  const toneMap = toneMapOf(items, primary)
  const map = toneMap?.to.find((item) => item !== primary)
  const data = toneMap && items.dataOf(toneMap.from)
  if (map === undefined || data?.[0] !== 0) return undefined
  const iso = data.subarray(1)
  const description = readIsoGain(iso)
  const picture = readCodedItem(file, items, map, 'hevc') ?? readCodedItem(file, items, map, 'av1')
  return description && picture && { picture, description, iso }
}

function appleMap(file: Buffer, items: Items, primary: number): FoundMap | undefined {
  const map = auxiliariesOf(file, items, primary).find(({ purpose }) => purpose === APPLE_GAIN_MAP)?.item
  if (map === undefined) return undefined
  const headroom = appleHeadroom(describedBy(items, primary), describedBy(items, map))
  const picture = readCodedItem(file, items, map, 'hevc')
  if (headroom === undefined || picture === undefined) return undefined
  return { picture, description: appleDescription(headroom), headroom }
}

/** Red, green and blue are the same where there is but one channel. */
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
