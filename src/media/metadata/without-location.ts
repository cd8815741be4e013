/** Removes the location from a photo's metadata. Also removes what can't be read completely, because its content is unknown. */
import { unlessTooShort } from '../image/image-failure.ts'
import type { ByteOrder } from '../image/tiff-block.ts'
import { bytesOf, type ExifEntry, readExif, writeExif } from './exif-directories.ts'
import { dataSetsIn } from './iptc.ts'
import type { PhotoMetadata } from './photo-metadata.ts'
import { isKeptExifTag, isPlaceDataSet, isPlaceName, isPlaceValue, placesInKeyword } from './places.ts'
import { storedText } from './stored-text.ts'
import { changeProperties, parseXmp, textIn, writeXmp, type XmpNode } from './xmp-tree.ts'

/** Place names from hierarchical keywords. Other keywords may repeat these names without the hierarchy. */
type Places = ReadonlySet<string>

/** Keywords that the PNG specification defines for text. Other formats have fields for this text. */
const PNG_FIELDS: ReadonlySet<string> = new Set([
  'Title',
  'Author',
  'Description',
  'Copyright',
  'Creation Time',
  'Software',
])

/** Removes the location. Also removes comments outside the known PNG text fields, because free text may contain a location. */
export function withoutLocation({ exif, xmp, iptc, photoshop, comments }: PhotoMetadata): PhotoMetadata {
  const places = new Set([
    ...placesIn((xmp && parseXmp(xmp)) ?? []),
    ...keywordsIn(iptc ?? Buffer.alloc(0)).flatMap(placesInKeyword),
  ])
  return {
    exif: exif && exifWithoutLocation(exif, places),
    xmp: xmp && xmpWithoutLocation(xmp, places),
    iptc: iptc && iptcWithoutLocation(iptc, places),
    photoshop: photoshop?.filter(({ content }) => !isPlaceValue(storedText(content))),
    comments: comments.filter(({ keyword = '', text }) => PNG_FIELDS.has(keyword) && !isPlaceValue(text)),
  }
}

const isPlaceKeyword = (text: string, places: Places): boolean =>
  places.has(text.trim()) || placesInKeyword(text).length > 0

/**
 * Writes a new block without the location, so that no remnants stay between its values. Also removes the embedded thumbnail, which has its
 * own metadata. Returns undefined if the block can't be read or nothing is left.
 */
export function exifWithoutLocation(exif: Buffer, places: Places = new Set()): Buffer | undefined {
  const content = unlessTooShort(() => readExif(bytesOf(exif)))
  if (content === undefined) return undefined
  const kept = keptOf(content.entries, places)
  return kept.length === 0 ? undefined : writeExif({ ...content, entries: kept })
}

function keptOf(entries: readonly ExifEntry[], places: Places): readonly ExifEntry[] {
  return entries.flatMap((entry): readonly ExifEntry[] => {
    if (!isKeptExifTag(entry.tag)) return []
    if (entry.kind === 'directory') return [{ ...entry, entries: keptOf(entry.entries, places) }]
    return textsOf(entry).some((text) => isPlaceOf(entry.tag, text, places)) ? [] : [entry]
  })
}

const isPlaceOf = (tag: number, text: string, places: Places): boolean =>
  isPlaceValue(text) ||
  (tag === KEYWORDS && text.split(';').some((part) => isPlaceValue(part) || isPlaceKeyword(part, places)))

/** Types whose bytes may be text, because some programs store text with a type other than ASCII. */
const MAYBE_TEXT: ReadonlySet<number> = new Set([1, 2, 7])
const USER_COMMENT = 0x9286
/** Length in bytes of the character code before a comment. */
const CODE_BYTES = 8
/** Tags that Windows writes, as UTF-16 text. */
const [FIRST_WIDE, KEYWORDS, LAST_WIDE] = [0x9c9b, 0x9c9e, 0x9c9f]

/** Decodes a value in every way that it may have been encoded. Not every program writes UTF-16 in the byte order of the block. */
function textsOf({ tag, type, bytes }: ExifEntry & { kind: 'value' }): readonly string[] {
  if (tag >= FIRST_WIDE && tag <= LAST_WIDE) return [wide(bytes, 'II')]
  if (!MAYBE_TEXT.has(type)) return []
  if (tag !== USER_COMMENT) return [storedText(bytes)]
  const text = bytes.subarray(CODE_BYTES)
  return [storedText(bytes), storedText(text), wide(text, 'II'), wide(text, 'MM')]
}

function wide(bytes: Buffer, order: ByteOrder): string {
  const even = Buffer.from(bytes.subarray(0, bytes.length - (bytes.length % 2)))
  return (order === 'II' ? even : even.swap16()).toString('utf16le').replace(/\0+$/, '')
}

export function xmpWithoutLocation(xmp: Buffer, others: Places = new Set()): Buffer | undefined {
  const nodes = parseXmp(xmp)
  // XML other than XMP may contain a location in any form, so it is removed.
  if (nodes === undefined || !nodes.some(hasProperties)) return undefined
  const places = new Set([...others, ...placesIn(nodes)])
  return writeXmp(
    changeProperties(nodes, ({ namespace, local }, text, element) => {
      const isKeyword = element !== undefined && local === 'li'
      const isPlace =
        isPlaceName(namespace, local) || isPlaceValue(text) || (isKeyword && isPlaceKeyword(text, places))
      return isPlace ? { to: undefined } : undefined
    }),
  )
}

const hasProperties = (node: XmpNode): boolean =>
  node.kind === 'element' && (/(?:^|:)RDF$/.test(node.name) || node.children.some(hasProperties))

const placesIn = (nodes: readonly XmpNode[]): readonly string[] =>
  nodes.flatMap((node) => {
    if (node.kind === 'text') return []
    const isLeaf = node.children.every(({ kind }) => kind === 'text')
    return isLeaf ? placesInKeyword(textIn(node)) : placesIn(node.children)
  })

const isKeywordSet = ({ record, number }: { readonly record: number; readonly number: number }) =>
  record === 2 && number === 25

const keywordsIn = (iptc: Buffer): readonly string[] =>
  dataSetsIn(iptc)
    .filter(isKeywordSet)
    .map(({ value }) => storedText(value))

function iptcWithoutLocation(iptc: Buffer, places: Places): Buffer | undefined {
  const kept = dataSetsIn(iptc).filter((set) => {
    const text = storedText(set.value)
    const isPlace =
      isPlaceDataSet(set.record, set.number) ||
      isPlaceValue(text) ||
      (isKeywordSet(set) && isPlaceKeyword(text, places))
    return !isPlace
  })
  return kept.length === 0 ? undefined : Buffer.concat(kept.map(({ whole }) => whole))
}
