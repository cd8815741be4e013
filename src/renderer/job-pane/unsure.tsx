import { useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import type { Candidate } from '../../shared/model/work.ts'
import type { WorkItem } from '../store/work-item.ts'
import { perform } from '../store/work-actions.ts'
import { Button } from '../ui/button.tsx'
import { useApp, useTranslation } from '../store/app.ts'
import { exactTime } from '../store/dates.ts'
import { Summary } from './summary.tsx'

const AGAIN = 'again'

/** It may or may not have arrived. Nothing is chosen beforehand: only a person can tell. */
export function Unsure({ item }: { readonly item: WorkItem }) {
  const app = useApp()
  const t = useTranslation()
  const choice = useSignal<string | null>(null)
  if (item.kind !== 'outbox' || item.entry.state.kind !== 'unknown') return null
  const { id } = item.entry
  const { candidates, checking } = item.entry.state
  const resolve = (): void => {
    const chosen = choice.value
    if (chosen === null) return
    void app.attempt(
      app.bridge.outbox.resolve({
        id,
        choice: chosen === AGAIN ? { kind: 'sendAgain' } : { kind: 'adopt', jobId: chosen },
      }),
    )
  }
  return (
    <>
      <div class="scroll" data-scroller tabIndex={0} role="region" aria-label={t.details.region}>
        <div class="content">
          <Summary state="unsure" text={t.details.unsure}>
            <p class="sub">
              {checking
                ? t.rows.checking
                : candidates.length === 0
                  ? t.details.unsureNone
                  : t.details.unsureSome({ count: candidates.length })}
            </p>
          </Summary>
          <fieldset class="which">
            <legend class="sr">{t.details.which}</legend>
            {candidates.map((job) => (
              <Choice
                key={job.jobId}
                label={t.details.isJob({ id: job.jobId })}
                hint={<CandidateLine job={job} />}
                checked={choice.value === job.jobId}
                onChoose={() => {
                  choice.value = job.jobId
                }}
              />
            ))}
            <Choice
              label={againLabel(candidates.length)}
              hint={t.details.sendAgainHint}
              checked={choice.value === AGAIN}
              onChoose={() => {
                choice.value = AGAIN
              }}
            />
          </fieldset>
        </div>
      </div>
      <div class="submit">
        <div class="in">
          <p class="hint">{choice.value === null ? t.details.chooseOne : ''}</p>
          <Button
            label={t.actions.remove}
            kind="quiet"
            large
            onPress={() => perform(app, 'removeWaiting', item, null)}
          />
          <Button
            label={t.details.goOn}
            kind="main"
            large
            disabled={choice.value === null}
            onPress={resolve}
          />
        </div>
      </div>
    </>
  )

  function againLabel(count: number): string {
    if (count === 0) return t.details.sendAgainNone
    return count === 2 ? t.details.sendAgainTwo : t.details.sendAgain
  }
}

/** "Created 14:02:11, 4 files, H.264 1080p, processing"; a time in no known format stands as the service wrote it. */
function CandidateLine({ job }: { readonly job: Candidate }) {
  const app = useApp()
  const t = useTranslation()
  const at = Date.parse(job.createdAt)
  const parts = [
    t.details.created({ time: Number.isNaN(at) ? job.createdAt : exactTime(app, at) }),
    ...(job.files === null ? [] : [t.count.files({ count: job.files })]),
    job.preset,
    t.jobStatuses[job.status],
  ]
  return (
    <>{parts.filter((part) => part !== '').reduce((first, second) => t.phrases.and({ first, second }))}</>
  )
}

type ChoiceProps = {
  readonly label: string
  readonly hint: ComponentChildren
  readonly checked: boolean
  readonly onChoose: () => void
}

function Choice({ label, hint, checked, onChoose }: ChoiceProps) {
  return (
    <label class="choice">
      <span class="check">
        <input type="radio" name="which" checked={checked} onChange={onChoose} />
        <span>
          <b>{label}</b>
          <span class="hint num">{hint}</span>
        </span>
      </span>
    </label>
  )
}
