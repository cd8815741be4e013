/** The sizes of results and their originals: for each record, and in total over all records that ever existed. */
import type { DatabaseSync } from 'node:sqlite'
import * as z from 'zod'
import { asRecordId, type RecordId } from '../../shared/model/ids.ts'
import type { Saved, Totals } from '../../shared/model/saved.ts'
import { inTransaction } from '../database/index.ts'

/**
 * `unmeasured` lists the finished records whose results haven't been measured. Deleting a record doesn't change the totals.
 * Without `measured_sums`, adding up many records would read the sizes of each file.
 */
export const measuredSchema = `
  CREATE TABLE unmeasured (seq INTEGER PRIMARY KEY REFERENCES records ON DELETE CASCADE) STRICT;
  CREATE TABLE measured (
    seq INTEGER PRIMARY KEY REFERENCES records ON DELETE CASCADE,
    files INTEGER NOT NULL,
    input_bytes INTEGER NOT NULL,
    result_bytes INTEGER NOT NULL,
    saved_files INTEGER NOT NULL,
    saved_bytes INTEGER NOT NULL,
    sizes TEXT NOT NULL
  ) STRICT;
  CREATE INDEX measured_sums ON measured (seq, saved_files, saved_bytes);
  CREATE TABLE totals (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    files INTEGER NOT NULL,
    input_bytes INTEGER NOT NULL,
    result_bytes INTEGER NOT NULL,
    saved_files INTEGER NOT NULL,
    saved_bytes INTEGER NOT NULL
  ) STRICT;
  INSERT INTO totals VALUES (1, 0, 0, 0, 0, 0);`

/** The size of an original and of all its results together, in bytes. */
export type FileSizes = { readonly path: string; readonly input: number; readonly results: number }

const MeasuredRow = z
  .object({
    files: z.number(),
    input_bytes: z.number(),
    result_bytes: z.number(),
    saved_files: z.number(),
    saved_bytes: z.number(),
  })
  .transform((row): Totals => ({
    files: row.files,
    inputBytes: row.input_bytes,
    resultBytes: row.result_bytes,
    saved: { files: row.saved_files, bytes: row.saved_bytes },
  }))
const Id = z.object({ id: z.string().transform(asRecordId) })
const Marked = z.object({ seq: z.number(), group_id: z.string().nullable(), preset: z.string().nullable() })
const Sizes = z.array(z.object({ path: z.string(), input: z.number(), results: z.number() }))
const SizesRow = z.object({ sizes: z.string() }).transform(({ sizes }) => Sizes.parse(JSON.parse(sizes)))

const NOTHING: Totals = { files: 0, inputBytes: 0, resultBytes: 0, saved: { files: 0, bytes: 0 } }

/**
 * A file counts as saved by the difference if its results are smaller than the original. Other files count as 0, so that an
 * enlarged photo or a set of variations doesn't cancel out what other files saved. With several presets, a file has one result of
 * each. Another job for the same file counts separately.
 */
function savedBy(sizes: readonly FileSizes[]): Saved {
  const smaller = sizes.filter(({ input, results }) => results < input)
  return {
    files: smaller.length,
    bytes: smaller.reduce((sum, { input, results }) => sum + input - results, 0),
  }
}

const totalsOf = (sizes: readonly FileSizes[]): Totals => ({
  files: sizes.length,
  inputBytes: sizes.reduce((sum, { input }) => sum + input, 0),
  resultBytes: sizes.reduce((sum, { results }) => sum + results, 0),
  saved: savedBy(sizes),
})

/** Adds up the results of each file. A file that is in several lists counts once. */
function combined(lists: readonly (readonly FileSizes[])[]): readonly FileSizes[] {
  const files = new Map<string, FileSizes>()
  for (const one of lists.flat()) {
    const before = files.get(one.path)
    files.set(one.path, before === undefined ? one : { ...before, results: before.results + one.results })
  }
  return [...files.values()]
}

/** What a record's sizes add to those of the other parts of its group; negative if its results undo what the others saved. */
function addedBy(sizes: readonly FileSizes[], others: ReadonlyMap<string, FileSizes>): Columns {
  const shared = sizes.flatMap(({ path }) => others.get(path) ?? [])
  return minus(columnsOf(totalsOf(combined([shared, sizes]))), columnsOf(totalsOf(shared)))
}

type Columns = ReturnType<typeof columnsOf>

const columnsOf = ({ files, inputBytes, resultBytes, saved }: Totals) => ({
  files,
  inputBytes,
  resultBytes,
  savedFiles: saved.files,
  savedBytes: saved.bytes,
})

const plus = (one: Columns, other: Columns, sign: 1 | -1 = 1): Columns => ({
  files: one.files + sign * other.files,
  inputBytes: one.inputBytes + sign * other.inputBytes,
  resultBytes: one.resultBytes + sign * other.resultBytes,
  savedFiles: one.savedFiles + sign * other.savedFiles,
  savedBytes: one.savedBytes + sign * other.savedBytes,
})

const minus = (one: Columns, other: Columns): Columns => plus(one, other, -1)

const totalsIn = (row: unknown): Totals => (row === undefined ? NOTHING : MeasuredRow.parse(row))

export function measuredResults(connection: DatabaseSync) {
  const sql = prepareMeasured(connection)

  return {
    /** Returns finished records whose results haven't been measured, oldest first. */
    unmeasured: (): readonly RecordId[] => sql.unmeasured.all().map((row) => Id.parse(row).id),

    /**
     * Stores the sizes and adds them to the totals, once. Measuring a record again replaces its earlier sizes.
     * @param resultBytes total size of all results; null if any of them isn't on this computer
     * @param also runs in the same transaction
     */
    measured: (
      id: RecordId,
      { sizes, resultBytes }: { readonly sizes: readonly FileSizes[]; readonly resultBytes: number | null },
      also: () => void,
    ): void =>
      inTransaction(connection, () => {
        const found = sql.marked.get(id)
        // It was measured, or the record was deleted.
        if (found === undefined) return
        const { seq, group_id: group, preset } = Marked.parse(found)
        const others = combined(sql.ofOtherPresets.all({ group, preset }).map((row) => SizesRow.parse(row)))
        const othersByPath = new Map(others.map((one) => [one.path, one]))
        const stored = sql.ofRecord.get(seq)
        const earlier = stored === undefined ? [] : SizesRow.parse(stored)
        const change = minus(addedBy(sizes, othersByPath), addedBy(earlier, othersByPath))
        sql.add.run(change)
        // The rows of a group add up to the group's totals, whichever part was measured first.
        const row = plus(columnsOf(totalsIn(stored)), change)
        sql.put.run({ seq, ...row, sizes: JSON.stringify(sizes) })
        if (resultBytes !== null) sql.putBytes.run(resultBytes, seq)
        also()
        sql.unmark.run(seq)
      }),

    totals: (): Totals => totalsIn(sql.totals.get()),
  }
}

const prepareMeasured = (connection: DatabaseSync) => ({
  unmeasured: connection.prepare('SELECT id FROM unmeasured JOIN records USING (seq) ORDER BY seq LIMIT 50'),
  marked: connection.prepare(
    'SELECT seq, group_id, preset FROM unmeasured JOIN records USING (seq) WHERE id = ?',
  ),
  unmark: connection.prepare('DELETE FROM unmeasured WHERE seq = ?'),
  ofRecord: connection.prepare('SELECT * FROM measured WHERE seq = ?'),
  // Parts with the same preset have other files.
  ofOtherPresets: connection.prepare(
    'SELECT sizes FROM measured JOIN records USING (seq) WHERE group_id = :group AND preset IS NOT :preset',
  ),
  put: connection.prepare(`
    INSERT OR REPLACE INTO measured (seq, files, input_bytes, result_bytes, saved_files, saved_bytes, sizes)
    VALUES (:seq, :files, :inputBytes, :resultBytes, :savedFiles, :savedBytes, :sizes)`),
  putBytes: connection.prepare('UPDATE details SET result_bytes = ? WHERE seq = ?'),
  add: connection.prepare(`
    UPDATE totals SET files = files + :files, input_bytes = input_bytes + :inputBytes,
      result_bytes = result_bytes + :resultBytes, saved_files = saved_files + :savedFiles,
      saved_bytes = saved_bytes + :savedBytes`),
  totals: connection.prepare('SELECT * FROM totals'),
})
