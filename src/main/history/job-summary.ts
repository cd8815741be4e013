/**
 * Keeps the summary of a whole job and its entry in the search index up to date. When all of its parts have ended, the first one stands
 * for it in the list. Most jobs have one part.
 */
import type { RecordId } from '../../shared/model/ids.ts'
import { combinedOutcome } from '../../shared/model/job-outcome.ts'
import type { Outcome } from '../../shared/model/job.ts'
import { addedCounts } from '../../shared/model/replacement.ts'
import { fragment } from '../database/index.ts'
import type { StoredRecord } from './schema.ts'
import { countEnd } from './ended-jobs.ts'
import { indexParts } from './search-index.ts'
import type { Tables } from './tables.ts'

/** Selects a record and the other parts of its job. A job keeps the ID of its first part, even if that has been deleted. */
export const sameJob = (id: RecordId) =>
  fragment`whole = coalesce((SELECT whole FROM records WHERE id = ${id}), ${id})`

/** Selects the first parts of jobs, or the first remaining ones. */
export const LEADING = fragment`(part = 0 OR NOT EXISTS
  (SELECT 1 FROM records AS other WHERE other.whole = records.whole AND other.part < records.part))`

const partsOf = ({ records }: Tables, whole: RecordId): readonly StoredRecord[] =>
  records.where`whole = ${whole} AND removedAt IS NULL ORDER BY part`

/**
 * Updates the summary after a change of a part.
 * @param isCounted whether the end of the job has been counted, so that it isn't counted again
 */
export function summarize(
  tables: Tables,
  { whole, place }: Pick<StoredRecord, 'whole'> & { readonly place: Pick<StoredRecord['place'], 'parts'> },
  isCounted = false,
): void {
  if (place.parts > 1 && tables.records.has({ whole, outcome: null, removedAt: null })) {
    const reopened = tables.change`UPDATE records
      SET wholeOutcome = NULL, wholeEndedAt = NULL, wholeReplaced = NULL, unseen = 0
      WHERE whole = ${whole} AND wholeOutcome IS NOT NULL`
    // Reading all of many parts after each change of one would take too long.
    if (reopened > 0) indexJob(tables, whole)
    return
  }
  const parts = partsOf(tables, whole)
  const [first, ...others] = parts
  if (first === undefined) return
  const wholeOutcome = combinedOutcome(parts)
  // A job that the user has seen needs attention again only if it has ended differently.
  const isNew = first.wholeOutcome?.kind !== wholeOutcome?.kind
  if (isNew || wholeOutcome !== null)
    tables.records.update(
      { seq: first.seq },
      {
        wholeOutcome,
        wholeEndedAt: wholeOutcome && Math.max(...parts.map(({ endedAt }) => endedAt ?? 0)),
        wholeReplaced: wholeOutcome && addedCounts(parts.map(({ replaced }) => replaced)),
        unseen: isNew ? needsAttention(first.origin, wholeOutcome) : undefined,
      },
    )
  if (first.wholeOutcome === null && wholeOutcome !== null && !isCounted)
    countEnd(tables, parts, wholeOutcome)
  indexParts(tables, [{ ...first, wholeOutcome }, ...others])
}

/** If the row of the part that represents a job is lost, lists and indexes the job by its first remaining part. */
export function replaceLostParts(tables: Tables): void {
  void tables.change`DELETE FROM search WHERE rowid NOT IN (SELECT seq FROM records WHERE removedAt IS NULL)`
  const first = tables.records.only('whole', 'place')
    .where`removedAt IS NULL AND ${LEADING} AND seq NOT IN (SELECT rowid FROM search)`
  for (const record of first) {
    summarize(tables, record, true)
    indexJob(tables, record.whole)
  }
}

/** Updates the index entry of a job, which has the words of all its parts. */
export const indexJob = (tables: Tables, whole: RecordId): void => indexParts(tables, partsOf(tables, whole))

const needsAttention = (origin: StoredRecord['origin'], outcome: Outcome | null): boolean =>
  origin === 'ours' && (outcome?.kind === 'problems' || outcome?.kind === 'failed')
