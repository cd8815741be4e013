import type { RecordDetails, RecordSummary } from '../../shared/model/work.ts'
import { contentCount } from '../../shared/i18n/names.ts'
import { outcomeWord } from '../../shared/i18n/sentences.ts'
import { describe } from '../store/work-actions.ts'
import { plannedResults, stateOf } from '../../shared/model/work-item.ts'
import { Button } from '../ui/button.tsx'
import { useApp, useTranslation } from '../store/app.ts'
import { Compare, useSizes } from './compare.tsx'
import { Facts } from './facts.tsx'
import { ProblemSection } from './file-lists.tsx'
import { HookNotes } from './hook-notes.tsx'
import { LostInResult } from './lost.tsx'
import { Results } from './results.tsx'
import { Summary, TargetLine } from './summary.tsx'
import { when } from '../store/dates.ts'
import { sizeRange } from './size-range.ts'

type FinishedProps = { readonly record: RecordSummary; readonly details: RecordDetails | null }

/** A finished job: its outcome, comparison, problems, results and facts. */
export function Finished({ record, details }: FinishedProps) {
  const state = stateOf({ kind: 'record', record })
  return (
    <>
      <Outcome record={record} details={details} />
      {details !== null && (
        <>
          <HookNotes details={details} />
          <LostInResult details={details} />
          {state === 'done' && <Compare details={details} />}
          <Problems details={details} />
          <Results details={details} />
          <Facts details={details} open={state !== 'done'} />
        </>
      )}
    </>
  )
}

function Outcome({ record, details }: FinishedProps) {
  const app = useApp()
  const t = useTranslation()
  const { outcome } = record
  const sizeChange = useSizeChange(details)
  const state = stateOf({ kind: 'record', record })
  if (outcome === null) return null
  const started = details?.facts.startedAt ?? null
  const took = started === null || record.endedAt === null ? null : t.duration(record.endedAt - started)
  const ended = record.endedAt === null ? null : when(app, record.endedAt)
  const at = ended === null ? '' : t.details.at({ when: ended })
  const after = ended === null || took === null ? at : t.details.after({ when: ended, time: took })
  switch (outcome.kind) {
    case 'done': {
      const what = contentCount(record, t) ?? t.newJob.results({ count: outcome.results })
      return (
        <Summary
          state={state}
          text={took === null ? t.details.done({ what }) : t.details.doneIn({ what, time: took })}
        >
          <p class="summary-line">
            {sizeChange !== null && ended !== null ? t.details.became({ when: ended, ...sizeChange }) : at}
            {outcome.uploaded !== null && ` ${t.details.uploaded({ count: outcome.uploaded })}`}
          </p>
          <EstimateLine details={details} took={took} />
          <TargetLine work={record} saved />
        </Summary>
      )
    }
    case 'problems':
      return (
        <Summary state={state} text={outcomeWord(outcome, plannedResults(record), t)}>
          <p class="summary-line">
            {readySentence()} {after}
            {outcome.uploaded !== null && ` ${t.details.uploaded({ count: outcome.uploaded })}`}
          </p>
          <TargetLine work={record} saved />
        </Summary>
      )
    case 'failed':
      return (
        <Summary state={state} text={outcomeWord(outcome, plannedResults(record), t)}>
          <p class="summary-line">
            {t.details.nothingSaved({ count: record.files ?? 2 })} {after}
          </p>
          <TargetLine work={record} saved={false} />
        </Summary>
      )
    case 'cancelled':
      return (
        <Summary state={state} text={outcomeWord(outcome, plannedResults(record), t)}>
          <p class="summary-line">
            {outcome.results === 0
              ? t.details.cancelledNone
              : t.details.cancelled({ count: outcome.results })}{' '}
            {at}
          </p>
          <TargetLine work={record} saved={outcome.results > 0} />
        </Summary>
      )
    case 'forgotten':
      return (
        <Summary state={state} text={outcomeWord(outcome, plannedResults(record), t)}>
          <p class="summary-line">
            {record.output?.kind === 'drive' ? t.details.forgottenDrive : t.details.forgotten} {at}
          </p>
          <TargetLine work={record} saved={false} />
        </Summary>
      )
  }

  function readySentence(): string {
    const all = record.files
    if (outcome?.kind !== 'problems' || all === null) return ''
    // With variations there are more results than files, so the number of finished files is unknown.
    if (record.variations > 1) return ''
    const values = { results: outcome.results, count: all }
    if (record.photos === all) return t.details.photosReady(values)
    return record.videos === all ? t.details.videosReady(values) : t.details.filesReady(values)
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

/** The estimate made before the job started, compared with the actual size and duration. */
function EstimateLine({ details, took }: Pick<FinishedProps, 'details'> & { readonly took: string | null }) {
  const t = useTranslation()
  const { forecast: estimate = null, resultBytes = null } = details ?? {}
  if (estimate === null || resultBytes === null || took === null) return null
  const range = sizeRange(estimate.bytes, t).text
  const expected =
    estimate.milliseconds === null
      ? range
      : t.details.inTime({ size: range, time: t.duration(estimate.milliseconds.likely) })
  const actual = t.details.inTime({ size: t.size(resultBytes), time: took })
  return <p class="summary-line">{t.details.estimate({ expected, actual })}</p>
}

function Problems({ details }: { readonly details: RecordDetails }) {
  const app = useApp()
  const t = useTranslation()
  const { problems, inputs } = details
  const item = { kind: 'record', record: details } as const
  if (stateOf(item) === 'failed')
    return <ProblemSection problems={problems} inputs={inputs} title={t.details.files} />
  const retry = describe(app, 'retry', item, details)
  return (
    <ProblemSection
      problems={problems}
      inputs={inputs}
      end={<Button label={retry.label} icon="retry" onPress={retry.run} />}
    />
  )
}
