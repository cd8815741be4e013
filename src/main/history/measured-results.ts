/** The sizes of results and their originals: for each record, and in total over all records that ever existed. */
import type { RecordId } from '../../shared/model/ids.ts'
import type { Totals } from '../../shared/model/saved.ts'
import type { RowOf } from '../database/index.ts'
import type { HistoryFile } from './history-file.ts'
import { enter, type NewLedgerRow } from './ledger.ts'
import { type FileSizes, pick, type Totals as StoredTotals } from './schema.ts'
import type { Tables } from './tables.ts'

export type Measurement = {
  readonly sizes: readonly FileSizes[]
  /** Total size of all results in bytes; null if any of them isn't on this computer. */
  readonly resultBytes: number | null
  readonly entries: readonly NewLedgerRow[]
}

const COLUMNS = ['files', 'inputBytes', 'resultBytes', 'savedFiles', 'savedBytes'] as const
type Sums = Pick<RowOf<typeof StoredTotals>, (typeof COLUMNS)[number]>
const NOTHING: Sums = { files: 0, inputBytes: 0, resultBytes: 0, savedFiles: 0, savedBytes: 0 }

/** The key of the only row of the totals. */
const ONLY = { id: 1 } as const

export const measurements = ({ read, change }: HistoryFile) => ({
  /** Returns up to 50 finished records whose results haven't been measured, oldest first. */
  unmeasured: (): readonly RecordId[] =>
    read(({ records }) =>
      records.only('id').where`seq IN (SELECT seq FROM unmeasured ORDER BY seq LIMIT 50) ORDER BY seq`.map(
        ({ id }) => id,
      ),
    ),
  /**
   * Records the sizes of a finished job's results and the ledger's new rows, and adds the sizes to the totals. Measuring a record again
   * replaces its earlier sizes. Does nothing if the record isn't waiting to be measured or was deleted. A deleted record stays in the
   * totals.
   */
  recordMeasured: (id: RecordId, { sizes, resultBytes, entries }: Measurement): void =>
    change((tables) => {
      const { records, details, unmeasured, measured, totals } = tables
      const record = records.only('seq', 'whole', 'preset').get({ id })
      if (record === undefined || !unmeasured.has({ seq: record.seq })) return
      const { seq, whole } = record
      const others = sizesOfOtherPresets(tables, record)
      const stored = measured.get({ seq })
      const added = plus(addedBy(sizes, others), addedBy(stored?.sizes ?? [], others), -1)
      totals.put({ ...ONLY, ...plus(totals.get(ONLY) ?? NOTHING, added) })
      // Each row has only what its part added, so a job's rows add up to its totals, regardless of the order in which they were measured.
      measured.put({ seq, whole, ...plus(stored ?? NOTHING, added), sizes })
      if (resultBytes !== null) details.update({ seq }, { resultBytes })
      for (const entry of entries) enter(tables, entry)
      unmeasured.remove({ seq })
    }),
  totals: (): Totals => read(totalsIn),
})

export function totalsIn({ totals }: Tables): Totals {
  const { savedFiles, savedBytes, ...sums } = pick(totals.get(ONLY) ?? { ...ONLY, ...NOTHING }, COLUMNS)
  return { ...sums, saved: { files: savedFiles, bytes: savedBytes } }
}

/** Returns the sizes of a job's results with its other presets, by file. Parts with the same preset don't share files. */
function sizesOfOtherPresets(
  { measured }: Tables,
  { whole, preset }: { readonly whole: RecordId; readonly preset: string | null },
): ReadonlyMap<string, FileSizes> {
  const others = measured.only('sizes')
    .where`whole = ${whole} AND seq IN (SELECT seq FROM records WHERE whole = ${whole} AND preset IS NOT ${preset})`
  return new Map(combined(others.map(({ sizes }) => sizes)).map((one) => [one.path, one]))
}

/**
 * Adds up sizes. Only files with results that are smaller than their originals count as saved, so that an enlarged photo or a set of
 * variations doesn't cancel out what other files saved. With several presets, a file has one result per preset. Another job for the same
 * file counts separately.
 */
function sumsOf(sizes: readonly FileSizes[]): Sums {
  const smaller = sizes.filter(({ input, results }) => results < input)
  return {
    files: sizes.length,
    inputBytes: sizes.reduce((sum, { input }) => sum + input, 0),
    resultBytes: sizes.reduce((sum, { results }) => sum + results, 0),
    savedFiles: smaller.length,
    savedBytes: smaller.reduce((sum, { input, results }) => sum + input - results, 0),
  }
}

/** Merges the lists: one entry per file, with the total size of its results from all lists. */
function combined(lists: readonly (readonly FileSizes[])[]): readonly FileSizes[] {
  const files = new Map<string, FileSizes>()
  for (const one of lists.flat()) {
    const before = files.get(one.path)
    files.set(one.path, before === undefined ? one : { ...before, results: before.results + one.results })
  }
  return [...files.values()]
}

/** Returns how a record's sizes change the sums over the other parts of its job; negative if its results undo what the others saved. */
function addedBy(sizes: readonly FileSizes[], others: ReadonlyMap<string, FileSizes>): Sums {
  const shared = sizes.flatMap(({ path }) => others.get(path) ?? [])
  return plus(sumsOf(combined([shared, sizes])), sumsOf(shared), -1)
}

const plus = (one: Sums, other: Sums, sign: 1 | -1 = 1): Sums => ({
  files: one.files + sign * other.files,
  inputBytes: one.inputBytes + sign * other.inputBytes,
  resultBytes: one.resultBytes + sign * other.resultBytes,
  savedFiles: one.savedFiles + sign * other.savedFiles,
  savedBytes: one.savedBytes + sign * other.savedBytes,
})
