/** The sizes of results and their originals: for each record, and in total over all records that ever existed. */
import type { DatabaseSync } from 'node:sqlite'
import * as z from 'zod'
import { asRecordId, type RecordId } from '../../shared/model/ids.ts'
import type { Saved, Totals } from '../../shared/model/saved.ts'
import { inTransaction } from '../database/index.ts'

/** `unmeasured` lists the finished records whose results haven't been measured. Deleting a record doesn't change the totals. */
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
const Key = z.object({ seq: z.number() })

const NOTHING: Totals = { files: 0, inputBytes: 0, resultBytes: 0, saved: { files: 0, bytes: 0 } }

/**
 * A file counts as saved by the difference if its results are smaller than the original. Other files count as 0, so that an
 * enlarged photo or a set of variations doesn't cancel out what other files saved.
 */
export function savedBy(sizes: readonly FileSizes[]): Saved {
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

const columnsOf = ({ files, inputBytes, resultBytes, saved }: Totals) => ({
  files,
  inputBytes,
  resultBytes,
  savedFiles: saved.files,
  savedBytes: saved.bytes,
})

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
        // Another process has measured it, or the record was deleted.
        if (found === undefined) return
        const { seq } = Key.parse(found)
        const before = columnsOf(totalsIn(sql.ofRecord.get(seq)))
        const now = columnsOf(totalsOf(sizes))
        sql.add.run({
          files: now.files - before.files,
          inputBytes: now.inputBytes - before.inputBytes,
          resultBytes: now.resultBytes - before.resultBytes,
          savedFiles: now.savedFiles - before.savedFiles,
          savedBytes: now.savedBytes - before.savedBytes,
        })
        sql.put.run({ seq, ...now, sizes: JSON.stringify(sizes) })
        if (resultBytes !== null) sql.putBytes.run(resultBytes, seq)
        also()
        sql.unmark.run(seq)
      }),

    totals: (): Totals => totalsIn(sql.totals.get()),
  }
}

const prepareMeasured = (connection: DatabaseSync) => ({
  unmeasured: connection.prepare('SELECT id FROM unmeasured JOIN records USING (seq) ORDER BY seq LIMIT 50'),
  marked: connection.prepare('SELECT seq FROM unmeasured JOIN records USING (seq) WHERE id = ?'),
  unmark: connection.prepare('DELETE FROM unmeasured WHERE seq = ?'),
  ofRecord: connection.prepare('SELECT * FROM measured WHERE seq = ?'),
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

/** Adds the totals of an attached history, and copies the sizes of the records that came from it. */
export const takeBackMeasured = `
  INSERT OR IGNORE INTO main.measured SELECT * FROM aside.measured WHERE seq IN (SELECT seq FROM main.records);
  INSERT OR IGNORE INTO main.unmeasured SELECT * FROM aside.unmeasured WHERE seq IN (SELECT seq FROM main.records);
  UPDATE main.totals SET files = main.totals.files + there.files,
      input_bytes = main.totals.input_bytes + there.input_bytes,
      result_bytes = main.totals.result_bytes + there.result_bytes,
      saved_files = main.totals.saved_files + there.saved_files,
      saved_bytes = main.totals.saved_bytes + there.saved_bytes
    FROM aside.totals AS there;`
