import type { RecordId } from '../../shared/model/ids.ts'
import type { ActiveJob, OutboxEntry, RecordSummary, WorkTitle } from '../../shared/model/work.ts'
import type { IconName } from '../ui/icon.tsx'
import type { App } from './app.ts'

/** A piece of work as the window knows it, wherever in its life it is. */
export type WorkItem =
  | { readonly kind: 'outbox'; readonly entry: OutboxEntry; readonly rank: number; readonly of: number }
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
      // It is neither waiting nor at the service and has no outcome: it is on its way from one to the other.
      return item.record.outcome?.kind ?? 'next'
  }
}

/** Only the person can say what becomes of it. */
export const needsPerson = (entry: OutboxEntry): boolean =>
  entry.state.kind === 'refused' || entry.state.kind === 'unknown'

/** The piece of work with this id, wherever it is now; undefined when it is not known (yet). */
export function findWork(app: App, id: RecordId): WorkItem | undefined {
  const outbox = app.state.outbox.value
  const entry = outbox.find((candidate) => candidate.id === id)
  if (entry) {
    const waiting = outbox.filter((candidate) => !needsPerson(candidate))
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

export type Sign = { readonly icon: IconName; readonly tone: '' | 'good' | 'warn' | 'bad' }

/** The shape differs in each state: colour alone says nothing. */
export const SIGNS: Readonly<Record<WorkState, Sign | null>> = {
  now: null,
  next: { icon: 'queue', tone: '' },
  waiting: { icon: 'tray', tone: '' },
  sending: { icon: 'arrow', tone: '' },
  refused: { icon: 'fail', tone: 'bad' },
  unsure: { icon: 'ask', tone: 'warn' },
  uploading: { icon: 'up', tone: '' },
  done: { icon: 'check', tone: 'good' },
  problems: { icon: 'warn', tone: 'warn' },
  failed: { icon: 'fail', tone: 'bad' },
  cancelled: { icon: 'stop', tone: '' },
  forgotten: { icon: 'ask', tone: '' },
}

/** States whose sentence has the sign's colour too. */
export const SENTENCE_TONES: Partial<Readonly<Record<WorkState, string>>> = {
  problems: 'tone-warn',
  unsure: 'tone-warn',
  failed: 'tone-bad',
  refused: 'tone-bad',
}
