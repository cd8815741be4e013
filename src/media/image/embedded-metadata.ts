/**
 * Whether a picture file holds anything that its pixels and colours don't need: Exif, captions, thumbnails, further pictures,
 * the trailers of phones. Sharp names only some of it. What is not known here counts as something.
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
      // What sharp names is all there is room for.
      return false
    default:
      return true
  }
}

const SOI = 0xffd8
const EOI = 0xd9
const SOS = 0xda
const COMMENT = 0xfe
/** Of those that are followed by a length. */
const FIRST_MARKER = 0xc0
const JFIF = 0xe0
const PROFILE = 0xe2
const ADOBE = 0xee

const WANTED_SEGMENTS: ReadonlyMap<number, string> = new Map([
  [JFIF, 'JFIF\0'],
  [PROFILE, 'ICC_PROFILE\0'],
  [ADOBE, 'Adobe'],
])

/** Segments up to the pixels, and what follows on the end of the picture. */
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
 * The same file without what lies between the segments in front of the pixels, which no decoder needs: one that has warned of
 * it keeps silent about what is worse.
 */
export function withoutStrayBytes(jpeg: Buffer): Buffer {
  const parts = [jpeg.subarray(0, 2)]
  for (let at = 2; at + 4 <= jpeg.length;) {
    const marker = jpeg[at + 1] ?? 0
    if (jpeg[at] !== 0xff || marker < FIRST_MARKER || marker === 0xff) {
      at++
      continue
    }
    if (marker === SOS) return Buffer.concat([...parts, jpeg.subarray(at)])
    const end = at + 2 + jpeg.readUInt16BE(at + 2)
    parts.push(jpeg.subarray(at, end))
    at = end
  }
  return jpeg
}

/** Between the pixels, a byte of 255 is never followed by the mark of the end. */
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
