/** What survives the app: the outbox with what is still to be sent, and the history with everything. */
import { join } from 'node:path'
import type { RecordId } from '../../shared/model/ids.ts'
import { openHistory, type History } from '../history/index.ts'
import { openOutbox, titleOf, type Outbox, type StoredSubmission } from '../outbox/index.ts'

export type MemoryOptions = {
  /** Absolute. */
  readonly dataDir: string
  /** ms since 1970. */
  readonly clock: () => number
  readonly newId: () => RecordId
  readonly keepDays: number | null
  /** A damaged file was set aside under this name, at the start or later. */
  readonly onDamage: (keptAs: string) => void
  readonly log: (event: string, facts: Readonly<Record<string, unknown>>) => void
}

export type Memory = {
  readonly outbox: Outbox
  readonly history: History
  /** The outbox is written first; a crash in between is made good at the next start. */
  remember(submission: StoredSubmission): void
}

export function openMemory({ dataDir, clock, newId, keepDays, onDamage, log }: MemoryOptions): Memory {
  const outbox = openOutbox({ file: join(dataDir, 'outbox.db'), clock, ids: newId })
  const history = openHistory({ file: join(dataDir, 'history.db'), clock, log, onSetAside: onDamage })
  const remember = ({ id, plan, createdAt }: StoredSubmission): void =>
    history.recordSubmission({
      title: titleOf(id, plan, createdAt),
      inputs: plan.items,
      grouping: plan.grouping,
    })

  const damaged = outbox.setAside ?? history.setAside
  if (damaged !== null) onDamage(damaged)
  history.applyRetention(keepDays)
  for (const submission of [...outbox.list(), ...outbox.accepted()]) remember(submission)
  return { outbox, history, remember }
}
