import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, expect, it, onTestFinished } from 'vitest'
import { createFlushLater, type Wal } from '../../../src/main/database/flush-later.ts'
import { countWaits } from './count-waits.ts'
import { temporaryFolder } from '../../temporary-folder.ts'

let folder: string
let file: string
let connection: DatabaseSync
/** The fsync calls so far: each with its file, and functions that complete or fail it. */
let syncs: { path: string; end: () => void; fail: (error: Error) => void }[]
let closed: number

const openWal = (path: string): Wal => ({
  sync() {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    syncs.push({ path, end: resolve, fail: reject })
    return promise
  },
  close: () => void (closed += 1),
})

/** Resolves when all consequences of the last event have happened. */
const settled = () => new Promise((resolve) => setImmediate(resolve))

beforeEach(() => {
  folder = temporaryFolder()
  file = join(folder, 'kept.db')
  connection = new DatabaseSync(file)
  connection.exec('PRAGMA journal_mode = WAL')
  connection.exec('PRAGMA synchronous = FULL')
  connection.exec('CREATE TABLE kept (id INTEGER PRIMARY KEY)')
  syncs = []
  closed = 0
})
afterEach(() => {
  connection.close()
})

const insert = () => connection.prepare('INSERT INTO kept DEFAULT VALUES').run()

function countedWaits(work: () => void): number {
  const counter = countWaits()
  onTestFinished(counter.release)
  work()
  return counter.waits()
}

it('writes are visible to other connections immediately, while the flush runs in parallel', async () => {
  const flush = createFlushLater(connection, file, openWal)
  expect(countedWaits(() => flush.write(insert))).toBe(0)
  const other = new DatabaseSync(file)
  expect(other.prepare('SELECT count(*) AS n FROM kept').get()).toEqual({ n: 1 })
  other.close()
  let isFlushed = false
  void flush.flushed().then(() => (isFlushed = true))
  await settled()
  expect(syncs.map(({ path }) => path)).toEqual([`${file}-wal`])
  expect(isFlushed).toBe(false)
  syncs[0]?.end()
  await settled()
  expect(isFlushed).toBe(true)
})

it('other writes wait for the disk themselves, even after a deferred write has failed', () => {
  const flush = createFlushLater(connection, file, openWal)
  flush.write(insert)
  expect(() =>
    flush.write(() => {
      throw new Error('no')
    }),
  ).toThrow('no')
  expect(countedWaits(insert)).toBe(1)
})

it('requests made during a flush share another one, which starts when the first has ended', async () => {
  const flush = createFlushLater(connection, file, openWal)
  const first = flush.flushed()
  await settled()
  const later = [flush.flushed(), flush.flushed()]
  await settled()
  expect(syncs).toHaveLength(1)
  syncs[0]?.end()
  await first
  await settled()
  expect(syncs).toHaveLength(2)
  syncs[1]?.end()
  await Promise.all(later)
  expect(syncs).toHaveLength(2)
})

it('a disk error is reported to every pending request, and the next request tries again', async () => {
  const flush = createFlushLater(connection, file, openWal)
  const first = flush.flushed()
  await settled()
  syncs[0]?.fail(new Error('EIO'))
  await expect(first).rejects.toThrow('EIO')
  const second = flush.flushed()
  await settled()
  syncs[1]?.end()
  await second
})

it('pending requests complete when the database is closed', async () => {
  const flush = createFlushLater(connection, file, openWal)
  const asked = flush.flushed()
  flush.close()
  await settled()
  expect([syncs.length, closed]).toEqual([1, 0])
  syncs[0]?.end()
  await asked
  await settled()
  expect(closed).toBe(1)
})

it('waits for a real disk, but not for a missing folder', async () => {
  const flush = createFlushLater(connection, file)
  flush.write(insert)
  await flush.flushed()
  flush.close()
  const gone = createFlushLater(connection, join(folder, 'gone', 'kept.db'))
  await gone.flushed()
})

it('without a WAL, each write waits for the disk itself', async () => {
  connection.exec('PRAGMA journal_mode = DELETE')
  const flush = createFlushLater(connection, file, openWal)
  expect(countedWaits(() => flush.write(insert))).toBe(1)
  await flush.flushed()
  expect(syncs).toHaveLength(0)
})
