/** Removes jobs from the list or deletes them, always with all their parts. */
import { DAY_MS } from '../../shared/durations.ts'
import type { RecordId } from '../../shared/model/ids.ts'
import { fragment } from '../database/index.ts'
import type { HistoryFile } from './history-file.ts'
import { indexJob, sameJob, summarize } from './job-summary.ts'
import { removeFromIndex } from './search-index.ts'
import { listTerms } from './search-terms.ts'
import type { Tables } from './tables.ts'

export const removals = ({ read, change }: HistoryFile, clock: () => number) => ({
  markSeen: (id: RecordId): boolean =>
    change((tables) => tables.change`UPDATE records SET unseen = 0 WHERE unseen = 1 AND ${sameJob(id)}` > 0),
  /** Hides the whole job of a record. `restore` can show it again until the app exits. @returns whether it was shown */
  remove: (id: RecordId): boolean =>
    change((tables) => {
      removeFromIndex(tables, fragment`SELECT seq FROM records WHERE ${sameJob(id)}`)
      return (
        tables.change`UPDATE records SET removedAt = ${clock()} WHERE removedAt IS NULL AND ${sameJob(id)}` >
        0
      )
    }),
  restore: (id: RecordId): boolean =>
    change((tables) => {
      const { records } = tables
      const restored = tables.change`UPDATE records SET removedAt = NULL WHERE removedAt IS NOT NULL AND ${sameJob(id)}`
      const record = records.only('whole', 'place').get({ id })
      if (restored === 0 || record === undefined) return false
      summarize(tables, record)
      indexJob(tables, record.whole)
      return true
    }),
  /** Deletes the whole job of a record immediately and permanently, for example if it turned out to belong to another record. */
  forget: (id: RecordId): void =>
    change((tables) => {
      removeFromIndex(tables, fragment`SELECT seq FROM records WHERE ${sameJob(id)}`)
      void tables.change`DELETE FROM records WHERE ${sameJob(id)}`
    }),
  /** Deletes all finished records, and the refusals of assistants' requests. */
  clear(): void {
    change((tables) => {
      dropEndedBefore(tables, Number.MAX_SAFE_INTEGER)
      tables.refusals.remove({})
    })
    // Returns the space to the file system.
    read(({ connection }) => connection.exec('VACUUM; PRAGMA wal_checkpoint(TRUNCATE)'))
  },
  /**
   * Deletes records that ended more than this many days ago.
   * @param days null keeps all records
   * @returns how many were deleted
   */
  applyRetention: (days: number | null): number =>
    days === null
      ? 0
      : change((tables) => {
          const [newest] = tables.records.only('endedAt')
            .where`endedAt IS NOT NULL ORDER BY endedAt DESC LIMIT 1`
          // A clock that is far ahead, even for a single run, would make every record look old.
          const now = Math.min(clock(), newest?.endedAt ?? 0)
          return dropEndedBefore(tables, now - days * DAY_MS)
        }),
})

/** Permanently deletes the records that were removed from the list before a time in ms since 1970. */
export const purgeRemoved = ({ change }: Tables, time: number): void =>
  void change`DELETE FROM records WHERE removedAt < ${time}`

/** @returns how many records were deleted */
function dropEndedBefore(tables: Tables, time: number): number {
  // If the clock was set back during a job, its end is before its creation, so the later time counts.
  const ended = fragment`whole IN (SELECT whole FROM records WHERE wholeOutcome IS NOT NULL AND max(wholeEndedAt, createdAt) < ${time})`
  removeFromIndex(tables, fragment`SELECT seq FROM records WHERE ${ended} AND removedAt IS NULL`)
  const dropped = tables.change`DELETE FROM records WHERE ${ended}`
  if (dropped > 0) listTerms(tables.connection)
  return dropped
}
