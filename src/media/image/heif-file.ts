/** Reads the images of a HEIF file: their coded data, properties and transforms (ISO/IEC 23008-12). */
import type { Area, Extent } from '../../shared/extent.ts'
import { type Box, boxesIn, readFrom } from '../../node/media-header/heif-boxes.ts'
import { type HdrColors, hdrColors } from './hdr-colors.ts'
import { type Items, readItems, type Reference } from '../../node/media-header/heif-items.ts'
import { joinPackets, MOST_PACKETS } from '../metadata/xmp-packets.ts'
import { setOf } from '../words.ts'
import { unlessTooShort } from './image-failure.ts'
import { type ColorNumbers, isSrgb, type NamedColors, numbersOf } from './matrix-profile.ts'

/** Each codec's item type and the type of the property that holds its parameters. */
const CODINGS = {
  hevc: { item: 'hvc1', parameters: 'hvcC' },
  av1: { item: 'av01', parameters: 'av1C' },
} as const
export type Coding = keyof typeof CODINGS

/** One coded image. A large image is a grid of coded images. */
export type CodedImage = {
  /** Decoder parameters: the content of `hvcC` or `av1C`. */
  readonly parameters: Buffer
  readonly data: Buffer
}

export type Transform =
  /** Number of counterclockwise quarter turns. */
  | { readonly kind: 'rotate'; readonly quarters: number }
  | { readonly kind: 'mirror'; readonly over: 'upDown' | 'leftRight' }

export const isOnItsSide = (transforms: readonly Transform[]): boolean =>
  transforms.reduce((sum, one) => sum + (one.kind === 'rotate' ? one.quarters : 0), 0) % 2 === 1

export type CodedColors = {
  /** Numbers from ITU-T H.273, as for videos. */
  readonly primaries: number
  readonly transfer: number
  /** Number from ITU-T H.273: 1 is BT.709, 5 and 6 are BT.601, 9 is BT.2020. */
  readonly matrix: number
  readonly fullRange: boolean
}

export type HeifImage = {
  readonly coding: Coding
  /** Bits per channel. */
  readonly bits: number
  /** Size before rotation, in pixels. Tiles may extend beyond it. */
  readonly width: number
  readonly height: number
  readonly columns: number
  readonly rows: number
  /** The tiles in rows from the top, each from left to right. All of them have the same parameters. */
  readonly tiles: readonly [CodedImage, ...CodedImage[]]
  /** The area of the coded image to keep, before any rotation. */
  readonly cut: Area
  /** In the order in which to apply them. */
  readonly transforms: readonly Transform[]
  /** The image's transparency, with the same view. */
  readonly alpha?: HeifImage
  /** undefined if only the coded data specifies the colors. */
  readonly colors: CodedColors | undefined
  readonly metadata: ImageMetadata
}

export type ImageMetadata = {
  readonly icc?: Buffer | undefined
  /** An Exif block, with or without its `Exif` prefix. */
  readonly exif?: Buffer | undefined
  readonly xmp?: Buffer | undefined
}

/** Checks the first bytes for a brand that HEVC images use (ISO/IEC 14496-12, 4.3). */
export const looksLikeHeif = (head: Buffer): boolean =>
  head.toString('latin1', 4, 8) === 'ftyp' &&
  /^(hei[cxms]|hev[cxms]|mif1|msf1)/.test(head.toString('latin1', 8, 12))

/** Boxes with parts of an image. Bytes after the last of these boxes may be anything, and can look like another box. */
const OF_IMAGES = setOf('ftyp meta moov mdat')

/** Returns whether the file is truncated. A decoder would invent the missing part. */
export function endsTooEarly(file: Buffer): boolean {
  const reachesBeyond = unlessTooShort(() =>
    boxesIn(file, 0, file.length).some(
      (box) =>
        OF_IMAGES.has(box.type) &&
        (box.end > file.length || (box.type === 'meta' && readItems(file, box).end > file.length)),
    ),
  )
  return reachesBeyond ?? true
}

/** Properties that this module applies or that don't affect the pixels. It doesn't decode images with other properties. */
const UNDERSTOOD = setOf('ispe hvcC colr pixi clap irot imir pasp clli mdcv amve rref udes auxC av1C')

/**
 * Reads the primary image.
 * @returns undefined unless the image is a plain HEVC image or a grid of them. Excludes, for example, overlays, transparency in 8 bits,
 * other codecs, tiles with different parameters, and a primary image that is only a thumbnail
 * @throws RangeError if a box ends before its content does
 */
export function readHevcImage(file: Buffer): HeifImage | undefined {
  const items = itemsOf(file)
  if (items === undefined) return undefined
  const { primary, references } = items
  if (references.some(({ type, from }) => type === 'thmb' && from === primary)) return undefined
  const image = readCodedItem(file, items, primary, 'hevc')
  const transparency = alphaOf(file, items, primary)
  if (image === undefined || transparency === undefined) return image
  const alpha = readCodedItem(file, items, transparency, 'hevc')
  if (alpha === undefined || alpha.width !== image.width || alpha.height !== image.height) return undefined
  const bits = Math.max(image.bits, alpha.bits)
  const { cut, transforms } = image
  return bits > 8 ? { ...image, bits, alpha: { ...alpha, cut, transforms } } : undefined
}

/**
 * Returns the items of a HEIC or AVIF; undefined if the file has no primary image.
 * @throws RangeError if a box ends before its content does
 */
export function itemsOf(file: Buffer) {
  const meta = boxesIn(file, 0, file.length).find(({ type }) => type === 'meta')
  const items = meta && readItems(file, meta)
  return items?.primary === undefined ? undefined : { ...items, primary: items.primary }
}

/** Reads any image of the file, as `readHevcImage` reads the primary image. All parts of the image must use this codec. */
export function readCodedItem(
  file: Buffer,
  items: Items,
  item: number,
  coding: Coding,
): HeifImage | undefined {
  const properties = items.propertiesOf(item)
  if (!properties.every(({ type }) => UNDERSTOOD.has(type))) return undefined
  const size = sizeIn(file, properties)
  const grid =
    items.typeOf(item) === 'grid' ? readGrid(items, item) : { ...size, columns: 1, rows: 1, tiles: [item] }
  if (size === undefined || grid === undefined) return undefined
  if (grid.width !== size.width || grid.height !== size.height) return undefined
  const tiles = codedTiles(file, items, grid.tiles, coding)
  if (tiles === undefined) return undefined
  const [firstTile = item] = grid.tiles
  const cut = cutIn(file, properties, size)
  if (cut === undefined) return undefined
  return {
    coding,
    bits: depthIn(tiles[0].parameters, coding),
    ...size,
    columns: grid.columns,
    rows: grid.rows,
    tiles,
    cut,
    transforms: transformsOf(file, items, item),
    colors: colorsIn(file, properties) ?? colorsIn(file, items.propertiesOf(firstTile)),
    metadata: {
      icc: profileIn(file, properties) ?? profileIn(file, items.propertiesOf(firstTile)),
      ...describedBy(items, item),
    },
  }
}

export type HdrFacts = {
  readonly hdr: HdrColors | undefined
  /** SDR colors that the file specifies only by numbers; undefined for sRGB. */
  readonly numbers: ColorNumbers | undefined
  /** Whether an additional image is a gain map in Apple's format or ISO 21496-1. */
  readonly hasGainMap: boolean
  /** Whether the colors are premultiplied by alpha (ISO/IEC 23008-12, 6.10.1.2). */
  readonly isPremultiplied: boolean
}

/** Returns facts about the colors of the primary image, regardless of its codec. */
export function hdrFactsOfHeif(file: Buffer): HdrFacts {
  const facts = unlessTooShort(() => {
    const items = itemsOf(file)
    if (items === undefined) return undefined
    const { primary } = items
    const [tile = primary] =
      items.references.find(({ type, from }) => type === 'dimg' && from === primary)?.to ?? []
    const places = [items.propertiesOf(primary), items.propertiesOf(tile)]
    const [colors] = places.flatMap((properties) => colorsIn(file, properties) ?? [])
    const hasProfile = places.some((one) => profileIn(file, one) !== undefined)
    return {
      ...namedFacts(colors, hasProfile),
      hasGainMap:
        toneMapOf(items, primary) !== undefined ||
        auxiliariesOf(file, items, primary).some(({ purpose }) => purpose.includes('hdrgainmap')),
      isPremultiplied: items.references.some(({ type, from }) => type === 'prem' && from === primary),
    }
  })
  return facts ?? { hdr: undefined, numbers: undefined, hasGainMap: false, isPremultiplied: false }
}

/** Returns what the color numbers mean. They can mean HDR even if there is also a profile. */
export function namedFacts(
  colors: NamedColors | undefined,
  hasProfile: boolean,
): Pick<HdrFacts, 'hdr' | 'numbers'> {
  const hdr = colors && hdrColors(colors.primaries, colors.transfer)
  // Browsers show images with television curves as if they were sRGB.
  const numbers = colors && numbersOf(colors, 'sRGB')
  const isNamed = hdr === undefined && !hasProfile && numbers !== undefined && !isSrgb(numbers)
  return { hdr, numbers: isNamed ? numbers : undefined }
}

/** Returns the reference from the ISO 21496-1 item to its two inputs: the image and its gain map. */
export function toneMapOf(items: Items, image: number): Reference | undefined {
  return items.references.find(
    ({ type, from, to }) => type === 'dimg' && to.includes(image) && items.typeOf(from) === 'tmap',
  )
}

/** Returns the image's auxiliary images and the purpose of each (ISO/IEC 23008-12, 6.5.8). */
export function auxiliariesOf(file: Buffer, items: Items, image: number) {
  return items.references.flatMap(({ type, from, to }) => {
    if (type !== 'auxl' || !to.includes(image)) return []
    const box = items.propertiesOf(from).find((one) => one.type === 'auxC')
    return [{ item: from, purpose: box === undefined ? '' : purposeIn(file, box) }]
  })
}

/**
 * Maximum length of a purpose; actual ones are shorter. A hostile file could refer to one image many times, and its purpose is read again
 * for each reference.
 */
const LONGEST_PURPOSE = 128

function purposeIn(file: Buffer, { body, end }: Box): string {
  const start = body + 4
  const [purpose = ''] = file.toString('latin1', start, Math.min(end, start + LONGEST_PURPOSE)).split('\0', 1)
  return purpose
}

export const alphaOf = (file: Buffer, items: Items, image: number): number | undefined =>
  auxiliariesOf(file, items, image).find(({ purpose }) => /alpha|auxid:1/.test(purpose))?.item

export function sizeIn(file: Buffer, properties: readonly Box[]) {
  const box = properties.find(({ type }) => type === 'ispe')
  if (box === undefined) return undefined
  const read = readFrom(file, box.body + 4, box.end)
  return { width: read.number(4), height: read.number(4) }
}

export const isTransforming = ({ type }: Box): boolean =>
  type === 'clap' || type === 'irot' || type === 'imir'

/**
 * Returns the clean aperture (ISO/IEC 14496-12, 12.1.4). The file stores a size and an offset from the image's center, all as
 * fractions.
 * @returns undefined if the area isn't within the image, or doesn't consist of whole pixels. Programs ignore such an area
 */
export function apertureIn(file: Buffer, { body }: Box, size: Extent): Area | undefined {
  const fraction = (at: number) => file.readInt32BE(body + at) / file.readInt32BE(body + at + 4)
  const [width, height] = [fraction(0), fraction(8)]
  const left = fraction(16) + (size.width - width) / 2
  const top = fraction(24) + (size.height - height) / 2
  const fits = left >= 0 && top >= 0 && left + width <= size.width && top + height <= size.height
  const isWhole = [left, top, width, height].every((length) => Number.isInteger(length))
  return fits && isWhole && width > 0 && height > 0 ? { left, top, width, height } : undefined
}

/**
 * Returns the area that the clean aperture keeps. Without one, that is the whole image.
 * @returns undefined if the clean aperture can't be used, isn't the only one, or follows another transform
 */
function cutIn(file: Buffer, properties: readonly Box[], size: Extent): Area | undefined {
  const transforming = properties.filter(isTransforming)
  if (!transforming.some(({ type }) => type === 'clap')) return { left: 0, top: 0, ...size }
  const [first, ...others] = transforming
  if (first?.type !== 'clap' || others.some(({ type }) => type === 'clap')) return undefined
  return apertureIn(file, first, size)
}

/** Reads a grid's layout (ISO/IEC 23008-12, 6.6.2.3). Returns undefined if the layout is missing or doesn't match the tiles. */
function readGrid(items: Items, item: number) {
  const layout = items.dataOf(item)
  const tiles = items.references.find(({ type, from }) => type === 'dimg' && from === item)?.to
  if (layout === undefined || tiles === undefined) return undefined
  const read = readFrom(layout, 1, layout.length)
  const sideBytes = (read.number(1) & 1) === 1 ? 4 : 2
  const rows = read.number(1) + 1
  const columns = read.number(1) + 1
  const width = read.number(sideBytes)
  const height = read.number(sideBytes)
  return tiles.length === rows * columns ? { width, height, columns, rows, tiles } : undefined
}

/**
 * Reads the coded tiles. Reads each item once, because a grid may list the same item 65,536 times.
 * @returns undefined if a tile isn't supported, or if the tiles have different parameters
 */
function codedTiles(
  file: Buffer,
  items: Items,
  tiles: readonly number[],
  coding: Coding,
): HeifImage['tiles'] | undefined {
  const images = new Map<number, CodedImage>()
  for (const tile of new Set(tiles)) {
    const image = codedImage(file, items, tile, coding)
    if (image === undefined) return undefined
    if (tiles.length > 1 && items.propertiesOf(tile).some(isTransforming)) return undefined
    images.set(tile, image)
  }
  const [first, ...others] = tiles.flatMap((tile) => images.get(tile) ?? [])
  const distinct = new Map([...images.values()].map(({ parameters }) => [parameters.byteOffset, parameters]))
  const isAlike = [...distinct.values()].every((parameters) => first?.parameters.equals(parameters))
  return first === undefined || !isAlike ? undefined : [first, ...others]
}

/** Reads the bits per channel from the parameters (ISO/IEC 14496-15, 8.3.3; the binding of AV1, 2.3). */
function depthIn(parameters: Buffer, coding: Coding): number {
  if (coding === 'hevc') return 8 + (parameters.readUInt8(17) & 7)
  const [isHigh, isTwelve] = [0x40, 0x20].map((bit) => (parameters.readUInt8(2) & bit) !== 0)
  return isHigh ? (isTwelve ? 12 : 10) : 8
}

function codedImage(file: Buffer, items: Items, item: number, coding: Coding): CodedImage | undefined {
  const properties = items.propertiesOf(item)
  if (!properties.every(({ type }) => UNDERSTOOD.has(type))) return undefined
  const parameters = properties.find(({ type }) => type === CODINGS[coding].parameters)
  const data = items.dataOf(item)
  if (items.typeOf(item) !== CODINGS[coding].item || parameters === undefined || data === undefined)
    return undefined
  return { parameters: file.subarray(parameters.body, parameters.end), data }
}

export const transformsOf = (file: Buffer, items: Items, item: number): readonly Transform[] =>
  items.propertiesOf(item).flatMap((box) => transformOf(file, box))

export function transformOf(file: Buffer, { type, body }: Box): readonly Transform[] {
  if (type === 'irot') return [{ kind: 'rotate', quarters: file.readUInt8(body) & 3 }]
  if (type === 'imir')
    return [{ kind: 'mirror', over: (file.readUInt8(body) & 1) === 0 ? 'upDown' : 'leftRight' }]
  return []
}

function profileIn(file: Buffer, properties: readonly Box[]): Buffer | undefined {
  const box = properties.find(
    ({ type, body }) => type === 'colr' && /^(prof|rICC)$/.test(file.toString('latin1', body, body + 4)),
  )
  return box && file.subarray(box.body + 4, box.end)
}

/** Returns Exif and XMP from the metadata items that describe the image (ISO/IEC 23008-12, A.2). */
export function describedBy(items: Items, image: number): Pick<ImageMetadata, 'exif' | 'xmp'> {
  const describing = items.references.filter(({ type, to }) => type === 'cdsc' && to.includes(image))
  const dataOf = (wanted: string) =>
    describing
      .filter(({ from }) => items.typeOf(from) === wanted)
      .slice(0, MOST_PACKETS)
      .map(({ from }) => items.dataOf(from))
  return { exif: exifBlockIn(dataOf('Exif')[0]), ...joinPackets(dataOf('application/rdf+xml')) }
}

/**
 * Returns the Exif block of an item or a box; undefined if the block is missing or too short. The content begins with the block's offset
 * in four bytes.
 */
export function exifBlockIn(content: Buffer | undefined): Buffer | undefined {
  if (content === undefined || content.length < 4) return undefined
  const block = content.subarray(4 + content.readUInt32BE(0))
  return block.length > 8 ? block : undefined
}

function colorsIn(file: Buffer, properties: readonly Box[]): CodedColors | undefined {
  const box = properties.find(
    ({ type, body }) => type === 'colr' && file.toString('latin1', body, body + 4) === 'nclx',
  )
  if (box === undefined) return undefined
  const at = (place: number) => file.readUInt16BE(box.body + place)
  const fullRange = (file.readUInt8(box.body + 10) & 0x80) !== 0
  return { primaries: at(4), transfer: at(6), matrix: at(8), fullRange }
}
