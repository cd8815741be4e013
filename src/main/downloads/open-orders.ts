import type { DatabaseSync } from 'node:sqlite'
import * as z from 'zod'
import { FileError, type FileProblem } from '../../shared/api/resources.ts'
import { asRecordId, type RecordId } from '../../shared/model/ids.ts'
import type { Readers } from '../../node/file-identity.ts'
import type { Outcome, PartDetails } from '../../shared/model/job.ts'
import {
  asText,
  integer,
  inTransaction,
  json,
  nullable,
  oneOf,
  type RowOf,
  rowsOf,
  table,
  text,
  textAs,
} from '../database/index.ts'

const id = textAs(asRecordId)

/** The jobs whose results must be downloaded. */
const Expected = table(
  'expected_results',
  {
    id,
    /** Local output folder. */
    folder: text,
    /** Where the folder's disk is mounted; null if unknown or on the root file system. */
    mount: nullable(text),
    /** The permissions that the job's originals have in common; null if unknown. */
    readers: nullable(
      asText<Readers>(
        ({ mode, gid }) => `${mode}:${gid}`,
        (stored) => {
          const [mode = '', gid = ''] = stored.split(':')
          return { mode: BigInt(mode), gid: BigInt(gid) }
        },
      ),
    ),
  },
  { key: ['id'] },
)

const count = z.int().min(0)
const uploaded = count.nullable()
/** Only jobs with these outcomes have results to download. */
const FetchableOutcome = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('done'), results: count, uploaded }),
  z.object({ kind: z.literal('problems'), results: count, problems: count, uploaded }),
]) satisfies z.ZodType<Outcome>

const ofExpected = 'FOREIGN KEY (id) REFERENCES expected_results ON DELETE CASCADE'

/** Jobs of `expected_results` that have ended, with their outcomes if all results can be downloaded. Times are in ms since 1970. */
const Orders = table(
  'download_orders',
  {
    id,
    jobId: text,
    /** As the service sent it; null if unknown. */
    jobCreatedAt: nullable(text),
    /** The identity of the only service that has the results. */
    service: text,
    outcome: json<Outcome>(FetchableOutcome),
    endedAt: integer,
    problems: json(z.array(FileError).readonly()),
    /** `again`: the order was reported as finished, and its failed files are being retried. */
    told: oneOf(['untold', 'told', 'again']),
  },
  { key: ['id'], also: [ofExpected] },
)

const Files = table(
  'downloads',
  {
    id,
    position: integer,
    /** The name that the service gives to the result's input. */
    file: text,
    /** Path on the service's computer. */
    remotePath: text,
    /** Local path of the result. While the result is pending, the path of the last attempt to place it. */
    path: nullable(text),
    state: oneOf(['pending', 'here', 'failed', 'gone']),
    problem: nullable(json<FileProblem>(FileError.omit({ file: true }))),
  },
  { key: ['id', 'position'], also: [ofExpected] },
)

export const DOWNLOAD_TABLES = [Expected, Orders, Files] as const

export type StoredFile = ReturnType<typeof fileOf>
const fileOf = ({ position: index, file, remotePath, path, state, problem }: RowOf<typeof Files>) => ({
  index,
  file,
  remotePath,
  path,
  state,
  problem,
})

export type Orders = ReturnType<typeof createOrders>
export type StoredOrder = ReturnType<Orders['open']>[number]

/** Stores pending downloads. Changes are on disk when a method returns. */
export function createOrders(connection: DatabaseSync) {
  const expected = rowsOf(connection, Expected)
  const orders = rowsOf(connection, Orders)
  const files = rowsOf(connection, Files)

  function orderOf({ told, ...order }: RowOf<typeof Orders>) {
    const { folder = '', mount, readers } = expected.get({ id: order.id }) ?? {}
    return {
      ...order,
      folder,
      mount: mount ?? undefined,
      readers: readers ?? undefined,
      /** Whether the order was reported as finished. Failed files are retried once per launch. */
      told: told !== 'untold',
      files: files.where`id = ${order.id} ORDER BY position`.map(fileOf),
    }
  }
  const withFailures = () =>
    orders.where`told = 'told' AND id IN (SELECT id FROM downloads WHERE state = 'failed') ORDER BY id`

  return {
    /** @param readers the permissions that the job's originals have in common */
    expect: (record: RecordId, folder: string, readers: Readers | null = null): void =>
      void expected.add({ id: record, folder, readers }),
    /** @param mount see `mountPointOf` */
    diskFound: (record: RecordId, mount: string): void => void expected.update({ id: record }, { mount }),
    isExpected: (record: RecordId): boolean => expected.has({ id: record }),
    isBegun: (record: RecordId): boolean => orders.has({ id: record }),
    /** Does nothing if the job isn't expected or its order has already begun. */
    begin: ({ results, ...order }: Omit<RowOf<typeof Orders>, 'told'> & Pick<PartDetails, 'results'>): void =>
      inTransaction(connection, () => {
        if (!expected.has({ id: order.id })) return
        if (!orders.add({ ...order, told: 'untold' })) return
        for (const { index, file, outputPath } of results)
          files.add({ id: order.id, position: index, file, remotePath: outputPath, state: 'pending' })
      }),

    /** Returns the orders that haven't been reported or are being retried, oldest first. */
    open: () => orders.where`told <> 'told' ORDER BY id`.map(orderOf),
    /** Returns the finished orders with failed files. `tryAgain` reopens them. */
    failed: () => withFailures().map(orderOf),
    /** Reopens the finished orders with failed files by marking these files as pending. Leaves out files that the service has forgotten. */
    tryAgain: (): void =>
      inTransaction(connection, () => {
        for (const order of withFailures()) orders.update({ id: order.id }, { told: 'again' })
        files.update({ state: 'failed' }, { state: 'pending' })
      }),
    /** Drops a finished order. If the order is being retried, drops the files that haven't been downloaded. */
    giveUp: (record: RecordId): void =>
      inTransaction(connection, () => {
        if (orders.has({ id: record, told: 'told' })) expected.remove({ id: record })
        if (orders.has({ id: record, told: 'again' }))
          files.update({ id: record, state: 'pending' }, { state: 'gone' })
      }),
    intend: (record: RecordId, position: number, path: string): void =>
      void files.update({ id: record, position }, { path }),
    here: (record: RecordId, position: number, path: string): void =>
      void files.update({ id: record, position }, { state: 'here', path, problem: null }),
    missing: (record: RecordId, position: number, state: 'failed' | 'gone', problem: FileProblem): void =>
      void files.update({ id: record, position }, { state, path: null, problem }),
    told: (record: RecordId): void => void orders.update({ id: record }, { told: 'told' }),
    forget: (record: RecordId): void => void expected.remove({ id: record }),
  }
}
