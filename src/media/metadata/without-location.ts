/** Removes the location from a photo's metadata. What can't be read completely is removed, because its content is unknown. */
import { unlessTooShort } from '../image/image-failure.ts'
import { bytesOf, type ExifEntry, readExif, writeExif } from './exif-directories.ts'
import { dataSetsIn } from './iptc.ts'
import type { PhotoMetadata } from './photo-metadata.ts'
import { isKeptExifTag, isPlaceDataSet, isPlaceName, isPlaceValue, placesInKeyword } from './places.ts'
import { changeProperties, parseXmp, textIn, writeXmp, type XmpNode } from './xmp-tree.ts'

/** Comments are free text without a field for anything, so none is kept. */
export const withoutLocation = ({ exif, xmp, iptc }: PhotoMetadata): PhotoMetadata => ({
  exif: exif && exifWithoutLocation(exif),
  xmp: xmp && xmpWithoutLocation(xmp),
  iptc: iptc && iptcWithoutLocation(iptc),
  comments: [],
})

/** Returns a new block, so that nothing remains between its values. The embedded thumbnail, which has its own metadata, is removed. */
export function exifWithoutLocation(exif: Buffer): Buffer | undefined {
  const content = unlessTooShort(() => readExif(bytesOf(exif)))
  if (content === undefined) return undefined
  const kept = keptOf(content.entries)
  return kept.length === 0 ? undefined : writeExif({ ...content, entries: kept })
}

const ASCII = 2

const keptOf = (entries: readonly ExifEntry[]): readonly ExifEntry[] =>
  entries.flatMap((entry): readonly ExifEntry[] => {
    if (!isKeptExifTag(entry.tag)) return []
    if (entry.kind === 'directory') return [{ ...entry, entries: keptOf(entry.entries) }]
    const isPlace = entry.type === ASCII && isPlaceValue(entry.bytes.toString('utf8').replace(/\0+$/, ''))
    return isPlace ? [] : [entry]
  })

export function xmpWithoutLocation(xmp: Buffer): Buffer | undefined {
  const nodes = parseXmp(xmp)
  if (nodes === undefined) return undefined
  const places = new Set(leavesOf(nodes).flatMap(placesInKeyword))
  return writeXmp(
    changeProperties(nodes, ({ namespace, local }, text, element) => {
      const isKeyword = element !== undefined && local === 'li'
      const isPlace =
        isPlaceName(namespace, local) ||
        isPlaceValue(text) ||
        (isKeyword && (places.has(text.trim()) || placesInKeyword(text).length > 0))
      return isPlace ? { to: undefined } : undefined
    }),
  )
}

const leavesOf = (nodes: readonly XmpNode[]): readonly string[] =>
  nodes.flatMap((node) => {
    if (node.kind === 'text') return []
    return node.children.every(({ kind }) => kind === 'text') ? [textIn(node)] : leavesOf(node.children)
  })

function iptcWithoutLocation(iptc: Buffer): Buffer | undefined {
  const kept = dataSetsIn(iptc).filter(
    ({ record, number, value }) => !isPlaceDataSet(record, number) && !isPlaceValue(value.toString('utf8')),
  )
  return kept.length === 0 ? undefined : Buffer.concat(kept.map(({ whole }) => whole))
}
