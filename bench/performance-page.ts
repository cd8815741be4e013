/** Updates the table in docs/performance.md for `npm run bench -- --write`. */
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { valueText, type BenchResult, type BenchRow } from './row.ts'

const PAGE = join(import.meta.dirname, '../docs/performance.md')
const BEGIN = '<!-- measured -->'
const END = '<!-- /measured -->'
const HEAD = ['| what | measured | budget | met | |', '|---|---|---|---|---|']
const RUNS = 3

/** The results of each benchmark, oldest first, in the order of the table. */
export type Results = ReadonlyMap<string, readonly BenchResult[]>

/**
 * Reads the latest three results of each benchmark. They may be from different runs, because a run may include only some benchmarks.
 * @param folder contains a file for each run, named after its time
 */
export async function latestResults(folder: string, names: readonly string[]): Promise<Results> {
  const files = (await readdir(folder)).filter((name) => name.endsWith('.json')).toSorted()
  const results: BenchResult[] = []
  for (const file of files) {
    const run: { readonly benches?: readonly BenchResult[] } = JSON.parse(
      await readFile(join(folder, file), 'utf8'),
    )
    results.push(...(run.benches ?? []))
  }
  const latest = names.map((name) => [name, results.filter((one) => one.name === name).slice(-RUNS)] as const)
  return new Map(latest)
}

const inCell = (text: string): string => text.replaceAll('|', '\\|').replaceAll(/\s+/g, ' ')

/** @param runs the same row in each run, oldest first; the note is from the latest one */
function line(runs: readonly BenchRow[]): string {
  const { name = '', budget = '', note = '' } = runs.at(-1) ?? {}
  const met = runs.filter((row) => row.met).length
  const inAll = `${met} of ${runs.length}`
  const cells = [name, valueText(...runs), budget, met === runs.length ? inAll : `**${inAll}**`, note]
  return `| ${cells.map(inCell).join(' | ')} |`
}

const linesOf = (results: readonly BenchResult[]): readonly string[] =>
  (results.at(-1)?.rows ?? []).map(({ name }) =>
    line(results.flatMap(({ rows }) => rows.filter((row) => row.name === name))),
  )

const nameIn = (tableLine: string): string => tableLine.split(' | ')[0] ?? ''

/** Replaces the whole table after a full run, and otherwise only the rows that have results. */
export function updateTable(page: string, results: Results, isWholeRun: boolean): string {
  const [before, rest] = split(page, BEGIN)
  const [table, after] = split(rest, END)
  const lines = new Map(
    table
      .split('\n')
      .filter((text) => !isWholeRun && text.startsWith('|') && !HEAD.includes(text))
      .map((text) => [nameIn(text), text]),
  )
  for (const text of [...results.values()].flatMap(linesOf)) lines.set(nameIn(text), text)
  return `${before}${BEGIN}\n${[...HEAD, ...lines.values()].join('\n')}\n${END}${after}`
}

/** @throws Error if the marker is missing */
function split(text: string, marker: string): [string, string] {
  const at = text.indexOf(marker)
  if (at < 0) throw new Error(`docs/performance.md has no ${marker}`)
  return [text.slice(0, at), text.slice(at + marker.length)]
}

export async function writePerformancePage(
  folder: string,
  names: readonly string[],
  isWholeRun: boolean,
): Promise<void> {
  const results = await latestResults(folder, names)
  await writeFile(PAGE, updateTable(await readFile(PAGE, 'utf8'), results, isWholeRun))
}
