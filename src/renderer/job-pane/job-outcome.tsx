import { sizeRange } from '../../shared/i18n/estimates.ts'
import type { Job, Outcome, PartDetails } from '../../shared/model/job.ts'
import { endOf, expectedResults, plannedResults, resultsIn } from '../../shared/model/job-outcome.ts'
import { titleOf } from '../../shared/model/job-state.ts'
import { contentCount } from '../../shared/i18n/names.ts'
import { outcomeWord, qualitySentence } from '../../shared/i18n/sentences.ts'
import { useViewTranslation, useView } from '../store/app.ts'
import { when } from '../store/dates.ts'
import { useSizes } from './compare.tsx'
import { sizeTotals } from './size-change.tsx'
import { Summary, TargetLine } from './summary.tsx'

export function JobOutcome(props: {
  readonly job: Job
  /** The details of the first part; null until loaded. */
  readonly details: PartDetails | null
}) {
  const { job, details } = props
  const { app, t } = useView()
  const title = titleOf(job)
  const { parts, presets } = title.place
  const sizeChange = useSizeChange(parts === 1 ? details : null)
  const { outcome, endedAt } = endOf(job)
  if (outcome === null) return null
  const startedAt = details?.facts.startedAt ?? null
  const took = startedAt === null || endedAt === null ? null : t.duration(endedAt - startedAt)
  const ended = endedAt === null ? null : when(app, endedAt)
  const at = ended === null ? '' : t.details.at({ when: ended })
  const after = ended === null || took === null ? at : t.details.after({ when: ended, time: took })
  const quality = parts === 1 ? qualitySentence(details?.results ?? [], t) : undefined
  const uploaded = 'uploaded' in outcome ? outcome.uploaded : null
  return (
    <Summary state={outcome.kind} text={headline(outcome)}>
      <p class="summary-line">
        {line(outcome)} {quality} {uploaded !== null && t.details.uploaded({ count: uploaded })}
      </p>
      {outcome.kind === 'done' && <EstimateLine details={details} took={took} />}
      <TargetLine job={job} saved={resultsIn(outcome) > 0} />
    </Summary>
  )

  function headline(end: Outcome): string {
    const isCounted = presets === 1
    if (end.kind !== 'done') return outcomeWord(end, isCounted ? plannedResults(title) : null, t)
    const what = (isCounted ? contentCount(title, t) : null) ?? t.count.results({ count: end.results })
    return took === null ? t.details.done({ what }) : t.details.doneIn({ what, time: took })
  }

  function line(end: Outcome): string {
    switch (end.kind) {
      case 'done':
        return sizeChange === null || ended === null ? at : t.details.became({ when: ended, ...sizeChange })
      case 'problems':
        return t.sentences([readySentence(end.results), after])
      case 'failed':
        return t.sentences([t.details.nothingSaved({ count: title.files ?? 2 }), after])
      case 'cancelled': {
        const { results: count } = end
        return t.sentences([count === 0 ? t.details.cancelledNone : t.details.cancelled({ count }), at])
      }
      case 'forgotten':
        return t.sentences([
          title.output?.kind === 'drive' ? t.details.forgottenDrive : t.details.forgotten,
          at,
        ])
    }
  }

  /** Describes how many results are ready. Calls them photos, videos or files only if each file has one result. */
  function readySentence(results: number): string {
    const count = job.parts.length < parts ? null : expectedResults(job)
    if (count === null || count === 0) return ''
    if (presets > 1 || title.variations > 1) return t.parts.ready({ results, count })
    if (title.photos === count) return t.details.photosReady({ results, count })
    return title.videos === count
      ? t.details.videosReady({ results, count })
      : t.details.filesReady({ results, count })
  }
}

/** Returns the total sizes of the originals and the results; null if any is unknown, or if there are none. */
function useSizeChange(details: PartDetails | null) {
  const t = useViewTranslation()
  const sizes = useSizes(details?.results.map(({ outputPath }) => outputPath) ?? [])
  if (details === null) return null
  const before = details.inputs.map(({ size }) => size)
  const after = details.results.map(({ outputPath }) => sizes.value.get(outputPath))
  return sizeTotals(before, after, t)
}

/** The estimate made before the job started, compared with the actual size and duration. */
function EstimateLine(props: { readonly details: PartDetails | null; readonly took: string | null }) {
  const { details, took } = props
  const t = useViewTranslation()
  const { resultBytes = null } = details ?? {}
  const estimate = details?.forecast ?? null
  if (estimate === null || resultBytes === null || took === null) return null
  const range = sizeRange(estimate.bytes, t).text
  const expected =
    estimate.milliseconds === null
      ? range
      : t.details.inTime({ size: range, time: t.duration(estimate.milliseconds.likely) })
  const actual = t.details.inTime({ size: t.size(resultBytes), time: took })
  return <p class="summary-line">{t.details.estimate({ expected, actual })}</p>
}
