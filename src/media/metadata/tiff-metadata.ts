/** Reads and writes metadata in the tags of a TIFF file, which are the same as Exif's. */
import { unlessTooShort } from '../image/image-failure.ts'
import { readNumber, writeNumber } from '../image/tiff-block.ts'
import {
  bytesOf,
  EXIF_TAG,
  type ExifContent,
  type ExifEntry,
  inOrder,
  readExif,
  type ByteSource,
  valueOf,
  writeDirectory,
  writeExif,
} from './exif-directories.ts'
import { GEO_TAGS } from './describe-geo.ts'
import { plainIptc, readResources, writeResources } from './iptc.ts'
import { NO_METADATA, type PhotoMetadata } from './photo-metadata.ts'
import { joinPackets } from './xmp-packets.ts'

/**
 * Tags of the first directory that describe the photo, apart from those with XMP, IPTC, Photoshop resources or geographic positions. All
 * others describe how its pixels are stored.
 */
const DESCRIPTIVE: ReadonlySet<number> = new Set([
  0x000b, // processing software
  0x010d, // document name
  0x010e, // description
  0x010f, // make
  0x0110, // model
  0x011a, // resolution
  0x011b,
  0x011d, // page name
  0x0128,
  0x0131, // software
  0x0132, // date
  0x013b, // artist
  0x013c, // host computer
  0x4746, // rating
  0x4749,
  0x8298, // copyright
  0x9c9b, // Windows: title, comment, author, keywords, subject
  0x9c9c,
  0x9c9d,
  0x9c9e,
  0x9c9f,
  0xc614, // DNG: camera, its name in the user's language, serial number, reel, label
  0xc615,
  0xc62f,
  0xc789,
  0xc7a1,
  EXIF_TAG.exif,
  EXIF_TAG.gps,
])
const ORIENTATION = 0x0112
const WANTED: ReadonlySet<number> = new Set([
  ...DESCRIPTIVE,
  ...GEO_TAGS,
  ORIENTATION,
  EXIF_TAG.xmp,
  EXIF_TAG.iptc,
  EXIF_TAG.photoshop,
])
/** Maximum size of all metadata together. A hostile file could ask for all memory. */
const MOST_BYTES = 64 * 1024 * 1024

export function tiffMetadata(source: ByteSource): PhotoMetadata {
  const content = unlessTooShort(() => readExif(source, (tag) => WANTED.has(tag), MOST_BYTES))
  if (content === undefined) return NO_METADATA
  const bytesAt = (wanted: number): Buffer | undefined => {
    const entry = content.entries.find(({ tag }) => tag === wanted)
    return entry?.kind === 'value' ? entry.bytes : undefined
  }
  const resources = readResources(bytesAt(EXIF_TAG.photoshop) ?? Buffer.alloc(0))
  const iptc = bytesAt(EXIF_TAG.iptc)
  const entries = content.entries.filter(({ tag }) => DESCRIPTIVE.has(tag) || tag === ORIENTATION)
  const geo = content.entries.filter(({ tag }) => GEO_TAGS.has(tag))
  const says = entries.some(({ tag }) => !OF_EVERY_FILE.has(tag))
  return {
    ...resources,
    exif: says ? writeExif({ ...content, entries }) : resources.exif,
    ...joinPackets([bytesAt(EXIF_TAG.xmp), resources.xmp]),
    iptc: iptc === undefined ? resources.iptc : plainIptc(iptc),
    comments: [],
    geo: geo.length === 0 ? undefined : { ...content, entries: geo },
  }
}

const OF_EVERY_FILE: ReadonlySet<number> = new Set([ORIENTATION, 0x011a, 0x011b, 0x0128])

const BYTE_TYPE = 1
const LONG_TYPE = 4
const ENTRY_BYTES = 12
const FIRST_PAGE = 4

/**
 * Adds metadata to the first page. Appends it, so that no offset of pixels changes.
 * @param tiff a classic TIFF, not a BigTIFF, without metadata
 */
export function withTiffMetadata(tiff: Buffer, metadata: PhotoMetadata): Buffer {
  const copy = Buffer.from(tiff)
  return Buffer.concat([copy, ...moreForPage(copy, metadata, FIRST_PAGE, copy.length)])
}

/**
 * Creates a new directory that describes a page, and makes the page's pointer lead to it.
 * @param tiff as for `withTiffMetadata`
 * @param pointer where the offset of the page's directory is
 * @param end where the file will end before the new directory is appended
 * @returns what to append; an empty list for a BigTIFF
 */
export function moreForPage(
  tiff: Buffer,
  metadata: PhotoMetadata,
  pointer: number,
  end: number,
): readonly Buffer[] {
  const { exif, xmp, iptc, photoshop, geo } = metadata
  const resources = writeResources(undefined, photoshop)
  const order = tiff.toString('latin1', 0, 2) === 'MM' ? 'MM' : 'II'
  const read16 = (at: number) => readNumber(order, tiff, at, 2)
  const read32 = (at: number) => readNumber(order, tiff, at, 4)
  if (read16(2) !== 42) return []
  const first = read32(pointer)
  const count = read16(first)
  const table = first + 2
  const stored: readonly ExifEntry[] = Array.from({ length: count }, (_, index) => {
    const at = table + index * ENTRY_BYTES
    // The values stay where they are. This copies only the last four bytes of the entry, as if they were its value.
    return valueOf(read16(at), read16(at + 2), tiff.subarray(at + 8, at + 12), read32(at + 4))
  })
  const content = exif && unlessTooShort(() => readExif(bytesOf(exif)))
  const [described, places] = [content, geo].map((one) =>
    one === undefined ? [] : inOrder(one, order).entries,
  )
  const added: readonly ExifEntry[] = [
    ...(described ?? []).filter(({ tag }) => DESCRIPTIVE.has(tag)),
    ...(places ?? []),
    ...(xmp === undefined ? [] : [valueOf(EXIF_TAG.xmp, BYTE_TYPE, xmp)]),
    ...(iptc === undefined ? [] : [iptcEntry(iptc)]),
    ...(resources.length === 0 ? [] : [valueOf(EXIF_TAG.photoshop, BYTE_TYPE, resources)]),
  ]
  const replaced = new Set(added.map(({ tag }) => tag))
  const entries = [...stored.filter(({ tag }) => !replaced.has(tag)), ...added]
  const start = end + (end % 2)
  const whole: ExifContent = { order, entries }
  const directory = writeDirectory(whole, start, read32(table + count * ENTRY_BYTES))
  writeNumber(order, tiff, start, pointer, 4)
  return [Buffer.alloc(start - end), directory]
}

/** Declares IPTC as four-byte numbers, as programs expect, but doesn't swap its bytes to the file's byte order. */
function iptcEntry(iptc: Buffer): ExifEntry {
  const bytes = Buffer.concat([iptc, Buffer.alloc((4 - (iptc.length % 4)) % 4)])
  return valueOf(EXIF_TAG.iptc, LONG_TYPE, bytes, bytes.length / 4)
}
