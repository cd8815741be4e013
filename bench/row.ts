/** One row of the benchmark table. */
export type BenchRow = {
  readonly name: string
  readonly measured: number
  readonly unit: string
  /** As shown in the table, such as "≥ 0.95". */
  readonly budget: string
  readonly met: boolean
  readonly note: string
}

/** The rows of one benchmark from one run. */
export type BenchResult = { readonly name: string; readonly rows: readonly BenchRow[] }

/** A row whose value must not exceed the budget. */
export const atMost = (name: string, measured: number, unit: string, most: number, note = ''): BenchRow => ({
  name,
  measured,
  unit,
  budget: `≤ ${most}`,
  met: measured <= most,
  note,
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
  met: true,
  note,
})

/** Returns the measured values of a row in several runs with their unit, to three significant digits. */
export const valueText = (...runs: readonly BenchRow[]): string =>
  `${runs.map(({ measured }) => Number(measured.toPrecision(3))).join(', ')} ${runs[0]?.unit ?? ''}`.trim()
