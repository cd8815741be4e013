import type { WindowTranslation } from '../../shared/i18n/i18n.ts'
import type { Expected } from '../../shared/model/forecast.ts'

/** "11 MB to 19 MB", or one size where both ends read alike. */
export function sizeRange(
  { low, high }: Pick<Expected, 'low' | 'high'>,
  t: WindowTranslation,
): { readonly text: string; readonly isRange: boolean } {
  const [from, to] = [t.size(roughly(low)), t.size(roughly(high))]
  return from === to ? { text: from, isRange: false } : { text: t.newJob.fromTo({ from, to }), isRange: true }
}

/** To two digits: more would pretend to know. */
const roughly = (bytes: number): number => Number(bytes.toPrecision(2))
