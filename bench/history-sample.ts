import { DatabaseSync } from 'node:sqlite'
import { openHistory } from '../src/main/history/index.ts'
import { rebuildIndex } from '../src/main/history/search-index.ts'
import { tablesIn, type Tables } from '../src/main/history/tables.ts'
import { asRecordId } from '../src/shared/model/ids.ts'
import type { Outcome } from '../src/shared/model/job.ts'

const SUBJECTS = 'harbour sunset wedding Hafenfoto Größe beach café 夜景 scan interview'.split(' ')
const PRESETS = ['Web 2048', 'Web 1024', 'Print', 'Archive']
const DONE: Outcome = { kind: 'done', results: 1, uploaded: null }
const OUTCOMES: readonly Outcome[] = [
  DONE,
  DONE,
  DONE,
  DONE,
  { kind: 'problems', results: 1, problems: 1, uploaded: null },
  { kind: 'failed', reason: 'Out of memory while decoding' },
  { kind: 'cancelled', results: 1 },
]
const BEGIN = Date.UTC(2025, 0, 1)
const EVERY_MS = 5 * 60_000

/** Writes records to a history file and indexes them. */
export function fillHistory(file: string, jobs: number): void {
  openHistory({ file, clock: () => BEGIN, log: () => undefined }).close()
  const connection = new DatabaseSync(file)
  const tables = tablesIn(connection)
  connection.exec('BEGIN')
  for (let n = 0; n < jobs; n += 1) addJob(tables, n)
  rebuildIndex(tables)
  connection.exec('COMMIT')
  connection.close()
}

function addJob({ records, details, measured }: Tables, n: number): void {
  const at = BEGIN + n * EVERY_MS
  const seq = at * 1000
  const id = asRecordId(`r${n}`)
  const { path, name } = inputOf(n)
  const outcome = pick(OUTCOMES, n) ?? { kind: 'forgotten' }
  const error = 'problems' in outcome || outcome.kind === 'failed' ? 'Out of memory while decoding' : null
  const size = 4_000_000
  records.insert({
    seq,
    id,
    origin: 'ours',
    name,
    firstPath: path,
    photos: 1,
    videos: 0,
    files: 1,
    preset: pick(PRESETS, n) ?? null,
    variations: 1,
    output: { kind: 'folder', path: '/home/me/Pictures/Web' },
    grouping: 'together',
    createdAt: at,
    jobId: `job-${n}`,
    baseUrl: 'http://127.0.0.1:3847/api',
    service: 'external',
    endedAt: at + 60_000,
    outcome,
    unseen: false,
    whole: id,
    part: 0,
    place: { parts: 1, photos: 1, videos: 0, presets: 1, folders: 1 },
    wholeOutcome: outcome,
    wholeEndedAt: at + 60_000,
    remote: false,
    resent: 0,
  })
  const outputPath = `/home/me/Pictures/Web/${name.replace('.jpg', '.webp')}`
  details.insert({
    seq,
    inputs: [{ path, name, kind: 'image', size }],
    results: outcome.kind === 'failed' ? [] : [{ file: name, outputPath, index: 0 }],
    problems: error === null ? [] : [{ file: name, error }],
    skipped: [],
    facts: { acceptedAt: at, startedAt: null, serviceText: error, notes: [], inVault: [] },
  })
  if (outcome.kind !== 'done' && outcome.kind !== 'problems') return
  // The sizes of the results, as the app stores them after each job.
  const sums = { files: 1, inputBytes: size, resultBytes: 1_000_000, savedFiles: 1, savedBytes: 3_000_000 }
  measured.insert({ seq, whole: id, ...sums, sizes: [{ path, input: size, results: 1_000_000 }] })
}

/** Returns the key of the record with this number, counted from the oldest. */
export const keyOfRecord = (n: number): number => (BEGIN + n * EVERY_MS) * 1000

const pick = <One>(from: readonly One[], n: number): One | undefined => from[n % from.length]

function inputOf(n: number): { path: string; name: string } {
  const subject = pick(SUBJECTS, n) ?? ''
  const name = `${n % 2 === 0 ? 'IMG' : 'DSC'}_${String(n % 10_000).padStart(4, '0')} ${subject}.jpg`
  return { path: `/home/me/Pictures/${2025 + (n % 3)}/${subject} ${n % 40}/${name}`, name }
}
