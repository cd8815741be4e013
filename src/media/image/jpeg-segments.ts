/** Reads and adds the segments before a JPEG's pixels (ISO/IEC 10918-1, B.1.1). */
import { uint16 } from '../big-endian.ts'
import { readSync } from 'node:fs'
import { withOpenFile } from '../with-open-file.ts'

export type Segment = {
  readonly marker: number
  /** Offsets of the marker, of the content (after the length field) and of the end. */
  readonly start: number
  readonly body: number
  readonly end: number
}

export const MARKERS = {
  SOI: 0xd8,
  EOI: 0xd9,
  SOS: 0xda,
  APP0: 0xe0,
  APP1: 0xe1,
  APP2: 0xe2,
  APP11: 0xeb,
  APP13: 0xed,
  APP14: 0xee,
  COM: 0xfe,
} as const

/** Returns whether a marker begins a frame, and not one of the tables in the same range. */
export const isFrame = (marker: number): boolean =>
  marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker)

export const EXIF_NAME = 'Exif\0\0'
export const XMP_NAME = 'http://ns.adobe.com/xap/1.0/\0'
export const MULTI_PICTURE_NAME = 'MPF\0'
/**
 * Name of the ISO 21496-1 segment. The image's segment contains only version numbers. The gain map's segment contains the full
 * description.
 */
export const GAIN_MAP_NAME = 'urn:iso:std:iso:ts:21496:-1\0'
export const PROFILE_NAME = 'ICC_PROFILE\0'

/**
 * Maximum number of segments to read. Photos have far fewer, even with tens of megabytes of metadata, but a hostile file may consist of
 * empty segments.
 */
const MOST_SEGMENTS = 4_096

/** Returns the complete segments before the pixels, up to the limit. */
export function segmentsOf(jpeg: Buffer): readonly Segment[] {
  const segments: Segment[] = []
  if (jpeg[0] !== 0xff || jpeg[1] !== MARKERS.SOI) return segments
  for (let start = 2; start + 4 <= jpeg.length && jpeg[start] === 0xff && segments.length < MOST_SEGMENTS;) {
    const marker = jpeg[start + 1] ?? 0
    const end = start + 2 + jpeg.readUInt16BE(start + 2)
    if (marker === MARKERS.SOS || end > jpeg.length) break
    segments.push({ marker, start, body: start + 4, end })
    start = end
  }
  return segments
}

/** Returns where the segments before the pixels end; undefined if `head`, the beginning of a file, doesn't contain all of them. */
function endOfSegments(head: Buffer): number | undefined {
  const next = segmentsOf(head).at(-1)?.end ?? 2
  if (next + 2 > head.length) return undefined
  return head[next] !== 0xff || head[next + 1] === MARKERS.SOS ? next + 2 : undefined
}

/** Reused, because V8 would collect garbage after every few photos if each photo got new memory. */
const firstRead = Buffer.allocUnsafeSlow(64 * 1024)

/** Reads the file up to the end of the segments before the pixels. */
export const readJpegHead = (path: string): Buffer =>
  withOpenFile(path, (file) => {
    for (let memory = firstRead; ; memory = Buffer.allocUnsafe(memory.length * 4)) {
      const head = memory.subarray(0, readSync(file, memory, 0, memory.length, 0))
      const end = endOfSegments(head)
      if (end !== undefined || head.length < memory.length) return Buffer.from(head.subarray(0, end))
    }
  })

export const isNamed = (jpeg: Buffer, { body, end }: Segment, name: string): boolean =>
  body + name.length <= end && jpeg.toString('latin1', body, body + name.length) === name

export function contentNamed(jpeg: Buffer, name: string): Buffer | undefined {
  const segment = segmentsOf(jpeg).find((one) => isNamed(jpeg, one, name))
  return segment && jpeg.subarray(segment.body + name.length, segment.end)
}

export const LONGEST_SEGMENT = 0xffff - 2

export function segment(marker: number, name: string, content: Buffer): Buffer {
  const named = Buffer.from(name, 'latin1')
  const length = uint16(2 + named.length + content.length)
  return Buffer.concat([Buffer.from([0xff, marker]), length, named, content])
}

/** Inserts segments before the pixels. If there is a JFIF segment, it stays first. */
export function withSegments(jpeg: Buffer, added: readonly Buffer[]): Buffer {
  const [first] = segmentsOf(jpeg)
  const at = first?.marker === MARKERS.APP0 ? first.end : 2
  return Buffer.concat([jpeg.subarray(0, at), ...added, jpeg.subarray(at)])
}
