/** What survives the app: the outbox with what is still to be sent, and the history with everything. */
import { join } from 'node:path'
import type { RecordId } from '../../shared/model/ids.ts'
import { recordSubmission } from '../drafts/index.ts'
import { openHistory, type History } from '../history/index.ts'
import { openOutbox, type Outbox } from '../outbox/index.ts'

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
}

export function openMemory({ dataDir, clock, newId, keepDays, onDamage, log }: MemoryOptions): Memory {
  const outbox = openOutbox({ file: join(dataDir, 'outbox.db'), clock, ids: newId })
  const history = openHistory({ file: join(dataDir, 'history.db'), clock, log, onSetAside: onDamage })

  const damaged = outbox.setAside ?? history.setAside
  if (damaged !== null) onDamage(damaged)
  history.applyRetention(keepDays)
  for (const submission of [...outbox.list(), ...outbox.accepted()]) recordSubmission(history, submission)
  return { outbox, history }
}
