import { expectedResults } from '../../shared/model/group-sections.ts'
import type { RecordDetails, RecordSummary } from '../../shared/model/work.ts'
import { plannedResults, stateOf, wholeJobOf, type PartItem } from '../../shared/model/work-item.ts'
import { contentCount } from '../../shared/i18n/names.ts'
import { outcomeWord } from '../../shared/i18n/sentences.ts'
import { useApp, useTranslation } from '../store/app.ts'
import { when } from '../store/dates.ts'
import { useSizes } from './compare.tsx'
import { sizeRange } from './size-range.ts'
import { Summary, TargetLine } from './summary.tsx'

type JobOutcomeProps = {
  readonly record: RecordSummary
  readonly parts: readonly PartItem[]
  /** Of the first part; null until loaded. */
  readonly details: RecordDetails | null
}

/** How a job ended, and where its results are. */
export function JobOutcome({ record, parts, details }: JobOutcomeProps) {
  const app = useApp()
  const t = useTranslation()
  const isWhole = record.members === null
  const sizeChange = useSizeChange(isWhole ? details : null)
  const job = wholeJobOf(record)
  const { outcome, endedAt } = job
  if (outcome === null) return null
  const startedAt = details?.facts.startedAt ?? null
  const took = startedAt === null || endedAt === null ? null : t.duration(endedAt - startedAt)
  const ended = endedAt === null ? null : when(app, endedAt)
  const at = ended === null ? '' : t.details.at({ when: ended })
  const after = ended === null || took === null ? at : t.details.after({ when: ended, time: took })
  const uploaded = 'uploaded' in outcome ? outcome.uploaded : null
  return (
    <Summary state={stateOf({ kind: 'record', record })} text={headline()}>
      <p class="summary-line">
        {line()} {uploaded !== null && t.details.uploaded({ count: uploaded })}
      </p>
      {outcome.kind === 'done' && <EstimateLine details={details} took={took} />}
      <TargetLine work={job} parts={parts} saved={'results' in outcome && outcome.results > 0} />
    </Summary>
  )

  function headline(): string {
    if (outcome?.kind !== 'done') {
      return outcome === null ? '' : outcomeWord(outcome, isWhole ? plannedResults(job) : null, t)
    }
    const hasPresets = !isWhole && (job.group?.presets ?? 1) > 1
    const what = (hasPresets ? null : contentCount(job, t)) ?? t.count.results({ count: outcome.results })
    return took === null ? t.details.done({ what }) : t.details.doneIn({ what, time: took })
  }

  function line(): string {
    const end = isWhole ? at : after
    switch (outcome?.kind) {
      case 'done':
        return sizeChange === null || ended === null ? end : t.details.became({ when: ended, ...sizeChange })
      case 'problems':
        return `${readySentence(outcome.results)} ${after}`
      case 'failed':
        return `${t.details.nothingSaved({ count: job.files ?? 2 })} ${after}`
      case 'cancelled': {
        const { results: count } = outcome
        return `${count === 0 ? t.details.cancelledNone : t.details.cancelled({ count })} ${end}`
      }
      case 'forgotten':
        return `${job.output?.kind === 'drive' ? t.details.forgottenDrive : t.details.forgotten} ${end}`
      case undefined:
        return ''
    }
  }

  function readySentence(results: number): string {
    if (!isWhole) {
      const count = expectedResults({ parts })
      return count === null || count === 0 ? '' : t.group.ready({ results, count })
    }
    // With variations there are more results than files, so the number of finished files is unknown.
    const { files: count } = job
    if (count === null || job.variations > 1) return ''
    if (job.photos === count) return t.details.photosReady({ results, count })
    return job.videos === count
      ? t.details.videosReady({ results, count })
      : t.details.filesReady({ results, count })
  }
}

const sum = (numbers: readonly (number | null | undefined)[]): number =>
  numbers.reduce<number>((total, size) => total + (size ?? 0), 0)

/** Returns the total sizes before and after, or null if any size is unknown. */
function useSizeChange(details: RecordDetails | null): { before: string; after: string } | null {
  const t = useTranslation()
  const sizes = useSizes(details?.results.map(({ outputPath }) => outputPath) ?? [])
  if (details === null || details.inputs.length === 0 || details.results.length === 0) return null
  const made = details.results.map(({ outputPath }) => sizes.value.get(outputPath))
  if (made.some((size) => typeof size !== 'number')) return null
  return {
    before: t.size(sum(details.inputs.map(({ size }) => size))),
    after: t.size(sum(made)),
  }
}

type EstimateLineProps = Pick<JobOutcomeProps, 'details'> & { readonly took: string | null }

/** The estimate made before the job started, compared with the actual size and duration. */
function EstimateLine({ details, took }: EstimateLineProps) {
  const t = useTranslation()
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
