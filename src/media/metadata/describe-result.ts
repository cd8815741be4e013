/** Changes a photo's metadata so that it describes the result, for example its orientation, dimensions, thumbnails and regions. */
import type { Extent } from '../../shared/extent.ts'
import { describeExif, orientationOf } from './describe-exif.ts'
import { describeXmp } from './describe-xmp.ts'
import { describeGeo } from './describe-geo.ts'
import { describeGuides } from './describe-guides.ts'
import type { PhotoMetadata } from './photo-metadata.ts'
import { fromStored } from './result-mapping.ts'
import { GUIDES } from './iptc.ts'
import type { ResultPlan } from './result-plan.ts'

/** @param extent the result's size, which may be smaller than planned */
export function describeResult(metadata: PhotoMetadata, plan: ResultPlan, extent: Extent): PhotoMetadata {
  const { exif, xmp, photoshop, geo } = metadata
  const orientation = orientationOf(exif)
  const facts = { ...plan, extent, orientation, fromStored: fromStored(orientation, plan.mapping) }
  return {
    ...metadata,
    exif: exif && describeExif(exif, facts),
    xmp: xmp && describeXmp(xmp, facts),
    geo: geo && describeGeo(geo, facts),
    photoshop: photoshop?.flatMap((one) => (one.id === GUIDES ? describeGuides(one, facts) : [one])),
  }
}
