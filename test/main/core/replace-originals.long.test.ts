import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, it, vi } from 'vitest'
import type { Core } from '../../../src/main/core/index.ts'
import type { MediaItem } from '../../../src/shared/model/media-item.ts'
import type { RecordId } from '../../../src/shared/model/ids.ts'
import type { PartDetails } from '../../../src/shared/model/job.ts'
import { printFile } from '../../../src/main/ledger/index.ts'
import { withFault } from '../../faults/vault/failing-steps.ts'
import { samplePhoto } from '../../media/image/process-photo.ts'
import { openUntilEnd, useBuiltIn } from './open-core.ts'
import { temporaryFolder } from '../../temporary-folder.ts'
import { itInLongSuite, firstOf } from '../../faults/long-suite.ts'

/** Creates folders with photos, as a user's library. */
async function library(root: string, names: readonly string[]): Promise<readonly MediaItem[]> {
  const content = await samplePhoto(1_200, 800).jpeg({ quality: 95 }).toBuffer()
  return names.map((name) => {
    const path = join(root, name)
    mkdirSync(join(path, '..'), { recursive: true })
    writeFileSync(path, content)
    return { path, name: name.split('/').at(-1) ?? name, kind: 'image', size: content.length }
  })
}

const isReplaced = ({ replaced }: PartDetails) => replaced !== null

async function replace(core: Core, items: readonly MediaItem[]): Promise<readonly PartDetails[]> {
  const ids = await startReplacing(core, items)
  const recordsNow = () => ids.flatMap((id) => core.history.details(id) ?? [])
  await vi.waitUntil(() => recordsNow().length > 0 && recordsNow().every(isReplaced), 60_000)
  return recordsNow()
}

async function startReplacing(core: Core, items: readonly MediaItem[]): Promise<readonly RecordId[]> {
  await useBuiltIn(core)
  core.drafts.store.add(items, [])
  core.drafts.store.change({ output: { kind: 'replace' }, presets: ['Web 1080p'] })
  const started = await core.drafts.start({ split: false, grace: 0 })
  if (!started.ok) throw new Error(JSON.stringify(started.problems))
  return started.ids
}

itInLongSuite('the history knows what recovery restored after an undo was killed', async () => {
  const folder = temporaryFolder()
  const core = await openUntilEnd(folder)
  const [item] = await library(join(folder, 'photos'), ['a.jpg'])
  if (item === undefined) throw new Error('There is no photo.')
  const [record] = await replace(core, [item])
  if (record === undefined) throw new Error('The job has no record.')
  for (let step = 1; existsSync(item.path); step++)
    await withFault({ kind: 'kill', step }, async () => void (await core.replacing.undo(record)))
  await expect(core.replacing.recover()).resolves.toMatchObject([{ became: 'restored' }])
  expect(core.history.details(record.id)?.replaced).toEqual({ replaced: 0, kept: 0, restored: 1 })
})

/** Whether the ledger knows the file that is at a path now as a result. */
async function isKnownResult(core: Core, path: string): Promise<boolean> {
  const now = await printFile(path, () => Number.POSITIVE_INFINITY)
  return core.history.ledger.at(path).some(({ role, print }) => role === 'result' && print === now?.print)
}

it.each(
  firstOf([
    [
      'a new photo under the name of a result that was moved away',
      (photos: string, content: Buffer) => {
        renameSync(join(photos, 'a.jpg'), join(photos, '..', 'moved.jpg'))
        writeFileSync(join(photos, 'a.jpg'), content)
      },
    ],
    [
      'a photo behind a link that leads elsewhere now',
      (photos: string, content: Buffer) => {
        const other = join(photos, '..', 'other')
        mkdirSync(other)
        for (const name of ['a.jpg', 'b.jpg']) writeFileSync(join(other, name), content)
        rmSync(photos)
        symlinkSync(other, photos)
      },
    ],
  ]),
)('an undo doesn’t make a result of %s', async (_, change) => {
  const folder = temporaryFolder()
  const core = await openUntilEnd(folder)
  const photos = join(folder, 'photos')
  mkdirSync(join(folder, 'real'))
  symlinkSync(join(folder, 'real'), photos)
  const items = await library(photos, ['a.jpg', 'b.jpg', 'c.jpg'])
  const [a = '', b = '', c = ''] = items.map(({ path }) => path)
  const [record] = await replace(core, items)
  if (record === undefined) throw new Error('The job has no record.')
  await core.measured()
  expect(await Promise.all([a, b, c].map((path) => isKnownResult(core, path)))).toEqual([true, true, true])
  change(photos, await samplePhoto(900, 600).jpeg({ quality: 90 }).toBuffer())
  await core.replacing.undo(record, [b])
  await core.measured()
  expect(await isKnownResult(core, a)).toBe(false)
  await core.replacing.redo(record, [b])
  await core.measured()
  expect(await Promise.all([a, c].map((path) => isKnownResult(core, path)))).toEqual([false, existsSync(c)])
})

it('a job waits, with a notice, while its preset can’t be kept, and replaces the originals afterward', async () => {
  const folder = temporaryFolder()
  const core = await openUntilEnd(folder)
  const items = await library(join(folder, 'photos'), ['a.jpg'])
  const inTheWay = join(folder, 'service', 'presets', '.used')
  mkdirSync(dirname(inTheWay), { recursive: true })
  writeFileSync(inTheWay, '')
  const [id] = await startReplacing(core, items)
  if (id === undefined) throw new Error('nothing was started')
  const noticesNow = () => core.state.get().notices
  await vi.waitUntil(() => noticesNow().length > 0, 60_000)
  expect(noticesNow()).toMatchObject([{ kind: 'dataNotWritten', why: 'failed' }])
  expect(core.outbox.get(id)?.state.kind).toBe('waiting')
  rmSync(inTheWay)
  core.sender.wake()
  await vi.waitUntil(() => core.history.details(id)?.replaced?.replaced === 1, 60_000)
  expect(noticesNow()).toEqual([])
})

it.each(
  firstOf([
    ['lost', (file: string) => rmSync(file)],
    ['changed', (file: string) => writeFileSync(file, '{"name":"Web 1080p"}')],
  ]),
)('keeps the originals if the document of the preset that the job used is %s', async (_, change) => {
  const folder = temporaryFolder()
  const core = await openUntilEnd(folder)
  const items = await library(join(folder, 'photos'), ['a.jpg'])
  const before = items.map(({ path }) => readFileSync(path))
  core.events.on('submissionAccepted', () => {
    const kept = join(folder, 'service', 'presets', '.used')
    for (const name of existsSync(kept) ? readdirSync(kept) : []) change(join(kept, name))
  })
  const [record] = await replace(core, items)
  expect(record && core.replacing.of(record)).toMatchObject([
    { state: { kind: 'kept', why: 'unchecked', result: join(folder, 'photos', 'a (2).jpg') } },
  ])
  expect(items.map(({ path }) => readFileSync(path).equals(before[0] ?? Buffer.alloc(0)))).toEqual([true])
})
