/**
 * Detects metadata in an image file: Exif, captions, thumbnails, additional images, data that phones append.
 * sharp reports only some of it. All content that isn't needed for pixels or colors counts as metadata, even if its type is
 * unknown.
 */
import { readFile } from 'node:fs/promises'

export async function carriesMetadata(path: string, format: string): Promise<boolean> {
  switch (format) {
    case 'jpeg':
      return jpegCarriesMore(await readFile(path))
    case 'png':
      return pngCarriesMore(await readFile(path))
    case 'webp':
      return webpCarriesMore(await readFile(path))
    case 'avif':
      // sharp reports all metadata that an AVIF can hold.
      return false
    default:
      return true
  }
}

const SOI = 0xffd8
const EOI = 0xd9
const SOS = 0xda
const COMMENT = 0xfe
/** Lowest marker that is followed by a length. */
const FIRST_MARKER = 0xc0
const JFIF = 0xe0
const PROFILE = 0xe2
const ADOBE = 0xee

const WANTED_SEGMENTS: ReadonlyMap<number, string> = new Map([
  [JFIF, 'JFIF\0'],
  [PROFILE, 'ICC_PROFILE\0'],
  [ADOBE, 'Adobe'],
])

/** Checks the segments before the pixels and any data after the end of the image. */
function jpegCarriesMore(file: Buffer): boolean {
  if (file.length < 4 || file.readUInt16BE(0) !== SOI) return true
  for (let at = 2; at + 4 <= file.length; at += 2 + file.readUInt16BE(at + 2)) {
    if (file[at] !== 0xff) return true
    const marker = file[at + 1] ?? 0
    if (marker === SOS) return !endsAtFirstEnd(file, at)
    if (marker === COMMENT || (marker >= 0xe0 && marker <= 0xef)) {
      const wanted = WANTED_SEGMENTS.get(marker)
      if (wanted === undefined || file.toString('latin1', at + 4, at + 4 + wanted.length) !== wanted)
        return true
    }
  }
  return true
}

/**
 * Removes stray bytes between the segments before the pixels.
 * Decoders ignore these bytes. But after warning about them, a decoder no longer reports more serious flaws.
 */
export function withoutStrayBytes(jpeg: Buffer): Buffer {
  const kept = Buffer.alloc(jpeg.length)
  let length = jpeg.copy(kept, 0, 0, 2)
  for (let at = 2; at + 4 <= jpeg.length;) {
    const marker = jpeg[at + 1] ?? 0
    if (jpeg[at] !== 0xff || marker < FIRST_MARKER || marker === 0xff) {
      at++
      continue
    }
    const end = marker === SOS ? jpeg.length : at + 2 + jpeg.readUInt16BE(at + 2)
    length += jpeg.copy(kept, length, at, end)
    if (marker === SOS) return kept.subarray(0, length)
    at = end
  }
  return jpeg
}

/** Finds the first end marker. The coded pixels never contain its two bytes. */
function endsAtFirstEnd(file: Buffer, from: number): boolean {
  const end = file.indexOf(Buffer.from([0xff, EOI]), from)
  return end >= 0 && file.subarray(end + 2).every((byte) => byte === 0)
}

const WANTED_CHUNKS: ReadonlySet<string> = new Set(
  'IHDR PLTE IDAT IEND tRNS cHRM gAMA iCCP sBIT sRGB cICP mDCV cLLI bKGD pHYs'.split(' '),
)

function pngCarriesMore(file: Buffer): boolean {
  for (let at = 8; at + 12 <= file.length; at += 12 + file.readUInt32BE(at)) {
    const type = file.toString('latin1', at + 4, at + 8)
    if (!WANTED_CHUNKS.has(type)) return true
    if (type === 'IEND') return at + 12 !== file.length
  }
  return true
}

const WANTED_PARTS: ReadonlySet<string> = new Set(['VP8 ', 'VP8L', 'VP8X', 'ALPH', 'ANIM', 'ANMF', 'ICCP'])

function webpCarriesMore(file: Buffer): boolean {
  let at = 12
  while (at + 8 <= file.length) {
    if (!WANTED_PARTS.has(file.toString('latin1', at, at + 4))) return true
    const size = file.readUInt32LE(at + 4)
    at += 8 + size + (size % 2)
  }
  return at !== file.length
}
