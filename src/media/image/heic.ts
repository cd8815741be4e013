/** HEIC, whose HEVC coding sharp's libraries can't decode for licence reasons: libheif as WebAssembly does it. */
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { crc32, deflateSync } from 'node:zlib'
import type { Metadata } from 'sharp'
import { endsTooEarly } from './heif.ts'
import { damagedPicture, MAX_PIXELS_IN_MEMORY, refuseTooManyPixels } from './picture-failure.ts'

/** The part of libheif's WebAssembly build that is used here; the package brings no types. */
type LibHeif = {
  HeifDecoder: new () => { decode(file: Uint8Array): HeifImage[] }
}

type HeifImage = {
  get_width(): number
  get_height(): number
  is_primary(): boolean
  has_alpha_channel(): boolean
  is_premultiplied_alpha(): boolean
  /** Fills `target.data` with RGBA, turned and cropped as the file says; null means that it could not. */
  display(
    target: { data: Uint8ClampedArray; width: number; height: number },
    done: (target: { data: Uint8ClampedArray } | null) => void,
  ): void
}

const libheif: LibHeif = createRequire(import.meta.url)('libheif-js/wasm-bundle.js')

const PNG_SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
const ORIENTATION_TAG = 0x0112
const EXIF_PREFIX = 'Exif\0\0'

export type DecodedHeic = {
  /** An uncompressed PNG: unlike bare pixels it carries the colour profile and the metadata along. */
  readonly input: Buffer
  readonly width: number
  readonly height: number
  readonly hasAlpha: boolean
  readonly hasProfile: boolean
}

/** @throws ProcessingError when the file is damaged or incomplete */
export async function decodeHeic(
  filePath: string,
  metadata: Pick<Metadata, 'icc' | 'exif' | 'xmp'>,
): Promise<DecodedHeic> {
  const file = await readFile(filePath)
  // libheif shows what it has of such a file: gray, or the thumbnail.
  if (endsTooEarly(file)) throw damagedPicture('the picture data ends before it should')
  const image = primaryImage(file)
  const width = image.get_width()
  const height = image.get_height()
  refuseTooManyPixels(width, height, 1, MAX_PIXELS_IN_MEMORY)
  const hasAlpha = image.has_alpha_channel()
  const pixels = await decodePixels(image, width, height)
  if (hasAlpha && image.is_premultiplied_alpha()) divideByAlpha(pixels)
  const { icc, exif, xmp } = metadata
  return {
    input: wrapAsPng({
      pixels,
      width,
      height,
      hasAlpha,
      ...(icc === undefined ? {} : { icc }),
      ...(exif === undefined ? {} : { exif: uprightExif(exif) }),
      ...(xmp === undefined ? {} : { xmp }),
    }),
    width,
    height,
    hasAlpha,
    hasProfile: icc !== undefined,
  }
}

function primaryImage(file: Uint8Array): HeifImage {
  const images = new libheif.HeifDecoder().decode(file)
  const primary = images.find((image) => image.is_primary()) ?? images[0]
  if (primary === undefined) throw damagedPicture('no picture was found in it')
  return primary
}

function decodePixels(image: HeifImage, width: number, height: number): Promise<Uint8ClampedArray> {
  return new Promise((resolve, reject) => {
    const data = new Uint8ClampedArray(width * height * 4)
    image.display({ data, width, height }, (shown) => {
      if (shown === null) reject(damagedPicture('the picture could not be decoded'))
      else resolve(data)
    })
  })
}

function divideByAlpha(pixels: Uint8ClampedArray): void {
  for (let at = 0; at < pixels.length; at += 4) {
    const alpha = pixels[at + 3] ?? 255
    if (alpha === 0 || alpha === 255) continue
    for (let channel = at; channel < at + 3; channel++)
      pixels[channel] = ((pixels[channel] ?? 0) * 255) / alpha
  }
}

/**
 * A copy of an Exif block (TIFF structure, with or without its `Exif` prefix) that says the picture is upright, without
 * the prefix. A block that makes no sense comes back as it is.
 */
function uprightExif(exif: Buffer): Buffer {
  const hasPrefix = exif.toString('latin1', 0, EXIF_PREFIX.length) === EXIF_PREFIX
  const tiff = Buffer.from(hasPrefix ? exif.subarray(EXIF_PREFIX.length) : exif)
  const littleEndian = tiff.toString('latin1', 0, 2) === 'II'
  const read16 = (at: number) => (littleEndian ? tiff.readUInt16LE(at) : tiff.readUInt16BE(at))
  const read32 = (at: number) => (littleEndian ? tiff.readUInt32LE(at) : tiff.readUInt32BE(at))
  try {
    const directory = read32(4)
    for (let entry = 0; entry < read16(directory); entry++) {
      const at = directory + 2 + entry * 12
      if (read16(at) !== ORIENTATION_TAG) continue
      if (littleEndian) tiff.writeUInt16LE(1, at + 8)
      else tiff.writeUInt16BE(1, at + 8)
    }
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
  }
  return tiff
}

type PngContent = {
  /** RGBA, rows from the top. */
  readonly pixels: Uint8ClampedArray
  readonly width: number
  readonly height: number
  /** Without it the fourth channel is left out. */
  readonly hasAlpha: boolean
  readonly icc?: Buffer
  /** The TIFF structure, without the `Exif` prefix. */
  readonly exif?: Buffer
  readonly xmp?: Buffer
}

/**
 * The decoded pixels as a PNG whose data is stored and not compressed. It costs little more than a copy, and sharp reads
 * colour profile and metadata from it, which bare pixels can't carry.
 */
function wrapAsPng(content: PngContent): Buffer {
  const { icc, exif, xmp } = content
  const parts = [PNG_SIGNATURE, chunk('IHDR', headerOf(content))]
  if (icc !== undefined) parts.push(chunk('iCCP', Buffer.concat([text('icc\0\0'), deflateSync(icc)])))
  if (exif !== undefined) parts.push(chunk('eXIf', exif))
  if (xmp !== undefined) parts.push(chunk('iTXt', Buffer.concat([text('XML:com.adobe.xmp\0\0\0\0\0'), xmp])))
  parts.push(chunk('IDAT', deflateSync(rowsOf(content), { level: 0 })), chunk('IEND', Buffer.alloc(0)))
  return Buffer.concat(parts)
}

function headerOf({ width, height, hasAlpha }: PngContent): Buffer {
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  header[8] = 8
  header[9] = hasAlpha ? 6 : 2
  return header
}

/** Each row with the mark "no filter" in front. */
function rowsOf({ pixels, width, height, hasAlpha }: PngContent): Buffer {
  const channels = hasAlpha ? 4 : 3
  const rows = Buffer.alloc((width * channels + 1) * height)
  let to = 0
  for (let y = 0; y < height; y++) {
    to++
    if (hasAlpha) {
      rows.set(pixels.subarray(y * width * 4, (y + 1) * width * 4), to)
      to += width * 4
      continue
    }
    for (let from = y * width * 4; from < (y + 1) * width * 4; from += 4) {
      rows[to++] = pixels[from] ?? 0
      rows[to++] = pixels[from + 1] ?? 0
      rows[to++] = pixels[from + 2] ?? 0
    }
  }
  return rows
}

function chunk(type: string, body: Buffer): Buffer {
  const head = Buffer.alloc(8)
  head.writeUInt32BE(body.length, 0)
  head.write(type, 4, 'latin1')
  const tail = Buffer.alloc(4)
  tail.writeUInt32BE(crc32(body, crc32(head.subarray(4))), 0)
  return Buffer.concat([head, body, tail])
}

const text = (characters: string) => Buffer.from(characters, 'latin1')
