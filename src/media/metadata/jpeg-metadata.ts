/** Reads and writes metadata in the segments of a JPEG. */
import { uint32 } from '../big-endian.ts'
import {
  EXIF_NAME,
  isNamed,
  LONGEST_SEGMENT,
  MARKERS,
  segment,
  segmentsOf,
  withSegments,
  XMP_NAME,
} from '../image/jpeg-segments.ts'
import { joinExif } from './exif-directories.ts'
import { extensionOf, joinXmp, splitXmp } from './extended-xmp.ts'
import { readResources, writeResources } from './iptc.ts'
import type { PhotoMetadata } from './photo-metadata.ts'
import { storedText } from './stored-text.ts'
import { joinPackets } from './xmp-packets.ts'

const EXTENDED_NAME = 'http://ns.adobe.com/xmp/extension/\0'
export const PHOTOSHOP_NAME = 'Photoshop 3.0\0'
const GUID_BYTES = 32
const MOST_EXTENDED_BYTES = 64 * 1024 * 1024

/** @param head at least the segments before the pixels */
export function jpegMetadata(head: Buffer): PhotoMetadata {
  const segments = segmentsOf(head)
  const contents = (marker: number, name: string): readonly Buffer[] =>
    segments
      .filter((one) => one.marker === marker && isNamed(head, one, name))
      .map(({ body, end }) => head.subarray(body + name.length, end))
  const exif = joinExif(contents(MARKERS.APP1, EXIF_NAME))
  const [main, ...others] = contents(MARKERS.APP1, XMP_NAME)
  const resources = readResources(Buffer.concat(contents(MARKERS.APP13, PHOTOSHOP_NAME)))
  const extended = main && whole(main, contents(MARKERS.APP1, EXTENDED_NAME))
  const placeOf = (marker: number, name: string) =>
    segments.findIndex((one) => one.marker === marker && isNamed(head, one, name))
  const isLate = placeOf(MARKERS.APP13, PHOTOSHOP_NAME) > placeOf(MARKERS.APP1, XMP_NAME)
  return {
    ...resources,
    exif: exif ?? resources.exif,
    ...joinPackets(isLate ? [extended, ...others, resources.xmp] : [resources.xmp, extended, ...others]),
    comments: segments
      .filter(({ marker }) => marker === MARKERS.COM)
      .map(({ body, end }) => ({ text: storedText(head.subarray(body, end)) }))
      .filter(({ text }) => text !== ''),
  }
}

/** Joins the main packet with the extension that it announces, if all its parts are there. The parts may come in any order. */
function whole(main: Buffer, parts: readonly Buffer[]): Buffer {
  const guid = extensionOf(main)
  const own = parts.filter(
    (part) => part.length > GUID_BYTES + 8 && part.toString('latin1', 0, GUID_BYTES) === guid,
  )
  const length = own[0]?.readUInt32BE(GUID_BYTES) ?? 0
  if (length === 0 || length > MOST_EXTENDED_BYTES) return main
  const content = Buffer.alloc(length)
  let filled = 0
  for (const part of own) {
    const at = part.readUInt32BE(GUID_BYTES + 4)
    if (at < length) filled += part.copy(content, at, GUID_BYTES + 8)
  }
  return filled < length ? main : joinXmp(main, content)
}

/** Bytes of Exif that fit into a segment. */
export const MOST_EXIF_BYTES = LONGEST_SEGMENT - EXIF_NAME.length

/** Bytes of extended XMP in each segment: Adobe's choice, although a segment can hold a few bytes more. */
const EXTENDED_BYTES = 65_400

/** Omits XMP that can't be split, and comments that don't fit into a segment. @param jpeg without metadata; Exif must fit into a segment */
export function withJpegMetadata(jpeg: Buffer, metadata: PhotoMetadata): Buffer {
  const { exif, xmp, iptc, photoshop, comments } = metadata
  return withSegments(jpeg, [
    ...(exif === undefined ? [] : [segment(MARKERS.APP1, EXIF_NAME, exif)]),
    ...(xmp === undefined ? [] : xmpSegments(xmp)),
    ...slices(writeResources(iptc, photoshop), LONGEST_SEGMENT - PHOTOSHOP_NAME.length).map((part) =>
      segment(MARKERS.APP13, PHOTOSHOP_NAME, part),
    ),
    ...comments.flatMap(({ keyword, text }) => {
      const named = keyword === undefined || keyword === 'Comment' ? text : `${keyword}: ${text}`
      const bytes = Buffer.from(named)
      return bytes.length > LONGEST_SEGMENT ? [] : [segment(MARKERS.COM, '', bytes)]
    }),
  ])
}

function xmpSegments(xmp: Buffer): readonly Buffer[] {
  const split = splitXmp(xmp, LONGEST_SEGMENT - XMP_NAME.length)
  if (split === undefined) return []
  const main = segment(MARKERS.APP1, XMP_NAME, split.main)
  if (split.extension === undefined) return [main]
  const { guid, content } = split.extension
  const parts = slices(content, EXTENDED_BYTES).map((part, index) => {
    const place = uint32(content.length, index * EXTENDED_BYTES)
    return segment(MARKERS.APP1, EXTENDED_NAME, Buffer.concat([Buffer.from(guid), place, part]))
  })
  return [main, ...parts]
}

const slices = (bytes: Buffer, length: number): readonly Buffer[] =>
  Array.from({ length: Math.ceil(bytes.length / length) }, (_, index) =>
    bytes.subarray(index * length, (index + 1) * length),
  )
