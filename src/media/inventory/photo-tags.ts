/** Finds what Exif, XMP and IPTC say about a photo, or about a video frame that is stored like a photo. */
import { dateOfPhoto } from '../image/capture-date.ts'
import { unlessTooShort } from '../image/image-failure.ts'
import { openExif, type TiffEntry } from '../image/tiff-block.ts'
import type { PhotoMetadata } from '../metadata/photo-metadata.ts'
import type { OtherTag, Tags } from './inventory.ts'

const [MAKE, MODEL, ARTIST, GPS] = [0x010f, 0x0110, 0x013b, 0x8825]

const entriesOf = (exif: Buffer | undefined): ReadonlyMap<number, TiffEntry> =>
  (exif && unlessTooShort(() => openExif(exif)?.first)) ?? new Map()

/** Tags that describe the file rather than the photo. sharp writes some of them to every result. */
const OF_THE_FILE: ReadonlySet<number> = new Set([
  0x0112, // orientation
  0x011a, // resolution
  0x011b,
  0x0128,
  0x0213, // chroma position
])

/** Returns whether Exif contains more than what every encoder writes. */
export const isFilled = (exif: Buffer | undefined): boolean =>
  [...entriesOf(exif).keys()].some((tag) => !OF_THE_FILE.has(tag))

/** Tags of Exif that users write. */
const WRITTEN: ReadonlyMap<number, string> = new Map([
  [0x010e, 'description'],
  [0x8298, 'copyright'],
  [0x4746, 'rating'],
  [0x9c9b, 'title'],
  [0x9c9c, 'comment'],
  [0x9c9e, 'keywords'],
  [0x9c9f, 'subject'],
])

const WRITTEN_XMP =
  /\b(?:dc:(?:title|description|subject|rights)|xmp:(?:Rating|Label)|photoshop:(?:Headline|Instructions|Credit|Source)|lr:hierarchicalSubject)\b/g

const othersIn = (exif: Buffer | undefined, xmp: string): readonly OtherTag[] => [
  ...[...entriesOf(exif).keys()].flatMap((tag) => {
    const name = WRITTEN.get(tag)
    return name === undefined ? [] : [{ name: `exif ${name}` }]
  }),
  ...[...new Set(xmp.match(WRITTEN_XMP))].map((name) => ({ name: `xmp ${name}` })),
]

export function tagsOf({ exif, xmp, photoshop = [], otherXmp = [] }: PhotoMetadata): Tags {
  const entries = entriesOf(exif)
  const text = xmp?.toString('utf8') ?? ''
  return {
    camera: entries.has(MAKE) || entries.has(MODEL) || /tiff:(?:Make|Model)/.test(text),
    captureDate: dateOfPhoto({ exif, xmp }) !== undefined,
    author: entries.has(ARTIST) || text.includes('dc:creator'),
    location: entries.has(GPS) || /exif:GPSL(?:at|ong)itude/.test(text),
    others: [
      ...othersIn(exif, text),
      ...photoshop.map(({ id }) => ({ name: `iptc ${id}` })),
      ...otherXmp.map((name) => ({ name: `another ${name}` })),
    ],
  }
}
