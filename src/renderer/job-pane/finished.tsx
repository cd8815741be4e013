import type { RecordDetails, RecordSummary } from '../../shared/model/work.ts'
import { contentCount, outcomeWord } from '../../shared/i18n/index.ts'
import { describe } from '../store/work-actions.ts'
import { stateOf } from '../list/work-state.ts'
import { Button } from '../ui/button.tsx'
import { useApp, useWords } from '../store/app.ts'
import { Compare } from './compare.tsx'
import { Facts } from './facts.tsx'
import { ProblemList } from './problem-list.tsx'
import { useSizes } from './result-sizes.ts'
import { Results } from './results.tsx'
import { Summary, TargetLine } from './summary.tsx'
import { when } from './when.ts'

type FinishedProps = { readonly record: RecordSummary; readonly details: RecordDetails | null }

/** Work that is over: what it means, what went wrong, what was made, and the facts. */
export function Finished({ record, details }: FinishedProps) {
  const state = stateOf({ kind: 'record', record })
  return (
    <>
      <Outcome record={record} details={details} />
      {details !== null && (
        <>
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
  const { w, wording } = useWords()
  const { outcome } = record
  const became = useBecame(details)
  const state = stateOf({ kind: 'record', record })
  if (outcome === null) return null
  const started = details?.facts.startedAt ?? null
  const took = started === null || record.endedAt === null ? null : wording.duration(record.endedAt - started)
  const ended = record.endedAt === null ? null : when(app, record.endedAt)
  const at = ended === null ? '' : w.details.at({ when: ended })
  const after = ended === null || took === null ? at : w.details.after({ when: ended, time: took })
  switch (outcome.kind) {
    case 'done': {
      const what = contentCount(record, wording) ?? w.newJob.results({ count: outcome.results })
      return (
        <Summary
          state={state}
          says={took === null ? w.details.done({ what }) : w.details.doneIn({ what, time: took })}
        >
          <p class="sub">
            {became !== null && ended !== null ? w.details.became({ when: ended, ...became }) : at}
            {outcome.uploaded !== null && ` ${w.details.uploaded({ count: outcome.uploaded })}`}
          </p>
          <TargetLine work={record} saved />
        </Summary>
      )
    }
    case 'problems':
      return (
        <Summary state={state} says={outcomeWord(outcome, record.files, wording)}>
          <p class="sub">
            {readySentence()} {after}
            {outcome.uploaded !== null && ` ${w.details.uploaded({ count: outcome.uploaded })}`}
          </p>
          <TargetLine work={record} saved />
        </Summary>
      )
    case 'failed':
      return (
        <Summary state={state} says={outcomeWord(outcome, record.files, wording)}>
          <p class="sub">
            {w.details.nothingSaved({ count: record.files ?? 2 })} {after}
          </p>
          <TargetLine work={record} saved={false} />
        </Summary>
      )
    case 'cancelled':
      return (
        <Summary state={state} says={outcomeWord(outcome, record.files, wording)}>
          <p class="sub">
            {outcome.results === 0
              ? w.details.cancelledNone
              : w.details.cancelled({ count: outcome.results })}{' '}
            {at}
          </p>
          <TargetLine work={record} saved={outcome.results > 0} />
        </Summary>
      )
    case 'forgotten':
      return (
        <Summary state={state} says={outcomeWord(outcome, record.files, wording)}>
          <p class="sub">
            {record.output?.kind === 'drive' ? w.details.forgottenDrive : w.details.forgotten} {at}
          </p>
          <TargetLine work={record} saved={false} />
        </Summary>
      )
  }

  function readySentence(): string {
    const all = record.files
    if (outcome?.kind !== 'problems' || all === null) return ''
    // With variations there are more results than files; how many files are ready can't be told from their number.
    if (record.variations > 1) return ''
    const values = { results: outcome.results, count: all }
    if (record.photos === all) return w.details.photosReady(values)
    return record.videos === all ? w.details.videosReady(values) : w.details.filesReady(values)
  }
}

const sum = (numbers: readonly (number | null | undefined)[]): number =>
  numbers.reduce<number>((total, size) => total + (size ?? 0), 0)

/** How much there was before and after, where every size is known. */
function useBecame(details: RecordDetails | null): { before: string; after: string } | null {
  const { wording } = useWords()
  const sizes = useSizes(details?.results.map(({ outputPath }) => outputPath) ?? [])
  if (details === null || details.inputs.length === 0 || details.results.length === 0) return null
  const made = details.results.map(({ outputPath }) => sizes.value.get(outputPath))
  if (made.some((size) => typeof size !== 'number')) return null
  return {
    before: wording.size(sum(details.inputs.map(({ size }) => size))),
    after: wording.size(sum(made)),
  }
}

function Problems({ details }: { readonly details: RecordDetails }) {
  const app = useApp()
  const { w, wording } = useWords()
  if (details.problems.length === 0) return null
  const item = { kind: 'record', record: details } as const
  const failed = stateOf(item) === 'failed'
  const retry = describe(app, 'retry', item, details)
  return (
    <section class="section">
      <header>
        <h2>
          {failed ? w.details.files : w.details.problems}{' '}
          <span class="num">{wording.number(details.problems.length)}</span>
        </h2>
        {!failed && <Button label={retry.label} icon="retry" onPress={retry.run} />}
      </header>
      <ProblemList problems={details.problems} inputs={details.inputs} />
    </section>
  )
}
