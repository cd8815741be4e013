import type { RecordId } from '../../shared/model/ids.ts'
import type { ActiveJob, OutboxEntry, RecordSummary, WorkTitle } from '../../shared/model/work.ts'
import type { IconName } from '../ui/icon.tsx'
import type { App } from './app.ts'

/** A submission, a job or a record. */
export type WorkItem =
  | {
      readonly kind: 'outbox'
      readonly entry: OutboxEntry
      /** 1 is sent next; 0 needs the user first. */
      readonly rank: number
      /** Number of submissions that don't need the user. */
      readonly of: number
    }
  | { readonly kind: 'job'; readonly job: ActiveJob }
  | { readonly kind: 'record'; readonly record: RecordSummary }

export type WorkState =
  | 'now'
  | 'next'
  | 'waiting'
  | 'sending'
  | 'refused'
  | 'unsure'
  | 'uploading'
  | 'done'
  | 'problems'
  | 'failed'
  | 'cancelled'
  | 'forgotten'

export const titleOf = (item: WorkItem): WorkTitle => {
  if (item.kind === 'outbox') return item.entry
  return item.kind === 'job' ? item.job : item.record
}

export const idOf = (item: WorkItem): RecordId => titleOf(item).id

export function stateOf(item: WorkItem): WorkState {
  switch (item.kind) {
    case 'outbox':
      return item.entry.state.kind === 'unknown' ? 'unsure' : item.entry.state.kind
    case 'job':
      if (item.job.stage.kind === 'queued') return 'next'
      return item.job.stage.kind === 'uploading' ? 'uploading' : 'now'
    case 'record':
      // The submission has left the outbox but isn't among the jobs yet.
      return item.record.outcome?.kind ?? 'next'
  }
}

/** Whether the user must decide what happens to the submission. */
export const needsUser = (entry: OutboxEntry): boolean =>
  entry.state.kind === 'refused' || entry.state.kind === 'unknown'

/** Returns the submission, job or record with this id; undefined if it isn't known (yet). */
export function findWork(app: App, id: RecordId): WorkItem | undefined {
  const outbox = app.state.outbox.value
  const entry = outbox.find((candidate) => candidate.id === id)
  if (entry) {
    const waiting = outbox.filter((candidate) => !needsUser(candidate))
    return { kind: 'outbox', entry, rank: waiting.indexOf(entry) + 1, of: waiting.length }
  }
  const job = app.state.jobs.value.find((candidate) => candidate.id === id)
  if (job) return { kind: 'job', job }
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

/** States whose text has the color of the icon. */
export const TEXT_TONES: Partial<Readonly<Record<WorkState, string>>> = {
  problems: 'text-warning',
  unsure: 'text-warning',
  failed: 'text-error',
  refused: 'text-error',
}
