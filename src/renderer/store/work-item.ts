import type { RecordId } from '../../shared/model/ids.ts'
import { isQuietReason, type QuietReason, type QuietWait } from '../../shared/model/quiet.ts'
import {
  currentPart,
  idOf,
  partsOf,
  stateOf,
  wholeJobOf,
  type WorkItem,
  type WorkState,
} from '../../shared/model/work-item.ts'
import { areAllRestored } from '../../shared/model/replacement.ts'
import type { IconName } from '../ui/icon.tsx'
import type { App } from './app.ts'

const contains = (item: WorkItem, id: RecordId): boolean => partsOf(item).some((part) => idOf(part) === id)

/** Returns the job with this id, or the group that has a part with it; undefined if it isn't known (yet). */
export function findWork(app: App, id: RecordId): WorkItem | undefined {
  const unfinished = app.work.value.find((item) => contains(item, id))
  if (unfinished !== undefined) return unfinished
  const reading = app.details.value
  if (reading?.kind === 'read' && reading.id === id) return { kind: 'record', record: reading.details }
  for (const page of app.history.view.value.pages.values()) {
    const record = page.find((candidate) => candidate.id === id)
    if (record) return { kind: 'record', record }
  }
  return undefined
}

export type Sign = { readonly icon: IconName; readonly tone: '' | 'success' | 'warning' | 'error' }

/** Each state has a different shape, because color alone isn't enough. */
export const STATUS_ICONS: Readonly<Record<WorkState, Sign | null>> = {
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
export function quietWaitOf(item: WorkItem): QuietWait | null {
  const part = currentPart(item)
  if (part.kind === 'job') return part.job.held ?? null
  if (part.kind !== 'outbox' || part.entry.state.kind !== 'waiting') return null
  const { because, until = null } = part.entry.state
  return isQuietReason(because) ? { reason: because, until } : null
}

/** The icon of a job whose replaced originals were all restored. */
export const RESTORED_SIGN: Sign = { icon: 'undo', tone: '' }

/** Returns the icon of a row. */
export function signOf(item: WorkItem): Sign | null {
  const quiet = quietWaitOf(item)
  if (quiet !== null) return quietSign(quiet)
  const replaced = item.kind === 'record' ? wholeJobOf(item.record).replaced : null
  return replaced !== null && areAllRestored(replaced) ? RESTORED_SIGN : STATUS_ICONS[stateOf(item)]
}

/** States whose text has the color of the icon. */
export const TEXT_TONES: Partial<Readonly<Record<WorkState, string>>> = {
  problems: 'text-warning',
  unsure: 'text-warning',
  failed: 'text-error',
  refused: 'text-error',
}
