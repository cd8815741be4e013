import { appendFile, chmod, rm, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { fingerprintFiles } from '../../../src/main/watch/fingerprint.ts'
import {
  createSettlingFiles,
  firstSample,
  nextSample,
  settlesAt,
  type Observation,
} from '../../../src/main/watch/settling-files.ts'
import { asOrdinaryUser } from '../../as-ordinary-user.ts'
import { holdTime } from './held-time.ts'
import { newRoot, until } from './watched.ts'

const SETTLE_MS = 100
const UNKNOWN = { size: -1, mtime: -1 }

async function setUp() {
  const root = await newRoot()
  const time = holdTime()
  const settled: string[][] = []
  let unreadable = 0
  const files = createSettlingFiles({
    ...time.timing,
    settleMs: SETTLE_MS,
    onSettled: (group) => settled.push(group.map(({ path }) => basename(path))),
    onUnreadable: () => (unreadable += 1),
    log: () => undefined,
  })
  onTestFinished(() => files.close())
  const at = (name: string) => join(root, 'in', name)
  return {
    root,
    files,
    settled,
    time,
    at,
    toldUnreadable: () => unreadable,
    put: async (name: string, content = name) => {
      await writeFile(at(name), content)
      files.see(at(name), UNKNOWN)
    },
    /** Time goes on by whole waits until it has come about. */
    comes: (what: string, holds: () => boolean) =>
      until(what, () => {
        if (holds()) return true
        time.pass(SETTLE_MS * 2)
        return false
      }),
  }
}

it('files that settle at the same time are one group, in the order of their names', async () => {
  const { put, settled, comes } = await setUp()
  for (const name of ['c.jpg', 'a.jpg', 'b.jpg']) await put(name)
  await comes('they settle', () => settled.length > 0)
  expect(settled).toEqual([['a.jpg', 'b.jpg', 'c.jpg']])
})

it('what is empty or has gone does not settle, and what is written later does', async () => {
  const { put, at, files, settled, comes, time } = await setUp()
  await put('empty.jpg', '')
  await put('gone.jpg')
  await put('fine.jpg')
  await rm(at('gone.jpg'))
  await comes('one settles', () => settled.length > 0)
  expect(settled).toEqual([['fine.jpg']])
  await until('nothing is waited for', () => time.dueWithin(SETTLE_MS * 100) === 0)
  await appendFile(at('empty.jpg'), 'now')
  files.see(at('empty.jpg'), UNKNOWN)
  await comes('it settles', () => settled.length === 2)
  expect(settled[1]).toEqual(['empty.jpg'])
})

it('what was seen in a folder that has gone is forgotten', async () => {
  const { put, files, settled, comes } = await setUp()
  await put('a.jpg')
  files.clear()
  await put('b.jpg')
  await comes('the other settles', () => settled.length > 0)
  expect(settled).toEqual([['b.jpg']])
})

it('what is put off waits that long, unless it is hurried', async () => {
  const { put, at, files, settled, comes, time } = await setUp()
  await put('a.jpg')
  await comes('it settles', () => settled.length === 1)
  files.putOff(await fingerprintFiles([at('a.jpg')]), 60_000)
  time.pass(SETTLE_MS * 5)
  expect(time.dueWithin(SETTLE_MS)).toBe(0)
  files.hurry()
  time.pass(10)
  await until('it settles', () => settled.length === 2)
})

it('a file that nobody lets us read is told of after some tries, and again when it can be read', async () => {
  const { root, put, at, files, settled, comes, time, toldUnreadable } = await setUp()
  await put('locked.jpg')
  await chmod(root, 0o755)
  await chmod(at('locked.jpg'), 0)
  await asOrdinaryUser(() => comes('it is told', () => files.hasUnreadable()))
  expect(toldUnreadable()).toBe(1)
  // Each wait is twice the one before.
  expect([SETTLE_MS * 3, SETTLE_MS * 5].map(time.dueWithin)).toEqual([0, 1])
  await chmod(at('locked.jpg'), 0o644)
  await comes('it settles', () => settled.length === 1)
  expect(files.hasUnreadable()).toBe(false)
  expect(toldUnreadable()).toBe(2)
})

const ORDINARY_WAIT_MS = 1_000
const sample = (size: number, mtime = 7) => ({ size, mtime })

/** A file that grows by a byte each second until then. */
function grownUntil(end: number): Observation {
  let seen = firstSample(sample(0), 0)
  for (let at = 1_000; at <= end; at += 1_000) seen = nextSample(seen, sample(at), at)
  return seen
}

it('a file that does not change settles after the ordinary wait, however often it is seen', () => {
  let seen = firstSample(sample(5), 300)
  for (const at of [400, 800, 1_200]) seen = nextSample(seen, sample(5), at)
  expect(settlesAt(seen, ORDINARY_WAIT_MS)).toBe(1_300)
})

it('a change of size or time begins the wait anew', () => {
  const seen = firstSample(sample(5), 0)
  expect(settlesAt(nextSample(seen, sample(6), 500), ORDINARY_WAIT_MS)).toBe(1_500)
  expect(settlesAt(nextSample(seen, sample(5, 8), 500), ORDINARY_WAIT_MS)).toBe(1_500)
})

it('a file that grew for long waits for a quarter of that time, but not for ever', () => {
  expect(settlesAt(grownUntil(2_000), ORDINARY_WAIT_MS)).toBe(2_000 + 1_000)
  expect(settlesAt(grownUntil(12_000), ORDINARY_WAIT_MS)).toBe(12_000 + 3_000)
  expect(settlesAt(grownUntil(3_600_000), ORDINARY_WAIT_MS)).toBe(3_600_000 + 5_000)
})
