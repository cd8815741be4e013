import { mkdir, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { expect, it, onTestFinished, vi } from 'vitest'
import { followTree, isOutOfWatches, needsPolling } from '../../../src/main/watch/follow-tree.ts'
import { newRoot } from './watched.ts'

/** Watches a folder until the test ends, and collects the reports. */
async function follow(root: string, change: Partial<Parameters<typeof followTree>[0]> = {}) {
  const inbox = join(root, 'in')
  const told = { files: new Set<string>(), links: new Set<string>(), gone: [] as string[], rootGone: 0 }
  const scanned = Promise.withResolvers<void>()
  const stop = followTree({
    root: inbox,
    recursive: true,
    pollEvery: null,
    onFile: (path) => told.files.add(relative(inbox, path)),
    onLink: (path) => told.links.add(relative(inbox, path)),
    onGone: (path) => told.gone.push(relative(inbox, path)),
    onScanned: scanned.resolve,
    onRootGone: () => (told.rootGone += 1),
    onSkipped: () => {},
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

it('reports every existing photo and video, at any depth, but no folder', async () => {
  const root = await newRoot()
  await fill(root, 'a.jpg', 'b.txt', '.hidden.jpg', 'c.jpg/d/e.mp4', '.git/f.jpg')
  const { names } = await follow(root)
  expect(names()).toEqual(['a.jpg', join('c.jpg', 'd', 'e.mp4')])
})

it('reports links that lead out of the folder without following them', async () => {
  const root = await newRoot()
  await fill(root, 'a.jpg')
  await fill(join(root, 'other'), 'b.jpg', 'c.txt')
  const other = join(root, 'other', 'in')
  const links = { 'b.jpg': join(other, 'b.jpg'), 'c.txt': join(other, 'c.txt'), album: other }
  for (const [name, target] of Object.entries(links)) await symlink(target, join(root, 'in', name))
  await symlink(join(root, 'in', 'a.jpg'), join(root, 'in', 'same.jpg'))
  await symlink(join(root, 'nowhere.jpg'), join(root, 'in', 'broken.jpg'))
  const { names, told } = await follow(root)
  await expect.poll(() => [...told.links].toSorted()).toEqual(['album', 'b.jpg'])
  expect(names()).toEqual(['a.jpg'])
  await rm(join(root, 'in', 'b.jpg'))
  await expect.poll(() => told.gone).toEqual(['b.jpg'])
})

it.each([null, 20])(
  'reports additions, removals and the loss of the folder, polling every %s ms',
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

it('polls only network shares', async () => {
  expect(await needsPolling(String.raw`\\server\photos`, 'win32')).toBe(true)
  expect(await needsPolling(String.raw`C:\photos`, 'win32')).toBe(false)
  expect(await needsPolling('/Volumes/photos', 'darwin')).toBe(true)
  expect(await needsPolling('/Users/anna/photos', 'darwin')).toBe(false)
  expect(await needsPolling(tmpdir(), 'linux')).toBe(false)
})

const failure = (code: string) => Object.assign(new Error(code), { code })

it('running out of watches or open files isn’t reported as a problem with the folder', () => {
  expect(isOutOfWatches(failure('ENOSPC'))).toBe(true)
  expect(isOutOfWatches(failure('EMFILE'))).toBe(true)
  expect(isOutOfWatches(failure('EACCES'))).toBe(false)
})
