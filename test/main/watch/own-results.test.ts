import { createHash } from 'node:crypto'
import { copyFile, mkdir, rename, symlink, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import type { FinishedJob, NotedResult } from '../../../src/main/watch/index.ts'
import type { WatchFolder } from '../../../src/shared/model/watch-folder.ts'
import { finishedJob, folderIn, newRoot, open, openScanned, scanned, settle, until } from './watched.ts'
import { itInLongSuite } from '../../faults/long-suite.ts'

const finished = (outputFolder: string, change: Partial<FinishedJob> = {}) =>
  finishedJob({ outputFolder, ...change })

const sha256 = (content: string): string => createHash('sha256').update(content).digest('hex')

/** What the built-in service notes before it places a result. */
const noted = (path: string, content: string): NotedResult => ({
  path,
  size: Buffer.byteLength(content),
  content: sha256(content),
  at: Date.now(),
})

/** Watches a folder whose jobs run at a built-in service, which notes the given results. */
async function openNoting(change: Partial<WatchFolder> = {}, root?: string) {
  const notes: NotedResult[] = []
  const watched = await openScanned(change, { takePlaced: (keep) => keep(notes.splice(0)) }, root)
  return { ...watched, notes }
}

it('a photo in an output folder inside the watched folder is processed, and the results there aren’t', async () => {
  const root = await newRoot()
  const output = { kind: 'folder', path: join(root, 'in', 'done', 'web') } as const
  const { notes, ...watched } = await openNoting({ recursive: true, output }, root)
  watched.settings.update({ recentOutputs: [output.path], defaultOutput: output })
  await mkdir(join(output.path, 'more'), { recursive: true })
  for (const path of [join(output.path, 'result.jpg'), join(output.path, 'more', 'result.jpg')]) {
    notes.push(noted(path, path))
    await writeFile(path, path)
  }
  await writeFile(join(output.path, 'mine.jpg'), 'x')
  await watched.submitsOnly([['mine.jpg']])
})

itInLongSuite(
  'a folder that was once an output is watched like any other, even after a restart',
  async () => {
    const first = await openScanned({ recursive: true })
    const results = join(first.inbox, 'results')
    await mkdir(results)
    await writeFile(join(results, 'a.jpg'), 'made')
    first.watch.noteFinished(finished(results, { results: [join(results, 'a.jpg')] }))
    await settle()
    await writeFile(join(results, 'b.jpg'), 'new')
    await until('it is submitted', () => first.submitted().length === 1)
    await first.close()
    const again = await openScanned({ recursive: true }, {}, first.root)
    await writeFile(join(results, 'c.jpg'), 'newer')
    await again.submits([['b.jpg'], ['c.jpg']])
  },
)

itInLongSuite('ignores a result that the user has saved to the watched folder', async () => {
  const watched = await openScanned()
  const { root } = watched
  await symlink(watched.inbox, join(root, 'link'))
  for (const file of [join(watched.inbox, 'saved.jpg'), join(root, 'link', 'saved too.jpg')]) {
    await writeFile(file, 'x')
    await watched.watch.noteResult(file)
  }
  await writeFile(join(watched.inbox, 'mine.jpg'), 'another')
  await watched.submitsOnly([['mine.jpg']])
})

it('results saved to the watched folder itself are not processed, but other files are', async () => {
  const root = await newRoot()
  const inbox = join(root, 'in')
  const watched = await scanned(open(root, [folderIn(root, { output: { kind: 'folder', path: inbox } })]))
  await writeFile(join(inbox, 'tower.jpg'), 'original')
  await until('it is submitted', () => watched.submitted().length === 1)

  watched.busyFolders.push(inbox)
  await writeFile(join(inbox, 'result.jpg'), 'made')
  await writeFile(join(inbox, 'tower-edited.jpg'), 'by the user')
  await watched.submitsOnly([['tower.jpg']])

  watched.watch.noteFinished(
    finished(inbox, { inputs: [join(inbox, 'tower.jpg')], results: [join(inbox, 'result.jpg')] }),
  )
  watched.busyFolders.pop()
  await until('the user’s file is submitted', () => watched.submitted().length === 2)
  await rename(join(inbox, 'result.jpg'), join(inbox, 'renamed.jpg'))
  await watched.submitsOnly([['tower.jpg'], ['tower-edited.jpg']])
})

itInLongSuite(
  'files in subfolders of an output folder also wait until our results can be distinguished from other files',
  async () => {
    const root = await newRoot()
    const inbox = join(root, 'in')
    const below = join(inbox, 'trip', 'day 1')
    await mkdir(below, { recursive: true })
    const output = { kind: 'folder', path: inbox } as const
    const watched = await scanned(open(root, [folderIn(root, { recursive: true, output })]))
    watched.busyFolders.push(inbox)
    for (const name of ['made.jpg', 'tower-web.jpg']) await writeFile(join(below, name), name)
    await watched.submitsOnly([])
    const made = { inputs: [join(below, 'tower.jpg')], results: [join(below, 'made.jpg')] }
    watched.watch.noteFinished(finished(inbox, { ...made, until: Date.now() + 5_000 }))
    watched.busyFolders.pop()
    await watched.submitsOnly([['tower-web.jpg']])
  },
)

itInLongSuite(
  'after a failed job, only what its service noted is left out, and new files named after its inputs are processed',
  async () => {
    const { inbox, notes, ...watched } = await openNoting()
    watched.busyFolders.push(inbox)
    const result = join(inbox, 'scan-web.jpg')
    notes.push(noted(result, 'a result'))
    await writeFile(result, 'a result')
    await writeFile(join(inbox, 'scan 2.jpg'), 'another scan')
    await settle()
    watched.watch.noteFinished(finished(inbox, { inputs: [join(inbox, 'scan.jpg')] }))
    watched.busyFolders.pop()
    await writeFile(join(inbox, 'scan_3.jpg'), 'a third scan')
    await until('both are submitted', () => watched.submitted().length === 2)
    await rename(result, join(inbox, 'renamed.jpg'))
    await copyFile(join(inbox, 'renamed.jpg'), join(inbox, 'copied.jpg'))
    await settle()
    expect(watched.submitted().flat().toSorted()).toEqual(['scan 2.jpg', 'scan_3.jpg'])
  },
)

it('another file at the path of a noted result is processed, even with its size and date', async () => {
  const { inbox, notes, ...watched } = await openNoting()
  const path = join(inbox, 'made.jpg')
  notes.push(noted(path, 'a result'))
  await writeFile(path, 'a photo!')
  await until('it is submitted', () => watched.submitted().length === 1)
})

itInLongSuite(
  'a service that fails without a report and whose results are processed doesn’t get their results again and again',
  async () => {
    const watched = await openScanned()
    const { inbox } = watched
    let n = 0
    /** A job that creates a file, and ends without reporting it. */
    async function failOver(input: string): Promise<void> {
      watched.busyFolders.push(inbox)
      await writeFile(join(inbox, input.replace('.jpg', '-web.jpg')), `made of ${input}`)
      await settle()
      n += 1
      watched.watch.noteFinished(
        finished(inbox, { id: `job ${n}`, inputs: [join(inbox, input)], complete: false }),
      )
      watched.busyFolders.pop()
    }
    await writeFile(join(inbox, 'tower.jpg'), 'photo')
    await until('it is submitted', () => watched.submitted().length === 1)
    await failOver('tower.jpg')
    await until('its result is in doubt, so it is submitted', () => watched.submitted().length === 2)
    await failOver('tower-web.jpg')
    await watched.submitsOnly([['tower.jpg'], ['tower-web.jpg']])
    await writeFile(join(inbox, 'tower2.jpg'), 'another photo')
    await until('it is submitted', () => watched.submitted().length === 3)
  },
)

itInLongSuite('results of jobs that ended while the app was off are looked up', async () => {
  const root = await newRoot()
  const inbox = join(root, 'in')
  const first = await scanned(open(root))
  await first.close()
  await writeFile(join(inbox, 'made.jpg'), 'x')
  const results = [join(inbox, 'made.jpg')]
  const again = open(root, [folderIn(root)], {
    endedInto: (folder, since) =>
      folder === inbox && since < Date.now() ? [finished(inbox, { results })] : [],
  })
  await again.watch.whenScanned()
  await again.submitsOnly([])
})

itInLongSuite(
  'if a result is a copy of its original, the user’s own copies are processed, but not the result',
  async () => {
    const watched = await openNoting()
    const result = join(watched.inbox, 'photo-mail.jpg')
    watched.notes.push({ ...noted(result, 'photo'), isCopy: true })
    await writeFile(result, 'photo')
    await writeFile(join(watched.inbox, 'photo copy.jpg'), 'photo')
    await watched.submitsOnly([['photo copy.jpg']])
  },
)

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

itInLongSuite('an output folder behind a link is recognized as the same folder', async () => {
  const root = await newRoot()
  const inbox = join(root, 'in')
  await symlink(root, join(root, 'way'))
  const linked = join(root, 'way', 'in')
  const watched = await scanned(open(root, [folderIn(root, { path: linked })]))
  watched.busyFolders.push(linked)
  await writeFile(join(inbox, 'made.jpg'), 'x')
  await watched.submitsOnly([])
  watched.watch.noteFinished(finished(linked, { results: [join(linked, 'made.jpg')] }))
  watched.busyFolders.pop()
  await watched.submitsOnly([])
})

itInLongSuite(
  'a folder with originals stays watched while and after jobs save results next to them, which are ignored',
  async () => {
    const root = await newRoot()
    const folder = join(root, 'in', 'day 1')
    await mkdir(folder, { recursive: true })
    const watched = open(root, [folderIn(root, { recursive: true })])
    watched.busyFolders.push(folder)
    await watched.watch.whenScanned()
    const [original, result] = [join(folder, 'a.jpg'), join(folder, 'a-web-2048.jpg')]
    await writeFile(result, 'x')
    await watched.submitsOnly([])
    watched.watch.noteFinished(finished(folder, { inputs: [original], results: [result] }))
    watched.busyFolders.length = 0
    await writeFile(join(folder, 'new.jpg'), 'new')
    await watched.submitsOnly([['new.jpg']])
  },
)
