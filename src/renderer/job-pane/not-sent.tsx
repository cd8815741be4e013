import type { OutboxEntry, RecordDetails } from '../../shared/model/work.ts'
import { shortPath } from '../../shared/i18n/names.ts'
import { outboxLine } from '../../shared/i18n/sentences.ts'
import { useApp, useTranslation } from '../store/app.ts'
import { InputList, ProblemList } from './file-lists.tsx'
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
  const t = useTranslation()
  const { state } = entry
  const preset = entry.preset ?? t.phrases.basicDefaults
  const size = details?.inputs.reduce((sum, input) => sum + input.size, 0) ?? 0
  return (
    <>
      {summary()}
      {state.kind === 'refused' && state.skipped.length > 0 && (
        <section class="section">
          <header>
            <h2>
              {t.details.problems} <span class="num">{t.number(state.skipped.length)}</span>
            </h2>
          </header>
          <ProblemList problems={state.skipped} inputs={details?.inputs ?? []} />
        </section>
      )}
      {details !== null && details.inputs.length > 0 && (
        <section class="section">
          <header>
            <h2>
              {t.details.files}{' '}
              <span class="num">{t.details.size({ count: details.inputs.length, size: t.size(size) })}</span>
            </h2>
            <p class="hint clip">
              {entry.output?.kind === 'folder'
                ? t.details.toFolder({ preset, folder: shortPath(entry.output.path, app.facts.homeFolder) })
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
          <Summary state="waiting" text={t.details.waiting({ place: t.ordinal(rank), of })}>
            <p class="sub">{t.waitingBecause[state.because]}</p>
          </Summary>
        )
      case 'sending':
        return (
          <>
            <Summary state="sending" text={outboxLine(entry, rank, t)}>
              <p class="sub">
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
              class="tall apart"
              label={t.details.progress}
            />
          </>
        )
      case 'refused':
        return (
          <Summary state="refused" text={outboxLine(entry, rank, t)}>
            <p class="sub">{t.details.refusedHint}</p>
          </Summary>
        )
      case 'unknown':
        return null
    }
  }
}
