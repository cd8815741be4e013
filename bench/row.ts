import type { Slowness } from './slowness.ts'

/** One row of the benchmark table. */
export type BenchRow = {
  readonly name: string
  readonly measured: number
  readonly unit: string
  /** As shown in the table, such as "≥ 0.95". */
  readonly budget: string
  /** Missing if there is no budget. */
  readonly met?: boolean
  /** The largest accepted value; missing if it depends on a floor. */
  readonly most?: number
  readonly note: string
}

/** The rows of one benchmark from one run. */
export type BenchResult = { readonly name: string; readonly rows: readonly BenchRow[] }

export const areMet = (rows: readonly BenchRow[]): boolean => rows.every(({ met }) => met !== false)

const MISSED = '; missed before: '

/** Replaces missed rows with the rows of a repeated benchmark. The new notes list the earlier measurements. */
export const withRepeated = (rows: readonly BenchRow[], repeated: readonly BenchRow[]): readonly BenchRow[] =>
  rows.map((row) => {
    const next = repeated.find(({ name }) => name === row.name)
    if (row.met !== false || next === undefined) return row
    const [note = '', ...earlier] = row.note.split(MISSED)
    const [start = ''] = note.split(';')
    const before = [valueText(row), row.budget, ...(start === '' ? [] : [start])].join(', ')
    return { ...next, note: [next.note, ...earlier, before].join(MISSED) }
  })

/** A row whose value must not exceed the budget. */
export const atMost = (name: string, measured: number, unit: string, most: number, note = ''): BenchRow => ({
  name,
  measured,
  unit,
  budget: `≤ ${most}`,
  met: measured <= most,
  most,
  note,
})

const UNITS_OF_TIME: Readonly<Record<string, keyof Slowness>> = { s: 'wall', ms: 'wall', 'ms CPU': 'cpu' }

/** Raises a time budget unless it has a floor, which slows down too. */
export function onSlowHost(row: BenchRow, slowness: Slowness): BenchRow {
  const kind = UNITS_OF_TIME[row.unit]
  if (kind === undefined || row.most === undefined || slowness[kind] === 1) return row
  const most = row.most * slowness[kind]
  return { ...row, budget: `≤ ${row.most} × ${slowness[kind]}`, met: row.measured <= most }
}

type Floor = {
  /** The value without our code, measured in the same run and in the same unit. */
  readonly floor: number
  /** The largest accepted multiple of the floor. */
  readonly most: number
}

/** A row whose value must not exceed a multiple of its floor. If the machine is slow for a while, it slows down both. */
export const atMostTimes = (
  name: string,
  measured: number,
  unit: string,
  { floor, most }: Floor,
  note: string,
): BenchRow => ({
  name,
  measured,
  unit,
  budget: `≤ ${most} × floor`,
  met: measured <= most * floor,
  note: `floor ${rounded(floor)} ${unit}, our share ${rounded(measured - floor)} of at most ${rounded((most - 1) * floor)}; ${note}`,
})

/** A row whose value may exceed its floor by at most `share`, in the same unit. */
export const atMostAbove = (
  name: string,
  measured: number,
  unit: string,
  { floor, share }: { readonly floor: number; readonly share: number },
  note: string,
): BenchRow => ({
  name,
  measured,
  unit,
  budget: `≤ floor + ${share} ${unit}`,
  met: measured <= floor + share,
  note: `floor ${rounded(floor)} ${unit}, our share ${rounded(measured - floor)}; ${note}`,
})

/** A row whose value must reach the budget. */
export const atLeast = (
  name: string,
  measured: number,
  unit: string,
  least: number,
  note = '',
): BenchRow => ({ name, measured, unit, budget: `≥ ${least}`, met: measured >= least, note })

/** A row for information only. */
export const withoutBudget = (name: string, measured: number, unit: string, note = ''): BenchRow => ({
  name,
  measured,
  unit,
  budget: 'none',
  note,
})

/** Rounds to three significant digits. JSON turns numbers that aren't finite into null. */
const rounded = (value: number): number | '–' => (Number.isFinite(value) ? Number(value.toPrecision(3)) : '–')

/** Returns the measured values of a row in several runs with their unit, to three significant digits. */
export const valueText = (...runs: readonly BenchRow[]): string =>
  `${runs.map(({ measured }) => rounded(measured)).join(', ')} ${runs[0]?.unit ?? ''}`.trim()
