import type { WindowTranslation } from '../../shared/i18n/i18n.ts'
import { useTranslation } from '../store/app.ts'

type Sizes = readonly (number | null | undefined)[]

const totalOf = (sizes: Sizes): number =>
  sizes.length === 0 ? NaN : sizes.reduce<number>((sum, size) => sum + (size ?? NaN), 0)

/** Returns the totals of both lists of sizes as text; null if a list is empty or contains an unknown size. */
export function sizeTotals(before: Sizes, after: Sizes, t: WindowTranslation) {
  const [from, to] = [totalOf(before), totalOf(after)]
  return Number.isNaN(from + to) ? null : { before: t.size(from), after: t.size(to) }
}

/** "4.1 MB → 612 kB −85%". Every part keeps its own direction in right-to-left layouts. */
export function SizeChange(props: {
  /** Size of the original in bytes; null if unknown, or if the result is the original. */
  readonly before: number | null
  readonly now: number
}) {
  const { before, now } = props
  const t = useTranslation()
  // Never 100, because the result isn't empty.
  const less = before !== null && before > now ? Math.min(99, Math.round((1 - now / before) * 100)) : 0
  return (
    <>
      {before !== null && (
        <span class="size-before">
          <bdi>{t.size(before)}</bdi> <span class="size-arrow">→</span>{' '}
        </span>
      )}
      <bdi>{t.size(now)}</bdi>
      {less > 0 && (
        <>
          &nbsp;{' '}
          <bdi class="savings" dir="ltr">
            −{t.percent(less / 100)}
          </bdi>
        </>
      )}
    </>
  )
}
