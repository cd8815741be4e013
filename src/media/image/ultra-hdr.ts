/**
 * Combines a JPEG with its gain map. Viewers find the gain map through ISO 21496-1, Ultra HDR's XMP or the Multi-Picture Format.
 */
import {
  GAIN_MAP_NAME,
  isNamed,
  MARKERS,
  MULTI_PICTURE_NAME,
  segment,
  segmentsOf,
  withSegments,
} from './jpeg-segments.ts'
import { joinXmp } from '../metadata/extended-xmp.ts'

/** Maximum number of bytes that `joinGainMap` adds to the two JPEGs. */
export const BYTES_AROUND = 1_500

/**
 * Appends the gain map to the photo.
 * @param photo a JPEG that already includes its metadata, which lists the map as `xmpWithGainMap` does
 */
export function joinGainMap(photo: Buffer, gainMap: Buffer): Buffer {
  const described = withSegments(photo, [
    // The minimum version that readers must support, then the writer's version.
    segment(MARKERS.APP2, GAIN_MAP_NAME, Buffer.alloc(4)),
    segment(MARKERS.APP2, MULTI_PICTURE_NAME, Buffer.alloc(LIST_BYTES)),
  ])
  const list = segmentsOf(described).find((one) => isNamed(described, one, MULTI_PICTURE_NAME))
  if (list !== undefined) writeList(described, list.body + MULTI_PICTURE_NAME.length, gainMap.length)
  return Buffer.concat([described, gainMap])
}

/**
 * Lists the gain map in XMP.
 * @param present existing XMP, which doesn't list any images
 * @param length of the gain map in bytes
 */
export function xmpWithGainMap(present: Buffer | undefined, length: number): Buffer {
  const own = Buffer.from(
    `<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">${directoryIn(length)}</rdf:RDF></x:xmpmeta>`,
  )
  return present === undefined ? own : joinXmp(present, own)
}

const directoryIn = (length: number): string =>
  [
    '<rdf:Description rdf:about=""',
    ' xmlns:Container="http://ns.google.com/photos/1.0/container/"',
    ' xmlns:Item="http://ns.google.com/photos/1.0/container/item/"',
    ' xmlns:hdrgm="http://ns.adobe.com/hdr-gain-map/1.0/" hdrgm:Version="1.0">',
    '<Container:Directory><rdf:Seq>',
    '<rdf:li rdf:parseType="Resource"><Container:Item Item:Semantic="Primary" Item:Mime="image/jpeg"/></rdf:li>',
    '<rdf:li rdf:parseType="Resource"><Container:Item Item:Semantic="GainMap" Item:Mime="image/jpeg"',
    ` Item:Length="${length}"/></rdf:li>`,
    '</rdf:Seq></Container:Directory></rdf:Description>',
  ].join('')

const FIELDS = [
  { tag: 0xb000, type: 7, count: 4, value: Buffer.from('0100', 'latin1').readUInt32BE() },
  { tag: 0xb001, type: 4, count: 1, value: 2 },
  { tag: 0xb002, type: 7, count: 32, value: 8 + 2 + 3 * 12 + 4 },
] as const
const LIST_BYTES = 8 + 2 + FIELDS.length * 12 + 4 + 2 * 16
/** Marks the primary image (CIPA DC-007, 5.2.3.3.1). */
const REPRESENTATIVE = 0x00030000

/** @param origin position from which the list's offsets count */
function writeList(jpeg: Buffer, origin: number, gainMapLength: number): void {
  const list = jpeg.subarray(origin, origin + LIST_BYTES)
  list.write('MM\0*', 0, 'latin1')
  list.writeUInt32BE(8, 4)
  list.writeUInt16BE(FIELDS.length, 8)
  for (const [index, { tag, type, count, value }] of FIELDS.entries()) {
    const at = 10 + index * 12
    list.writeUInt16BE(tag, at)
    list.writeUInt16BE(type, at + 2)
    list.writeUInt32BE(count, at + 4)
    list.writeUInt32BE(value, at + 8)
  }
  const entries = LIST_BYTES - 2 * 16
  list.writeUInt32BE(REPRESENTATIVE, entries)
  list.writeUInt32BE(jpeg.length, entries + 4)
  list.writeUInt32BE(gainMapLength, entries + 16 + 4)
  list.writeUInt32BE(jpeg.length - origin, entries + 16 + 8)
}
