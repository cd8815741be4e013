import type { RecordId } from '../../shared/model/ids.ts'
import { needsPerson } from '../list/list-layout.ts'
import type { WorkItem } from '../list/work-state.ts'
import type { App } from './app.ts'

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
