import type { OutboxEntry, RecordDetails } from '../../shared/model/work.ts'
import { outboxLine, shortPath } from '../../shared/i18n/index.ts'
import { useApp, useWords } from '../store/app.ts'
import { InputList } from './input-list.tsx'
import { ProblemList } from './problem-list.tsx'
import { Summary } from './summary.tsx'
import { ProgressBar } from '../ui/progress-bar.tsx'

type NotSentProps = {
  readonly entry: OutboxEntry
  readonly rank: number
  readonly of: number
  readonly details: RecordDetails | null
}

/** A submission that the service has not accepted: it waits here, is on its way, or was refused. */
export function NotSent({ entry, rank, of, details }: NotSentProps) {
  const app = useApp()
  const { w, wording } = useWords()
  const { state } = entry
  const preset = entry.preset ?? w.common.basicDefaults
  const size = details?.inputs.reduce((sum, input) => sum + input.size, 0) ?? 0
  return (
    <>
      {summary()}
      {state.kind === 'refused' && state.skipped.length > 0 && (
        <section class="section">
          <header>
            <h2>
              {w.details.problems} <span class="num">{wording.number(state.skipped.length)}</span>
            </h2>
          </header>
          <ProblemList problems={state.skipped} inputs={details?.inputs ?? []} />
        </section>
      )}
      {details !== null && details.inputs.length > 0 && (
        <section class="section">
          <header>
            <h2>
              {w.details.files}{' '}
              <span class="num">
                {w.details.size({ count: details.inputs.length, size: wording.size(size) })}
              </span>
            </h2>
            <p class="hint clip">
              {entry.output?.kind === 'folder'
                ? w.details.toFolder({ preset, folder: shortPath(entry.output.path, app.facts.homeFolder) })
                : preset}
            </p>
          </header>
          <InputList inputs={details.inputs} />
        </section>
      )}
    </>
  )

  function summary() {
    switch (state.kind) {
      case 'waiting':
        return (
          <Summary state="waiting" says={w.details.waiting({ place: wording.ordinal(rank), of })}>
            <p class="sub">{w.waitingBecause[state.because]}</p>
          </Summary>
        )
      case 'sending':
        return (
          <>
            <Summary state="sending" says={outboxLine(entry, rank, wording)}>
              <p class="sub">
                {state.upload === null
                  ? w.details.sendingHint
                  : w.details.sendingUpload({
                      sent: wording.size(state.upload.sent),
                      all: wording.size(state.upload.total),
                    })}
              </p>
            </Summary>
            <ProgressBar
              share={
                state.upload === null || state.upload.total === 0
                  ? null
                  : state.upload.sent / state.upload.total
              }
              class="tall apart"
              label={w.details.progress}
            />
          </>
        )
      case 'refused':
        return (
          <Summary state="refused" says={outboxLine(entry, rank, wording)}>
            <p class="sub">{w.details.refusedHint}</p>
          </Summary>
        )
      case 'unknown':
        return null
    }
  }
}
