import type { RecordId } from '../../shared/model/ids.ts'
import { isQuietReason, type QuietReason, type QuietWait } from '../../shared/model/quiet.ts'
import {
  currentPart,
  idOf,
  jobOf,
  jobOfDetails,
  stateOf,
  titleOf,
  type JobState,
} from '../../shared/model/job-state.ts'
import type { Job, SubmissionState } from '../../shared/model/job.ts'
import { endOf } from '../../shared/model/job-outcome.ts'
import { areAllRestored } from '../../shared/model/replacement.ts'
import type { IconName } from '../ui/icon.tsx'
import type { App } from './app.ts'
import { isElsewhere } from './services.ts'

/** Returns the job with this ID, or the unfinished job that has a part with this ID; undefined if no such job is loaded. */
export function findJob(app: App, id: RecordId): Job | undefined {
  const unfinished = app.jobs.value.find(
    (job) => idOf(job) === id || job.parts.some((part) => part.id === id),
  )
  if (unfinished !== undefined) return unfinished
  const shown = app.details.value
  if (shown?.kind === 'read' && shown.id === id) return jobOfDetails(shown.details)
  for (const page of app.history.view.value.pages.values()) {
    const listed = page.find((part) => part.id === id || part.place.id === id)
    if (listed) return jobOf([listed])
  }
  return undefined
}

export type Sign = { readonly icon: IconName; readonly tone: '' | 'success' | 'warning' | 'error' }

/** The icons of the states. Most differ in shape, because color alone isn't enough. */
export const STATUS_ICONS: Readonly<Record<JobState, Sign | null>> = {
  now: null,
  next: { icon: 'queue', tone: '' },
  waiting: { icon: 'tray', tone: '' },
  sending: { icon: 'arrow', tone: '' },
  refused: { icon: 'fail', tone: 'error' },
  unsure: { icon: 'ask', tone: 'warning' },
  uploading: { icon: 'up', tone: '' },
  done: { icon: 'check', tone: 'success' },
  problems: { icon: 'warn', tone: 'warning' },
  failed: { icon: 'fail', tone: 'error' },
  cancelled: { icon: 'stop', tone: '' },
  forgotten: { icon: 'ask', tone: '' },
}

const QUIET_SIGNS: Readonly<Record<QuietReason, Sign>> = {
  paused: { icon: 'pause', tone: '' },
  time: { icon: 'clock', tone: '' },
  power: { icon: 'link', tone: '' },
  idle: { icon: 'moon', tone: '' },
}

export const quietSign = ({ reason }: QuietWait): Sign => QUIET_SIGNS[reason]

/** Returns why quiet mode holds a job back; null if it doesn't. */
export function quietWaitOf(job: Job): QuietWait | null {
  const part = currentPart(job)
  if (part.at === 'service') return part.held ?? null
  if (part.at !== 'outbox' || part.state.kind !== 'waiting') return null
  const { because, until = null } = part.state
  return isQuietReason(because) ? { reason: because, until } : null
}

/** Returns the icon of a submission that waits for something other than quiet mode. */
function waitingSign(
  { because, unsaved }: SubmissionState & { readonly kind: 'waiting' },
  isOther: boolean,
): Sign | null {
  if (because === 'editing') return { icon: 'pencil', tone: '' }
  if (unsaved?.code === 'presetUnknown') return { icon: 'warn', tone: 'warning' }
  return because === 'turn' && !isOther ? STATUS_ICONS.next : STATUS_ICONS.waiting
}

/** The icon of a job whose replaced originals were all restored. */
export const RESTORED_SIGN: Sign = { icon: 'undo', tone: '' }

export function signOf(app: App, job: Job): Sign | null {
  const quiet = quietWaitOf(job)
  if (quiet !== null) return quietSign(quiet)
  const part = currentPart(job)
  if (part.at === 'outbox' && part.state.kind === 'waiting')
    return waitingSign(part.state, isElsewhere(app, titleOf(job)))
  const { replaced } = endOf(job)
  return replaced !== null && areAllRestored(replaced) ? RESTORED_SIGN : STATUS_ICONS[stateOf(job)]
}

/** The CSS classes of texts about states. Warnings and errors have the colors of their icons. */
export const TEXT_TONES: Readonly<Record<Sign['tone'], string>> = {
  '': '',
  success: '',
  warning: 'text-warning',
  error: 'text-error',
}
