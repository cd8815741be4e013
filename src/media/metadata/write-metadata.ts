/** Writes a photo's metadata into an encoded file of any format. */
import { loss, type Loss, lossReason } from '../../shared/loss/loss.ts'
import { MOST_EXIF_BYTES } from './jpeg-metadata.ts'
import { type DescribedFormat, METADATA } from './metadata-formats.ts'
import { isEmptyMetadata, type PhotoMetadata } from './photo-metadata.ts'
import { shortenExif } from './shorten-metadata.ts'

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
  const { block, count } = shortenExif(exif, MOST_EXIF_BYTES)
  return {
    metadata: { ...held, exif: block },
    losses: [loss('tags', { count }, lossReason('formatLimit', { format: 'JPEG' }))],
  }
}
