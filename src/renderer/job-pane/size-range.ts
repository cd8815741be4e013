import type { WindowTranslation } from '../../shared/i18n/i18n.ts'
import type { EstimateRange } from '../../shared/model/estimate.ts'

/** "11 MB to 19 MB", or a single size if both sizes round to the same text. */
export function sizeRange(
  { low, high }: Pick<EstimateRange, 'low' | 'high'>,
  t: WindowTranslation,
): { readonly text: string; readonly isRange: boolean } {
  const [from, to] = [t.size(roughly(low)), t.size(roughly(high))]
  return from === to ? { text: from, isRange: false } : { text: t.newJob.fromTo({ from, to }), isRange: true }
}

/** Rounds to two significant digits, because the estimate isn't more precise. */
const roughly = (bytes: number): number => Number(bytes.toPrecision(2))
