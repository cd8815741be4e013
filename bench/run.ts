/**
 * Runs the benchmarks and compares them with their budgets.
 *
 *   npm run bench                      all except the long ones
 *   npm run bench -- upload get-jobs   only the named ones, long or not
 *   npm run bench -- --write           also updates the table in docs/performance.md, from the latest three results of each
 *
 * Prints a table and saves the results in bench/results/.
 */
import { mkdir, writeFile } from 'node:fs/promises'
import { cpus, totalmem } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { installTools } from './other-tools.ts'
import { writePerformancePage } from './performance-page.ts'
import { valueText, type BenchResult, type BenchRow } from './row.ts'

/** Loaded one at a time, so that a benchmark doesn't increase the memory use of another. */
const BENCHES: Readonly<Record<string, () => Promise<() => Promise<readonly BenchRow[]>>>> = {
  command: async () => (await import('./command.ts')).benchCommand,
  'large-photo': async () => (await import('./large-photo.ts')).benchLargePhoto,
  images: async () => (await import('./images.ts')).benchImages,
  heic: async () => (await import('./images.ts')).benchHeic,
  video: async () => (await import('./video.ts')).benchVideo,
  preview: async () => (await import('./preview.ts')).benchPreview,
  estimate: async () => (await import('./estimate.ts')).benchEstimate,
  upload: async () => (await import('./upload.ts')).benchUpload,
  'get-jobs': async () => (await import('./get-jobs.ts')).benchGetJobs,
  'poll-tick': async () => (await import('./poll-tick.ts')).benchPollTick,
  outbox: async () => (await import('./outbox.ts')).benchOutbox,
  'not-twice': async () => (await import('./not-twice.ts')).benchNotTwice,
  'folder-rules': async () => (await import('./folder-rules.ts')).benchFolderRules,
  clipboard: async () => (await import('./clipboard.ts')).benchClipboard,
  replace: async () => (await import('./replace.ts')).benchReplace,
  history: async () => (await import('./history.ts')).benchHistory,
  'history-million': async () => (await import('./history.ts')).benchLongHistory,
  app: async () => (await import('./app.ts')).benchApp,
}

/** Benchmarks that take up to an hour each and run only when named. */
const LONG = new Set(['history-million', 'estimate'])

const RESULTS = join(import.meta.dirname, 'results')

const { values: options, positionals: names } = parseArgs({
  options: { write: { type: 'boolean', default: false } },
  allowPositionals: true,
})
const unknown = names.filter((name) => !Object.hasOwn(BENCHES, name))
if (unknown.length > 0) {
  console.error(`Unknown benchmark: ${unknown.join(', ')}. Available: ${Object.keys(BENCHES).join(', ')}.`)
  process.exit(2)
}

installTools()
const startedAt = new Date().toISOString()
const benches: BenchResult[] = []
let savedTo = ''
for (const [name, load] of Object.entries(BENCHES)) {
  if (names.length > 0 ? !names.includes(name) : LONG.has(name)) continue
  console.error(`Measuring ${name} …`)
  const measure = await load()
  benches.push({ name, rows: await measure() })
  // Saved after each benchmark, so that an interrupted run keeps its results.
  savedTo = await save(benches)
}
printTable(benches.flatMap(({ rows }) => rows))
console.log(`\nSaved in ${savedTo}`)
if (options.write) await writePerformancePage(RESULTS, Object.keys(BENCHES), names.length === 0)

function printTable(all: readonly BenchRow[]): void {
  const cells = all.map((row) => [row.met ? 'met' : 'MISSED', row.name, valueText(row), row.budget, row.note])
  const table = [['', 'what', 'measured', 'budget', 'note'], ...cells]
  const widths = table[0]?.map((_, column) => Math.max(...table.map((row) => row[column]?.length ?? 0))) ?? []
  for (const row of table)
    console.log(
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
}

async function save(all: readonly BenchResult[]): Promise<string> {
  await mkdir(RESULTS, { recursive: true })
  const path = join(RESULTS, `${startedAt.replaceAll(':', '-').slice(0, 19)}.json`)
  const machine = { node: process.version, cores: cpus().length, cpu: cpus()[0]?.model, memory: totalmem() }
  await writeFile(path, `${JSON.stringify({ at: startedAt, machine, benches: all }, undefined, 2)}\n`)
  return path
}
