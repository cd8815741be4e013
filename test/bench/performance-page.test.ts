import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { latestResults, updateTable } from '../../bench/performance-page.ts'
import { atLeast, atMost, type BenchRow } from '../../bench/row.ts'
import { temporaryFolder } from '../temporary-folder.ts'

const page = (...lines: readonly string[]) =>
  ['# Results', '<!-- measured -->', ...lines, '<!-- /measured -->', 'The end'].join('\n')

const HEAD = ['| what | measured | budget | met | |', '|---|---|---|---|---|']

const upload = (ratio: number, note = ''): BenchRow => atLeast('upload', ratio, '× curl', 1, note)

async function folderWith(
  ...runs: readonly Readonly<Record<string, readonly BenchRow[]>>[]
): Promise<string> {
  const folder = join(temporaryFolder(), 'results')
  await mkdir(folder)
  for (const [n, run] of runs.entries()) {
    const benches = Object.entries(run).map(([name, rows]) => ({ name, rows }))
    await writeFile(join(folder, `2026-01-0${n + 1}T00-00-00.json`), JSON.stringify({ benches }))
  }
  return folder
}

const tableFrom = async (folder: string, isWholeRun = true, old: readonly string[] = []) =>
  updateTable(page(...old), await latestResults(folder, ['command', 'upload']), isWholeRun)

describe('the table of measured values', () => {
  it('shows the last three runs, how many met the budget, and the latest note', async () => {
    const runs = [9, 1.25, 0.875, 1.12345].map((ratio) => ({ upload: [upload(ratio, `a | b, ${ratio}`)] }))
    expect(await tableFrom(await folderWith(...runs))).toBe(
      page(...HEAD, '| upload | 1.25, 0.875, 1.12 × curl | ≥ 1 | **2 of 3** | a \\| b, 1.12345 |'),
    )
  })

  it('combines runs of all benchmarks with runs of named ones, in the usual order', async () => {
    const start = atMost('start', 0.4, 's', 0.5)
    const folder = await folderWith({ command: [start], upload: [upload(1)] }, { upload: [upload(2)] })
    expect(await tableFrom(folder)).toBe(
      page(...HEAD, '| start | 0.4 s | ≤ 0.5 | 1 of 1 |  |', '| upload | 1, 2 × curl | ≥ 1 | 2 of 2 |  |'),
    )
  })

  it('keeps rows without results only if the run was of named benchmarks', async () => {
    const folder = await folderWith({ upload: [upload(1)] })
    const old = [...HEAD, '| upload | 3 × curl | ≥ 1 | 1 of 1 |  |', '| search | 5 ms | ≤ 20 | 3 of 3 |  |']
    const row = '| upload | 1 × curl | ≥ 1 | 1 of 1 |  |'
    expect(await tableFrom(folder, false, old)).toBe(
      page(...HEAD, row, '| search | 5 ms | ≤ 20 | 3 of 3 |  |'),
    )
    expect(await tableFrom(folder, true, old)).toBe(page(...HEAD, row))
  })

  it('drops rows that a benchmark no longer has, and counts a new one from its first run', async () => {
    const added = atMost('memory', 70, 'MiB', 64)
    const folder = await folderWith(
      { upload: [atMost('old', 1, 's', 2), upload(1)] },
      { upload: [upload(2), added] },
    )
    expect(await tableFrom(folder)).toBe(
      page(
        ...HEAD,
        '| upload | 1, 2 × curl | ≥ 1 | 2 of 2 |  |',
        '| memory | 70 MiB | ≤ 64 | **0 of 1** |  |',
      ),
    )
  })

  it('ignores results that an earlier version saved', async () => {
    const folder = await folderWith({ upload: [upload(1)] })
    await writeFile(join(folder, '2025-01-01T00-00-00.json'), JSON.stringify({ rows: [upload(7)] }))
    expect(await tableFrom(folder)).toContain('| 1 of 1 |')
  })
})
