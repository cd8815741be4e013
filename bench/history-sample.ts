import { DatabaseSync } from 'node:sqlite'
import { openHistory } from '../src/main/history/index.ts'
import { rebuildIndex } from '../src/main/history/search-index.ts'

const SUBJECTS = 'harbour sunset wedding Hafenfoto Größe beach café 夜景 scan interview'.split(' ')
const PRESETS = ['Web 2048', 'Web 1024', 'Print', 'Archive']
const OUTCOMES = ['done', 'done', 'done', 'done', 'problems', 'failed', 'cancelled']
const BEGIN = Date.UTC(2025, 0, 1)
const EVERY_MS = 5 * 60_000

/** Writes records to the file of a history, and indexes them. */
export function fillHistory(file: string, jobs: number): void {
  openHistory({ file, clock: () => BEGIN, log: () => undefined }).close()
  const connection = new DatabaseSync(file)
  connection.exec('BEGIN')
  const record = connection.prepare(`
    INSERT INTO records (seq, id, origin, name, first_path, photos, videos, files, preset, variations, output_kind, output,
      grouping, created_at, job_id, base_url, service, accepted_at, ended_at, outcome_kind, outcome, service_text, unseen)
    VALUES (?, ?, 'ours', ?, ?, 1, 0, 1, ?, 1, 'folder', '/home/me/Pictures/Web', 'together', ?, ?,
      'http://127.0.0.1:3847/api', 'external', ?, ?, ?, ?, ?, 0)`)
  const details = connection.prepare(
    'INSERT INTO details (seq, inputs, results, problems) VALUES (?, ?, ?, ?)',
  )
  for (let n = 0; n < jobs; n += 1) {
    const at = BEGIN + n * EVERY_MS
    const { path, name } = inputOf(n)
    const outcome = pick(OUTCOMES, n)
    const failed = outcome === 'failed' || outcome === 'problems'
    const error = failed ? 'Out of memory while decoding' : null
    const outputPath = `/home/me/Pictures/Web/${name.replace('.jpg', '.webp')}`
    const job = [`r${n}`, name, path, pick(PRESETS, n), at, `job-${n}`]
    record.run(at * 1000, ...job, at, at + 60_000, outcome, outcomeOf(outcome), error)
    details.run(
      at * 1000,
      JSON.stringify([{ path, name, kind: 'image', size: 4_000_000 }]),
      JSON.stringify(outcome === 'failed' ? [] : [{ file: name, outputPath, index: 0 }]),
      JSON.stringify(failed ? [{ file: name, error }] : []),
    )
  }
  rebuildIndex(connection)
  // The sizes of the results, as the app stores them after each job.
  connection.exec(`
    INSERT INTO measured (seq, files, input_bytes, result_bytes, saved_files, saved_bytes, sizes)
      SELECT seq, 1, 4000000, 1000000, 1, 3000000, json_array(json_object('path', first_path, 'input', 4000000, 'results', 1000000))
      FROM records WHERE outcome_kind IN ('done', 'problems');
    COMMIT`)
  connection.close()
}

/** Returns the key of the record with this number, counted from the oldest. */
export const keyOfRecord = (n: number): number => (BEGIN + n * EVERY_MS) * 1000

const pick = (from: readonly string[], n: number): string => from[n % from.length] ?? ''

function inputOf(n: number): { path: string; name: string } {
  const subject = pick(SUBJECTS, n)
  const name = `${n % 2 === 0 ? 'IMG' : 'DSC'}_${String(n % 10_000).padStart(4, '0')} ${subject}.jpg`
  return { path: `/home/me/Pictures/${2025 + (n % 3)}/${subject} ${n % 40}/${name}`, name }
}

const outcomeOf = (kind: string): string =>
  JSON.stringify({ kind, results: 1, problems: 1, uploaded: null, reason: 'Out of memory while decoding' })
