import type { OutboxEntry, RecordDetails } from '../../shared/model/work.ts'
import { outboxLine } from '../../shared/i18n/sentences.ts'
import { useTranslation } from '../store/app.ts'
import { InputSection, ProblemSection } from './file-lists.tsx'
import { Summary } from './summary.tsx'
import { Waiting } from './waiting.tsx'
import { ProgressBar } from '../ui/progress-bar.tsx'

type NotSentProps = {
  readonly entry: OutboxEntry
  readonly rank: number
  readonly of: number
  readonly details: RecordDetails | null
}

/** A submission that the service hasn't accepted: waiting, being sent or refused. */
export function NotSent({ entry, rank, of, details }: NotSentProps) {
  const t = useTranslation()
  const { state } = entry
  const { inputs = [] } = details ?? {}
  const size = t.size(inputs.reduce((sum, input) => sum + input.size, 0))
  return (
    <>
      {summary()}
      {state.kind === 'refused' && <ProblemSection problems={state.skipped} inputs={inputs} />}
      <InputSection work={entry} count={t.details.size({ count: inputs.length, size })} inputs={inputs} />
    </>
  )

  function summary() {
    switch (state.kind) {
      case 'waiting':
        return <Waiting state={state} rank={rank} of={of} />
      case 'sending':
        return (
          <>
            <Summary state="sending" text={outboxLine(entry, rank, t)}>
              <p class="summary-line">
                {state.upload === null
                  ? t.details.sendingHint
                  : t.details.sendingUpload({
                      sent: t.size(state.upload.sent),
                      all: t.size(state.upload.total),
                    })}
              </p>
            </Summary>
            <ProgressBar
              share={
                state.upload === null || state.upload.total === 0
                  ? null
                  : state.upload.sent / state.upload.total
              }
              class="thick spaced"
              label={t.details.progress}
            />
          </>
        )
      case 'refused':
        return (
          <Summary state="refused" text={outboxLine(entry, rank, t)}>
            <p class="summary-line">{t.details.refusedHint}</p>
          </Summary>
        )
      case 'unknown':
        return null
    }
  }
}
