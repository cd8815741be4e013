/** Updates the table in docs/performance.md for `npm run bench -- --write`. */
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { valueText, type BenchRow } from './row.ts'

const PAGE = join(import.meta.dirname, '../docs/performance.md')
const BEGIN = '<!-- measured -->'
const END = '<!-- /measured -->'
const HEAD = ['| what | measured | budget | |', '|---|---|---|---|']

const inCell = (text: string): string => text.replaceAll('|', '\\|').replaceAll(/\s+/g, ' ')

function line(row: BenchRow): string {
  const value = valueText(row)
  const measured = row.met ? value : `**${value}: missed**`
  return `| ${[row.name, measured, row.budget, row.note].map(inCell).join(' | ')} |`
}

const nameIn = (tableLine: string): string => tableLine.split(' | ')[0] ?? ''

/** Replaces the whole table after a full run, and only the measured rows otherwise. */
function updateTable(page: string, rows: readonly BenchRow[], isWholeRun: boolean): string {
  const [before, rest] = split(page, BEGIN)
  const [table, after] = split(rest, END)
  const lines = new Map(
    table
      .split('\n')
      .filter((text) => !isWholeRun && text.startsWith('|') && !HEAD.includes(text))
      .map((text) => [nameIn(text), text]),
  )
  for (const text of rows.map(line)) lines.set(nameIn(text), text)
  return `${before}${BEGIN}\n${[...HEAD, ...lines.values()].join('\n')}\n${END}${after}`
}

/** @throws Error if the marker is missing */
function split(text: string, marker: string): [string, string] {
  const at = text.indexOf(marker)
  if (at < 0) throw new Error(`docs/performance.md has no ${marker}`)
  return [text.slice(0, at), text.slice(at + marker.length)]
}

export async function writePerformancePage(rows: readonly BenchRow[], isWholeRun: boolean): Promise<void> {
  await writeFile(PAGE, updateTable(await readFile(PAGE, 'utf8'), rows, isWholeRun))
}
