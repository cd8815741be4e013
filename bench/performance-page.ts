/** Updates the tables in docs/performance.md for `npm run bench -- --write`. */
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { cpus } from 'node:os'
import { join } from 'node:path'
import { valueText, type BenchResult, type BenchRow } from './row.ts'

const PAGE = join(import.meta.dirname, '../docs/performance.md')
const HEAD = ['| what | measured | budget | met | |', '|---|---|---|---|---|']
const RUNS = 3

/** What a run saves. */
type Saved = { readonly machine?: { readonly cpu?: string }; readonly benches?: readonly BenchResult[] }

/**
 * Reads the latest three results of each benchmark on this kind of computer, oldest first. They may be from different runs, because a run may
 * include only some benchmarks.
 * @param folder contains a file for each run, named after its time
 */
export async function latestResults(folder: string): Promise<(name: string) => readonly BenchResult[]> {
  const files = (await readdir(folder)).filter((file) => file.endsWith('.json')).toSorted()
  const runs = await Promise.all(
    files.map(async (file): Promise<Saved> => JSON.parse(await readFile(join(folder, file), 'utf8'))),
  )
  const results = runs
    .filter(({ machine }) => machine?.cpu === cpus()[0]?.model)
    .flatMap(({ benches = [] }) => benches)
  return (name) => results.filter((one) => one.name === name).slice(-RUNS)
}

const inCell = (text: string): string => text.replaceAll('|', '\\|').replaceAll(/\s+/g, ' ')

/** @param runs the same row in each run, oldest first; the note is from the latest one */
function line(runs: readonly BenchRow[]): string {
  const { name = '', note = '' } = runs.at(-1) ?? {}
  const budgets = [...new Set(runs.map(({ budget }) => budget))].join(', ')
  const judged = runs.filter(({ met }) => met !== undefined)
  const met = judged.filter((row) => row.met).length
  const inAll = judged.length === 0 ? '–' : `${met} of ${judged.length}`
  const cells = [name, valueText(...runs), budgets, met === judged.length ? inAll : `**${inAll}**`, note]
  return `| ${cells.map(inCell).join(' | ')} |`
}

/** Replaces the table of a benchmark. */
export function updateTable(page: string, name: string, results: readonly BenchResult[]): string {
  const [before, rest] = split(page, `<!-- ${name} -->`)
  const [, after] = split(rest, `<!-- /${name} -->`)
  const lines = (results.at(-1)?.rows ?? []).map((row) =>
    line(results.flatMap(({ rows }) => rows.filter((one) => one.name === row.name))),
  )
  return `${before}<!-- ${name} -->\n\n${[...HEAD, ...lines].join('\n')}\n\n<!-- /${name} -->${after}`
}

/** @throws Error if the marker is missing */
function split(text: string, marker: string): [string, string] {
  const at = text.indexOf(marker)
  if (at < 0) throw new Error(`docs/performance.md has no ${marker}`)
  return [text.slice(0, at), text.slice(at + marker.length)]
}

export async function writePerformancePage(folder: string, names: readonly string[]): Promise<void> {
  const resultsOf = await latestResults(folder)
  let page = await readFile(PAGE, 'utf8')
  for (const name of names) page = updateTable(page, name, resultsOf(name))
  await writeFile(PAGE, page)
}
