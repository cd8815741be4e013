/** Removes the largest parts of a photo's metadata, if a format or a maximum file size leaves too little room for all of it. */
import { sumOf } from '../../shared/sum.ts'
import { unlessTooShort } from '../image/image-failure.ts'
import { bytesOf, type ExifEntry, readExif, writeExif } from './exif-directories.ts'
import type { PhotoMetadata } from './photo-metadata.ts'

/**
 * Removes the largest blocks until the rest fits. Exif is shortened instead, and never takes more than half of the bytes.
 * @param most maximum number of bytes of all blocks together
 * @returns `count`: number of tags that Exif lost. The comparison of both photos finds the other losses
 */
export function shortenMetadata(
  metadata: PhotoMetadata,
  most: number,
): { readonly metadata: PhotoMetadata; readonly count: number } {
  const { exif } = metadata
  if (totalOf(metadata) <= most) return { metadata, count: 0 }
  const isLong = exif !== undefined && exif.length > most / 2
  const { block, count } = isLong ? shortenExif(exif, most / 2) : { block: exif, count: 0 }
  let kept: PhotoMetadata = { ...metadata, exif: block }
  for (const { gone } of OTHER_BLOCKS.toSorted((one, other) => other.bytes(metadata) - one.bytes(metadata)))
    if (totalOf(kept) > most) kept = { ...kept, ...gone }
  return { metadata: kept, count }
}

type Block = { readonly bytes: (metadata: PhotoMetadata) => number; readonly gone: Partial<PhotoMetadata> }

const OTHER_BLOCKS: readonly Block[] = [
  { bytes: ({ xmp }) => xmp?.length ?? 0, gone: { xmp: undefined, otherXmp: undefined } },
  { bytes: ({ iptc }) => iptc?.length ?? 0, gone: { iptc: undefined } },
  {
    bytes: ({ photoshop = [] }) => sumOf(photoshop.map(({ content }) => content.length)),
    gone: { photoshop: undefined },
  },
  {
    bytes: ({ comments }) => sumOf(comments.map(({ text }) => Buffer.byteLength(text))),
    gone: { comments: [] },
  },
  { bytes: ({ geo }) => sumOf(valuesIn(geo?.entries ?? []).map(bytesIn)), gone: { geo: undefined } },
]

const totalOf = (metadata: PhotoMetadata): number =>
  (metadata.exif?.length ?? 0) + sumOf(OTHER_BLOCKS.map(({ bytes }) => bytes(metadata)))

/**
 * Removes the largest values until the rest fits. The largest is usually the maker note.
 * @returns `block`: undefined if the Exif can't be read, or if it doesn't fit even without its `MOST_ATTEMPTS` largest values
 */
export function shortenExif(
  exif: Buffer,
  most: number,
): { readonly block: Buffer | undefined; readonly count: number } {
  const content = unlessTooShort(() => readExif(bytesOf(exif)))
  if (content === undefined) return { block: undefined, count: 1 }
  const values = valuesIn(content.entries).toSorted((one, other) => bytesIn(other) - bytesIn(one))
  for (let count = 0; count <= values.length; count++) {
    const removed = new Set(values.slice(0, count))
    const block = writeExif({ ...content, entries: without(content.entries, removed) })
    if (block.length <= most) return { block, count: Math.max(1, count) }
    // The time for an attempt grows with the block's length.
    if (count === MOST_ATTEMPTS) break
  }
  return { block: undefined, count: values.length }
}

const MOST_ATTEMPTS = 100

const bytesIn = (entry: ExifEntry): number => (entry.kind === 'value' ? entry.bytes.length : 0)

const valuesIn = (entries: readonly ExifEntry[]): readonly ExifEntry[] =>
  entries.flatMap((entry) => (entry.kind === 'directory' ? valuesIn(entry.entries) : [entry]))

const without = (entries: readonly ExifEntry[], removed: ReadonlySet<ExifEntry>): readonly ExifEntry[] =>
  entries.flatMap((entry): readonly ExifEntry[] => {
    if (removed.has(entry)) return []
    return entry.kind === 'directory' ? [{ ...entry, entries: without(entry.entries, removed) }] : [entry]
  })
