import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, expect, it, onTestFinished } from 'vitest'
import { createFlushLater, type Wal } from '../../../src/main/database/flush-later.ts'
import { countWaits } from './count-waits.ts'

let folder: string
let file: string
let connection: DatabaseSync
/** Every wait for the disk that was begun: which file, and what ends it. */
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

/** What follows from the last event has happened. */
const settled = () => new Promise((resolve) => setImmediate(resolve))

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'mediatray-flush-'))
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
  rmSync(folder, { recursive: true })
})

const insert = () => connection.prepare('INSERT INTO kept DEFAULT VALUES').run()

function countedWaits(work: () => void): number {
  const counter = countWaits()
  onTestFinished(counter.release)
  work()
  return counter.waits()
}

it('what is written is there at once for others, and the disk is waited for beside it', async () => {
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

it('what is written next waits for the disk again', () => {
  const flush = createFlushLater(connection, file, openWal)
  flush.write(insert)
  expect(() =>
    flush.write(() => {
      throw new Error('no')
    }),
  ).toThrow('no')
  expect(countedWaits(insert)).toBe(1)
})

it('what is asked for while one wait is under way is one more, begun when that one has ended', async () => {
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

it('a disk that refuses is said to whoever waited, and asked again by the next', async () => {
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

it('what is asked for comes still when it is closed', async () => {
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

it('the real disk is waited for, and a folder that is gone is not', async () => {
  const flush = createFlushLater(connection, file)
  flush.write(insert)
  await flush.flushed()
  flush.close()
  const gone = createFlushLater(connection, join(folder, 'gone', 'kept.db'))
  await gone.flushed()
})

it('without a log each write waits for the disk itself', async () => {
  connection.exec('PRAGMA journal_mode = DELETE')
  const flush = createFlushLater(connection, file, openWal)
  expect(countedWaits(() => flush.write(insert))).toBe(1)
  await flush.flushed()
  expect(syncs).toHaveLength(0)
})
