import { appendFile, chmod, lstat, readFile, rm, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { fingerprintFiles, fingerprintOf } from '../../../src/main/watch/fingerprint.ts'
import {
  createUnstableFiles,
  firstSample,
  nextSample,
  stableAt,
  type Observation,
} from '../../../src/main/watch/unstable-files.ts'
import { asOrdinaryUser } from '../../as-ordinary-user.ts'
import { holdTime } from './held-time.ts'
import { newRoot, until } from './watched.ts'

const STABLE_MS = 100
const UNKNOWN = { size: -1, mtime: -1 }

async function setUp() {
  const root = await newRoot()
  const time = holdTime()
  const settled: string[][] = []
  let unreadable = 0
  const files = createUnstableFiles({
    ...time.timing,
    stableMs: STABLE_MS,
    onStable: (group) => settled.push(group.map(({ path }) => basename(path))),
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
    /** Advances the time, in steps longer than a normal wait, until the condition holds. */
    comes: (what: string, holds: () => boolean) =>
      until(what, () => {
        if (holds()) return true
        time.pass(STABLE_MS * 2)
        return false
      }),
  }
}

it('files that become stable at the same time are reported as one group, in name order', async () => {
  const { at, files, settled, comes } = await setUp()
  for (const name of ['c.jpg', 'a.jpg', 'b.jpg']) {
    await writeFile(at(name), name)
    // With an unknown sample, each would count as changed when it is first read, which may take different times.
    files.see(at(name), fingerprintOf(await lstat(at(name), { bigint: true })))
  }
  await comes('they settle', () => settled.length > 0)
  expect(settled).toEqual([['a.jpg', 'b.jpg', 'c.jpg']])
})

it('an incomplete copy stays pending until its end is written, and a damaged file only for a limited time', async () => {
  const { at, put, files, settled, comes, time } = await setUp()
  const photo = await readFile(join(import.meta.dirname, '../../../assets/samples/dawn-upright.jpg'))
  await writeFile(at('a.jpg'), photo.subarray(0, photo.length / 2))
  files.see(at('a.jpg'), UNKNOWN)
  await put('b.jpg')
  await comes('the other one settles', () => settled.length > 0)
  await until('only a long wait is left', () => time.dueWithin(STABLE_MS * 20) === 0)
  expect([settled, time.dueWithin(STABLE_MS * 40)]).toEqual([[['b.jpg']], 1])
  await appendFile(at('a.jpg'), photo.subarray(photo.length / 2))
  files.see(at('a.jpg'), UNKNOWN)
  // On a busy machine, more time has passed, and the wait has its upper limit of five times the ordinary one.
  expect(time.dueWithin(STABLE_MS * 6)).toBe(1)
  await comes('it becomes stable', () => settled.length === 2)

  await writeFile(at('damaged.jpg'), photo.subarray(0, photo.length / 2))
  files.see(at('damaged.jpg'), UNKNOWN)
  await comes('it settles all the same', () => settled.length === 3)
})

it('observations in a folder that no longer exists are dropped', async () => {
  const { put, files, settled, comes } = await setUp()
  await put('a.jpg')
  files.clear()
  await put('b.jpg')
  await comes('the other settles', () => settled.length > 0)
  expect(settled).toEqual([['b.jpg']])
})

it('a postponed file waits until its new time, unless it is expedited', async () => {
  const { put, at, files, settled, comes, time } = await setUp()
  await put('a.jpg')
  await comes('it becomes stable', () => settled.length === 1)
  files.postpone(await fingerprintFiles([at('a.jpg')]), 60_000)
  time.pass(STABLE_MS * 5)
  expect(time.dueWithin(STABLE_MS)).toBe(0)
  files.recheckPostponed()
  time.pass(10)
  await until('it becomes stable', () => settled.length === 2)
})

it('an unreadable file is reported after some tries, and again when it becomes readable', async () => {
  const { root, put, at, files, settled, comes, time, toldUnreadable } = await setUp()
  await put('locked.jpg')
  await chmod(root, 0o755)
  await chmod(at('locked.jpg'), 0)
  await asOrdinaryUser(() => comes('it is reported', () => files.unreadable().length > 0))
  expect(toldUnreadable()).toBe(1)
  // Each wait is twice as long as the previous one.
  expect([STABLE_MS * 3, STABLE_MS * 5].map(time.dueWithin)).toEqual([0, 1])
  await chmod(at('locked.jpg'), 0o644)
  await comes('it becomes stable', () => settled.length === 1)
  expect(files.unreadable()).toEqual([])
  expect(toldUnreadable()).toBe(2)
})

const ORDINARY_WAIT_MS = 1_000
const sample = (size: number, mtime = 7) => ({ size, mtime })

/** A file that grows by a byte per second until the given time. */
function growingUntil(end: number): Observation {
  let seen = firstSample(sample(0), 0)
  for (let at = 1_000; at <= end; at += 1_000) seen = nextSample(seen, sample(at), at)
  return seen
}

it('a file that grew for a long time waits for a quarter of that time, up to a limit', () => {
  expect(stableAt(growingUntil(2_000), ORDINARY_WAIT_MS)).toBe(2_000 + 1_000)
  expect(stableAt(growingUntil(12_000), ORDINARY_WAIT_MS)).toBe(12_000 + 3_000)
  expect(stableAt(growingUntil(3_600_000), ORDINARY_WAIT_MS)).toBe(3_600_000 + 5_000)
})

it('a track of a download is stable only when the other tracks have been joined', async () => {
  const { put, comes, settled, at, files, time } = await setUp()
  await writeFile(at('clip.f140.m4a.part'), 'sound')
  await put('clip.f137.mp4')
  await put('photo.jpg')
  await comes('the photo', () => settled.length > 0)
  time.pass(STABLE_MS * 100)
  expect(settled.flat()).toEqual(['photo.jpg'])
  expect(files.isPending()).toBe(false)
  await rm(at('clip.f140.m4a.part'))
  await comes('the video', () => settled.length > 1)
  expect(settled.flat()).toEqual(['photo.jpg', 'clip.f137.mp4'])
})
