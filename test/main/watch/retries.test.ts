import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import type { FinishedJob, WatchFoldersOptions } from '../../../src/main/watch/index.ts'
import { systemTiming } from '../../../src/node/timing.ts'
import { finishedJob, folderIn, newRoot, open, scanned, settle, until } from './watched.ts'
import { HOUR_MS } from '../../../src/shared/durations.ts'
import { itInLongSuite } from '../../faults/long-suite.ts'

/** Watches a folder with a photo that was submitted once, on a clock that the test can set forward. */
async function openWithPhoto(change: Partial<WatchFoldersOptions> = {}) {
  const root = await newRoot()
  let ahead = 0
  const clock = () => Date.now() + ahead
  const options = { timing: { ...systemTiming, clock }, retryMs: 50, ...change }
  const watched = await scanned(open(root, [folderIn(root)], options))
  const path = join(watched.inbox, 'a.jpg')
  await writeFile(path, 'photo')
  let jobs = 0
  const ended = (later: FinishedJob['later']) => {
    const id = `job ${(jobs += 1)}`
    return finishedJob({ id, watched: 'w', later, inputs: [path], since: clock(), until: clock() })
  }
  await until('it is counted', () => watched.watch.list()[0]?.taken === 1)
  return { root, watched, path, ended, options, passHours: (hours: number) => (ahead += hours * HOUR_MS) }
}

it('a photo for which there was too little space is named, and tried again after a while', async () => {
  const { watched, path, ended, passHours } = await openWithPhoto()
  watched.watch.noteFinished(ended([{ path, most: null }]))
  await settle()
  expect(watched.submitted()).toHaveLength(1)
  expect(watched.watch.list()[0]?.retried).toEqual({ count: 1, paths: [path] })
  passHours(1)
  await until('it is submitted', () => watched.submitted().length === 2)
  await until('it is counted', () => watched.watch.list()[0]?.taken === 1)
  watched.watch.noteFinished(ended([]))
  expect(watched.watch.list()[0]?.retried.count).toBe(0)
  passHours(100)
  await settle()
  expect(watched.submitted()).toHaveLength(2)
})

it('a photo that failed for a while is tried again at the next start, without a question', async () => {
  const { root, watched, path, ended, options } = await openWithPhoto()
  watched.watch.noteFinished(ended([{ path, most: null }]))
  await watched.close()
  const again = open(root, [folderIn(root)], { ...options, many: 0 })
  await until('it is submitted', () => again.submitted().length === 2)
})

itInLongSuite('a photo that may have killed its worker is tried three times', async () => {
  const { watched, path, ended, passHours } = await openWithPhoto()
  for (const attempt of [1, 2]) {
    watched.watch.noteFinished(ended([{ path, most: 3 }]))
    passHours(100)
    await until('it is submitted', () => watched.submitted().length === attempt + 1)
    await until('it is counted', () => watched.watch.list()[0]?.taken === 1)
  }
  watched.watch.noteFinished(ended([{ path, most: 3 }]))
  expect(watched.watch.list()[0]?.retried.count).toBe(0)
  passHours(100)
  await settle()
  expect(watched.submitted()).toHaveLength(3)
})

itInLongSuite(
  'a photo that the user has retried isn’t tried again, nor while that job isn’t over or if it was canceled',
  async () => {
    for (const cancelled of [false, true]) {
      let isUnderWay = false
      const { watched, path, ended, passHours } = await openWithPhoto({ isUnderWay: () => isUnderWay })
      watched.watch.noteFinished(ended([{ path, most: null }]))
      passHours(0.01)
      const retry = { ...ended([]), isUntouched: (one: string) => one === path, cancelled }
      isUnderWay = true
      passHours(1)
      await settle()
      watched.watch.noteFinished(retry)
      isUnderWay = false
      passHours(1)
      await until('it is noted', () => watched.watch.list()[0]?.retried.count === 0)
      await settle()
      expect(watched.submitted()).toHaveLength(1)
      await watched.close()
    }
  },
)

it('a photo that fails again in the user’s retry is tried again', async () => {
  const { watched, path, ended, passHours } = await openWithPhoto()
  // Only the user would retry a damaged photo.
  watched.watch.noteFinished(ended([]))
  passHours(1)
  watched.watch.noteFinished(ended([{ path, most: null }]))
  passHours(1)
  await until('it is submitted', () => watched.submitted().length === 2)
})

it('a photo that is done at its next attempt isn’t named anymore', async () => {
  let attempts = 0
  const { watched, path, ended, passHours } = await openWithPhoto({
    start: () =>
      Promise.resolve(
        (attempts += 1) === 1
          ? { ok: true, ids: [], jobs: [] }
          : { ok: false, problems: [{ code: 'nothingToProcess', count: 1 }] },
      ),
  })
  watched.watch.noteFinished(ended([{ path, most: null }]))
  passHours(1)
  await until('it is skipped', () => watched.watch.list()[0]?.retried.count === 0)
})

it('a photo that was deleted isn’t tried again', async () => {
  const { watched, path, ended, passHours } = await openWithPhoto()
  watched.watch.noteFinished(ended([{ path, most: null }]))
  await rm(path)
  passHours(1)
  await until('it is forgotten', () => watched.watch.list()[0]?.retried.count === 0)
})

itInLongSuite(
  'a photo that failed with one preset stays to be tried again when its job with another preset ends',
  async () => {
    const { watched, path, ended } = await openWithPhoto()
    const other = ended([])
    await settle()
    watched.watch.noteFinished(ended([{ path, most: null }]))
    watched.watch.noteFinished(other)
    expect(watched.watch.list()[0]?.retried.paths).toEqual([path])
  },
)
