import { mkdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { expect, it, onTestFinished, vi } from 'vitest'
import {
  followTree,
  isOutOfWatches,
  needsPolling,
  type TreeOptions,
} from '../../../src/main/watch/follow-tree.ts'
import { newRoot } from './watched.ts'

/** What is told of a folder, until the test ends. */
async function follow(root: string, change: Partial<TreeOptions> = {}) {
  const inbox = join(root, 'in')
  const told = { files: new Set<string>(), gone: [] as string[], rootGone: 0 }
  const scanned = Promise.withResolvers<void>()
  const stop = followTree({
    root: inbox,
    recursive: true,
    pollEvery: null,
    isPassedOver: () => false,
    onFile: (path) => told.files.add(relative(inbox, path)),
    onGone: (path) => told.gone.push(relative(inbox, path)),
    onScanned: scanned.resolve,
    onRootGone: () => (told.rootGone += 1),
    onError: scanned.reject,
    ...change,
  })
  onTestFinished(stop)
  await scanned.promise
  return { inbox, told, stop, names: () => [...told.files].toSorted() }
}

async function fill(root: string, ...paths: readonly string[]) {
  for (const path of paths) {
    await mkdir(join(root, 'in', path, '..'), { recursive: true })
    await writeFile(join(root, 'in', path), path)
  }
}

it('tells of every photo and video that is there, at any depth', async () => {
  const root = await newRoot()
  await fill(root, 'a.jpg', 'b.txt', '.hidden.jpg', 'c/d/e.mp4', '.git/f.jpg')
  const { names } = await follow(root)
  expect(names()).toEqual(['a.jpg', join('c', 'd', 'e.mp4')])
})

it('stays at the top where folders are not to be looked into, and out of those that are passed over', async () => {
  const root = await newRoot()
  await fill(root, 'a.jpg', 'c/d.jpg', 'out/e.jpg')
  expect((await follow(root, { recursive: false })).names()).toEqual(['a.jpg'])
  const passing = await follow(root, { isPassedOver: (path) => path === join(root, 'in', 'out') })
  expect(passing.names()).toEqual(['a.jpg', join('c', 'd.jpg')])
})

it.each([null, 20])(
  'tells what comes, what goes and when the folder goes; asking every %s ms',
  async (pollEvery) => {
    const root = await newRoot()
    await fill(root, 'a.jpg', 'sub/b.jpg')
    const { inbox, told } = await follow(root, { pollEvery })
    await fill(root, 'late.jpg')
    await rm(join(inbox, 'a.jpg'))
    await rm(join(inbox, 'sub'), { recursive: true })
    await vi.waitFor(() => expect(told.files.has('late.jpg')).toBe(true), 20_000)
    await vi.waitFor(
      () => expect(told.gone).toEqual(expect.arrayContaining(['a.jpg', join('sub', 'b.jpg')])),
      20_000,
    )
    expect(told.rootGone).toBe(0)
    await rm(inbox, { recursive: true })
    await vi.waitFor(() => expect(told.rootGone).toBe(1), 20_000)
  },
)

it('only network shares are asked again and again', async () => {
  expect(await needsPolling(String.raw`\\server\photos`, 'win32')).toBe(true)
  expect(await needsPolling(String.raw`C:\photos`, 'win32')).toBe(false)
  expect(await needsPolling('/Volumes/photos', 'darwin')).toBe(true)
  expect(await needsPolling('/Users/anna/photos', 'darwin')).toBe(false)
  expect(await needsPolling(tmpdir(), 'linux')).toBe(false)
})

const failure = (code: string) => Object.assign(new Error(code), { code })

it('too many watches or open files are no fault of the folder', () => {
  expect(isOutOfWatches(failure('ENOSPC'))).toBe(true)
  expect(isOutOfWatches(failure('EMFILE'))).toBe(true)
  expect(isOutOfWatches(failure('EACCES'))).toBe(false)
})
