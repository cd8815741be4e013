import type { DatabaseSync } from 'node:sqlite'
import type { WorkTitle } from '../../shared/model/work.ts'
import { SUMMARY_COLUMNS } from './record-row.ts'

const DETAILS = `SELECT ${SUMMARY_COLUMNS}, grouping, service, base_url, job_id, job_created_at, adopted, accepted_at, started_at, service_text,
    inputs, skipped, results, problems, notes, forecast, result_bytes
  FROM records JOIN details USING (seq)`

/** What is older than so many of the newest says little of what a preset does today, and takes long to find. */
const OF_LATE = 2_000

/** What was accepted a moment ago is among so many of the newest, without an index for it. */
const RECENT = 500

export type RecordStatements = ReturnType<typeof prepareRecords>

/** What the record store asks of SQLite. */
export function prepareRecords(connection: DatabaseSync) {
  return {
    key: connection.prepare('SELECT seq, skipped FROM records JOIN details USING (seq) WHERE id = ?'),
    lastKey: connection.prepare('SELECT max(seq) AS last FROM records WHERE seq >= ? AND seq < ?'),
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
      `INSERT INTO details (seq, inputs, forecast) VALUES (?, ?, ?)
       ON CONFLICT (seq) DO UPDATE SET inputs = excluded.inputs, forecast = excluded.forecast`,
    ),
    accepted: connection.prepare(`
      UPDATE records SET job_id = :jobId, job_created_at = coalesce(:jobCreatedAt, job_created_at),
        adopted = :adopted, remote = :remote, base_url = :baseUrl, service = :service,
        accepted_at = coalesce(:acceptedAt, accepted_at) WHERE seq = :seq`),
    skipped: connection.prepare(
      `UPDATE details SET skipped = ?, problems = CASE problems WHEN '[]' THEN ? ELSE problems END WHERE seq = ?`,
    ),
    job: connection.prepare(`
      UPDATE records SET job_created_at = coalesce(job_created_at, :jobCreatedAt),
        started_at = coalesce(:startedAt, started_at),
        service_text = coalesce(:serviceText, service_text) WHERE seq = :seq`),
    files: connection.prepare('UPDATE details SET results = :results, problems = :problems WHERE seq = :seq'),
    notes: connection.prepare('UPDATE details SET notes = ? WHERE seq = ?'),
    measured: connection.prepare('UPDATE details SET result_bytes = ? WHERE seq = ?'),
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
    ownJob: connection.prepare(
      `SELECT job_created_at, accepted_at FROM records
       WHERE job_id = ? AND origin = 'ours' AND base_url IS NOT NULL ORDER BY seq DESC LIMIT 20`,
    ),
    jobSince: connection.prepare(
      `SELECT 1 FROM (SELECT job_id, accepted_at, origin FROM records ORDER BY seq DESC LIMIT ${RECENT})
       WHERE accepted_at >= ? AND job_id = ? AND origin = 'ours' LIMIT 1`,
    ),
    endlessJobs: connection.prepare(
      `SELECT id, service FROM records
       WHERE outcome_kind IS NULL AND removed_at IS NULL AND job_id IS NOT NULL ORDER BY seq`,
    ),
    withoutJob: connection.prepare(
      `SELECT seq, id FROM records
       WHERE seq > ? AND outcome_kind IS NULL AND removed_at IS NULL AND job_id IS NULL ORDER BY seq LIMIT ?`,
    ),
    hasRecord: connection.prepare('SELECT 1 FROM records WHERE id = ?'),
    newestEnd: connection.prepare('SELECT max(ended_at) AS at FROM records'),
    toFetch: connection.prepare(
      `SELECT id, output FROM records
       WHERE outcome_kind IS NULL AND removed_at IS NULL AND remote = 1 AND output_kind = 'folder'`,
    ),
    seen: connection.prepare('UPDATE records SET unseen = 0 WHERE id = ? AND unseen = 1'),
    unseen: connection.prepare(
      'SELECT count(*) AS total FROM records WHERE removed_at IS NULL AND unseen = 1',
    ),
    pastJobs: connection.prepare(`
      SELECT photos, videos, variations, result_bytes, started_at, ended_at,
        (SELECT total(item.value ->> 'size') FROM json_each(inputs) AS item) AS input_bytes
      FROM (SELECT seq FROM records WHERE removed_at IS NULL AND outcome_kind IS NOT NULL
          ORDER BY seq DESC LIMIT ${OF_LATE})
        JOIN records USING (seq) JOIN details USING (seq)
      WHERE origin = 'ours' AND service = 'external' AND base_url = :baseUrl AND preset IS :preset
        AND outcome_kind = 'done' AND outcome ->> 'results' = (photos + videos) * variations
        AND result_bytes IS NOT NULL AND (photos = 0) <> (videos = 0)
      ORDER BY seq DESC LIMIT :limit`),
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

/** The columns of `put`. */
export const titleColumns = (title: WorkTitle) => ({
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
