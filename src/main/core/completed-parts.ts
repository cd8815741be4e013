/** Identifies the records of what an interrupted job had completed. They are parts of the job, and the record of the rest keeps its ID. */
import { asRecordId, type RecordId } from '../../shared/model/ids.ts'

export const completedId = (rest: RecordId, jobId: string): RecordId => asRecordId(`${rest}-${jobId}`)

/**
 * Returns the record of the rest of an interrupted job, if the given record is about what it had completed.
 * @param parts the records of the whole job
 */
export const restOf = (id: RecordId, parts: readonly RecordId[]): RecordId | undefined =>
  parts.find((part) => id.startsWith(completedId(part, '')))
