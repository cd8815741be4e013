/**
 * Decoded pixels in the form of a PNG whose data is stored, not compressed. It costs little more than a copy, and sharp
 * reads colour profile and metadata from it, which bare pixels can't carry.
 */
import { crc32, deflateSync } from 'node:zlib'

export type PngContent = {
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

const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])

export function wrapAsPng(content: PngContent): Buffer {
  const { icc, exif, xmp } = content
  const parts = [SIGNATURE, chunk('IHDR', headerOf(content))]
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
