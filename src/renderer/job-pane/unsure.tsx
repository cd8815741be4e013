import { useSignal, type Signal } from '@preact/signals'
import type { Candidate, Job, PartAt } from '../../shared/model/job.ts'
import { perform } from '../store/job-actions.ts'
import { Button } from '../ui/button.tsx'
import { Choice } from '../ui/choice.tsx'
import { useApp, useView } from '../store/app.ts'
import { exactTime } from '../store/dates.ts'
import { Summary } from './summary.tsx'

const AGAIN = 'again'

/** Asks the user what to do with a submission that the service may not have received. */
export function Unsure({ job, part }: { readonly job: Job; readonly part: PartAt<'outbox'> }) {
  const { app, t } = useView()
  const choice = useSignal<string | null>(null)
  return (
    <>
      <div class="scroll-area" data-scroller tabIndex={0} role="region" aria-label={t.list.detailsRegion}>
        <div class="pane-content">
          <Candidates part={part} choice={choice} />
        </div>
      </div>
      <div class="action-bar">
        <div class="action-bar-content">
          <p class="hint">{choice.value === null ? t.details.chooseOne : ''}</p>
          <Decision
            part={part}
            choice={choice}
            large
            onRemove={() => perform(app, 'removeWaiting', job, null)}
          />
        </div>
      </div>
    </>
  )
}

/** Asks about one of several parts, in its section. */
export function UnsurePart({ part }: { readonly part: PartAt<'outbox'> }) {
  const app = useApp()
  const choice = useSignal<string | null>(null)
  const { id } = part
  return (
    <div class="unsure-part">
      <Candidates part={part} choice={choice} />
      <div class="control-row wrap">
        <Decision
          part={part}
          choice={choice}
          onRemove={() => void app.attempt(app.bridge.jobs.cancel({ id, scope: 'part' }))}
        />
      </div>
    </div>
  )
}

type ChoiceProps = { readonly part: PartAt<'outbox'>; readonly choice: Signal<string | null> }

/** Lists the jobs that may match the submission, and the option to send it again. No option is preselected. */
function Candidates({ part, choice }: ChoiceProps) {
  const { app, t } = useView()
  const { id, state } = part
  if (state.kind !== 'unknown') return null
  const { candidates, checking, until } = state
  const beingChecked =
    until === undefined ? t.rows.checking : t.details.checkedUntil({ time: exactTime(app, until) })
  return (
    <>
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
            name={`which-${id}`}
            label={t.details.isJob({ id: job.jobId })}
            hint={<CandidateLine job={job} />}
            checked={choice.value === job.jobId}
            onChoose={() => (choice.value = job.jobId)}
          />
        ))}
        <Choice
          name={`which-${id}`}
          label={againLabel(candidates.length)}
          hint={t.details.sendAgainHint}
          checked={choice.value === AGAIN}
          onChoose={() => (choice.value = AGAIN)}
        />
      </fieldset>
    </>
  )

  function againLabel(count: number): string {
    if (count === 0) return t.details.sendAgainNone
    return count === 2 ? t.details.sendAgainTwo : t.details.sendAgain
  }
}

function Decision(props: ChoiceProps & { readonly large?: boolean; readonly onRemove: () => void }) {
  const { part, choice, large = false, onRemove } = props
  const { app, t } = useView()
  const resolve = (): void => {
    const chosen = choice.value
    if (chosen === null) return
    void app.attempt(
      app.bridge.outbox.resolve({
        id: part.id,
        choice: chosen === AGAIN ? { kind: 'sendAgain' } : { kind: 'adopt', jobId: chosen },
      }),
    )
  }
  return (
    <>
      <Button label={t.actions.remove} kind="quiet" large={large} onPress={onRemove} />
      <Button
        label={t.details.goOn}
        kind={large ? 'primary' : 'plain'}
        large={large}
        disabled={choice.value === null}
        onPress={resolve}
      />
    </>
  )
}

/** "Created 14:02:11, 4 files, H.264 1080p, processing". A time in an unknown format is shown as received. */
function CandidateLine({ job }: { readonly job: Candidate }) {
  const { app, t } = useView()
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
