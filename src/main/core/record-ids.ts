import { randomUUID } from 'node:crypto'
import { asRecordId, type RecordId } from '../../shared/model/ids.ts'

/**
 * Generates record ids that start with the time, in eight digits until the year 2059. Records created together are then neighbors
 * in tables ordered by id. With random ids, ten thousand submissions touch every page of the outbox repeatedly, and SQLite blocks
 * for checkpoints about twenty times.
 */
export const recordIds =
  (
    clock: () => number,
    newId = () => `r_${clock().toString(36)}${randomUUID().slice(-12)}`,
  ): (() => RecordId) =>
  () =>
    asRecordId(newId())

/** Returns the ID of the record with what a job had completed when its service ended. The rest keeps the job's record. */
export const completedOf = (id: RecordId, jobId: string): RecordId => asRecordId(`${id}-${jobId}`)

/** Whether a record has what a job had completed when its service ended, and the other one has the rest. */
export const isCompletedOf = (completed: RecordId, rest: RecordId): boolean =>
  completed.startsWith(completedOf(rest, ''))
