import { randomUUID } from 'node:crypto'
import { asRecordId, type RecordId } from '../../shared/model/ids.ts'

/**
 * Creates a function that generates record IDs. They start with the time, in eight digits until the year 2059. Records created together are
 * then neighbors in tables ordered by ID. With random IDs, ten thousand submissions touch every page of the outbox repeatedly, and SQLite
 * blocks for checkpoints about twenty times.
 */
export const recordIds =
  (
    clock: () => number,
    newId = () => `r_${clock().toString(36)}${randomUUID().slice(-12)}`,
  ): (() => RecordId) =>
  () =>
    asRecordId(newId())
