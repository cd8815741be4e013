import * as z from 'zod'
import { FileError } from '../../shared/api/resources.ts'
import { asRecordId, type RecordId } from '../../shared/model/ids.ts'
import type { Outcome } from '../../shared/model/outcome.ts'
import { inTransaction, openDatabase, type Migration } from '../database/index.ts'
import type { FetchOrder } from './fetch-order.ts'

export type StoredFile = {
  readonly index: number
  /** The input it was made from, as the service names it. */
  readonly file: string
  /** On the service's computer. */
  readonly remotePath: string
  /** Where it is here, or, while it is pending, where it was about to be put. */
  readonly path: string | null
  readonly state: 'pending' | 'here' | 'failed' | 'gone'
  /** Why it is not here. */
  readonly problem: string | null
}

export type StoredOrder = Omit<FetchOrder, 'results'> & {
  /** On this computer. */
  readonly folder: string
  readonly files: readonly StoredFile[]
  /** It counts as over; what failed is tried once more each time the app starts. */
  readonly told: boolean
}

/** What is still to be fetched, on the disk when a method returns. */
export interface Orders {
  /** Where a damaged file was put when this one was begun; null if all was well. */
  readonly setAside: string | null
  expect(id: RecordId, folder: string): void
  isExpected(id: RecordId): boolean
  isBegun(id: RecordId): boolean
  /** Does nothing where it was not expected, or is begun already. */
  begin(order: FetchOrder): void
  /** Begun and not told of yet, or being tried again; the oldest first. */
  open(): readonly StoredOrder[]
  /** What failed earlier is pending again, but for what the service has forgotten. */
  tryAgain(): void
  intend(id: RecordId, index: number, path: string): void
  here(id: RecordId, index: number, path: string): void
  missing(id: RecordId, index: number, state: 'failed' | 'gone', problem: string): void
  told(id: RecordId): void
  forget(id: RecordId): void
  close(): void
}

/** Whether an order counts as over; `AGAIN`: it does, and what had failed is being tried once more. */
const UNTOLD = 0
const TOLD = 1
const AGAIN = 2

const migrations: readonly Migration[] = [
  (connection) =>
    connection.exec(`
      CREATE TABLE orders (
        id TEXT PRIMARY KEY,
        folder TEXT NOT NULL,
        job_id TEXT,
        service TEXT,
        outcome TEXT,
        ended_at INTEGER,
        problems TEXT NOT NULL DEFAULT '[]',
        told INTEGER NOT NULL DEFAULT 0
      ) STRICT;
      CREATE TABLE files (
        id TEXT NOT NULL REFERENCES orders ON DELETE CASCADE,
        position INTEGER NOT NULL,
        file TEXT NOT NULL,
        remote_path TEXT NOT NULL,
        path TEXT,
        state TEXT NOT NULL DEFAULT 'pending',
        problem TEXT,
        PRIMARY KEY (id, position)
      ) STRICT, WITHOUT ROWID;`),
  (connection) => connection.exec('ALTER TABLE orders ADD COLUMN job_created_at TEXT'),
]

const count = z.int().min(0)
const uploaded = count.nullable()
/** Only of jobs that have results to fetch. */
const FetchableOutcome = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('done'), results: count, uploaded }),
  z.object({ kind: z.literal('problems'), results: count, problems: count, uploaded }),
]) satisfies z.ZodType<Outcome>

const OrderRow = z.object({
  id: z.string().transform(asRecordId),
  folder: z.string(),
  job_id: z.string(),
  job_created_at: z.string().nullable(),
  service: z.string(),
  outcome: z.string().transform((text) => FetchableOutcome.parse(JSON.parse(text))),
  ended_at: z.number(),
  problems: z.string().transform((text) => z.array(FileError).parse(JSON.parse(text))),
  told: z.number(),
})

const FileRow = z.object({
  position: z.number(),
  file: z.string(),
  remote_path: z.string(),
  path: z.string().nullable(),
  state: z.enum(['pending', 'here', 'failed', 'gone']),
  problem: z.string().nullable(),
})

/** Opens the orders; a damaged file is set aside. Throws where there is no place for one at all. */
export function openOrders(file: string, clock: () => number): Orders {
  const { connection, setAside } = openDatabase({
    file,
    migrations,
    synchronous: 'full',
    checkWhole: true,
    clock,
  })
  const sql = {
    expect: connection.prepare('INSERT OR IGNORE INTO orders (id, folder) VALUES (?, ?)'),
    expected: connection.prepare('SELECT 1 FROM orders WHERE id = ?'),
    begun: connection.prepare('SELECT 1 FROM orders WHERE id = ? AND outcome IS NOT NULL'),
    begin: connection.prepare(
      `UPDATE orders SET job_id = :jobId, job_created_at = :jobCreatedAt, service = :service, outcome = :outcome, ended_at = :endedAt,
         problems = :problems WHERE id = :id AND outcome IS NULL`,
    ),
    addFile: connection.prepare(
      'INSERT OR IGNORE INTO files (id, position, file, remote_path) VALUES (?, ?, ?, ?)',
    ),
    open: connection.prepare(
      `SELECT * FROM orders WHERE outcome IS NOT NULL AND told <> ${TOLD} ORDER BY rowid`,
    ),
    files: connection.prepare('SELECT * FROM files WHERE id = ? ORDER BY position'),
    reopen: connection.prepare(
      `UPDATE orders SET told = ${AGAIN}
       WHERE told = ${TOLD} AND EXISTS (SELECT 1 FROM files WHERE files.id = orders.id AND state = 'failed')`,
    ),
    tryAgain: connection.prepare(`UPDATE files SET state = 'pending' WHERE state = 'failed'`),
    intend: connection.prepare('UPDATE files SET path = ? WHERE id = ? AND position = ?'),
    settle: connection.prepare(
      'UPDATE files SET state = ?, path = ?, problem = ? WHERE id = ? AND position = ?',
    ),
    told: connection.prepare(`UPDATE orders SET told = ${TOLD} WHERE id = ?`),
    forget: connection.prepare('DELETE FROM orders WHERE id = ?'),
  }

  function orderOf(row: unknown): StoredOrder {
    const order = OrderRow.parse(row)
    const files = sql.files.all(order.id).map((file): StoredFile => {
      const { position, remote_path, ...rest } = FileRow.parse(file)
      return { index: position, remotePath: remote_path, ...rest }
    })
    return {
      id: order.id,
      folder: order.folder,
      jobId: order.job_id,
      jobCreatedAt: order.job_created_at ?? undefined,
      service: order.service,
      outcome: order.outcome,
      endedAt: order.ended_at,
      problems: order.problems,
      told: order.told !== UNTOLD,
      files,
    }
  }

  return {
    setAside,
    expect: (id, folder) => void sql.expect.run(id, folder),
    isExpected: (id) => sql.expected.get(id) !== undefined,
    isBegun: (id) => sql.begun.get(id) !== undefined,

    begin: ({ id, jobId, jobCreatedAt, service, outcome, endedAt, results, problems }) =>
      inTransaction(connection, () => {
        const begun = sql.begin.run({
          id,
          jobId,
          jobCreatedAt: jobCreatedAt ?? null,
          service,
          outcome: JSON.stringify(outcome),
          endedAt,
          problems: JSON.stringify(problems),
        })
        if (begun.changes === 0) return
        for (const { index, file, outputPath } of results) sql.addFile.run(id, index, file, outputPath)
      }),

    open: () => sql.open.all().map(orderOf),
    tryAgain: () =>
      inTransaction(connection, () => {
        sql.reopen.run()
        sql.tryAgain.run()
      }),
    intend: (id, index, path) => void sql.intend.run(path, id, index),
    here: (id, index, path) => void sql.settle.run('here', path, null, id, index),
    missing: (id, index, state, problem) => void sql.settle.run(state, null, problem, id, index),
    told: (id) => void sql.told.run(id),
    forget: (id) => void sql.forget.run(id),
    close: () => connection.close(),
  }
}
