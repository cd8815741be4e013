import { quietWords, reasonWords } from '../../shared/i18n/sentences.ts'
import type { WindowTranslation } from '../../shared/i18n/i18n.ts'
import { isQuietReason, type QuietReason, type QuietWait } from '../../shared/model/quiet.ts'
import type { QuietConditions } from '../../shared/model/settings.ts'
import type { PartAt } from '../../shared/model/job.ts'
import { useApp, useTranslation } from '../store/app.ts'
import { quietSign } from '../store/job-signs.ts'
import { Summary } from './summary.tsx'

/** Why a submission hasn't been sent yet. */
export function Waiting(props: {
  readonly state: Extract<PartAt<'outbox'>['state'], { readonly kind: 'waiting' }>
  readonly rank: number
  readonly of: number
}) {
  const { state, rank, of } = props
  const t = useTranslation()
  const { because, unsaved, until = null } = state
  if (isQuietReason(because)) return <Held wait={{ reason: because, until }} isSent={false} />
  return (
    <Summary state="waiting" text={t.details.waiting({ place: t.ordinal(rank), of })}>
      {unsaved !== undefined && <p class="summary-line">{reasonWords('', { failure: unsaved }, t)}</p>}
      <p class="summary-line">{t.waitingBecause[because]}</p>
    </Summary>
  )
}

/** Why quiet mode holds a job back. */
export function Held(props: {
  readonly wait: QuietWait
  /** Whether the built-in service has the job. */
  readonly isSent: boolean
  /** The first line; by default only the reason. */
  readonly text?: string
}) {
  const { wait, isSent, text } = props
  const app = useApp()
  const t = useTranslation()
  return (
    <Summary state="waiting" sign={quietSign(wait)} text={text ?? quietWords(wait, t)}>
      <p class="summary-line">
        {hint(wait.reason, app.state.settings.value.quiet, t)} {isSent ? t.quiet.continues : t.quiet.kept}
      </p>
    </Summary>
  )
}

function hint(
  reason: QuietReason,
  { from, until, idleMinutes }: QuietConditions,
  t: WindowTranslation,
): string {
  switch (reason) {
    case 'paused':
      return t.quiet.becausePaused
    case 'time':
      return t.quiet.becauseTime({ from: shownTime(from, t), until: shownTime(until, t) })
    case 'power':
      return t.quiet.becausePower
    case 'idle':
      return t.quiet.becauseIdle({ count: idleMinutes })
  }
}

/** Returns a time of day as the user's locale writes it. @param time such as `22:00` */
const shownTime = (time: string, t: WindowTranslation): string =>
  t.timeOfDay(new Date(`2026-01-01T${time}`).getTime())
