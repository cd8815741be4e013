import type { Estimate, EstimateRange } from '../model/estimate.ts'
import type { ViewTranslation } from './i18n.ts'

export type KnownEstimate = Extract<Estimate, { readonly kind: 'known' }>

/** "About 4 MB", "At most 3 MB" */
export const estimatedSize = (
  { bytes, atMostBytes }: Pick<KnownEstimate, 'bytes' | 'atMostBytes'>,
  t: ViewTranslation,
): string =>
  atMostBytes === null
    ? t.newJob.about({ size: t.roughSize(bytes.likely) })
    : t.newJob.atMost({ size: t.shortSize(atMostBytes) })

/**
 * "of 48.2 MB, 8 s", "from 48.2 MB, 8 s"
 * @param isMultiplied whether each file has several results, whose total isn't a share of the file's size
 */
export function estimatedShare(
  { inputBytes, milliseconds }: KnownEstimate,
  isMultiplied: boolean,
  t: ViewTranslation,
): string {
  const size = t.size(inputBytes)
  const texts = t.newJob
  if (milliseconds === null) return isMultiplied ? texts.fromAll({ size }) : texts.ofAll({ size })
  const values = { size, time: t.duration(milliseconds.likely) }
  return isMultiplied ? texts.fromInTime(values) : texts.ofInTime(values)
}

/** "11 to 19 MB", or a single size if both sizes round to the same text. */
export function sizeRange(
  { low, high }: Pick<EstimateRange, 'low' | 'high'>,
  t: ViewTranslation,
): { readonly text: string; readonly isRange: boolean } {
  const [start, end] = [roughly(low), roughly(high)]
  const size = t.shortSize(end)
  return t.shortSize(start) === size
    ? { text: size, isRange: false }
    : { text: t.newJob.fromTo(t.sizeRange(start, end)), isRange: true }
}

/** Rounds to two significant digits, because the estimate isn't more precise. */
const roughly = (bytes: number): number => Number(bytes.toPrecision(2))

/** The range of an estimated size; empty if it adds nothing to `estimatedSize`. */
export function estimatedRange({ bytes, atMostBytes }: KnownEstimate, t: ViewTranslation): string {
  const range = sizeRange(bytes, t)
  return atMostBytes === null && range.isRange ? range.text : ''
}
