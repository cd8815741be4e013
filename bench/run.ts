/**
 * `npm run bench` measures everything in the list below, `npm run bench -- upload get-jobs` only what is named, and
 * what takes minutes only then. Prints a table and keeps the numbers in bench/results/.
 */
import { mkdir, writeFile } from 'node:fs/promises'
import { cpus, totalmem } from 'node:os'
import { join } from 'node:path'
import { installTools } from './other-tools.ts'
import type { BenchRow } from './row.ts'

/** Loaded one by one, so that none costs another its memory. */
const BENCHES: Readonly<Record<string, () => Promise<() => Promise<readonly BenchRow[]>>>> = {
  command: async () => (await import('./command.ts')).benchCommand,
  images: async () => (await import('./images.ts')).benchImages,
  heic: async () => (await import('./heic.ts')).benchHeic,
  video: async () => (await import('./video.ts')).benchVideo,
  looks: async () => (await import('./looks.ts')).benchLooks,
  fits: async () => (await import('./fits.ts')).benchFits,
  preview: async () => (await import('./preview.ts')).benchPreview,
  forecast: async () => (await import('./forecast.ts')).benchForecast,
  upload: async () => (await import('./upload.ts')).benchUpload,
  drive: async () => (await import('./drive.ts')).benchDrive,
  'get-jobs': async () => (await import('./get-jobs.ts')).benchGetJobs,
  'poll-tick': async () => (await import('./poll-tick.ts')).benchPollTick,
  outbox: async () => (await import('./outbox.ts')).benchOutbox,
  'long-start': async () => (await import('./long-start.ts')).benchLongStart,
  growth: async () => (await import('./growth.ts')).benchGrowth,
  'service-memory': async () => (await import('./service-memory.ts')).benchServiceMemory,
  history: async () => (await import('./history.ts')).benchHistory,
  'history-million': async () => (await import('./history.ts')).benchLongHistory,
  intake: async () => (await import('./intake.ts')).benchIntake,
  watch: async () => (await import('./watch.ts')).benchWatch,
  app: async () => (await import('./app.ts')).benchApp,
}

/** They take up to an hour, and run only when they are named. */
const LONG = new Set(['history-million', 'looks', 'fits', 'forecast'])

const wanted = process.argv.slice(2)
const unknown = wanted.filter((name) => !Object.hasOwn(BENCHES, name))
if (unknown.length > 0) {
  console.error(`No such benchmark: ${unknown.join(', ')}. There are ${Object.keys(BENCHES).join(', ')}.`)
  process.exit(2)
}

installTools()
const begun = new Date().toISOString()
const rows: BenchRow[] = []
let kept = ''
for (const [name, load] of Object.entries(BENCHES)) {
  if (wanted.length > 0 ? !wanted.includes(name) : LONG.has(name)) continue
  console.error(`Measuring ${name} …`)
  const measure = await load()
  rows.push(...(await measure()))
  // A run that is ended leaves what it has measured.
  kept = await keep(rows)
}
printTable(rows)
console.log(`\nKept in ${kept}`)

function printTable(all: readonly BenchRow[]): void {
  const cells = all.map((row) => [
    row.met ? 'met' : 'MISSED',
    row.name,
    `${Number(row.measured.toPrecision(3))} ${row.unit}`,
    row.budget,
    row.note ?? '',
  ])
  const table = [['', 'what', 'measured', 'budget', ''], ...cells]
  const widths = table[0]?.map((_, column) => Math.max(...table.map((row) => row[column]?.length ?? 0))) ?? []
  for (const row of table)
    console.log(
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
}

async function keep(all: readonly BenchRow[]): Promise<string> {
  const folder = join(import.meta.dirname, 'results')
  await mkdir(folder, { recursive: true })
  const path = join(folder, `${begun.replaceAll(':', '-').slice(0, 19)}.json`)
  const machine = { node: process.version, cores: cpus().length, cpu: cpus()[0]?.model, memory: totalmem() }
  await writeFile(path, `${JSON.stringify({ at: begun, machine, rows: all }, undefined, 2)}\n`)
  return path
}
