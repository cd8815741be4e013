/** Writes a photo's metadata into an encoded file of any format. */
import { loss, type Loss, lossReason } from '../../shared/loss/loss.ts'
import { unlessTooShort } from '../image/image-failure.ts'
import { bytesOf, type ExifEntry, readExif, writeExif } from './exif-directories.ts'
import { MOST_EXIF_BYTES } from './jpeg-metadata.ts'
import { type DescribedFormat, METADATA } from './metadata-formats.ts'
import { isEmptyMetadata, type PhotoMetadata } from './photo-metadata.ts'

/** @param file without metadata */
export const withMetadata = (file: Buffer, format: DescribedFormat, metadata: PhotoMetadata): Buffer =>
  isEmptyMetadata(metadata) ? file : METADATA[format].write(file, metadata)

/** The metadata that the format can hold. `losses` has the values that don't fit although the format supports their kind. */
export type FittingMetadata = { readonly metadata: PhotoMetadata; readonly losses: readonly Loss[] }

export function fitMetadata(metadata: PhotoMetadata, format: DescribedFormat): FittingMetadata {
  const { iptc, photoshop, comments, geo } = metadata
  const holdsResources = format === 'jpeg' || format === 'png' || format === 'tiff'
  const held = {
    ...metadata,
    iptc: holdsResources ? iptc : undefined,
    photoshop: holdsResources ? photoshop : undefined,
    geo: format === 'tiff' ? geo : undefined,
    comments: format === 'jpeg' || format === 'png' || format === 'gif' ? comments : [],
  }
  const { exif } = held
  if (format !== 'jpeg' || exif === undefined || exif.length <= MOST_EXIF_BYTES)
    return { metadata: held, losses: [] }
  const { block, count } = shortened(exif)
  return {
    metadata: { ...held, exif: block },
    losses: [loss('tags', { count }, lossReason('formatLimit', { format: 'JPEG' }))],
  }
}

/** Removes the largest values until the rest fits into a segment. The largest is usually the maker note. */
function shortened(exif: Buffer): { readonly block: Buffer | undefined; readonly count: number } {
  const content = unlessTooShort(() => readExif(bytesOf(exif)))
  if (content === undefined) return { block: undefined, count: 1 }
  const values = valuesIn(content.entries).toSorted((one, other) => bytesIn(other) - bytesIn(one))
  for (let count = 0; count <= values.length; count++) {
    const removed = new Set(values.slice(0, count))
    const block = writeExif({ ...content, entries: without(content.entries, removed) })
    if (block.length <= MOST_EXIF_BYTES) return { block, count: Math.max(1, count) }
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
