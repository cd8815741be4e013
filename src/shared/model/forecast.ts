/** What a draft will come to, said before it is started. */
import * as z from 'zod'
import type { MediaKind } from '../media-types.ts'

const Expected = z.object({ low: z.number(), likely: z.number(), high: z.number() }).readonly()
/** Four of five outcomes lie between `low` and `high`. */
export type Expected = z.infer<typeof Expected>

/** What was on show when a draft was started, as outbox and history keep it. */
export const KeptForecast = z.object({ bytes: Expected, milliseconds: Expected.nullable() }).readonly()
export type KeptForecast = z.infer<typeof KeptForecast>

export type Forecast =
  | {
      readonly kind: 'known'
      /** Of the files that it speaks of. */
      readonly inputBytes: number
      readonly bytes: Expected
      /** null where earlier jobs say nothing of it. */
      readonly milliseconds: Expected | null
      /** What the preset allows at the most, where it sets a size. */
      readonly atMostBytes: number | null
      /** More files are still being tried: it gets better while one waits. */
      readonly isGrowing: boolean
    }
  | { readonly kind: 'unknown'; readonly why: UnknownForecast }

export type UnknownForecast =
  /** The results differ too much from each other for a range that says anything. */
  | 'tooDifferent'
  /** Not one of the files that were tried could be processed. */
  | 'notProcessable'
  /** Another program's service, and too few earlier jobs with this preset to go by. */
  | 'noHistory'
  /** Nothing is known yet. */
  | 'counting'

/** A job of another program's service that went well, its files of one kind. */
export type PastJob = {
  readonly kind: MediaKind
  readonly files: number
  /** Of each file. */
  readonly variations: number
  /** Of all files. */
  readonly inputBytes: number
  readonly resultBytes: number
  /** From its start to its end; null where the service did not say. */
  readonly milliseconds: number | null
}

/** By what a forecast of settings that are not saved is known on both sides of the bridge. */
export const settingsText = (document: unknown, part: MediaKind): string => JSON.stringify([part, document])
