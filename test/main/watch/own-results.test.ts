import { mkdir, rename, symlink, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import type { FinishedWork } from '../../../src/main/watch/index.ts'
import { createOwnResults } from '../../../src/main/watch/own-results.ts'
import { openProcessedFiles } from '../../../src/main/watch/processed-files.ts'
import { folderIn, newRoot, open, openScanned, settle, sleep, STABLE_MS, until } from './watched.ts'

const finished = (outputFolder: string, change: Partial<FinishedWork> = {}): FinishedWork => ({
  outputFolder,
  inputs: [],
  results: [],
  complete: true,
  since: Date.now() - 10_000,
  until: Date.now(),
  ...change,
})

it('an output folder inside the watched folder is ignored, even before it exists', async () => {
  const root = await newRoot()
  const output = { kind: 'folder', path: join(root, 'in', 'done', 'web') } as const
  const watched = open(root, [folderIn(root, { recursive: true, output })])
  await watched.watch.whenScanned()
  await mkdir(join(output.path, 'more'), { recursive: true })
  await writeFile(join(output.path, 'result.jpg'), 'x')
  await writeFile(join(output.path, 'more', 'result.jpg'), 'x')
  await writeFile(join(watched.inbox, 'done', 'mine.jpg'), 'x')
  await until('it is submitted', () => watched.submitted().length === 1)
  await settle()
  expect(watched.submitted()).toEqual([['mine.jpg']])
})

it('the output of other jobs inside the watched folder is ignored too, even after a restart', async () => {
  const root = await newRoot()
  const results = join(root, 'in', 'results')
  const first = open(root, [folderIn(root, { recursive: true })])
  await first.watch.whenScanned()
  first.watch.noteFinished(finished(results))
  await mkdir(results)
  await writeFile(join(results, 'a.jpg'), 'x')
  await settle()
  await first.close()
  const again = open(root, [folderIn(root, { recursive: true })])
  await again.watch.whenScanned()
  await writeFile(join(results, 'b.jpg'), 'x')
  await settle()
  expect(again.submitted()).toEqual([])
})

it('ignores a result that the user has saved to the watched folder', async () => {
  const watched = await openScanned()
  const { root } = watched
  await symlink(watched.inbox, join(root, 'link'))
  for (const file of [join(watched.inbox, 'saved.jpg'), join(root, 'link', 'saved too.jpg')]) {
    await watched.watch.noteResult(file)
    await writeFile(file, 'x')
  }
  await writeFile(join(watched.inbox, 'mine.jpg'), 'x')
  await until('it is submitted', () => watched.submitted().length === 1)
  await settle()
  expect(watched.submitted()).toEqual([['mine.jpg']])
})

it('results saved to the watched folder itself are not processed, but other files are', async () => {
  const root = await newRoot()
  const inbox = join(root, 'in')
  const watched = open(root, [folderIn(root, { output: { kind: 'folder', path: inbox } })])
  await watched.watch.whenScanned()
  await writeFile(join(inbox, 'tower.jpg'), 'original')
  await until('it is submitted', () => watched.submitted().length === 1)

  watched.running.push({ outputFolder: inbox })
  await writeFile(join(inbox, 'result.jpg'), 'made')
  await writeFile(join(inbox, 'tower-edited.jpg'), 'by the user')
  await settle()
  expect(watched.submitted()).toEqual([['tower.jpg']])

  watched.watch.noteFinished(
    finished(inbox, { inputs: [join(inbox, 'tower.jpg')], results: [join(inbox, 'result.jpg')] }),
  )
  watched.running.pop()
  await until('the user’s file is submitted', () => watched.submitted().length === 2)
  await rename(join(inbox, 'result.jpg'), join(inbox, 'renamed.jpg'))
  await settle()
  expect(watched.submitted()).toEqual([['tower.jpg'], ['tower-edited.jpg']])
})

it('files in subfolders of an output folder also wait until our results can be distinguished from other files', async () => {
  const root = await newRoot()
  const inbox = join(root, 'in')
  const below = join(inbox, 'trip', 'day 1')
  await mkdir(below, { recursive: true })
  const output = { kind: 'folder', path: inbox } as const
  const watched = open(root, [folderIn(root, { recursive: true, output })])
  await watched.watch.whenScanned()
  watched.running.push({ outputFolder: inbox })
  for (const name of ['made.jpg', 'tower-web.jpg', 'mine.jpg']) await writeFile(join(below, name), name)
  await settle()
  expect(watched.submitted()).toEqual([])
  const made = { inputs: [join(below, 'tower.jpg')], results: [join(below, 'made.jpg')], complete: false }
  watched.watch.noteFinished(finished(inbox, { ...made, until: Date.now() + 5_000 }))
  watched.running.pop()
  await until('the user’s file is submitted', () => watched.submitted().length === 1)
  await settle()
  expect(watched.submitted()).toEqual([['mine.jpg']])
})

it('leftovers of a failed or forgotten job are recognized by name, even after a restart', async () => {
  const root = await newRoot()
  const inbox = join(root, 'in')
  const folder = folderIn(root, { output: { kind: 'folder', path: inbox } })
  const first = open(root, [folder])
  await first.watch.whenScanned()
  first.running.push({ outputFolder: inbox })
  await writeFile(join(inbox, 'tower-web.jpg'), 'made')
  // A result has the date of its original.
  await utimes(join(inbox, 'tower-web.jpg'), new Date(0), new Date('2019-05-04T12:00:00Z'))
  await writeFile(join(inbox, 'tower2.jpg'), 'by the user')
  await sleep(STABLE_MS * 3)
  first.watch.noteFinished(
    finished(inbox, { inputs: [join(inbox, 'tower.jpg')], complete: false, until: Date.now() + 5_000 }),
  )
  await first.close()
  const again = open(root, [folder])
  await until('the user’s file is submitted', () => again.submitted().length === 1)
  await settle()
  expect(again.submitted()).toEqual([['tower2.jpg']])
})

it('results of jobs that ended while the app was off are looked up', async () => {
  const root = await newRoot()
  const inbox = join(root, 'in')
  const first = open(root)
  await first.watch.whenScanned()
  await first.close()
  await writeFile(join(inbox, 'made.jpg'), 'x')
  const results = [join(inbox, 'made.jpg')]
  const again = open(root, [folderIn(root)], {
    endedInto: (folder, since) =>
      folder === inbox && since < Date.now() ? [finished(inbox, { results })] : [],
  })
  await again.watch.whenScanned()
  await settle()
  expect(again.submitted()).toEqual([])
})

it('new content under the name of an earlier result is not treated as our result', async () => {
  const watched = await openScanned()
  const { inbox } = watched
  watched.watch.noteFinished(
    finished(inbox, { results: [join(inbox, 'made.jpg')], until: Date.now() - 3_600_000 }),
  )
  await writeFile(join(inbox, 'made.jpg'), 'x')
  await until('it is submitted', () => watched.submitted().length === 1)
})

it('an older photo that is copied with its date to a former result’s path is processed', async () => {
  const watched = await openScanned()
  const { root, inbox } = watched
  watched.watch.noteFinished(
    finished(inbox, { results: [join(inbox, 'made.jpg')], until: Date.now() - 3_600_000 }),
  )
  await writeFile(join(root, 'older.jpg'), 'older')
  await utimes(join(root, 'older.jpg'), new Date(0), new Date('2019-05-04T12:00:00Z'))
  await rename(join(root, 'older.jpg'), join(inbox, 'made.jpg'))
  await until('it is submitted', () => watched.submitted().length === 1)
})

it('an output folder behind a link is recognized as the same folder', async () => {
  const root = await newRoot()
  const inbox = join(root, 'in')
  await symlink(root, join(root, 'way'))
  const linked = join(root, 'way', 'in')
  const watched = open(root, [folderIn(root, { path: linked })])
  await watched.watch.whenScanned()
  watched.running.push({ outputFolder: linked })
  await writeFile(join(inbox, 'made.jpg'), 'x')
  await settle()
  expect(watched.submitted()).toEqual([])
  watched.watch.noteFinished(finished(linked, { results: [join(linked, 'made.jpg')] }))
  watched.running.pop()
  await settle()
  expect(watched.submitted()).toEqual([])
})

it('our results are recognized if the clocks differ by at most a minute', async () => {
  const root = await newRoot()
  const store = openProcessedFiles(join(root, 'watch.db'), Date.now)
  onTestFinished(() => store.close())
  const own = createOwnResults(store, { running: () => [], endedInto: () => [] })
  const folder = join(root, 'in')
  const [since, until] = [10_000_000, 20_000_000]
  const originAt = (name: string, changed: number) =>
    own.createClassifier()({
      path: join(folder, name),
      fingerprint: { size: 1, mtime: changed, changed, device: '1', inode: '1' },
    })
  const unfinished = { inputs: [join(folder, 'tower.jpg')], complete: false, since, until }
  own.note(finished(folder, unfinished))
  own.note(finished(folder, { results: [join(folder, 'done.jpg')], since, until }))
  const times = [since - 61_000, since - 59_000, until + 59_000, until + 61_000]
  expect(times.map((at) => originAt('tower-web.jpg', at))).toEqual(['foreign', 'result', 'result', 'foreign'])
  expect([until + 59_000, until + 61_000].map((at) => originAt('done.jpg', at))).toEqual([
    'result',
    'foreign',
  ])
})

it('a folder with originals stays watched while and after jobs save results next to them, which are ignored', async () => {
  const root = await newRoot()
  const folder = join(root, 'in', 'day 1')
  await mkdir(folder, { recursive: true })
  const watched = open(root, [folderIn(root, { recursive: true })])
  watched.running.push({ outputFolder: folder, holdsOriginals: true })
  await watched.watch.whenScanned()
  const [original, result] = ['a.jpg', 'a-web-2048.jpg'].map((name) => join(folder, name))
  if (original === undefined || result === undefined) throw new Error('no names')
  await writeFile(result, 'x')
  await settle()
  expect(watched.submitted()).toEqual([])
  watched.watch.noteFinished(finished(folder, { inputs: [original], results: [result] }))
  watched.running.length = 0
  await writeFile(join(folder, 'new.jpg'), 'x')
  await until('it is submitted', () => watched.submitted().length === 1)
  await settle()
  expect(watched.submitted()).toEqual([['new.jpg']])
})
