/** The facts about a result that its metadata must contain. */
import type { Extent } from '../../shared/extent.ts'
import type { OutputFormat } from '../../shared/preset/photo-formats.ts'
import type { Mapping } from './result-mapping.ts'

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
  /** From the stored image to the result. */
  readonly fromStored: Mapping
}
