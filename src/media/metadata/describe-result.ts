/** Changes a photo's metadata so that it describes the result: its orientation, dimensions, format, thumbnails and regions. */
import type { OutputFormat } from '../image/encode-image.ts'
import type { Extent } from '../image/geometry.ts'
import { describeExif } from './describe-exif.ts'
import { describeXmp } from './describe-xmp.ts'
import type { PhotoMetadata } from './photo-metadata.ts'
import { fromStored, type Mapping } from './result-mapping.ts'
import { orientationOf } from './describe-exif.ts'

/** What is known about the result before it is encoded. */
export type ResultPlan = {
  readonly format: OutputFormat
  /** The upright original. */
  readonly original: Extent
  /** From the upright original to the result. */
  readonly mapping: Mapping
  /** Whether the colors are sRGB, regardless of the original's. */
  readonly isSrgb: boolean
}

export type ResultFacts = ResultPlan & {
  readonly extent: Extent
  /** Exif orientation of the original. */
  readonly orientation: number
  /** From the stored picture to the result. */
  readonly fromStored: Mapping
}

/** @param extent the result's size, which may be smaller than planned */
export function describeResult(metadata: PhotoMetadata, plan: ResultPlan, extent: Extent): PhotoMetadata {
  const { exif, xmp } = metadata
  const orientation = orientationOf(exif)
  const facts = { ...plan, extent, orientation, fromStored: fromStored(orientation, plan.mapping) }
  return { ...metadata, exif: exif && describeExif(exif, facts), xmp: xmp && describeXmp(xmp, facts) }
}
