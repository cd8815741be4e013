import { appendFile, mkdir, rename, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import type { Draft, StartResult } from '../../../src/shared/model/draft.ts'
import { holdTime } from './held-time.ts'
import { plansIn } from '../outbox/drafts.ts'
import { folderIn, newRoot, open, openScanned, settle, STABLE_MS, until } from './watched.ts'
import { itInLongSuite } from '../../faults/long-suite.ts'

/** A check interval long enough that only the files' own timers fire during a test. */
const SELDOM_MS = 3_600_000

it('a new photo is submitted with the folder’s preset, output and variations', async () => {
  const watched = await openScanned({ presets: ['Web 2048'], variations: 3 })
  await writeFile(join(watched.inbox, 'tower.JPG'), 'photo')
  await until('it is submitted', () => watched.submitted().length === 1)
  expect(plansIn(watched.outbox)[0]).toMatchObject({
    items: [{ path: join(watched.inbox, 'tower.JPG'), name: 'tower.JPG', kind: 'image', size: 5 }],
    preset: 'Web 2048',
    output: { kind: 'folder', path: join(watched.root, 'out') },
    variations: 3,
  })
  await until('it is counted', () => watched.watch.list()[0]?.taken === 1)
})

it('a file that is written slowly is processed once, when complete', async () => {
  const { timing, dueWithin, pass } = holdTime()
  const watched = await openScanned({}, { timing, checkMs: SELDOM_MS })
  const path = join(watched.inbox, 'clip.mp4')
  await appendFile(path, 'x'.repeat(1000))
  await until('it is seen', () => dueWithin(STABLE_MS * 2) > 0)
  for (let part = 1; part < 12; part += 1) {
    await appendFile(path, 'x'.repeat(1000))
    pass(STABLE_MS * 0.7)
    await until('it is pending again', () => dueWithin(STABLE_MS * 2) > 0)
    expect(watched.submitted()).toEqual([])
  }
  await until('it is submitted', () => {
    pass(STABLE_MS)
    return watched.submitted().length === 1
  })
  await settle()
  expect(plansIn(watched.outbox).map(({ items }) => items[0]?.size)).toEqual([12_000])
})

itInLongSuite('photos are retried whose submission failed', async () => {
  const { timing, pass } = holdTime()
  let tries = 0
  async function start(): Promise<StartResult> {
    tries += 1
    if (tries === 1) throw new Error('disk I/O error')
    return { ok: true, ids: [], jobs: [] }
  }
  const options = { timing, checkMs: SELDOM_MS, start }
  const watched = await openScanned({ grouping: 'together', windowMs: 10_000 }, options)
  await writeFile(join(watched.inbox, 'a.jpg'), 'x')
  const passUntil = (what: string, holds: () => boolean) =>
    until(what, () => {
      pass(1_000)
      return holds()
    })
  await passUntil('it is tried', () => tries === 1)
  await passUntil('it is retried', () => tries === 2)
  await passUntil('it is counted', () => watched.watch.list()[0]?.taken === 1)
})

it('a download is processed only under its final name', async () => {
  const watched = await openScanned()
  const temporary = ['a.jpg.crdownload', 'b.mp4.part', 'c.png.tmp', '.d.jpg', '~$e.jpg', 'f.part.mp4']
  for (const name of [...temporary, '.mediatray-g.jpg']) await writeFile(join(watched.inbox, name), 'x')
  await watched.submitsOnly([])
  await rename(join(watched.inbox, 'a.jpg.crdownload'), join(watched.inbox, 'a.jpg'))
  await watched.submitsOnly([['a.jpg']])
})

it('a processed file is processed again with other content, but not under another name', async () => {
  const watched = await openScanned()
  await writeFile(join(watched.inbox, 'one.jpg'), 'first')
  await until('it is submitted', () => watched.submitted().length === 1)
  await rename(join(watched.inbox, 'one.jpg'), join(watched.inbox, 'two.jpg'))
  await watched.submitsOnly([['one.jpg']])
  await writeFile(join(watched.inbox, 'two.jpg'), 'second content')
  await watched.submitsOnly([['one.jpg'], ['two.jpg']])
})

it('subfolders are watched only if the watched folder includes them', async () => {
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
  await watched.submitsOnly([['deep.jpg']])
})

itInLongSuite.each(['together', 'separate'] as const)(
  'a thousand simultaneous files are each processed once (%s), with few state changes',
  async (grouping) => {
    const { timing, pass } = holdTime()
    const watched = await openScanned({ grouping, windowMs: 500 }, { timing })
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

it('a disabled folder processes nothing, and a change of its preset applies immediately', async () => {
  const watched = await openScanned({ enabled: false })
  const { root } = watched
  await writeFile(join(watched.inbox, 'early.jpg'), 'x')
  await watched.submitsOnly([])
  expect(watched.watch.list()).toMatchObject([{ id: 'w', enabled: false, taken: 0 }])
  const { id, ...folder } = folderIn(root, { presets: ['New'] })
  watched.watch.save({ id, folder })
  await watched.watch.whenScanned()
  await watched.watch.answer({ id, take: false })
  await writeFile(join(watched.inbox, 'late.jpg'), 'x')
  await until('it is submitted', () => watched.submitted().length === 1)
  expect(watched.outbox.list()[0]?.title.preset).toBe('New')
  watched.watch.remove(id)
  await watched.watch.whenScanned()
  await writeFile(join(watched.inbox, 'after.jpg'), 'x')
  await watched.submitsOnly([['late.jpg']])
  expect(watched.watch.list()).toEqual([])
})

itInLongSuite(
  'of several folders that are the same, only the first one is watched, and the next one as soon as that ends',
  async () => {
    const root = await newRoot()
    await symlink(join(root, 'in'), join(root, 'link'))
    const paths = [`${root}/in/`, join(root, 'link')]
    const others = paths.map((path, index) => folderIn(root, { id: `other${index}`, path }))
    const watched = open(root, [folderIn(root), ...others])
    const { watch } = watched
    await watch.whenScanned()
    await writeFile(join(watched.inbox, 'a.jpg'), 'x')
    await watched.submitsOnly([['a.jpg']])
    const repeated = { enabled: true, trouble: 'repeated' }
    expect(watch.list()).toMatchObject([{ trouble: null }, repeated, repeated])
    watch.remove('w')
    await until(
      'another one is watched',
      () => watch.list().filter(({ trouble }) => trouble === null).length === 1,
    )
  },
)

itInLongSuite(
  'a folder that is disabled later keeps its count, and processes files again once it is enabled',
  async () => {
    const watched = await openScanned()
    const { root, settings, watch } = watched
    await writeFile(join(watched.inbox, 'before.jpg'), 'before')
    await until('it is counted', () => watch.list()[0]?.taken === 1)
    settings.update({ watchFolders: [folderIn(root, { enabled: false })] })
    await watch.whenScanned()
    await writeFile(join(watched.inbox, 'meanwhile.jpg'), 'meanwhile')
    await watched.submitsOnly([['before.jpg']])
    expect(watch.list()).toMatchObject([{ id: 'w', enabled: false, trouble: null, question: null, taken: 1 }])
    settings.update({ watchFolders: [folderIn(root)] })
    await watch.whenScanned()
    await writeFile(join(watched.inbox, 'after.jpg'), 'after')
    await until('it is submitted', () => watched.submitted().flat().includes('after.jpg'))
  },
)

it('a share without change events is scanned periodically', async () => {
  const watched = await openScanned({}, { needsPolling: () => Promise.resolve(true), pollMs: 100 })
  await writeFile(join(watched.inbox, 'shared.jpg'), 'x')
  await watched.submits([['shared.jpg']])
})

it('a draft that can’t be started is reported once, kept, and retried after a change', async () => {
  let isPossible = false
  const asked: (string | undefined)[] = []
  async function start({ presets }: Draft): Promise<StartResult> {
    if (!isPossible) return { ok: false, problems: [{ code: 'presetUnknown', preset: 'Gone' }] }
    asked.push(presets[0])
    return { ok: true, ids: [], jobs: [] }
  }
  const watched = await openScanned({}, { start })
  await writeFile(join(watched.inbox, 'a.jpg'), 'x')
  await until('it is reported', () => watched.troubles.length === 1)
  expect(watched.troubles).toMatchObject([
    { kind: 'notStarted', problems: [{ code: 'presetUnknown', preset: 'Gone' }] },
  ])
  isPossible = true
  const { id, ...folder } = folderIn(watched.root, { presets: ['There'] })
  watched.watch.save({ id, folder })
  await until('it is started', () => asked.length === 1)
  expect(asked).toEqual(['There'])
})
