/** Estimates of a draft's output size and duration before the draft is started. */
import * as z from 'zod'
import type { MediaKind } from '../media-types.ts'

const EstimateRange = z.object({ low: z.number(), likely: z.number(), high: z.number() }).readonly()
/** 80% of outcomes lie between `low` and `high`. */
export type EstimateRange = z.infer<typeof EstimateRange>

/** The estimate shown when a draft was started, as stored in the outbox and the history. */
export const KeptEstimate = z
  .object({ bytes: EstimateRange, milliseconds: EstimateRange.nullable() })
  .readonly()
export type KeptEstimate = z.infer<typeof KeptEstimate>

export type Estimate =
  | {
      readonly kind: 'known'
      /** Total size of the files that the estimate covers. */
      readonly inputBytes: number
      readonly bytes: EstimateRange
      /** null if earlier jobs don't allow a time estimate. */
      readonly milliseconds: EstimateRange | null
      /** The upper limit, if a maximum size applies to every result. It is lower if originals are kept instead of larger results. */
      readonly atMostBytes: number | null
      /** Whether more samples are being processed, which will improve the estimate. */
      readonly isGrowing: boolean
    }
  | { readonly kind: 'unknown'; readonly why: UnknownEstimate }

/** The estimate of a draft in total, and for each preset that processes any of its files, in the order chosen. */
export type DraftEstimate = {
  readonly presets: readonly {
    /** null for basic defaults. */
    readonly preset: string | null
    readonly estimate: Estimate
  }[]
  readonly total: Estimate
}

export type UnknownEstimate =
  /** The results vary too much for a useful range. */
  | 'tooDifferent'
  /** None of the sample files could be processed. */
  | 'notProcessable'
  /** The service is external, and too few earlier jobs used this preset. */
  | 'noHistory'
  /** There is no data for an estimate yet. */
  | 'counting'

/** Returns the key of an estimate with unsaved settings. The main process and the page use the same key. */
export const settingsText = (document: unknown, part: MediaKind): string => JSON.stringify([part, document])
