import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import type { FolderRule, FolderRules } from '../../../src/shared/model/folder-rules.ts'
import { plansIn } from '../outbox/drafts.ts'
import { folderIn, newRoot, open } from './watched.ts'
import { itInLongSuite } from '../../faults/long-suite.ts'

const ignore = (...when: FolderRule['when']): FolderRule => ({ id: 'r', when, action: { do: 'ignore' } })
const RULES: FolderRules = {
  rules: [
    ignore({ about: 'name', matches: true, pattern: 'Screenshot*' }),
    ignore({ about: 'kind', is: 'video' }),
    ignore(
      { about: 'dimensions', side: 'width', compare: 'more', pixels: 1_000 },
      { about: 'kind', is: 'image' },
    ),
  ],
  rest: 'process',
}
/** The header of a PNG file with these dimensions. */
const png = (width: number, height: number): Buffer => {
  const header = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex')
  const sides = Buffer.alloc(8)
  sides.writeUInt32BE(width, 0)
  sides.writeUInt32BE(height, 4)
  return Buffer.concat([header, sides, Buffer.alloc(40)])
}

/** A disabled folder, so that nothing is submitted in the meantime. */
async function openWith(files: Readonly<Record<string, string | Buffer>>, recursive = true) {
  const root = await newRoot()
  for (const [name, content] of Object.entries(files)) {
    await mkdir(join(root, 'in', name, '..'), { recursive: true })
    await writeFile(join(root, 'in', name), content)
  }
  const output = { kind: 'folder', path: join(root, 'in', 'results') } as const
  const watched = open(root, [folderIn(root, { recursive, output, enabled: false })])
  watched.settings.update({ folderRules: { w: RULES } })
  await watched.watch.whenScanned()
  return watched
}

it('counts the files that are in the folder now by the first rule that matches, and starts nothing', async () => {
  const { watch, outbox, inbox } = await openWith({
    'Screenshot 1.png': png(5_000, 10),
    'clip.mov': '\0\0\0\x14ftypqt  \0\0\0\0qt  ',
    'a/wide.png': png(1_001, 10),
    'a/b/narrow.png': png(1_000, 10),
    'a/photo without ending': png(10, 10),
    'notes.txt': 'not a photo',
    'empty.jpg': '',
    '.hidden.jpg': 'x',
    'copy.jpg.part': 'x',
  })
  const dryRun = await watch.dryRuns.run('w')
  expect(dryRun).toMatchObject({ files: 5, stopped: false })
  expect(dryRun?.rules.map(({ files, listed }) => [files, ...listed.map(({ name }) => name)])).toEqual([
    [1, 'Screenshot 1.png'],
    [1, 'clip.mov'],
    [1, 'wide.png'],
    [2, 'narrow.png', 'photo without ending'],
  ])
  expect(dryRun?.rules[2]?.listed[0]).toMatchObject({
    path: join(inbox, 'a/wide.png'),
    size: png(1, 1).length,
    header: { width: 1_001, height: 10, duration: null },
  })
  expect(plansIn(outbox)).toEqual([])
  expect(watch.list()[0]).toMatchObject({ taken: 0, trying: null })
})

it('leaves out subfolders that the folder doesn’t include, and results that were saved among the originals', async () => {
  const { watch, inbox } = await openWith(
    { 'a.png': png(1, 1), 'saved.png': png(2, 1), 'a/b.png': png(1, 1) },
    false,
  )
  await watch.noteResult(join(inbox, 'saved.png'))
  expect((await watch.dryRuns.run('w'))?.rules.at(-1)?.listed.map(({ name }) => name)).toEqual(['a.png'])
})

itInLongSuite('lists the first 50 files of a rule and counts all', async () => {
  const names = Array.from({ length: 60 }, (_, n) => `IMG_${100 + n}.png`)
  const { watch } = await openWith(Object.fromEntries(names.map((name) => [name, png(1, 1)])))
  const rest = (await watch.dryRuns.run('w'))?.rules.at(-1)
  expect(rest?.files).toBe(60)
  expect(rest?.listed.map(({ name }) => name)).toEqual(names.slice(0, 50))
})

it('a stopped dry run ends with what it has found', async () => {
  const names = Array.from({ length: 300 }, (_, n) => `${n}.png`)
  const { watch } = await openWith(Object.fromEntries(names.map((name) => [name, png(1, 1)])))
  const running = watch.dryRuns.run('w')
  expect(watch.list()[0]?.trying).toBe(0)
  watch.dryRuns.stop('w')
  const dryRun = await running
  expect(dryRun?.stopped).toBe(true)
  expect(dryRun?.files).toBeLessThan(300)
  expect(watch.list()[0]?.trying).toBe(null)
})

it('a second dry run stops the first', async () => {
  const { watch } = await openWith({ 'a.png': png(1, 1) })
  const [first, second] = await Promise.all([watch.dryRuns.run('w'), watch.dryRuns.run('w')])
  expect([first?.stopped, second?.stopped]).toEqual([true, false])
  expect(second?.files).toBe(1)
})

it('a dry run of a missing folder fails, and one of a folder with unreadable rules isn’t run', async () => {
  const { watch, settings, inbox } = await openWith({})
  await rm(inbox, { recursive: true })
  await expect(watch.dryRuns.run('w')).rejects.toThrow('ENOENT')
  settings.update({ folderRules: { w: null } })
  expect(await watch.dryRuns.run('w')).toBeUndefined()
  expect(await watch.dryRuns.run('unknown')).toBeUndefined()
})
