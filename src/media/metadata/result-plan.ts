/** The facts about a result that are needed to update its metadata. */
import type { Extent } from '../../shared/extent.ts'
import type { OutputFormat } from '../../shared/preset/photo-formats.ts'
import type { Mapping } from './result-mapping.ts'

export type ResultPlan = {
  readonly format: OutputFormat
  /** The upright original. */
  readonly original: Extent
  /** From the upright original to the result. */
  readonly mapping: Mapping
  /** Whether the result's colors are sRGB, regardless of the original's colors. */
  readonly isSrgb: boolean
}

export type ResultFacts = ResultPlan & {
  readonly extent: Extent
  readonly orientation: number
  /** From the stored image to the result. */
  readonly fromStored: Mapping
}
