import { chmod, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { asOrdinaryUser } from '../../as-ordinary-user.ts'
import { controlDisk } from '../../faults/model/failing-disk.ts'
import { folderIn, newRoot, open, openScanned, scanned, settle, until } from './watched.ts'
import { itInLongSuite } from '../../faults/long-suite.ts'

it('files that arrived while the app was off are found, and nothing is processed twice', async () => {
  const first = await openScanned()
  const { root } = first
  await writeFile(join(first.inbox, 'before.jpg'), 'x')
  await until('it is submitted', () => first.submitted().length === 1)
  await first.close()
  await writeFile(join(first.inbox, 'meanwhile.jpg'), 'xy')
  await rename(join(first.inbox, 'before.jpg'), join(first.inbox, 'renamed.jpg'))
  const again = open(root)
  await again.submitsOnly([['before.jpg'], ['meanwhile.jpg']])
  await until('both are counted', () => again.watch.list()[0]?.taken === 2)
})

itInLongSuite('a folder whose settings can’t be read is remembered until they can', async () => {
  const first = await openScanned()
  const { root } = first
  await writeFile(join(first.inbox, 'before.jpg'), 'x')
  await until('it is submitted', () => first.submitted().length === 1)
  await first.close()
  const file = join(root, 'settings.json')
  const good = await readFile(file, 'utf8')
  await writeFile(file, good.replace('"variations": 1', '"variations": "one"'))
  const unread = open(root, null)
  expect(unread.watch.list()).toEqual([])
  await unread.watch.whenScanned()
  await unread.close()
  await writeFile(file, good)
  const again = await scanned(open(root, null))
  await writeFile(join(again.inbox, 'after.jpg'), 'xy')
  await until('the new one is submitted', () => again.submitted().length === 2)
  expect([again.submitted(), again.troubles]).toEqual([[['before.jpg'], ['after.jpg']], []])
})

itInLongSuite('a folder is watched as soon as the end of its first scan can be recorded', async () => {
  const disk = { full: false, writesToLive: null, onDeath: () => undefined }
  const control = controlDisk(disk)
  onTestFinished(() => control.release())
  const events: string[] = []
  const opened = open(await newRoot(), undefined, { log: (event) => events.push(event) })
  disk.full = true
  await until('recording it has failed', () => events.includes('watched folder failed'))
  expect(opened.watch.list()[0]?.scanning).toBe(true)
  disk.full = false
  await opened.watch.whenScanned()
  expect(opened.watch.list()[0]?.scanning).toBe(false)
  await writeFile(join(opened.inbox, 'new.jpg'), 'x')
  await until('it is submitted', () => opened.submitted().length === 1)
})

it('asks about many files that arrived while the app was off, and processes new ones as usual', async () => {
  const first = await openScanned()
  const { root } = first
  await first.close()
  for (let n = 0; n < 6; n += 1) await writeFile(join(first.inbox, `${n}.jpg`), `content ${n}`)
  const again = await scanned(open(root, [folderIn(root)], { many: 5 }))
  expect(again.watch.list()[0]?.question).toBe(6)
  expect(again.troubles).toMatchObject([{ kind: 'question', files: 6 }])
  await writeFile(join(again.inbox, 'live.jpg'), 'now')
  await rm(join(again.inbox, '5.jpg'))
  await until('the new one is submitted', () => again.submitted().length === 1)
  await until('the deleted one is no longer asked about', () => again.watch.list()[0]?.question === 5)
  await again.watch.answer({ id: 'w', take: true })
  await until('all are submitted', () => again.submitted().length === 6)
  await until('nothing is asked', () => again.watch.list()[0]?.question === null)
})

it('asks about existing files of a newly watched folder, and skips them if the user declines', async () => {
  const root = await newRoot()
  await writeFile(join(root, 'in', 'old.jpg'), 'x')
  const first = await scanned(open(root))
  expect(first.watch.list()[0]?.question).toBe(1)
  await first.watch.answer({ id: 'w', take: false })
  await first.close()
  const again = await scanned(open(root))
  await settle()
  expect(again.watch.list()[0]).toMatchObject({ question: null, taken: 0 })
  expect(again.submitted()).toEqual([])
})

it('a folder that disappears is reported missing, and only new files are processed when it is back', async () => {
  const watched = await openScanned()
  const { root } = watched
  await writeFile(join(watched.inbox, 'a.jpg'), 'x')
  await until('it is submitted', () => watched.submitted().length === 1)
  await rename(watched.inbox, join(root, 'away'))
  await until('it is missing', () => watched.watch.list()[0]?.trouble === 'missing')
  await writeFile(join(root, 'away', 'b.jpg'), 'xy')
  await rename(join(root, 'away'), watched.inbox)
  await until('it is back', () => watched.watch.list()[0]?.trouble === null)
  await until('new files are submitted', () => watched.submitted().length === 2)
  await writeFile(join(watched.inbox, 'c.jpg'), 'xyz')
  await watched.submitsOnly([['a.jpg'], ['b.jpg'], ['c.jpg']])
  expect(watched.troubles.map(({ kind }) => kind)).toEqual(['missing'])
  await rename(watched.inbox, join(root, 'away'))
  await until('it is reported again', () => watched.troubles.length === 2)
})

itInLongSuite('a folder that is replaced by another of the same name is scanned again', async () => {
  const watched = await openScanned()
  const { root } = watched
  await mkdir(join(root, 'new'))
  await writeFile(join(root, 'new', 'n.jpg'), 'x')
  await rename(watched.inbox, join(root, 'old'))
  await rename(join(root, 'new'), watched.inbox)
  await until('it is submitted', () => watched.submitted().length === 1)
  await writeFile(join(watched.inbox, 'later.jpg'), 'xy')
  await until('it is submitted', () => watched.submitted().length === 2)
})

itInLongSuite('an unreadable file is reported, and processed when it becomes readable', async () => {
  const root = await newRoot()
  await chmod(root, 0o777)
  await chmod(join(root, 'in'), 0o777)
  await asOrdinaryUser(async () => {
    const watched = await scanned(open(root))
    const path = join(watched.inbox, 'locked.jpg')
    await writeFile(path, 'x', { mode: 0 })
    await until('the trouble is reported', () => watched.watch.list()[0]?.trouble === 'unreadable')
    await chmod(path, 0o600)
    await until('it is submitted', () => watched.submitted().length === 1)
    await until('the trouble is over', () => watched.watch.list()[0]?.trouble === null)
  })
})

it('a damaged database is moved aside, and the user is asked about the folder’s files again', async () => {
  const root = await newRoot()
  await writeFile(join(root, 'state.db'), 'this is no database, and long enough to be seen as such')
  await writeFile(join(root, 'in', 'a.jpg'), 'x')
  const watched = await scanned(open(root))
  expect(watched.setAside).toContain('state.damaged')
  expect(watched.watch.list()[0]?.question).toBe(1)
})
