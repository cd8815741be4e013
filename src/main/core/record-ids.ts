import { randomUUID } from 'node:crypto'
import type { Timing } from '../../node/timing.ts'
import { asRecordId, type RecordId } from '../../shared/model/ids.ts'

type RecordIdsOptions = {
  /** Others than these. */
  readonly newId?: () => string
  readonly timing: Pick<Timing, 'clock'>
}

/**
 * Names for pieces of work. They begin with the time, in eight digits up to the year 2059: in a table that is ordered by name,
 * what is started together stands together. With names in no order, ten thousand submissions change each page of the outbox
 * again and again, and SQLite stops everything twenty times to carry them from its log into the file.
 */
export const recordIds = ({ newId, timing }: RecordIdsOptions): (() => RecordId) => {
  const named = newId ?? (() => `r_${timing.clock().toString(36)}${randomUUID().slice(-12)}`)
  return () => asRecordId(named())
}
