/**
 * Reads and writes the gain map of a JPEG (ISO 21496-1, Ultra HDR). Also reads Apple's format. The map is a second, smaller JPEG after the
 * image. It specifies how much brighter each pixel is on an HDR screen.
 */
import type { Extent } from '../../shared/extent.ts'
import { readFile } from 'node:fs/promises'
import sharp, { type Sharp } from 'sharp'
import { orientationExif } from '../metadata/describe-exif.ts'
import { APPLE_GAIN_MAP, appleDescription, appleHeadroom, withLogarithms } from './apple-gain-map.ts'
import { endsEarly } from '../../node/memory-limit.ts'
import { bareJpeg } from './bare/jpeg.ts'
import { gainSegments } from './gain-description.ts'
import {
  contentNamed,
  EXIF_NAME,
  GAIN_MAP_NAME,
  isNamed,
  MARKERS,
  MULTI_PICTURE_NAME,
  PROFILE_NAME,
  readJpegHead,
  segment,
  segmentsOf,
  withSegments,
  XMP_NAME,
} from './jpeg-segments.ts'
import { changeProperties, parseXmp, writeXmp } from '../metadata/xmp-tree.ts'
import { tiffBlock } from './tiff-block.ts'

export type GainMap = Extent & {
  /** A JPEG that includes the map's description. */
  readonly jpeg: Buffer
  readonly isGray: boolean
  /** Exif orientation that makes the map upright. */
  readonly orientation: number
}

const ADOBE_NAMESPACE = 'http://ns.adobe.com/hdr-gain-map/1.0/'

/**
 * Like `readGainMap`, but reads most files only up to the pixels. Reads the rest only if a list of images, an ISO 21496-1 segment or
 * Adobe's XMP before the pixels shows that there may be a gain map.
 */
export async function readGainMapIn(
  file: string | Buffer,
  orientation: number,
): Promise<GainMap | undefined> {
  const isPath = typeof file === 'string'
  if (!announcesGainMap(isPath ? readJpegHead(file) : file)) return undefined
  return readGainMap(isPath ? await readFile(file) : file, orientation)
}

const announcesGainMap = (head: Buffer): boolean =>
  contentNamed(head, MULTI_PICTURE_NAME) !== undefined || describesGainMap(head)

/**
 * Reads the gain map that follows the image of a JPEG.
 * @param orientation Exif orientation of the image
 * @returns undefined if the file has no readable gain map
 */
export async function readGainMap(file: Buffer, orientation: number): Promise<GainMap | undefined> {
  const images = imagesBehind(file)
  const jpeg = images.find(describesGainMap)
  try {
    if (jpeg === undefined) return await readAppleMap(file, images, orientation)
    const { width, height, channels } = await sharp(jpeg).metadata()
    return { jpeg, width, height, orientation, isGray: channels === 1 }
  } catch {
    // Continue without the map, because the image matters more than its extra brightness.
    return undefined
  }
}

const xmpOf = (jpeg: Buffer): Buffer | undefined => contentNamed(jpeg, XMP_NAME)

async function readAppleMap(
  file: Buffer,
  images: readonly Buffer[],
  orientation: number,
): Promise<GainMap | undefined> {
  const map = images.find((jpeg) => xmpOf(jpeg)?.includes(APPLE_GAIN_MAP) === true)
  const headroom = map && appleHeadroom({ exif: contentNamed(file, EXIF_NAME) }, { xmp: xmpOf(map) })
  if (map === undefined || headroom === undefined) return undefined
  const { data, info } = await sharp(map, { ignoreIcc: true })
    .toColourspace('b-w')
    .raw()
    .toBuffer({ resolveWithObject: true })
  const extent = { width: info.width, height: info.height, orientation }
  return storeGainMap(withLogarithms(data, headroom), extent, gainSegments(appleDescription(headroom)))
}

/** @param pixels one or three channels */
export async function storeGainMap(
  pixels: Buffer,
  { width, height, orientation }: Omit<GainMap, 'jpeg' | 'isGray'>,
  segments: readonly Buffer[],
): Promise<GainMap> {
  const isGray = pixels.length === width * height
  const image = sharp(pixels, { raw: { width, height, channels: isGray ? 1 : 3 } })
  if (isGray) image.toColourspace('b-w')
  const coded = await image.jpeg({ quality: 100, chromaSubsampling: '4:4:4' }).toBuffer()
  return { jpeg: withSegments(coded, segments), width, height, orientation, isGray }
}

function describesGainMap(jpeg: Buffer): boolean {
  return contentNamed(jpeg, GAIN_MAP_NAME) !== undefined || xmpOf(jpeg)?.includes(ADOBE_NAMESPACE) === true
}

/** Returns whether an image after the main one is its gain map, in either format. */
export const isGainMap = (jpeg: Buffer): boolean =>
  describesGainMap(jpeg) || xmpOf(jpeg)?.includes(APPLE_GAIN_MAP) === true

function imagesBehind(file: Buffer): readonly Buffer[] {
  const listed = listedImages(file)
  if (listed.length > 0) return listed.map(({ start, end }) => file.subarray(start, end))
  // Some programs don't write a list. In that case, the next image begins where the first one ends.
  const end = file.indexOf(Buffer.from([0xff, MARKERS.EOI, 0xff, MARKERS.SOI, 0xff]))
  return end < 0 ? [] : [file.subarray(end + 2)]
}

const ENTRIES_TAG = 0xb002
const ENTRY_BYTES = 16
const TYPE_BITS = 0xff_ff_ff
/**
 * Maximum number of images to read from the list. A photo has a gain map and one or two previews. In a hostile file, many entries could
 * point to the same megabytes.
 */
const MAX_FRAMES = 16

export type ListedImage = {
  /** The type in the list: a preview, another view, a gain map, or 0 for anything else. */
  readonly type: number
  readonly start: number
  readonly end: number
}

/** Returns the images in the file's Multi-Picture Format list (CIPA DC-007), except the main image. A TIFF directory contains the list. */
export function listedImages(file: Buffer): readonly ListedImage[] {
  const list = segmentsOf(file).find((one) => isNamed(file, one, MULTI_PICTURE_NAME))
  if (list === undefined) return []
  const origin = list.body + MULTI_PICTURE_NAME.length
  const tiff = file.subarray(origin, list.end)
  const block = tiffBlock(tiff)
  if (block === undefined) return []
  const { read32 } = block
  const images: ListedImage[] = []
  try {
    const entries = block.directoryAt(read32(4)).get(ENTRIES_TAG)
    if (entries === undefined) return []
    const end = Math.min(entries.count, (MAX_FRAMES + 1) * ENTRY_BYTES)
    for (let entry = ENTRY_BYTES; entry + ENTRY_BYTES <= end; entry += ENTRY_BYTES) {
      const described = read32(entries.at) + entry
      const start = origin + read32(described + 8)
      const end = Math.min(start + read32(described + 4), file.length)
      images.push({ type: read32(described) & TYPE_BITS, start, end })
    }
  } catch (error) {
    if (!endsEarly(error)) throw error
  }
  return images
}

/** Returns the map as input for sharp. sharp makes it upright like its image and doesn't apply a color profile. */
export function gainMapSource({ jpeg, orientation }: GainMap) {
  const plain = withSegments(withoutOwnSegments(jpeg), [
    segment(MARKERS.APP1, EXIF_NAME, orientationExif(orientation)),
  ])
  return { input: plain, options: { autoOrient: true, ignoreIcc: true } }
}

const withoutOwnSegments = (jpeg: Buffer): Buffer => {
  const segments = segmentsOf(jpeg)
  const kept = segments.filter(({ marker }) => marker !== MARKERS.APP1)
  return Buffer.concat([
    jpeg.subarray(0, 2),
    ...kept.map(({ start, end }) => jpeg.subarray(start, end)),
    jpeg.subarray(segments.at(-1)?.end ?? 2),
  ])
}

const GAIN_MAP_QUALITY = 90

/** Encodes the pixels as a JPEG with the old map's description. A color map keeps three channels, as programs expect. */
export async function encodeGainMap(pixels: Sharp, { jpeg, isGray }: GainMap): Promise<Buffer> {
  if (isGray) pixels.toColourspace('b-w')
  const coded = await pixels.jpeg({ quality: GAIN_MAP_QUALITY, chromaSubsampling: '4:4:4' }).toBuffer()
  return withGain(coded, jpeg, [GAIN_MAP_NAME, PROFILE_NAME])
}

/** Returns the map with only its description; undefined if its JPEG isn't complete. Doesn't encode its pixels again. */
export function bareGainMap({ jpeg }: GainMap): Buffer | undefined {
  const bare = bareJpeg(jpeg)
  return bare && withGain(bare, jpeg, [GAIN_MAP_NAME])
}

function withGain(coded: Buffer, jpeg: Buffer, names: readonly string[]): Buffer {
  const saying = segmentsOf(jpeg).filter((one) => names.some((name) => isNamed(jpeg, one, name)))
  const xmp = xmpOf(jpeg)
  const described = xmp && onlyGain(xmp)
  return withSegments(coded, [
    ...saying.map(({ start, end }) => jpeg.subarray(start, end)),
    ...(described === undefined ? [] : [segment(MARKERS.APP1, XMP_NAME, described)]),
  ])
}

/** Namespaces that a packet needs in addition to those of its properties. */
const SYNTAX: ReadonlySet<string> = new Set(['adobe:ns:meta/', 'http://www.w3.org/1999/02/22-rdf-syntax-ns#'])

/**
 * Returns the XMP with only the map's description, because the rest may include the location, as in the photo; undefined if it can't be
 * read.
 */
function onlyGain(xmp: Buffer): Buffer | undefined {
  const nodes = parseXmp(xmp)
  return (
    nodes &&
    writeXmp(
      changeProperties(nodes, ({ namespace }) =>
        namespace === ADOBE_NAMESPACE || SYNTAX.has(namespace) ? undefined : { to: undefined },
      ),
    )
  )
}
