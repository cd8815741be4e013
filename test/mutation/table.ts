import type { Verdict } from './verdicts.ts'

const COLUMNS = ['folder', 'mutants', 'killed', 'timed out', 'survived', 'equivalent', 'score'] as const

/** Killed and timed-out ones among those that count; 1 where there is none. */
export const scoreOf = (verdicts: readonly Verdict[]): number =>
  verdicts.length === 0 ? 1 : 1 - countOf(verdicts, 'survived') / verdicts.length

/** One line a folder and one for all. */
export function tableOf(
  folders: readonly {
    readonly name: string
    readonly verdicts: readonly Verdict[]
    readonly equivalent: number
  }[],
): string {
  const all = {
    name: 'all',
    verdicts: folders.flatMap((folder) => folder.verdicts),
    equivalent: folders.reduce((sum, folder) => sum + folder.equivalent, 0),
  }
  const rows = [...folders, all].map(({ name, verdicts, equivalent }) => [
    name,
    verdicts.length,
    countOf(verdicts, 'killed'),
    countOf(verdicts, 'timed out'),
    countOf(verdicts, 'survived'),
    equivalent,
    `${(scoreOf(verdicts) * 100).toFixed(1)} %`,
  ])
  const cells = [COLUMNS, ...rows].map((row) => row.map(String))
  const widths = COLUMNS.map((_, column) => Math.max(...cells.map((row) => row[column]?.length ?? 0)))
  return cells
    .map((row) => row.map((cell, column) => aligned(cell, widths[column] ?? 0, column)).join('  '))
    .join('\n')
}

/** A survivor as it has to be read, and as `equivalent.json` wants it. */
export const survivorText = (survivor: Verdict): string =>
  [
    `${survivor.file}:${survivor.line} (${survivor.mutator}) in ${survivor.within}`,
    `  - ${survivor.was}`,
    `  + ${survivor.becomes}`,
  ].join('\n')

const aligned = (cell: string, width: number, column: number) =>
  column === 0 ? cell.padEnd(width) : cell.padStart(width)

const countOf = (verdicts: readonly Verdict[], outcome: Verdict['outcome']) =>
  verdicts.filter((verdict) => verdict.outcome === outcome).length
