/** Finds a job's parts and their states, in the outbox until a service accepts them, then in the history. */
import type { RecordId } from '../../shared/model/ids.ts'
import type { Outcome } from '../../shared/model/job.ts'
import type { JobScope } from '../../shared/model/job-sections.ts'
import type { Modules } from './modules.ts'

type Stores = Pick<Modules, 'history' | 'outbox'>

/** `unknown`: only the user can determine whether the service has the part. `removed`: the part was removed from the outbox. */
export type PartState =
  | 'waiting'
  | 'sending'
  | 'checking'
  | 'unknown'
  | 'refused'
  | 'running'
  | 'removed'
  | Outcome['kind']

/** Returns the IDs of the parts that an action on one part affects, in order. Parts that aren't in the history yet are in the outbox. */
export function partIds(
  { history, outbox }: Stores,
  id: RecordId,
  scope: JobScope = 'job',
): readonly RecordId[] {
  if (scope === 'part') return [id]
  // A job is found by its ID even if its first part's record is lost.
  const job = (outbox.get(id)?.title ?? history.summary(id))?.place.id ?? id
  const all = [...new Set([...history.wholeJob(id), ...outbox.partsOf(job)])]
  if (scope === 'job') return all
  const presetOf = (part: RecordId) => outbox.get(part)?.title.preset ?? history.summary(part)?.preset
  return all.filter((part) => presetOf(part) === presetOf(id))
}

export function stateOfPart({ history, outbox }: Stores, id: RecordId): PartState {
  const unsent = outbox.get(id)?.state
  switch (unsent?.kind) {
    case 'waiting':
    case 'sending':
    case 'refused':
      return unsent.kind
    case 'unknown':
      return unsent.leftToUser ? 'unknown' : 'checking'
    case 'accepted':
    case undefined: {
      const record = history.summary(id)
      if (record?.outcome) return record.outcome.kind
      return unsent !== undefined || (record?.jobId ?? null) !== null ? 'running' : 'removed'
    }
  }
}
