import type { Signal } from '@preact/signals'
import type { PartDetails } from '../../shared/model/job.ts'
import { baseName } from '../../shared/paths.ts'
import { bandOf, scoresOf } from '../../shared/quality/quality.ts'
import type { Pair } from '../preview/result-comparison.tsx'
import { useViewTranslation } from '../store/app.ts'
import { IconButton } from '../ui/button.tsx'
import { Name } from '../ui/name.tsx'
import { Thumbnail } from '../ui/thumbnail.tsx'
import { SizeChange } from './size-change.tsx'
import { Section } from './summary.tsx'

const SHOWN = 3
/** Minimum number of results. With fewer, the comparison already shows all of them. */
const FEWEST = 4

export function LowestQuality(props: {
  readonly details: PartDetails
  readonly pairs: readonly Pair[]
  /** File sizes of the results in bytes, by path. */
  readonly sizes: ReadonlyMap<string, number | null>
  readonly chosen: Signal<string | undefined>
}) {
  const { details, pairs, sizes, chosen } = props
  const t = useViewTranslation()
  const rated = pairs
    .flatMap((pair) => scoresOf([pair]).map((score) => ({ ...pair, score })))
    .toSorted((one, other) => one.score - other.score)
  const [worst] = rated
  if (rated.length < FEWEST || worst === undefined || bandOf(worst.score) === 'same') return null
  const sizesBefore = new Map(details.inputs.map(({ path, size }) => [path, size]))
  return (
    <Section
      title={t.quality.lowest}
      count={t.quality.lowestOf({ shown: t.number(SHOWN), all: t.number(pairs.length) })}
      compact
    >
      <ul class="file-list">
        {rated.slice(0, SHOWN).map(({ before, after, kind, score }) => {
          const name = baseName(after)
          return (
            <li key={after} class="file-row two-line">
              <Thumbnail path={after} video={kind === 'video'} small />
              <span class="row-text">
                <Name name={name} />
                <span class="hint">
                  <b>{t.quality.title({ score: t.number(score) })}</b> {t.quality[bandOf(score)]}
                </span>
              </span>
              <span class="file-size">
                <SizeChange before={sizesBefore.get(before) ?? null} now={sizes.get(after) ?? 0} />
              </span>
              <span class="file-row-end">
                <IconButton
                  icon="compare"
                  label={t.quality.showAbove({ name })}
                  pressed={chosen.value === after}
                  onPress={() => (chosen.value = after)}
                />
              </span>
            </li>
          )
        })}
      </ul>
    </Section>
  )
}
