/**
 * Runs the benchmarks and compares them with their budgets.
 *
 *   npm run bench                      all except the long ones
 *   npm run bench -- upload get-jobs   only the named ones, long or not
 *   npm run bench -- --write           also updates their tables in docs/performance.md, from the latest three results of each
 *
 * Prints a table and saves the results in bench/results/. A benchmark that fails doesn't affect the others.
 * Repeats those that missed a budget, except long ones.
 */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, writeFile } from 'node:fs/promises'
import { availableParallelism, cpus, totalmem } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { BENCHES, LONG } from './benches.ts'
import { buildAll } from './build.ts'
import { installTools } from './other-tools.ts'
import { writePerformancePage } from './performance-page.ts'
import { areMet, valueText, withRepeated, type BenchResult, type BenchRow } from './row.ts'

/** How many times to repeat benchmarks with missed budgets. A shared computer may be slow for minutes, but much slower code misses each time. */
const REPEATS = 2
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
await buildAll()
const startedAt = new Date().toISOString()
let benches: readonly BenchResult[] = []
let savedTo = ''
for (const name of Object.keys(BENCHES)) {
  if (names.length > 0 ? !names.includes(name) : LONG.has(name)) continue
  console.error(`Measuring ${name} …`)
  const rows = await measured(name)
  if (rows === undefined) {
    console.error(`The benchmark ${name} failed.`)
    process.exitCode = 1
    continue
  }
  benches = [...benches, { name, rows }]
  // Saved after each benchmark, so that an interrupted run keeps its results.
  savedTo = await save(benches)
}
for (let repeat = 1; repeat <= REPEATS; repeat++) {
  for (const { name, rows } of benches.filter((bench) => !areMet(bench.rows) && !LONG.has(bench.name))) {
    console.error(`Measuring ${name} again …`)
    const repeated = await measured(name)
    if (repeated === undefined) {
      console.error(`The benchmark ${name} failed.`)
      continue
    }
    benches = benches.map((bench) =>
      bench.name === name ? { name, rows: withRepeated(rows, repeated) } : bench,
    )
    savedTo = await save(benches)
  }
}
printTable(benches.flatMap(({ rows }) => rows))
if (savedTo !== '') console.log(`\nSaved in ${savedTo}`)
if (options.write)
  await writePerformancePage(
    RESULTS,
    benches.map(({ name }) => name),
  )

/**
 * Runs a benchmark in a separate process, because memory left by earlier benchmarks slows down later ones.
 * @returns undefined if it failed; it has printed why
 */
async function measured(name: string): Promise<readonly BenchRow[] | undefined> {
  // By default, libuv has four threads, so sharp called directly would process four photos at once even on more cores.
  const threads = Math.max(4, availableParallelism() + 1)
  const env = { ...process.env, UV_THREADPOOL_SIZE: String(threads) }
  const child = fork(join(import.meta.dirname, 'one.ts'), [name], { env })
  const [rows] = await Promise.race([once(child, 'message'), once(child, 'exit').then(() => [])])
  return rows
}

function outcome({ met }: BenchRow): string {
  if (met === undefined) return ''
  return met ? 'met' : 'MISSED'
}

function printTable(all: readonly BenchRow[]): void {
  const cells = all.map((row) => [outcome(row), row.name, valueText(row), row.budget, row.note])
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
