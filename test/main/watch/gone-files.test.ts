import { mkdir, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { finishedJob, open, openScanned, scanned, settle, until, type Watched } from './watched.ts'
import { firstOf, itInLongSuite } from '../../faults/long-suite.ts'

/** A job that didn't find these files. */
const missed = (gone: readonly string[], since = Date.now()) =>
  finishedJob({ id: `job ${since}`, watched: 'w', gone, inputs: gone, since, until: since })

const taken = (watched: Watched, count: number) =>
  until('it is counted', () => watched.watch.list()[0]?.taken === count)

async function openWithPhoto() {
  const watched = await openScanned({ recursive: true })
  const path = join(watched.inbox, 'a.jpg')
  await writeFile(path, 'photo')
  await taken(watched, 1)
  return { watched, path }
}

it.each(firstOf(['b.jpg', 'sub/a.jpg']))(
  'a photo that is moved to %s before its turn is processed there',
  async (name) => {
    const { watched, path } = await openWithPhoto()
    await mkdir(join(watched.inbox, 'sub'))
    await rename(path, join(watched.inbox, name))
    await settle()
    expect(watched.submitted()).toHaveLength(1)
    watched.watch.noteFinished(missed([path]))
    await until('it is submitted', () => watched.submitted().length === 2)
    await taken(watched, 1)
    // The same end may be recorded twice.
    watched.watch.noteFinished(missed([path]))
    await settle()
    expect(watched.submitted()).toHaveLength(2)
  },
)

itInLongSuite('a photo that was away when its turn came is processed when it returns', async () => {
  const { watched, path } = await openWithPhoto()
  await rename(path, join(watched.root, 'a.jpg'))
  watched.watch.noteFinished(missed([path]))
  await settle()
  await rename(join(watched.root, 'a.jpg'), path)
  await until('it is submitted', () => watched.submitted().length === 2)
})

itInLongSuite('a photo that returned before its job had failed is processed after that', async () => {
  const { watched, path } = await openWithPhoto()
  await rename(path, join(watched.root, 'a.jpg'))
  await rename(join(watched.root, 'a.jpg'), path)
  await settle()
  expect(watched.submitted()).toHaveLength(1)
  watched.watch.noteFinished(missed([path]))
  await until('it is submitted', () => watched.submitted().length === 2)
})

itInLongSuite('a job that ended while nothing was watching is learned at the next start, once', async () => {
  const { watched, path } = await openWithPhoto()
  const renamed = join(watched.inbox, 'b.jpg')
  await rename(path, renamed)
  await settle()
  await watched.close()
  const work = missed([path])
  const endedWatched = (since: number) => (since < work.until ? [work] : [])
  const second = open(watched.root, null, { endedWatched })
  await until('it is submitted', () => second.submitted().length === 2)
  await taken(second, 1)
  await second.close()
  const third = await scanned(open(watched.root, null, { endedWatched }))
  await settle()
  expect(third.submitted()).toHaveLength(2)
})

itInLongSuite(
  'the failure of an earlier job doesn’t repeat a new photo at the missing one’s path, or others with its name',
  async () => {
    const { watched, path } = await openWithPhoto()
    await rename(path, join(watched.inbox, 'b.jpg'))
    await settle()
    const first = missed([path])
    await writeFile(path, 'another photo')
    await taken(watched, 2)
    await rename(path, join(watched.inbox, 'c.jpg'))
    await settle()
    watched.watch.noteFinished(first)
    await watched.submitsOnly([['a.jpg'], ['a.jpg'], ['b.jpg']])
  },
)
