/** Decoded pixels as a PNG whose data is stored and not compressed. */
import { crc32, deflateSync } from 'node:zlib'
import type { RawPicture } from './raw-picture.ts'

const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
const ORIENTATION_TAG = 0x0112
const EXIF_PREFIX = 'Exif\0\0'

/** PNG's numbers for gray, gray with alpha, colour, colour with alpha. */
const COLOUR_TYPES = { 1: 0, 2: 4, 3: 2, 4: 6 } as const

/**
 * It costs little more than a copy, and sharp reads colour profile and metadata from it, which bare pixels can't carry. The
 * pixels have been turned already, so the Exif data that goes with them asks for no more.
 */
export function wrapAsPng(content: RawPicture): Buffer {
  const { icc, exif, xmp } = content.metadata
  const parts = [SIGNATURE, chunk('IHDR', headerOf(content))]
  if (icc !== undefined) parts.push(chunk('iCCP', Buffer.concat([text('icc\0\0'), deflateSync(icc)])))
  if (exif !== undefined) parts.push(chunk('eXIf', uprightExif(exif)))
  if (xmp !== undefined) parts.push(chunk('iTXt', Buffer.concat([text('XML:com.adobe.xmp\0\0\0\0\0'), xmp])))
  parts.push(chunk('IDAT', deflateSync(rowsOf(content), { level: 0 })), chunk('IEND', Buffer.alloc(0)))
  return Buffer.concat(parts)
}

function headerOf({ width, height, channels, depth = 8 }: RawPicture): Buffer {
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  header[8] = depth
  header[9] = COLOUR_TYPES[channels]
  return header
}

/** Each row with the mark "no filter" in front. */
function rowsOf({ pixels, width, height, channels, depth = 8 }: RawPicture): Buffer {
  const length = (width * channels * depth) / 8
  // PNG has the higher byte first.
  const ordered = depth === 16 ? Buffer.from(pixels).swap16() : pixels
  const rows = Buffer.alloc((length + 1) * height)
  for (let y = 0; y < height; y++)
    rows.set(ordered.subarray(y * length, (y + 1) * length), y * (length + 1) + 1)
  return rows
}

/**
 * A copy of an Exif block (TIFF structure, with or without its `Exif` prefix) that says the picture is upright, without
 * the prefix. A block that makes no sense comes back as it is.
 */
export function uprightExif(exif: Buffer): Buffer {
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

function chunk(type: string, body: Buffer): Buffer {
  const head = Buffer.alloc(8)
  head.writeUInt32BE(body.length, 0)
  head.write(type, 4, 'latin1')
  const tail = Buffer.alloc(4)
  tail.writeUInt32BE(crc32(body, crc32(head.subarray(4))), 0)
  return Buffer.concat([head, body, tail])
}

const text = (characters: string) => Buffer.from(characters, 'latin1')
