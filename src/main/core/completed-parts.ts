/**
 * Creates IDs for the records of files that an interrupted job had completed. These records are parts of the job. The record of the
 * remaining files keeps the job's ID.
 */
import { asRecordId, type RecordId } from '../../shared/model/ids.ts'

export const completedId = (rest: RecordId, jobId: string): RecordId => asRecordId(`${rest}-${jobId}`)

/**
 * Returns the record of an interrupted job's remaining files; undefined unless the given record has the completed files.
 * @param parts the records of the whole job
 */
export const restOf = (id: RecordId, parts: readonly RecordId[]): RecordId | undefined =>
  parts.find((part) => id.startsWith(completedId(part, '')))
