import type { DatabaseSync } from 'node:sqlite'
import type { WorkTitle } from '../../shared/model/work.ts'
import { SUMMARY_COLUMNS } from './record-row.ts'

const DETAILS = `SELECT ${SUMMARY_COLUMNS}, grouping, job_id, job_created_at, remote, accepted_at, started_at, service_text,
    service_failure, inputs, skipped, results, problems, notes, forecast, result_bytes, chosen,
    watched
  FROM records JOIN details USING (seq)`

/**
 * Past jobs are searched for only in this many newest records. Older records are slow to find and predict a preset's results
 * poorly.
 */
const SEARCHED_FOR_PAST_JOBS = 2_000

/** A job that was just accepted is among this many newest records, so no index is needed. */
const RECENT = 500

/** If the clock was set back during a job, its end is before its creation, so the later time counts. */
const OVER_BEFORE = `(group_id IS NULL AND outcome_kind IS NOT NULL AND max(ended_at, created_at) < :time
  OR group_id IN (SELECT group_id FROM records
    WHERE group_kind IS NOT NULL AND max(group_ended_at, created_at) < :time))`

/** Selects a record and the other parts of its group. */
const SAME_JOB = '(id = :id OR group_id = (SELECT group_id FROM records WHERE id = :id))'

export type RecordStatements = ReturnType<typeof prepareRecords>

/** Prepares the statements about the parts of groups. */
const groupStatements = (connection: DatabaseSync) => ({
  inGroup: connection.prepare(
    `SELECT ${SUMMARY_COLUMNS} FROM records WHERE group_id = ? AND removed_at IS NULL ORDER BY part`,
  ),
  firstPart: connection.prepare(
    `SELECT ${SUMMARY_COLUMNS} FROM records WHERE group_id = ? AND removed_at IS NULL ORDER BY part LIMIT 1`,
  ),
  hasEarlierPart: connection.prepare(
    'SELECT 1 FROM records WHERE group_id = ? AND removed_at IS NULL AND part < ? LIMIT 1',
  ),
  hasOpenPart: connection.prepare(
    `SELECT 1 FROM records
     WHERE group_id = ? AND group_id IS NOT NULL AND outcome_kind IS NULL AND removed_at IS NULL LIMIT 1`,
  ),
  groupOpen: connection.prepare(
    `UPDATE records SET group_kind = NULL, group_outcome = NULL, group_ended_at = NULL, unseen = 0
     WHERE group_id = ? AND group_kind IS NOT NULL`,
  ),
  groupEnded: connection.prepare(
    `UPDATE records SET group_kind = :kind, group_outcome = :outcome, group_ended_at = :endedAt,
       group_replaced = :replaced, unseen = CASE WHEN group_kind IS NULL THEN :unseen ELSE unseen END
     WHERE seq = :seq`,
  ),
  groupIdOf: connection.prepare('SELECT group_id FROM records WHERE id = ?'),
})

const prepareEnded = (connection: DatabaseSync) => ({
  endedInto: connection.prepare(
    `${DETAILS} WHERE output = ? AND output_kind = 'folder' AND ended_at IS NOT NULL AND ended_at >= ?`,
  ),
  endedWatched: connection.prepare(`${DETAILS} WHERE watched IS NOT NULL AND ended_at >= ?`),
})

/** Prepares the SQL statements of the record store. */
export function prepareRecords(connection: DatabaseSync) {
  return {
    ...groupStatements(connection),
    key: connection.prepare('SELECT seq, skipped FROM records JOIN details USING (seq) WHERE id = ?'),
    lastKey: connection.prepare('SELECT max(seq) AS last FROM records WHERE seq >= ? AND seq < ?'),
    put: connection.prepare(`
      INSERT INTO records (seq, id, origin, name, first_path, photos, videos, files, preset, variations, output_kind,
        output, drive_input, grouping, created_at, mount, group_id, part, parts, group_counts, chosen,
        preset_hash, watched, submitted_by)
      VALUES (:seq, :id, :origin, :name, :firstPath, :photos, :videos, :files, :preset, :variations, :outputKind,
        :output, :driveInput, :grouping, :createdAt, :mount, :groupId, :part, :parts, :groupCounts, :chosen,
        :presetHash, :watched, :by)
      ON CONFLICT (seq) DO UPDATE SET
        name = excluded.name, first_path = excluded.first_path, photos = excluded.photos, videos = excluded.videos,
        files = coalesce(excluded.files, files), preset = excluded.preset, variations = excluded.variations,
        output_kind = excluded.output_kind, output = excluded.output, drive_input = excluded.drive_input,
        grouping = excluded.grouping, mount = excluded.mount, preset_hash = excluded.preset_hash,
        group_id = excluded.group_id, part = excluded.part, parts = excluded.parts, group_counts = excluded.group_counts`),
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
        service_text = coalesce(:serviceText, service_text),
        service_failure = CASE WHEN :serviceText IS NULL THEN service_failure ELSE :serviceFailure END WHERE seq = :seq`),
    files: connection.prepare('UPDATE details SET results = :results, problems = :problems WHERE seq = :seq'),
    results: connection.prepare('UPDATE details SET results = ? WHERE seq = ?'),
    notes: connection.prepare('UPDATE details SET notes = ? WHERE seq = ?'),
    markUnmeasured: connection.prepare(
      `INSERT OR IGNORE INTO unmeasured SELECT seq FROM records JOIN details USING (seq)
       WHERE seq = ? AND origin = 'ours' AND output_kind = 'folder' AND results <> '[]'`,
    ),
    replaced: connection.prepare('UPDATE records SET replaced = ? WHERE seq = ?'),
    markMeasuredAgain: connection.prepare('INSERT OR IGNORE INTO unmeasured VALUES (?)'),
    counted: connection.prepare('UPDATE records SET files = coalesce(files, ?) WHERE seq = ?'),
    outcome: connection.prepare(`
      UPDATE records SET outcome_kind = :kind, outcome = :outcome, ended_at = :endedAt,
        unseen = CASE WHEN origin = 'ours' AND group_id IS NULL THEN :unseen ELSE 0 END WHERE seq = :seq`),
    returned: connection.prepare(`
      UPDATE records SET job_id = NULL, job_created_at = NULL, adopted = 0, remote = 0, base_url = NULL, service = NULL,
        accepted_at = NULL, started_at = NULL, service_text = NULL, service_failure = NULL, outcome_kind = NULL,
        outcome = NULL, ended_at = NULL, unseen = 0, resent = :resent WHERE seq = :seq`),
    returnedDetails: connection.prepare(
      `UPDATE details SET skipped = '[]', results = '[]', problems = '[]', notes = '[]' WHERE seq = ?`,
    ),
    sending: connection.prepare('SELECT resent, remote, mount, preset_hash FROM records WHERE id = ?'),
    details: connection.prepare(`${DETAILS} WHERE id = ? AND removed_at IS NULL`),
    summary: connection.prepare(
      `SELECT ${SUMMARY_COLUMNS}, job_id FROM records WHERE id = ? AND removed_at IS NULL`,
    ),
    detailsBefore: connection.prepare(
      `${DETAILS} WHERE records.seq < ? AND removed_at IS NULL ORDER BY records.seq DESC LIMIT ?`,
    ),
    ...prepareEnded(connection),
    unfinished: connection.prepare(
      `${DETAILS} WHERE outcome_kind IS NULL AND removed_at IS NULL AND job_id IS NOT NULL ORDER BY records.seq`,
    ),
    // A job that the service forgot before it was first read can't be in the service's list.
    ownJob: connection.prepare(
      `SELECT id, job_created_at, outcome_kind FROM records
       WHERE job_id = ? AND origin = 'ours' AND base_url IS NOT NULL
         AND (job_created_at IS NOT NULL OR outcome_kind IS NOT 'forgotten') ORDER BY seq DESC LIMIT 20`,
    ),
    anyOwnJob: connection.prepare(`SELECT 1 FROM records WHERE job_id = ? AND origin = 'ours' LIMIT 1`),
    jobSince: connection.prepare(
      `SELECT 1 FROM (SELECT job_id, accepted_at, origin FROM records ORDER BY seq DESC LIMIT ${RECENT})
       WHERE accepted_at >= ? AND job_id = ? AND origin = 'ours' LIMIT 1`,
    ),
    openJobs: connection.prepare(
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
    seen: connection.prepare(`UPDATE records SET unseen = 0 WHERE unseen = 1 AND ${SAME_JOB}`),
    unseen: connection.prepare(
      'SELECT count(*) AS total FROM records WHERE removed_at IS NULL AND unseen = 1',
    ),
    pastJobs: connection.prepare(`
      SELECT photos, videos, variations, result_bytes, started_at, ended_at,
        (SELECT total(item.value ->> 'size') FROM json_each(inputs) AS item) AS input_bytes
      FROM (SELECT seq FROM records WHERE removed_at IS NULL AND outcome_kind IS NOT NULL
          ORDER BY seq DESC LIMIT ${SEARCHED_FOR_PAST_JOBS})
        JOIN records USING (seq) JOIN details USING (seq)
      WHERE origin = 'ours' AND service = 'external' AND base_url = :baseUrl AND preset IS :preset
        AND outcome_kind = 'done' AND outcome ->> 'results' = (photos + videos) * variations
        AND result_bytes IS NOT NULL AND (photos = 0) <> (videos = 0)
      ORDER BY seq DESC LIMIT :limit`),
    remove: connection.prepare(
      `UPDATE records SET removed_at = :now WHERE removed_at IS NULL AND ${SAME_JOB}`,
    ),
    restore: connection.prepare(
      `UPDATE records SET removed_at = NULL WHERE removed_at IS NOT NULL AND ${SAME_JOB}`,
    ),
    forget: connection.prepare(`DELETE FROM records WHERE ${SAME_JOB}`),
    sameJob: connection.prepare(`SELECT seq FROM records WHERE ${SAME_JOB}`),
    purge: connection.prepare('DELETE FROM records WHERE removed_at < ?'),
    unindexOver: connection.prepare(
      `DELETE FROM search WHERE rowid IN (SELECT seq FROM records WHERE ${OVER_BEFORE} AND removed_at IS NULL)`,
    ),
    dropOver: connection.prepare(`DELETE FROM records WHERE ${OVER_BEFORE}`),
  }
}

/** Returns the parameters of `put`. */
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
  by: title.by ?? null,
  ...groupColumns(title.group),
})

function groupColumns(group: WorkTitle['group']) {
  if (group === null) return { groupId: null, part: null, parts: null, groupCounts: null }
  const { id, part, parts, ...counts } = group
  return { groupId: id, part, parts, groupCounts: JSON.stringify(counts) }
}
