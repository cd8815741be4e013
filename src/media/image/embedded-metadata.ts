/**
 * Detects metadata in an image file: Exif, captions, thumbnails, additional images, data that phones append.
 * sharp reports only some of it. All content that isn't needed for pixels or colors counts as metadata, even if its type is
 * unknown.
 */
import { readFile } from 'node:fs/promises'
import { avifCarriesMore } from './avif-parts.ts'
import { unlessTooShort } from './image-failure.ts'
import { MARKERS } from './jpeg-segments.ts'

export async function carriesMetadata(path: string, format: string): Promise<boolean> {
  switch (format) {
    case 'jpeg':
      return jpegCarriesMore(await readFile(path))
    case 'png':
      return pngCarriesMore(await readFile(path))
    case 'webp': {
      const file = await readFile(path)
      return webpCarriesMore(file, 12, file.length)
    }
    case 'avif': {
      const file = await readFile(path)
      return unlessTooShort(() => avifCarriesMore(file)) ?? true
    }
    default:
      return true
  }
}

const SOI = 0xffd8
export const EOI = 0xd9
const SOS = 0xda
const COMMENT = 0xfe
/** Lowest marker that is followed by a length. */
const FIRST_MARKER = 0xc0
const JFIF = 0xe0
const PROFILE = 0xe2

/** Segments for colors, and their largest length. A longer JFIF segment has a thumbnail. */
const WANTED_SEGMENTS: ReadonlyMap<number, { readonly name: string; readonly most: number }> = new Map([
  [JFIF, { name: 'JFIF\0', most: 16 }],
  [PROFILE, { name: 'ICC_PROFILE\0', most: 0xffff }],
  [MARKERS.APP14, { name: 'Adobe', most: 14 }],
])

/** Whether a segment isn't metadata. @param body where its content begins */
export function isForPixels(file: Buffer, marker: number, body: number): boolean {
  if (marker !== COMMENT && (marker < 0xe0 || marker > 0xef)) return true
  const wanted = WANTED_SEGMENTS.get(marker)
  const name = file.toString('latin1', body, body + (wanted?.name.length ?? 0))
  return name === wanted?.name && file.readUInt16BE(body - 2) <= wanted.most
}

/** Checks all segments, also those between the scans of a progressive image, and any data after the end of the image. */
function jpegCarriesMore(file: Buffer): boolean {
  if (file.length < 4 || file.readUInt16BE(0) !== SOI) return true
  for (let at = 2; at + 2 <= file.length;) {
    if (file[at] !== 0xff) return true
    const marker = file[at + 1] ?? 0
    if (marker === EOI) return !file.subarray(at + 2).every((byte) => byte === 0)
    if (marker < FIRST_MARKER || at + 4 > file.length) return true
    const length = file.readUInt16BE(at + 2)
    if (!isForPixels(file, marker, at + 4)) return true
    at += 2 + length
    if (marker === SOS) at = endOfScan(file, at)
  }
  return true
}

/** Decoders pass over stray bytes, and so does this. */
const isMarker = (file: Buffer, at: number): boolean => {
  const marker = file[at + 1] ?? 0
  return file[at] === 0xff && marker >= FIRST_MARKER && marker !== 0xff
}

/**
 * Yields the segments of a JPEG, also those between its scans, and the marker at its end.
 * @param from where the JPEG begins
 */
export function* jpegParts(
  file: Buffer,
  from = 0,
): Generator<{ readonly marker: number; readonly body: number }> {
  for (let at = from + 2; at + 2 <= file.length;) {
    if (!isMarker(file, at)) {
      at++
      continue
    }
    const marker = file[at + 1] ?? 0
    if (marker !== EOI && at + 4 > file.length) return
    yield { marker, body: at + 4 }
    if (marker === EOI) return
    at += 2 + file.readUInt16BE(at + 2)
    if (marker === SOS) at = endOfScan(file, at)
  }
}

/**
 * @param from where a JPEG begins
 * @returns where it ends; undefined if it isn't complete
 */
export function endOfJpeg(file: Buffer, from = 0): number | undefined {
  for (const { marker, body } of jpegParts(file, from)) if (marker === EOI) return body - 2
  return undefined
}

/** In coded pixels, a zero or a restart marker follows each byte that could begin a segment. */
function endOfScan(file: Buffer, from: number): number {
  for (let at = file.indexOf(0xff, from); at >= 0; at = file.indexOf(0xff, at + 1)) {
    const next = file[at + 1] ?? 0
    const isCoded = next === 0 || next === 0xff || (next >= 0xd0 && next <= 0xd7)
    if (!isCoded) return at
  }
  return file.length
}

/**
 * Removes stray bytes between the segments before the pixels.
 * Decoders ignore these bytes. But after warning about them, a decoder no longer reports more serious flaws.
 */
export function withoutStrayBytes(jpeg: Buffer): Buffer {
  const kept = Buffer.alloc(jpeg.length)
  let length = jpeg.copy(kept, 0, 0, 2)
  for (let at = 2; at + 4 <= jpeg.length;) {
    if (!isMarker(jpeg, at)) {
      at++
      continue
    }
    const marker = jpeg[at + 1] ?? 0
    const end = marker === SOS ? jpeg.length : at + 2 + jpeg.readUInt16BE(at + 2)
    length += jpeg.copy(kept, length, at, end)
    if (marker === SOS) return kept.subarray(0, length)
    at = end
  }
  return jpeg
}

/** Chunks for pixels and colors, and the largest length of those that could hold something else after it. */
const WANTED_CHUNKS: ReadonlyMap<string, number> = new Map([
  ['IHDR', 13],
  ['PLTE', 768],
  ['IDAT', Infinity],
  ['IEND', 0],
  ['tRNS', 256],
  ['cHRM', 32],
  ['gAMA', 4],
  ['iCCP', Infinity],
  ['sBIT', 4],
  ['sRGB', 1],
  ['cICP', 4],
  ['mDCV', 24],
  ['cLLI', 8],
  ['bKGD', 6],
  ['pHYs', 9],
  ['acTL', 8],
  ['fcTL', 26],
  ['fdAT', Infinity],
])

/** @param length of the chunk's content */
export const isPixelChunk = (type: string, length: number): boolean =>
  length <= (WANTED_CHUNKS.get(type) ?? -1)

function pngCarriesMore(file: Buffer): boolean {
  for (let at = 8; at + 12 <= file.length; at += 12 + file.readUInt32BE(at)) {
    const type = file.toString('latin1', at + 4, at + 8)
    if (!isPixelChunk(type, file.readUInt32BE(at))) return true
    if (type === 'IEND') return at + 12 !== file.length
  }
  return true
}

const WANTED_PARTS: ReadonlyMap<string, number> = new Map([
  ['VP8 ', Infinity],
  ['VP8L', Infinity],
  ['VP8X', 10],
  ['ALPH', Infinity],
  ['ANIM', 6],
  ['ANMF', Infinity],
  ['ICCP', Infinity],
])
const FRAME_HEAD_BYTES = 16

function webpCarriesMore(file: Buffer, start: number, end: number): boolean {
  let at = start
  while (at + 8 <= end) {
    const type = file.toString('latin1', at, at + 4)
    const size = file.readUInt32LE(at + 4)
    if (size > (WANTED_PARTS.get(type) ?? -1) || at + 8 + size > end) return true
    // A frame consists of chunks too.
    if (type === 'ANMF' && webpCarriesMore(file, at + 8 + FRAME_HEAD_BYTES, at + 8 + size)) return true
    at += 8 + size + (size % 2)
  }
  return at !== end
}
