/**
 * The gain map of a JPEG (ISO 21496-1, Ultra HDR): a second, smaller JPEG behind the first, which says how much brighter each
 * place of the picture is to be on a screen that can show it.
 */
import { open, readFile } from 'node:fs/promises'
import sharp, { type Sharp } from 'sharp'
import { APPLE_GAIN_MAP, appleDescription, appleHeadroom, withLogarithms } from './apple-gain-map.ts'
import { gainSegments } from './gain-description.ts'
import type { Extent } from './geometry.ts'
import {
  contentNamed,
  EXIF_NAME,
  GAIN_MAP_NAME,
  holdsAllSegments,
  isNamed,
  MARKERS,
  MULTI_PICTURE_NAME,
  PROFILE_NAME,
  segment,
  segmentsOf,
  withSegments,
  XMP_NAME,
} from './jpeg-segments.ts'
import { tiffBlock } from './tiff-block.ts'

export type GainMap = Extent & {
  /** A JPEG with all that is to be known of it. */
  readonly jpeg: Buffer
  /** Whether it has one channel for all colours. */
  readonly isGray: boolean
  /** How its pixels lie, as Exif counts: as those of the picture. */
  readonly orientation: number
}

const ADOBE_NAMESPACE = 'http://ns.adobe.com/hdr-gain-map/1.0/'

/**
 * As `readGainMap`. Most photos have none, and of those no more is read than what lies in front of their pixels: there all that have
 * one announce it, by a list of their pictures, by ISO 21496-1, or in their XMP.
 */
export async function readGainMapIn(path: string, orientation: number): Promise<GainMap | undefined> {
  return announcesGainMap(await readHead(path)) ? readGainMap(await readFile(path), orientation) : undefined
}

function announcesGainMap(head: Buffer): boolean {
  return (
    contentNamed(head, MULTI_PICTURE_NAME) !== undefined ||
    contentNamed(head, GAIN_MAP_NAME) !== undefined ||
    xmpOf(head)?.includes(ADOBE_NAMESPACE) === true
  )
}

const FIRST_READ = 64 * 1024

/** At least all segments. */
async function readHead(path: string): Promise<Buffer> {
  const file = await open(path, 'r')
  try {
    for (let length = FIRST_READ; ; length *= 4) {
      const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, 0)
      const head = buffer.subarray(0, bytesRead)
      if (bytesRead < length || holdsAllSegments(head)) return head
    }
  } finally {
    await file.close()
  }
}

/** @param orientation of the picture. @returns undefined where the file has none that can be read */
export async function readGainMap(file: Buffer, orientation: number): Promise<GainMap | undefined> {
  const pictures = picturesBehind(file)
  const jpeg = pictures.find(saysHowToUseIt)
  try {
    if (jpeg === undefined) return await readAppleMap(file, pictures, orientation)
    const { width, height, channels } = await sharp(jpeg).metadata()
    return { jpeg, width, height, orientation, isGray: channels === 1 }
  } catch {
    // The picture itself is worth more than its extra brightness.
    return undefined
  }
}

const xmpOf = (jpeg: Buffer): Buffer | undefined => contentNamed(jpeg, XMP_NAME)

async function readAppleMap(
  file: Buffer,
  pictures: readonly Buffer[],
  orientation: number,
): Promise<GainMap | undefined> {
  const map = pictures.find((jpeg) => xmpOf(jpeg)?.includes(APPLE_GAIN_MAP) === true)
  const headroom = map && appleHeadroom({ exif: contentNamed(file, EXIF_NAME) }, { xmp: xmpOf(map) })
  if (map === undefined || headroom === undefined) return undefined
  const { data, info } = await sharp(map, { ignoreIcc: true })
    .toColourspace('b-w')
    .raw()
    .toBuffer({ resolveWithObject: true })
  const extent = { width: info.width, height: info.height, orientation }
  return storeGainMap(withLogarithms(data, headroom), extent, gainSegments(appleDescription(headroom)))
}

/** @param pixels of one channel or of three */
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

function saysHowToUseIt(jpeg: Buffer): boolean {
  return contentNamed(jpeg, GAIN_MAP_NAME) !== undefined || xmpOf(jpeg)?.includes(ADOBE_NAMESPACE) === true
}

function picturesBehind(file: Buffer): readonly Buffer[] {
  const listed = listedPictures(file)
  if (listed.length > 0) return listed
  // Some writers give no list: the next picture begins where the first one ends.
  const end = file.indexOf(Buffer.from([0xff, MARKERS.EOI, 0xff, MARKERS.SOI, 0xff]))
  return end < 0 ? [] : [file.subarray(end + 2)]
}

const ENTRIES_TAG = 0xb002
const ENTRY_BYTES = 16

/** By the Multi-Picture Format (CIPA DC-007): a TIFF directory of where further pictures lie. */
function listedPictures(file: Buffer): readonly Buffer[] {
  const list = segmentsOf(file).find((one) => isNamed(file, one, MULTI_PICTURE_NAME))
  if (list === undefined) return []
  const origin = list.body + MULTI_PICTURE_NAME.length
  const tiff = file.subarray(origin, list.end)
  const block = tiffBlock(tiff, tiff.toString('latin1', 0, 2))
  if (block === undefined) return []
  const { read32 } = block
  const pictures: Buffer[] = []
  try {
    const entries = block.directoryAt(read32(4)).get(ENTRIES_TAG)
    if (entries === undefined) return []
    for (let entry = ENTRY_BYTES; entry + ENTRY_BYTES <= entries.count; entry += ENTRY_BYTES) {
      const described = read32(entries.at) + entry
      const start = origin + read32(described + 8)
      pictures.push(file.subarray(start, start + read32(described + 4)))
    }
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
  }
  return pictures
}

/** What sharp is to read for it: upright like its picture, and with its numbers as they are. */
export function gainMapSource({ jpeg, orientation }: GainMap) {
  const plain = withSegments(withoutOwnSegments(jpeg), [
    segment(MARKERS.APP1, EXIF_NAME, turnedExif(orientation)),
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

/** A TIFF directory with nothing but how the pixels lie. */
function turnedExif(orientation: number): Buffer {
  const exif = Buffer.from('MM\0*\0\0\0\x08\0\x01\x01\x12\0\x03\0\0\0\x01\0\0\0\0\0\0\0\0', 'latin1')
  exif.writeUInt16BE(orientation, 18)
  return exif
}

const GAIN_MAP_QUALITY = 90

/** The pixels as a JPEG again, with what the old one said of them; programs take three channels for colours. */
export async function encodeGainMap(pixels: Sharp, { jpeg, isGray }: GainMap): Promise<Buffer> {
  if (isGray) pixels.toColourspace('b-w')
  const coded = await pixels.jpeg({ quality: GAIN_MAP_QUALITY, chromaSubsampling: '4:4:4' }).toBuffer()
  const saying = segmentsOf(jpeg).filter((one) =>
    [XMP_NAME, GAIN_MAP_NAME, PROFILE_NAME].some((name) => isNamed(jpeg, one, name)),
  )
  return withSegments(
    coded,
    saying.map(({ start, end }) => jpeg.subarray(start, end)),
  )
}
