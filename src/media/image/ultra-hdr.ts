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
import { uint32 } from '../big-endian.ts'
import { valueOf, writeExif } from '../metadata/exif-directories.ts'
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
    segment(MARKERS.APP2, MULTI_PICTURE_NAME, listOf(0, 0, 0)),
  ])
  const list = segmentsOf(described).find((one) => isNamed(described, one, MULTI_PICTURE_NAME))
  const origin = (list?.body ?? 0) + MULTI_PICTURE_NAME.length
  if (list !== undefined) listOf(described.length, origin, gainMap.length).copy(described, origin)
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

/** Marks the primary image (CIPA DC-007, 5.2.3.3.1). */
const REPRESENTATIVE = 0x00030000
const [LONG, UNDEFINED] = [4, 7]

/**
 * Lists the photo and its gain map (CIPA DC-007).
 * @param origin position in the photo from which the list's offsets count
 */
function listOf(photoLength: number, origin: number, gainMapLength: number): Buffer {
  const photo = uint32(REPRESENTATIVE, photoLength, 0, 0)
  const gainMap = uint32(0, gainMapLength, photoLength - origin, 0)
  const entries = [
    valueOf(0xb000, UNDEFINED, Buffer.from('0100')),
    valueOf(0xb001, LONG, uint32(2), 1),
    valueOf(0xb002, UNDEFINED, Buffer.concat([photo, gainMap])),
  ]
  return writeExif({ order: 'MM', entries })
}
