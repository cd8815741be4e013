import { quietWords, reasonWords } from '../../shared/i18n/sentences.ts'
import type { ViewTranslation } from '../../shared/i18n/i18n.ts'
import { isQuietReason, type QuietReason, type QuietWait } from '../../shared/model/quiet.ts'
import type { Job, PartAt, SubmissionState } from '../../shared/model/job.ts'
import { titleOf } from '../../shared/model/job-state.ts'
import { useView } from '../store/app.ts'
import { shownTime } from '../store/dates.ts'
import { quietSign, signOf } from '../store/job-signs.ts'
import { serviceName } from '../store/services.ts'
import { Summary } from './summary.tsx'

export function Waiting({
  job,
  state: { because, unsaved, until },
}: {
  readonly job: Job
  readonly state: SubmissionState & { readonly kind: 'waiting' }
}) {
  const { app, t } = useView()
  if (isQuietReason(because)) {
    const wait = { reason: because, until: until ?? null }
    return <Held wait={wait} isSent={false} text={placedWords(quietWords(wait, t), job, t)} />
  }
  const sign = signOf(app, job) ?? undefined
  return (
    <Summary state="waiting" text={placedWords(t.details.waiting, job, t)} {...(sign && { sign })}>
      {unsaved !== undefined && <p class="summary-line">{reasonWords('', { failure: unsaved }, t)}</p>}
      <p class="summary-line">{t.waitingBecause[because]}</p>
    </Summary>
  )
}

export function Queued({ job, part }: { readonly job: Job; readonly part: PartAt<'service'> }) {
  const { app, t } = useView()
  if (part.held !== undefined)
    return <Held wait={part.held} isSent text={placedWords(quietWords(part.held, t), job, t)} />
  const service = serviceName(app, titleOf(job))
  const ahead = (job.turn?.place ?? 1) - 1
  return (
    <Summary state="next" text={placedWords(t.details.waiting, job, t)}>
      <p class="summary-line">
        {ahead === 0
          ? t.details.acceptedNext({ service })
          : t.details.acceptedAfter({ service, count: ahead })}
      </p>
      {part.origin === 'other' && <p class="summary-line">{t.details.otherApp}</p>}
    </Summary>
  )
}

/** "Waiting until 22:00, 4th of 10" */
const placedWords = (state: string, { turn }: Job, t: ViewTranslation): string =>
  turn === null ? state : t.details.placeOf({ state, place: t.ordinal(turn.place), of: turn.of })

export function Held(props: {
  readonly wait: QuietWait
  /** Whether the built-in service has the job. */
  readonly isSent: boolean
  readonly text: string
}) {
  const { wait, isSent, text } = props
  const { app, t } = useView()
  const { from, until, idleMinutes } = app.state.settings.value.quiet
  const hints: Readonly<Record<QuietReason, string>> = {
    paused: t.quiet.becausePaused,
    time: t.quiet.becauseTime({ from: shownTime(from, t), until: shownTime(until, t) }),
    power: t.quiet.becausePower,
    idle: t.quiet.becauseIdle({ count: idleMinutes }),
  }
  return (
    <Summary state="waiting" sign={quietSign(wait)} text={text}>
      <p class="summary-line">
        {t.sentences([hints[wait.reason], isSent ? t.quiet.continues : t.quiet.kept])}
      </p>
    </Summary>
  )
}
