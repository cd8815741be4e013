/** Reads all parts of a JPEG, including those between its scans (ISO/IEC 10918-1, B.1). */
import { MARKERS } from './jpeg-segments.ts'

/** Lowest marker that can begin a segment. */
const FIRST_MARKER = 0xc0

/** Returns whether a segment is a table, a frame, a scan or the restart interval, which decoding needs. */
const isOfCoding = (marker: number): boolean =>
  (marker >= FIRST_MARKER && marker <= 0xcf && marker !== EXTENSION) || CODING.has(marker)
const EXTENSION = 0xc8
const CODING: ReadonlySet<number> = new Set([MARKERS.SOS, 0xdb, 0xdd])

/** Application segments that affect the colors, with their maximum lengths. A longer JFIF segment contains a thumbnail. */
const WANTED_SEGMENTS: ReadonlyMap<number, { readonly name: string; readonly most: number }> = new Map([
  [MARKERS.APP0, { name: 'JFIF\0', most: 16 }],
  [MARKERS.APP2, { name: 'ICC_PROFILE\0', most: 0xffff }],
  [MARKERS.APP14, { name: 'Adobe', most: 14 }],
])

/**
 * Returns whether a segment is needed for the pixels.
 * @param body where its content begins
 */
export function isForPixels(file: Buffer, marker: number, body: number): boolean {
  if (isOfCoding(marker)) return true
  const wanted = WANTED_SEGMENTS.get(marker)
  const name = file.toString('latin1', body, body + (wanted?.name.length ?? 0))
  return name === wanted?.name && file.readUInt16BE(body - 2) <= wanted.most
}

/** Returns whether a marker is here. Anything else between segments is a stray byte, which decoders skip. */
const isMarker = (file: Buffer, at: number): boolean => {
  const marker = file[at + 1] ?? 0
  return file[at] === 0xff && marker >= FIRST_MARKER && marker !== 0xff
}

/**
 * Yields the segments of a JPEG, including those between its scans, and the marker at its end.
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
    if (marker !== MARKERS.EOI && at + 4 > file.length) return
    yield { marker, body: at + 4 }
    if (marker === MARKERS.EOI) return
    at += 2 + file.readUInt16BE(at + 2)
    if (marker === MARKERS.SOS) at = endOfScan(file, at)
  }
}

/**
 * Returns where a JPEG ends; undefined if it isn't complete.
 * @param from where it begins
 */
export function endOfJpeg(file: Buffer, from = 0): number | undefined {
  for (const { marker, body } of jpegParts(file, from)) if (marker === MARKERS.EOI) return body - 2
  return undefined
}

/** Returns where the coded pixels end. Within them, each 0xff is followed by a zero, another 0xff or a restart marker. */
export function endOfScan(file: Buffer, from: number): number {
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
    const end = marker === MARKERS.SOS ? jpeg.length : at + 2 + jpeg.readUInt16BE(at + 2)
    length += jpeg.copy(kept, length, at, end)
    if (marker === MARKERS.SOS) return kept.subarray(0, length)
    at = end
  }
  return jpeg
}
