import { useSignal } from '@preact/signals'
import type { Candidate } from '../../shared/model/work.ts'
import type { WorkItem } from '../store/work-item.ts'
import { perform } from '../store/work-actions.ts'
import { Button } from '../ui/button.tsx'
import { Choice } from '../ui/choice.tsx'
import { useApp, useTranslation } from '../store/app.ts'
import { exactTime } from '../store/dates.ts'
import { Summary } from './summary.tsx'

const AGAIN = 'again'

/** Asks the user what to do with a submission that the service may not have received. No option is preselected. */
export function Unsure({ item }: { readonly item: WorkItem }) {
  const app = useApp()
  const t = useTranslation()
  const choice = useSignal<string | null>(null)
  if (item.kind !== 'outbox' || item.entry.state.kind !== 'unknown') return null
  const { id } = item.entry
  const { candidates, checking, until } = item.entry.state
  const beingChecked =
    until === undefined ? t.rows.checking : t.details.checkedUntil({ time: exactTime(app, until) })
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
      <div class="scroll-area" data-scroller tabIndex={0} role="region" aria-label={t.details.region}>
        <div class="pane-content">
          <Summary state="unsure" text={t.details.unsure}>
            <p class="summary-line">
              {checking
                ? beingChecked
                : candidates.length === 0
                  ? t.details.unsureNone
                  : t.details.unsureSome({ count: candidates.length })}
            </p>
          </Summary>
          <fieldset class="candidates">
            <legend class="visually-hidden">{t.details.which}</legend>
            {candidates.map((job) => (
              <Choice
                key={job.jobId}
                name="which"
                label={t.details.isJob({ id: job.jobId })}
                hint={<CandidateLine job={job} />}
                checked={choice.value === job.jobId}
                onChoose={() => {
                  choice.value = job.jobId
                }}
              />
            ))}
            <Choice
              name="which"
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
      <div class="action-bar">
        <div class="action-bar-content">
          <p class="hint">{choice.value === null ? t.details.chooseOne : ''}</p>
          <Button
            label={t.actions.remove}
            kind="quiet"
            large
            onPress={() => perform(app, 'removeWaiting', item, null)}
          />
          <Button
            label={t.details.goOn}
            kind="primary"
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

/** "Created 14:02:11, 4 files, H.264 1080p, processing". A time in an unknown format is shown as received. */
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
