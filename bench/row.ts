/** One line of the benchmark table. */
export type BenchRow = {
  readonly name: string
  readonly measured: number
  readonly unit: string
  /** As in the table of budgets, such as "≥ 0.95". */
  readonly budget: string
  readonly met: boolean
  readonly note?: string
}
