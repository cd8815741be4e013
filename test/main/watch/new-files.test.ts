import { appendFile, mkdir, open as openFile, rename, rm, symlink, utimes, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { expect, it } from 'vitest'
import type { FoundFile } from '../../../src/main/watch/fingerprint.ts'
import { sortFiles, type SortFilesOptions } from '../../../src/main/watch/new-files.ts'
import { holdTime } from './held-time.ts'
import { plansIn } from '../outbox/drafts.ts'
import { folderIn, newRoot, open, settle, SETTLE_MS, until } from './watched.ts'

/** Where only the files' own timers are of interest. */
const SELDOM_MS = 3_600_000

it('a photo that comes is submitted with the folder’s preset, output and variations', async () => {
  const root = await newRoot()
  const chosen = folderIn(root, { preset: 'Web 2048', variations: 3 })
  const watched = open(root, [chosen])
  await watched.watch.whenScanned()
  await writeFile(join(watched.inbox, 'tower.JPG'), 'photo')
  await until('it is submitted', () => watched.submitted().length === 1)
  expect(plansIn(watched.outbox)[0]).toMatchObject({
    items: [{ path: join(watched.inbox, 'tower.JPG'), name: 'tower.JPG', kind: 'image', size: 5 }],
    preset: 'Web 2048',
    output: chosen.output,
    variations: 3,
  })
  await until('it is counted', () => watched.watch.list()[0]?.taken === 1)
})

it('a file that is written slowly is taken once, whole', async () => {
  const root = await newRoot()
  const { timing, dueWithin, pass } = holdTime()
  const watched = open(root, [folderIn(root)], { timing, checkMs: SELDOM_MS })
  await watched.watch.whenScanned()
  const path = join(watched.inbox, 'clip.mp4')
  await appendFile(path, 'x'.repeat(1000))
  await until('it is seen', () => dueWithin(SETTLE_MS * 2) > 0)
  for (let part = 1; part < 12; part += 1) {
    await appendFile(path, 'x'.repeat(1000))
    pass(SETTLE_MS * 0.7)
    await until('it is waited for again', () => dueWithin(SETTLE_MS * 2) > 0)
    expect(watched.submitted()).toEqual([])
  }
  await until('it is submitted', () => {
    pass(SETTLE_MS)
    return watched.submitted().length === 1
  })
  await settle()
  expect(plansIn(watched.outbox).map(({ items }) => items[0]?.size)).toEqual([12_000])
})

it('a download is taken under its last name only', async () => {
  const root = await newRoot()
  const watched = open(root)
  await watched.watch.whenScanned()
  const temporary = ['a.jpg.crdownload', 'b.mp4.part', 'c.png.tmp', '.d.jpg', '~$e.jpg', 'f.part.mp4']
  for (const name of [...temporary, '.mediatray-g.jpg']) await writeFile(join(watched.inbox, name), 'x')
  await settle()
  expect(watched.submitted()).toEqual([])
  await rename(join(watched.inbox, 'a.jpg.crdownload'), join(watched.inbox, 'a.jpg'))
  await until('it is submitted', () => watched.submitted().length === 1)
  await settle()
  expect(watched.submitted()).toEqual([['a.jpg']])
})

it('what is no medium, empty, a link or a folder is left alone', async () => {
  const root = await newRoot()
  const watched = open(root)
  await watched.watch.whenScanned()
  await writeFile(join(root, 'elsewhere.jpg'), 'x')
  await symlink(join(root, 'elsewhere.jpg'), join(watched.inbox, 'link.jpg'))
  await mkdir(join(watched.inbox, 'folder.jpg'))
  await writeFile(join(watched.inbox, 'notes.txt'), 'x')
  await writeFile(join(watched.inbox, 'empty.jpg'), '')
  await settle()
  expect(watched.submitted()).toEqual([])
  await writeFile(join(watched.inbox, 'empty.jpg'), 'not any more')
  await until('it is submitted', () => watched.submitted().length === 1)
  expect(watched.submitted()).toEqual([['empty.jpg']])
})

it('a file that was taken is not taken again under another name, but is with other content', async () => {
  const root = await newRoot()
  const watched = open(root)
  await watched.watch.whenScanned()
  await writeFile(join(watched.inbox, 'one.jpg'), 'first')
  await until('it is submitted', () => watched.submitted().length === 1)
  await rename(join(watched.inbox, 'one.jpg'), join(watched.inbox, 'two.jpg'))
  await settle()
  expect(watched.submitted()).toEqual([['one.jpg']])
  await writeFile(join(watched.inbox, 'two.jpg'), 'second content')
  await until('it is submitted', () => watched.submitted().length === 2)
  await settle()
  expect(watched.submitted()).toEqual([['one.jpg'], ['two.jpg']])
})

it('folders in the folder are looked into only where that is chosen', async () => {
  const root = await newRoot()
  await mkdir(join(root, 'deep'))
  const watched = open(root, [
    folderIn(root),
    folderIn(root, { id: 'deep', path: join(root, 'deep'), recursive: true }),
  ])
  await watched.watch.whenScanned()
  for (const folder of ['in', 'deep']) {
    await mkdir(join(root, folder, 'a', 'b'), { recursive: true })
    await writeFile(join(root, folder, 'a', 'b', `${folder}.jpg`), 'x')
  }
  await until('it is submitted', () => watched.submitted().length === 1)
  await settle()
  expect(watched.submitted()).toEqual([['deep.jpg']])
})

it('files that come within the window are one job, those that come later another', async () => {
  const root = await newRoot()
  const { timing, dueWithin, pass } = holdTime()
  const windowMs = SETTLE_MS * 20
  const folder = folderIn(root, { grouping: 'together', windowMs })
  // Whatever has settled is compared with our own running work, before it waits for others.
  let compared = 0
  const running = () => {
    compared += 1
    return []
  }
  const watched = open(root, [folder], { timing, running, checkMs: SELDOM_MS })
  await watched.watch.whenScanned()
  const settles = async (name: string) => {
    // What is to be told of before is told, so that the next timer is the file's.
    pass(SETTLE_MS * 2)
    await writeFile(join(watched.inbox, name), 'x')
    await until('it is seen', () => dueWithin(SETTLE_MS * 2) > 0)
    const before = compared
    pass(SETTLE_MS * 2)
    await until('it waits for others', () => compared === before + 2)
  }
  await settles('a.jpg')
  await settles('gone.jpg')
  await settles('b.jpg')
  expect(watched.submitted()).toEqual([])
  await rm(join(watched.inbox, 'gone.jpg'))
  pass(windowMs)
  await until('they are submitted', () => watched.submitted().length === 1)
  // Once that is on the disk.
  await until('they are counted', () => watched.watch.list()[0]?.taken === 2)
  pass(windowMs)
  await settles('c.jpg')
  pass(windowMs)
  await until('it is submitted', () => watched.submitted().length === 2)
  expect(watched.submitted()).toEqual([['a.jpg', 'b.jpg'], ['c.jpg']])
})

it.each(['together', 'separate'] as const)(
  'a thousand files at once are each taken once (%s), in few changes of the state',
  async (grouping) => {
    const root = await newRoot()
    const { timing, pass } = holdTime()
    const watched = open(root, [folderIn(root, { grouping, windowMs: 500 })], { timing })
    await watched.watch.whenScanned()
    let moments = 0
    let told = 0
    watched.watch.onChange(() => (told += 1))
    const names = Array.from({ length: 1000 }, (_, n) => `photo-${String(n).padStart(4, '0')}.jpg`)
    await Promise.all(names.map((name) => writeFile(join(watched.inbox, name), name)))
    await until('all are submitted', () => {
      pass(500)
      moments += 1
      return watched.watch.list()[0]?.taken === 1000
    })
    await settle()
    expect(watched.submitted().flat().toSorted()).toEqual(names)
    expect(told).toBeLessThanOrEqual(moments)
    if (grouping === 'together') expect(watched.submitted().length).toBeLessThanOrEqual(moments)
  },
)

it('a folder that is switched off takes nothing, and a change of its preset counts at once', async () => {
  const root = await newRoot()
  const watched = open(root, [folderIn(root, { enabled: false })])
  await watched.watch.whenScanned()
  await writeFile(join(watched.inbox, 'early.jpg'), 'x')
  await settle()
  expect(watched.submitted()).toEqual([])
  const { id, ...folder } = folderIn(root, { preset: 'New' })
  watched.watch.save({ id, folder })
  await watched.watch.whenScanned()
  await watched.watch.answer({ id, take: false })
  await writeFile(join(watched.inbox, 'late.jpg'), 'x')
  await until('it is submitted', () => watched.submitted().length === 1)
  expect(watched.outbox.list()[0]?.title.preset).toBe('New')
  watched.watch.remove(id)
  await watched.watch.whenScanned()
  await writeFile(join(watched.inbox, 'after.jpg'), 'x')
  await settle()
  expect(watched.submitted()).toEqual([['late.jpg']])
  expect(watched.watch.list()).toEqual([])
})

it('a share that tells of no changes is looked through now and then', async () => {
  const root = await newRoot()
  const watched = open(root, [folderIn(root)], { needsPolling: () => Promise.resolve(true), pollMs: 100 })
  await watched.watch.whenScanned()
  await writeFile(join(watched.inbox, 'shared.jpg'), 'x')
  await until('it is submitted', () => watched.submitted().length === 1)
  expect(watched.submitted()).toEqual([['shared.jpg']])
})

it('a draft that can’t be started is said once, kept, and tried again when something has changed', async () => {
  const root = await newRoot()
  let isPossible = false
  const watched = open(root, [folderIn(root)], {
    start: (draft) =>
      Promise.resolve(
        isPossible
          ? { ok: true, ids: (asked.push(draft.preset), []) }
          : { ok: false, problems: [{ code: 'presetUnknown', preset: 'Gone' }] },
      ),
  })
  const asked: (string | null)[] = []
  await watched.watch.whenScanned()
  await writeFile(join(watched.inbox, 'a.jpg'), 'x')
  await until('it is said', () => watched.troubles.length === 1)
  expect(watched.troubles).toMatchObject([
    { kind: 'notStarted', problems: [{ code: 'presetUnknown', preset: 'Gone' }] },
  ])
  isPossible = true
  const { id, ...folder } = folderIn(root, { preset: 'There' })
  watched.watch.save({ id, folder })
  await until('it is started', () => asked.length === 1)
  expect(asked).toEqual(['There'])
})

it('a file whose time was set back while nothing else changed is new content', async () => {
  const root = await newRoot()
  const watched = open(root)
  await watched.watch.whenScanned()
  const path = join(watched.inbox, 'a.jpg')
  await writeFile(path, 'x')
  await until('it is submitted', () => watched.submitted().length === 1)
  const file = await openFile(path, 'r+')
  await file.write('y', 0)
  await file.close()
  await utimes(path, new Date(0), new Date(1_000_000))
  await until('it is submitted again', () => watched.submitted().length === 2)
})

const ROOT = join('/watched')
const file = (path: string): FoundFile => ({
  path,
  fingerprint: { size: 1, mtime: 1, changed: 1, device: '1', inode: path },
})

/** What each file is, by the word at the beginning of its name. */
const options: SortFilesOptions = {
  root: ROOT,
  knows: ({ path }) =>
    basename(path).startsWith('known') ? 'byPath' : basename(path).startsWith('renamed') ? 'byInode' : null,
  own: {
    isPassedOver: (path) => path.startsWith(join(ROOT, 'done')),
    judge: () => (one) =>
      basename(one.path).startsWith('made')
        ? 'result'
        : basename(one.path).startsWith('perhaps')
          ? 'unclear'
          : 'foreign',
  },
}

const namesOf = (files: readonly FoundFile[]) => files.map(({ path }) => basename(path))

it('tells what is new from what is known, ours, renamed, or not to be told yet', () => {
  const names = ['new.jpg', 'known.jpg', 'renamed.jpg', 'made.jpg', 'perhaps.jpg', 'new-too.mp4']
  const { fresh, left, unclear } = sortFiles(
    names.map((name) => file(join(ROOT, name))),
    options,
  )
  expect(namesOf(fresh)).toEqual(['new.jpg', 'new-too.mp4'])
  expect(namesOf(left)).toEqual(['renamed.jpg', 'made.jpg'])
  expect(namesOf(unclear)).toEqual(['perhaps.jpg'])
})

it('leaves alone what lies elsewhere or in a folder for results', () => {
  const files = ['/elsewhere/new.jpg', '/watched-too/new.jpg', '/watched/done/new.jpg'].map(file)
  expect(sortFiles(files, options)).toEqual({ fresh: [], left: [], unclear: [] })
})
