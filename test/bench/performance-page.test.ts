import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { cpus } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { BENCHES } from '../../bench/benches.ts'
import { latestResults, updateTable } from '../../bench/performance-page.ts'
import { atLeast, atMost, atMostTimes, type BenchRow, onSlowHost, withoutBudget } from '../../bench/row.ts'
import { temporaryFolder } from '../temporary-folder.ts'

const HEAD = ['| what | measured | budget | met | |', '|---|---|---|---|---|']

const section = (name: string, ...rows: readonly string[]) =>
  [`<!-- ${name} -->`, '', ...HEAD, ...rows, '', `<!-- /${name} -->`].join('\n')

const OTHER = section('command', '| start | 0.4 s | ≤ 0.5 | 3 of 3 |  |')
const page = (...rows: readonly string[]) =>
  ['# Results', OTHER, section('upload', ...rows), 'The end'].join('\n')

const upload = (ratio: number, note = ''): BenchRow => atLeast('upload', ratio, '× curl', 1, note)

const THIS_COMPUTER = { cpu: cpus()[0]?.model }

/** Returns the page after runs of the benchmark `upload` with these rows, oldest first. */
async function pageAfter(...runs: readonly (readonly BenchRow[])[]): Promise<string> {
  const folder = await folderWith(...runs.map((rows) => ({ machine: THIS_COMPUTER, rows })))
  const resultsOf = await latestResults(folder)
  return updateTable(page('| old | 3 × curl | ≥ 1 | 1 of 1 |  |'), 'upload', resultsOf('upload'))
}

async function folderWith(
  ...runs: readonly { readonly machine: object; readonly rows: readonly BenchRow[] }[]
): Promise<string> {
  const folder = join(temporaryFolder(), 'results')
  await mkdir(folder)
  for (const [n, { machine, rows }] of runs.entries()) {
    const saved = { machine, benches: [{ name: 'upload', rows }] }
    await writeFile(join(folder, `2026-01-0${n + 1}T00-00-00.json`), JSON.stringify(saved))
  }
  return folder
}

describe('the table of a benchmark', () => {
  it('shows the last three runs, how many met the budget, and the latest note', async () => {
    const runs = [9, 1.25, 0.875, 1.12345].map((ratio) => [upload(ratio, `a | b, ${ratio}`)])
    expect(await pageAfter(...runs)).toBe(
      page('| upload | 1.25, 0.875, 1.12 × curl | ≥ 1 | **2 of 3** | a \\| b, 1.12345 |'),
    )
  })

  it('drops rows that the benchmark no longer has, and counts a new one from its first run', async () => {
    const added = atMost('memory', 70, 'MiB', 64)
    expect(await pageAfter([atMost('old', 1, 's', 2), upload(1)], [upload(2), added])).toBe(
      page('| upload | 1, 2 × curl | ≥ 1 | 2 of 2 |  |', '| memory | 70 MiB | ≤ 64 | **0 of 1** |  |'),
    )
  })

  it('shows the budgets of all runs if they differ', async () => {
    expect(await pageAfter([atMost('start', 1, 's', 2)], [atMost('start', 1, 's', 0.5)])).toBe(
      page('| start | 1, 1 s | ≤ 2, ≤ 0.5 | **1 of 2** |  |'),
    )
  })

  it('shows rows without a budget as neither met nor missed, and values that aren’t numbers as missing', async () => {
    expect(await pageAfter([withoutBudget('first pixels', 5, 'ms')])).toBe(
      page('| first pixels | 5 ms | none | – |  |'),
    )
    expect(await pageAfter([atMost('width', Infinity, '%', 5)])).toBe(
      page('| width | – % | ≤ 5 | **0 of 1** |  |'),
    )
  })

  it('raises only budgets for times without a floor while the host is slow', async () => {
    const rows = [
      atMost('start', 6, 'ms', 5),
      atMost('search', 6, 'ms CPU', 5),
      atMost('memory', 6, 'MiB', 5),
      atMostTimes('stop', 6, 'ms', { floor: 1, most: 5 }, ''),
      withoutBudget('pause', 6, 'ms'),
    ]
    const shown = rows
      .map((row) => onSlowHost(row, { wall: 1.2, cpu: 1.1 }))
      .map(({ budget, met }) => [budget, met])
    expect(shown).toEqual([
      ['≤ 5 × 1.2', true],
      ['≤ 5 × 1.1', false],
      ['≤ 5', false],
      ['≤ 5 × floor', false],
      ['none', undefined],
    ])
    expect(onSlowHost(atMost('start', 6, 'ms', 5), { wall: 1, cpu: 2 })).toMatchObject({
      budget: '≤ 5',
      met: false,
    })
  })

  it('contains only runs on this kind of computer', async () => {
    const folder = await folderWith(
      { machine: { cpu: 'another' }, rows: [upload(5)] },
      { machine: THIS_COMPUTER, rows: [upload(1)] },
    )
    const resultsOf = await latestResults(folder)
    expect(resultsOf('upload').map(({ rows }) => rows[0]?.measured)).toEqual([1])
  })
})

it('each benchmark has a table', async () => {
  const text = await readFile(join(import.meta.dirname, '../../docs/performance.md'), 'utf8')
  for (const name of Object.keys(BENCHES)) expect(updateTable(text, name, [])).toContain(section(name))
})
