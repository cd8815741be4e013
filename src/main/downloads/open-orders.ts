import * as z from 'zod'
import { FileError, type FileProblem } from '../../shared/api/resources.ts'
import { FailureSchema } from '../../shared/failure/read-failure.ts'
import { asRecordId, type RecordId } from '../../shared/model/ids.ts'
import type { Readers } from '../../node/file-identity.ts'
import type { Outcome } from '../../shared/model/outcome.ts'
import { inTransaction, openDatabase } from '../database/index.ts'
import type { FetchOrder } from './fetch-order.ts'

export type StoredFile = {
  readonly index: number
  /** The name that the service gives to the result's input. */
  readonly file: string
  /** Path on the service's computer. */
  readonly remotePath: string
  /** Local path of the result. While the result is pending, the path of the last attempt to place it. */
  readonly path: string | null
  readonly state: 'pending' | 'here' | 'failed' | 'gone'
  /** Why the result is missing. */
  readonly problem: FileProblem | null
}

export type StoredOrder = Omit<FetchOrder, 'results'> & {
  /** Local output folder. */
  readonly folder: string
  /**
   * The number of the device found at the folder's path once the folder's disk is removed; undefined if unknown or not applicable.
   */
  readonly mount: string | undefined
  /** The permissions that the job's originals have in common; undefined if unknown. */
  readonly readers: Readers | undefined
  readonly files: readonly StoredFile[]
  /** Whether the order was reported as finished. Failed files are retried once per launch. */
  readonly told: boolean
}

/** Stores pending downloads. Changes are on disk when a method returns. */
export interface Orders {
  /** New path of a damaged file that was moved aside at startup; null if the file was undamaged. */
  readonly setAside: string | null
  /** @param readers the permissions that the job's originals have in common */
  expect(id: RecordId, folder: string, readers?: Readers): void
  /** @param mount see `mountPointOf` */
  diskFound(id: RecordId, mount: string): void
  isExpected(id: RecordId): boolean
  isBegun(id: RecordId): boolean
  /** Does nothing if the job isn't expected or its order has already begun. */
  begin(order: FetchOrder): void
  /** Returns the orders that haven't been reported or are being retried, oldest first. */
  open(): readonly StoredOrder[]
  /** Returns the finished orders with failed files. `tryAgain` reopens them. */
  failed(): readonly StoredOrder[]
  /** Reopens the finished orders by marking failed files as pending, except files that the service has forgotten. */
  tryAgain(): void
  /** Drops a finished order. If the order is being retried, drops the files that haven't been downloaded. */
  giveUp(id: RecordId): void
  intend(id: RecordId, index: number, path: string): void
  here(id: RecordId, index: number, path: string): void
  missing(id: RecordId, index: number, state: 'failed' | 'gone', problem: FileProblem): void
  told(id: RecordId): void
  forget(id: RecordId): void
  close(): void
}

/** Whether an order was reported as finished. `AGAIN` means that it was reported and its failed files are being retried. */
const UNTOLD = 0
const TOLD = 1
const AGAIN = 2

const FAILED = `told = ${TOLD} AND EXISTS (SELECT 1 FROM files WHERE files.id = orders.id AND state = 'failed')`

const schema = `
  CREATE TABLE orders (
    id TEXT PRIMARY KEY,
    folder TEXT NOT NULL,
    job_id TEXT,
    job_created_at TEXT,
    service TEXT,
    outcome TEXT,
    ended_at INTEGER,
    problems TEXT NOT NULL DEFAULT '[]',
    told INTEGER NOT NULL DEFAULT 0,
    mount TEXT,
    readers TEXT
  ) STRICT;
  CREATE TABLE files (
    id TEXT NOT NULL REFERENCES orders ON DELETE CASCADE,
    position INTEGER NOT NULL,
    file TEXT NOT NULL,
    remote_path TEXT NOT NULL,
    path TEXT,
    state TEXT NOT NULL DEFAULT 'pending',
    problem TEXT,
    failure TEXT,
    PRIMARY KEY (id, position)
  ) STRICT, WITHOUT ROWID;`

const count = z.int().min(0)
const uploaded = count.nullable()
/** Only jobs with these outcomes have results to download. */
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
  mount: z.string().nullable(),
  readers: z
    .string()
    .regex(/^\d+:-?\d+$/)
    .nullable(),
})

const FileRow = z.object({
  position: z.number(),
  file: z.string(),
  remote_path: z.string(),
  path: z.string().nullable(),
  state: z.enum(['pending', 'here', 'failed', 'gone']),
  problem: z.string().nullable(),
  failure: z
    .string()
    .transform((text): unknown => JSON.parse(text))
    .pipe(FailureSchema)
    .optional()
    .catch(undefined),
})

function readersIn(text: string | null): Readers | undefined {
  const [mode, gid] = text?.split(':') ?? []
  return mode === undefined || gid === undefined ? undefined : { mode: BigInt(mode), gid: BigInt(gid) }
}

/**
 * Opens the pending downloads. Moves a damaged file aside.
 * @throws if no database can be created there
 */
export function openOrders(file: string, clock: () => number): Orders {
  const { connection, setAside } = openDatabase({
    file,
    schema,
    checkWhole: true,
    clock,
  })
  const sql = {
    expect: connection.prepare('INSERT OR IGNORE INTO orders (id, folder, readers) VALUES (?, ?, ?)'),
    diskFound: connection.prepare('UPDATE orders SET mount = ? WHERE id = ?'),
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
    failed: connection.prepare(`SELECT * FROM orders WHERE ${FAILED} ORDER BY rowid`),
    reopen: connection.prepare(`UPDATE orders SET told = ${AGAIN} WHERE ${FAILED}`),
    tryAgain: connection.prepare(`UPDATE files SET state = 'pending' WHERE state = 'failed'`),
    dropFinished: connection.prepare(`DELETE FROM orders WHERE id = ? AND told = ${TOLD}`),
    dropPending: connection.prepare(
      `UPDATE files SET state = 'gone'
       WHERE state = 'pending' AND id = (SELECT id FROM orders WHERE id = ? AND told = ${AGAIN})`,
    ),
    intend: connection.prepare('UPDATE files SET path = ? WHERE id = ? AND position = ?'),
    settle: connection.prepare(
      'UPDATE files SET state = ?, path = ?, problem = ?, failure = ? WHERE id = ? AND position = ?',
    ),
    told: connection.prepare(`UPDATE orders SET told = ${TOLD} WHERE id = ?`),
    forget: connection.prepare('DELETE FROM orders WHERE id = ?'),
  }

  function orderOf(row: unknown): StoredOrder {
    const order = OrderRow.parse(row)
    const files = sql.files.all(order.id).map((file): StoredFile => {
      const { position, remote_path, problem, failure, ...rest } = FileRow.parse(file)
      return {
        index: position,
        remotePath: remote_path,
        problem: problem === null ? null : { error: problem, failure },
        ...rest,
      }
    })
    return {
      id: order.id,
      folder: order.folder,
      mount: order.mount ?? undefined,
      readers: readersIn(order.readers),
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
    expect: (id, folder, readers) =>
      void sql.expect.run(id, folder, readers === undefined ? null : `${readers.mode}:${readers.gid}`),
    diskFound: (id, mount) => void sql.diskFound.run(mount, id),
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
    failed: () => sql.failed.all().map(orderOf),
    tryAgain: () =>
      inTransaction(connection, () => {
        sql.reopen.run()
        sql.tryAgain.run()
      }),
    giveUp: (id) =>
      inTransaction(connection, () => {
        sql.dropFinished.run(id)
        sql.dropPending.run(id)
      }),
    intend: (id, index, path) => void sql.intend.run(path, id, index),
    here: (id, index, path) => void sql.settle.run('here', path, null, null, id, index),
    missing(id, index, state, { error, failure }) {
      sql.settle.run(state, null, error, failure === undefined ? null : JSON.stringify(failure), id, index)
    },
    told: (id) => void sql.told.run(id),
    forget: (id) => void sql.forget.run(id),
    close: () => connection.close(),
  }
}
