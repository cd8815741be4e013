/** Which files a watched folder is done with: contents decide, not inodes, sizes and dates. */
import { closeSync, openSync, utimesSync, writeFileSync, writeSync } from 'node:fs'
import { chmod, copyFile, mkdir, rename, rm, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { open, openScanned, settle, until } from './watched.ts'
import { itInLongSuite } from '../../faults/long-suite.ts'

const DATE = new Date('2024-05-01T10:00:00Z')

it('scans of the same size and date are all processed if each is deleted before the next is copied', async () => {
  const watched = await openScanned()
  for (const [n, content] of ['one', 'two', 'six'].entries()) {
    const path = join(watched.inbox, `${n}.bmp`)
    await writeFile(join(watched.root, 'scan'), content)
    await utimes(join(watched.root, 'scan'), DATE, DATE)
    await rename(join(watched.root, 'scan'), path)
    await until('it is submitted', () => watched.submitted().length === n + 1)
    await rm(path)
  }
})

itInLongSuite(
  'a processed file that gets another content of the same size and date is processed again',
  async () => {
    const watched = await openScanned({ recursive: true })
    const folder = join(watched.inbox, 'sub')
    await mkdir(folder)
    const path = join(folder, 'scan.bmp')
    for (const [n, content] of ['one', 'two', 'six'].entries()) {
      // Without a pause in which the new date could be seen, and with a new time of access, as `cp -p` does.
      writeFileSync(path, content)
      utimesSync(path, new Date(), DATE)
      await until('it is submitted', () => watched.submitted().length === n + 1)
      await settle()
    }
    // It isn't processed again for its permissions.
    await chmod(path, 0o600)
    await settle()
    expect(watched.submitted()).toHaveLength(3)
  },
)

it('another content with the path, size and date of a processed file is processed, even after a restart', async () => {
  const watched = await openScanned()
  const path = join(watched.inbox, 'scan.bmp')
  await writeFile(path, 'one')
  await utimes(path, DATE, DATE)
  await until('it is submitted', () => watched.submitted().length === 1)
  await until('it is counted', () => watched.watch.list()[0]?.taken === 1)
  await watched.close()
  await writeFile(path, 'two')
  await utimes(path, DATE, DATE)
  const again = open(watched.root)
  await until('it is submitted', () => again.submitted().length === 2)
})

itInLongSuite(
  'a file that is renamed while the folder isn’t watched stays known, and a file that takes its name is new',
  async () => {
    const watched = await openScanned()
    const [path, renamed] = ['a.jpg', 'b.jpg'].map((name) => join(watched.inbox, name)) as [string, string]
    await writeFile(path, 'one')
    await until('it is counted', () => watched.watch.list()[0]?.taken === 1)
    await watched.close()
    await rename(path, renamed)
    await writeFile(path, 'another')
    const again = open(watched.root)
    await again.submitsOnly([['a.jpg'], ['a.jpg']])
  },
)

it('a recording is processed when the recorder has closed it, even if it pauses', async () => {
  const watched = await openScanned()
  const path = join(watched.inbox, 'tower.mp4')
  const recorder = openSync(path, 'w')
  writeSync(recorder, 'the first part')
  await writeFile(join(watched.inbox, 'complete.jpg'), 'a photo')
  await until('the other file is submitted', () => watched.submitted().length === 1)
  await settle()
  writeSync(recorder, ', and the second')
  await watched.submitsOnly([['complete.jpg']])
  closeSync(recorder)
  await until('it is submitted', () => watched.submitted().length === 2)
})

it('a copy of a processed file with the size and date of another is compared by its content', async () => {
  const watched = await openScanned()
  const [a, b] = ['a.bmp', 'b.bmp'].map((name) => join(watched.inbox, name)) as [string, string]
  await writeFile(a, 'one')
  await writeFile(b, 'two')
  for (const path of [a, b]) await utimes(path, DATE, DATE)
  await until('both are submitted', () => watched.submitted().length === 2)
  await copyFile(a, b)
  await utimes(b, DATE, DATE)
  await until('the new content is submitted', () => watched.submitted().length === 3)
})
