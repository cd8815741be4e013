import type { DatabaseSync } from 'node:sqlite'
import * as z from 'zod'
import type { FileError, Job } from '../../shared/api/resources.ts'
import type { ConnectionKind } from '../../shared/model/connection.ts'
import type { RecordId } from '../../shared/model/ids.ts'
import type { MediaItem } from '../../shared/model/media-item.ts'
import { problemsOf, resultsOf, type Outcome } from '../../shared/model/outcome.ts'
import type { RecordDetails, ResultFile, WorkTitle } from '../../shared/model/work.ts'
import { inTransaction } from '../database/database.ts'
import { findRecords, firstKey, type FindRecords } from './find-records.ts'
import { DetailsRow, detailsOf, FileErrors, SUMMARY_COLUMNS } from './record-row.ts'
import { indexAll, searchIndex } from './search-index.ts'

export type SubmissionRecord = {
  readonly title: WorkTitle
  readonly inputs: readonly MediaItem[]
  readonly grouping: 'together' | 'separate'
}

export type ForeignRecord = {
  readonly title: WorkTitle
  readonly jobId: string
  readonly baseUrl: string
  readonly connection: ConnectionKind
}

export type AcceptanceRecord = {
  readonly jobId: string
  readonly baseUrl: string
  readonly connection: ConnectionKind
  /** ms since 1970. */
  readonly acceptedAt: number
  readonly skipped: readonly FileError[]
}

/** A job to go on following after a restart. */
export type UnfinishedRecord = {
  readonly title: WorkTitle
  readonly jobId: string
  readonly baseUrl: string
  readonly connection: ConnectionKind
  readonly acceptedAt: number | null
  readonly skipped: readonly FileError[]
}

/** The tables and the search index, kept in step. Every method that says so has written when it returns. */
export type RecordStore = ReturnType<typeof recordStore>

const Key = z.object({ seq: z.number(), skipped: FileErrors })
const Place = z.object({ next: z.number().nullable() })
const Count = z.object({ total: z.number() })

const DETAILS = `SELECT ${SUMMARY_COLUMNS}, grouping, service, base_url, job_id, accepted_at, started_at, service_text,
    inputs, skipped, results, problems
  FROM records JOIN details USING (seq)`

/** What was accepted a moment ago is among so many of the newest, without an index for it. */
const RECENT = 500

/** Needs a look: ours, with a problem. */
const isUnseen = (origin: WorkTitle['origin'], { kind }: Outcome): boolean =>
  origin === 'ours' && (kind === 'problems' || kind === 'failed')

export function recordStore(connection: DatabaseSync) {
  const sql = prepare(connection)
  const index = searchIndex(connection)
  const find: FindRecords = findRecords(connection)

  const keyOf = (id: RecordId) => {
    const row = sql.key.get(id)
    return row && Key.parse(row)
  }

  /** The first free key of the millisecond of creation. */
  function freeKey(createdAt: number): number {
    const first = firstKey(createdAt) ?? 0
    return (Place.parse(sql.lastKey.get(first, first + 1000)).next ?? first - 1) + 1
  }

  /** Runs `change` on a record and brings its words up to date. False where there is no such record. */
  const changed = (id: RecordId, change: (seq: number, skipped: readonly FileError[]) => void): boolean =>
    inTransaction(connection, () => {
      const key = keyOf(id)
      if (key === undefined) return false
      change(key.seq, key.skipped)
      index.update(key.seq)
      return true
    })

  function put(title: WorkTitle, inputs: readonly MediaItem[], grouping: string): number {
    const known = keyOf(title.id)
    const seq = known?.seq ?? freeKey(title.createdAt)
    sql.put.run({ seq, ...titleColumns(title), grouping })
    sql.putDetails.run(seq, JSON.stringify(inputs))
    return seq
  }

  return {
    find,

    submission: ({ title, inputs, grouping }: SubmissionRecord): void =>
      inTransaction(connection, () => index.update(put(title, inputs, grouping))),

    foreign: ({ title, jobId, baseUrl, connection: service }: ForeignRecord): void =>
      inTransaction(connection, () => {
        const seq = put(title, [], 'together')
        sql.accepted.run({ seq, jobId, baseUrl, service, acceptedAt: null })
        index.update(seq)
      }),

    accepted: (
      id: RecordId,
      { jobId, baseUrl, connection: service, acceptedAt, skipped }: AcceptanceRecord,
    ) =>
      changed(id, (seq) => {
        sql.accepted.run({ seq, jobId, baseUrl, service, acceptedAt })
        sql.skipped.run(JSON.stringify(skipped), JSON.stringify(skipped), seq)
      }),

    job: (id: RecordId, job: Job, startedAt: number | null) =>
      changed(id, (seq, skipped) => {
        sql.job.run({ seq, startedAt, serviceText: serviceTextOf(job) })
        sql.files.run({
          seq,
          results: JSON.stringify(resultFilesOf(job)),
          problems: JSON.stringify(problemsOf(job, skipped)),
        })
        const total = job.totalFiles ?? job.progress.totalFiles
        if (typeof total === 'number') sql.counted.run(total, seq)
      }),

    results: (id: RecordId, results: readonly ResultFile[], problems: readonly FileError[]) =>
      changed(id, (seq) =>
        sql.files.run({ seq, results: JSON.stringify(results), problems: JSON.stringify(problems) }),
      ),

    outcome: (id: RecordId, outcome: Outcome, endedAt: number) =>
      changed(id, (seq) =>
        sql.outcome.run({
          seq,
          endedAt,
          kind: outcome.kind,
          outcome: JSON.stringify(outcome),
          unseen: isUnseen('ours', outcome) ? 1 : 0,
        }),
      ),

    details(id: RecordId): RecordDetails | undefined {
      const row = sql.details.get(id)
      return row && detailsOf(DetailsRow.parse(row))
    },

    /** At most `limit`, older than the key `before`. */
    detailsBefore(
      before: number,
      limit: number,
    ): { readonly records: readonly RecordDetails[]; readonly next: number | undefined } {
      const rows = sql.detailsBefore.all(before, limit).map((row) => DetailsRow.parse(row))
      return { records: rows.map(detailsOf), next: rows.at(-1)?.seq }
    },

    unfinished: (): readonly UnfinishedRecord[] =>
      sql.unfinished.all().flatMap((row) => {
        const { facts, skipped, inputs: _, ...record } = detailsOf(DetailsRow.parse(row))
        const { jobId, baseUrl, service, acceptedAt } = facts
        if (jobId === null || baseUrl === null || service === null) return []
        return [{ title: titleOf(record), jobId, baseUrl, connection: service, acceptedAt, skipped }]
      }),

    hasAccepted: (jobId: string, since: number): boolean => sql.jobSince.get(since, jobId) !== undefined,

    seen: (id: RecordId): boolean => sql.seen.run(id).changes > 0,
    unseenCount: (): number => Count.parse(sql.unseen.get()).total,

    remove: (id: RecordId, now: number): boolean =>
      inTransaction(connection, () => {
        const key = keyOf(id)
        if (key === undefined) return false
        index.remove(key.seq)
        return sql.remove.run(now, id).changes > 0
      }),

    restore: (id: RecordId): boolean =>
      inTransaction(connection, () => {
        const restored = sql.restore.run(id).changes > 0
        const key = keyOf(id)
        if (restored && key !== undefined) index.update(key.seq)
        return restored
      }),

    forget: (id: RecordId): boolean =>
      inTransaction(connection, () => {
        const key = keyOf(id)
        if (key !== undefined) index.remove(key.seq)
        return sql.forget.run(id).changes > 0
      }),

    /** Removed for good: what was removed before `time`. */
    purge: (time: number): void => void sql.purge.run(time),

    /** Drops what was over before `time`. @returns how many */
    dropOver: (time: number): number =>
      inTransaction(connection, () => {
        sql.unindexOver.run(time)
        return Number(sql.dropOver.run(time).changes)
      }),

    /** Gives the space of what was dropped back to the disk. */
    shrink(): void {
      connection.exec('VACUUM')
      connection.exec('PRAGMA wal_checkpoint(TRUNCATE)')
    },

    /** The index follows from the records: a damaged one is thrown away and made anew. */
    rebuildIndex: (): void =>
      inTransaction(connection, () => {
        connection.exec(`INSERT INTO search (search) VALUES ('delete-all')`)
        indexAll(connection)
      }),
  }
}

/** A record carries more than its title. */
const titleOf = ({
  outcome: _o,
  endedAt: _e,
  unseen: _u,
  grouping: _g,
  results: _r,
  problems: _p,
  ...title
}: Omit<RecordDetails, 'facts' | 'skipped' | 'inputs'>): WorkTitle => title

const titleColumns = (title: WorkTitle) => ({
  id: title.id,
  origin: title.origin,
  name: title.name,
  firstPath: title.firstPath,
  photos: title.photos,
  videos: title.videos,
  files: title.files,
  preset: title.preset,
  variations: title.variations,
  outputKind: title.output?.kind ?? null,
  output:
    title.output === null ? null : title.output.kind === 'folder' ? title.output.path : title.output.folderId,
  driveInput: title.driveInput,
  createdAt: title.createdAt,
})

const resultFilesOf = (job: Job) =>
  resultsOf(job).map(({ file, outputPath }, index) => ({ file, outputPath, index }))

const serviceTextOf = (job: Job): string | null => job.error ?? job.drive?.uploadError ?? null

function prepare(connection: DatabaseSync) {
  return {
    key: connection.prepare('SELECT seq, skipped FROM records JOIN details USING (seq) WHERE id = ?'),
    lastKey: connection.prepare('SELECT max(seq) AS next FROM records WHERE seq >= ? AND seq < ?'),
    put: connection.prepare(`
      INSERT INTO records (seq, id, origin, name, first_path, photos, videos, files, preset, variations, output_kind,
        output, drive_input, grouping, created_at)
      VALUES (:seq, :id, :origin, :name, :firstPath, :photos, :videos, :files, :preset, :variations, :outputKind,
        :output, :driveInput, :grouping, :createdAt)
      ON CONFLICT (seq) DO UPDATE SET
        name = excluded.name, first_path = excluded.first_path, photos = excluded.photos, videos = excluded.videos,
        files = coalesce(excluded.files, files), preset = excluded.preset, variations = excluded.variations,
        output_kind = excluded.output_kind, output = excluded.output, drive_input = excluded.drive_input,
        grouping = excluded.grouping`),
    putDetails: connection.prepare(
      'INSERT INTO details (seq, inputs) VALUES (?, ?) ON CONFLICT (seq) DO UPDATE SET inputs = excluded.inputs',
    ),
    accepted: connection.prepare(`
      UPDATE records SET job_id = :jobId, base_url = :baseUrl, service = :service,
        accepted_at = coalesce(:acceptedAt, accepted_at) WHERE seq = :seq`),
    skipped: connection.prepare(
      `UPDATE details SET skipped = ?, problems = CASE problems WHEN '[]' THEN ? ELSE problems END WHERE seq = ?`,
    ),
    job: connection.prepare(`
      UPDATE records SET started_at = coalesce(:startedAt, started_at),
        service_text = coalesce(:serviceText, service_text) WHERE seq = :seq`),
    files: connection.prepare('UPDATE details SET results = :results, problems = :problems WHERE seq = :seq'),
    counted: connection.prepare('UPDATE records SET files = coalesce(files, ?) WHERE seq = ?'),
    outcome: connection.prepare(`
      UPDATE records SET outcome_kind = :kind, outcome = :outcome, ended_at = :endedAt,
        unseen = CASE origin WHEN 'ours' THEN :unseen ELSE 0 END WHERE seq = :seq`),
    details: connection.prepare(`${DETAILS} WHERE id = ? AND removed_at IS NULL`),
    detailsBefore: connection.prepare(
      `${DETAILS} WHERE records.seq < ? AND removed_at IS NULL ORDER BY records.seq DESC LIMIT ?`,
    ),
    unfinished: connection.prepare(
      `${DETAILS} WHERE outcome_kind IS NULL AND removed_at IS NULL AND job_id IS NOT NULL ORDER BY records.seq`,
    ),
    jobSince: connection.prepare(
      `SELECT 1 FROM (SELECT job_id, accepted_at, origin FROM records ORDER BY seq DESC LIMIT ${RECENT})
       WHERE accepted_at >= ? AND job_id = ? AND origin = 'ours' LIMIT 1`,
    ),
    seen: connection.prepare('UPDATE records SET unseen = 0 WHERE id = ? AND unseen = 1'),
    unseen: connection.prepare(
      'SELECT count(*) AS total FROM records WHERE removed_at IS NULL AND unseen = 1',
    ),
    remove: connection.prepare('UPDATE records SET removed_at = ? WHERE id = ? AND removed_at IS NULL'),
    restore: connection.prepare(
      'UPDATE records SET removed_at = NULL WHERE id = ? AND removed_at IS NOT NULL',
    ),
    forget: connection.prepare('DELETE FROM records WHERE id = ?'),
    purge: connection.prepare('DELETE FROM records WHERE removed_at < ?'),
    unindexOver: connection.prepare(
      'DELETE FROM search WHERE rowid IN (SELECT seq FROM records WHERE outcome_kind IS NOT NULL AND ended_at < ? AND removed_at IS NULL)',
    ),
    dropOver: connection.prepare('DELETE FROM records WHERE outcome_kind IS NOT NULL AND ended_at < ?'),
  }
}
