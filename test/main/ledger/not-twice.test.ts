import {
  appendFile,
  chmod,
  copyFile,
  mkdir,
  mkdtemp,
  readFile,
  rename,
  rm,
  stat,
  utimes,
  writeFile,
} from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { hashRow } from '../../../src/main/ledger/index.ts'
import type { Core } from '../../../src/main/core/index.ts'
import type { Draft, StartResult } from '../../../src/shared/model/draft.ts'
import type { PartDetails } from '../../../src/shared/model/job.ts'
import { openTestCore, openUntilEnd, samples, startDraft, stateWhen, useBuiltIn } from '../core/open-core.ts'
import { temporaryFolder } from '../../temporary-folder.ts'
import { smallDisk } from '../../e2e/support/small-disk.ts'
import { itInLongSuite, describeInLongSuite } from '../../faults/long-suite.ts'

const PHOTO = join(samples, 'dawn-upright.jpg')
const LONG_AGO = new Date('2024-05-01T10:00:00Z')

/** One app for all tests. Each has photos with its own content, so that the ledger knows nothing about them. */
let shared: Core
let data = ''
let content = Buffer.alloc(0)
let tests = 0

beforeAll(async () => {
  data = await mkdtemp(join(tmpdir(), 'mediatray-ledger-'))
  shared = await openTestCore(data)
  await useBuiltIn(shared)
})
beforeEach(async () => {
  content = Buffer.concat([await readFile(PHOTO), Buffer.from(String(tests++))])
})
afterAll(async () => {
  await shared.close()
  await rm(data, { recursive: true, force: true })
})

/** An app whose ledger has only what the test enters. */
async function openAlone(): Promise<Core> {
  const core = await openUntilEnd(temporaryFolder())
  await useBuiltIn(core)
  return core
}

async function photoAt(path: string): Promise<string> {
  await writeFile(path, content)
  await utimes(path, LONG_AGO, LONG_AGO)
  return path
}

/** Changes a file's content, but not its size and its times. */
async function editInvisibly(path: string): Promise<void> {
  const { atime, mtime } = await stat(path)
  const bytes = await readFile(path)
  bytes[bytes.length - 1] = 255 - (bytes.at(-1) ?? 0)
  await writeFile(path, bytes)
  await utimes(path, atime, mtime)
}

const draftOf = (core: Core, paths: readonly string[], more: Partial<Draft> = {}): Draft => ({
  ...core.drafts.defaultDraft(),
  source: {
    kind: 'files',
    items: paths.map((path) => ({ path, name: basename(path), kind: 'image', size: 1 })),
  },
  presets: ['Thumbnail'],
  done: 'skip',
  ...more,
})

/** A draft of a photo that needs an alias. */
async function draftWithAlias(core: Core) {
  const path = await photoAt(join(temporaryFolder(), 'one.jpe'))
  const item = { path, name: 'one.jpe', kind: 'image', size: 1, format: 'jpg' } as const
  return { path, draft: draftOf(core, [], { source: { kind: 'files', items: [item] } }) }
}

const start = (core: Core, draft: Draft): Promise<StartResult> =>
  core.drafts.startDraft(draft, { split: false, grace: 0 })

/** Runs a draft. @returns its record, once its results have been measured */
async function run(core: Core, draft: Draft): Promise<PartDetails> {
  const id = await startDraft(core, draft)
  await stateWhen(core, () => typeof core.history.details(id)?.resultBytes === 'number')
  const record = core.history.details(id)
  if (record === undefined) throw new Error('The record is gone.')
  return record
}

async function openWithPhoto(core = shared) {
  const folder = temporaryFolder()
  const photo = await photoAt(join(folder, 'one.jpg'))
  const record = await run(core, draftOf(core, [photo]))
  const result = record.results[0]?.outputPath ?? ''
  const nothing = { ok: false, problems: [{ code: 'nothingToProcess', count: 1 }] }
  return { core, folder, photo, result, nothing }
}

const isDone = async (core: Core, path: string, more: Partial<Draft> = {}): Promise<boolean> =>
  (await core.done.find(draftOf(core, [path], more))).some((file) => file.isDone)

describe('a file that a job has processed', () => {
  it('is not processed again with the same preset, under any name', async () => {
    const { core, folder, photo, nothing } = await openWithPhoto()
    expect(await start(core, draftOf(core, [photo]))).toEqual(nothing)
    const copy = await photoAt(join(folder, 'copy.jpg'))
    expect(await start(core, draftOf(core, [copy]))).toEqual(nothing)
    await rename(photo, join(folder, 'moved.jpg'))
    expect(await start(core, draftOf(core, [join(folder, 'moved.jpg')]))).toEqual(nothing)
  })

  itInLongSuite('is not processed again if it is dated ahead', async () => {
    const { core, folder, nothing } = await openWithPhoto()
    const path = await photoAt(join(folder, 'ahead.jpg'))
    await appendFile(path, 'another content')
    const ahead = new Date(Date.now() + 600_000)
    await utimes(path, ahead, ahead)
    await run(core, draftOf(core, [path]))
    expect(await start(core, draftOf(core, [path]))).toEqual(nothing)
  })

  it('is left out of a job with other files', async () => {
    const { core, folder, photo } = await openWithPhoto()
    const other = join(folder, 'other.jpg')
    await copyFile(join(samples, 'harbour-ultra-hdr.jpg'), other).catch(() =>
      writeFile(other, 'another content'),
    )
    const started = await start(core, draftOf(core, [photo, other]))
    expect(started).toMatchObject({ ok: true, skipped: 1 })
    const [id] = started.ok ? started.ids : []
    expect(id && core.outbox.get(id)?.plan.items.map(({ path }) => path)).toEqual([other])
  })

  itInLongSuite(
    'doesn’t keep other originals from being replaced because its folder can’t be written',
    async ({ skip }) => {
      const { core, folder } = await openWithPhoto()
      const card = join(folder, 'card')
      using disk = smallDisk(card, '20m')
      if (disk === undefined) return skip('Only root can mount a small disk')
      const done = await photoAt(join(card, 'done.jpg'))
      const other = join(folder, 'other.jpg')
      await writeFile(other, Buffer.concat([content, Buffer.from('another content')]))
      disk.makeReadOnly()
      const replacing = { output: { kind: 'replace' } } as const
      expect(await isDone(core, done, replacing)).toBe(true)
      expect(await start(core, draftOf(core, [done, other], replacing))).toMatchObject({
        ok: true,
        skipped: 1,
      })
      const problems = [{ code: 'replaceImpossible', folder: card }]
      const again = draftOf(core, [done, other], { ...replacing, done: 'again' })
      expect(await start(core, again)).toMatchObject({ ok: false, problems })
    },
  )

  it('is processed again with another preset, with more variations, or if the user asks', async () => {
    const { core, photo } = await openWithPhoto()
    expect(await isDone(core, photo)).toBe(true)
    expect(await isDone(core, photo, { presets: [] })).toBe(false)
    expect(await isDone(core, photo, { variations: 2 })).toBe(false)
    expect(await start(core, draftOf(core, [photo], { done: 'again' }))).toMatchObject({ ok: true })
  })

  itInLongSuite('is not replaced twice by two retries of the same job', async () => {
    const core = shared
    const folder = temporaryFolder()
    const paths = [await photoAt(join(folder, 'one.jpg')), join(folder, 'two.jpg')]
    await copyFile(join(samples, 'dawn-upright.jpg'), paths[1] ?? '')
    await appendFile(paths[1] ?? '', 'another content')
    const draft = draftOf(core, paths, { output: { kind: 'replace' } })
    const canceled = await core.drafts.startDraft(draft, { split: false, grace: 600_000 })
    const [id] = canceled.ok ? canceled.ids : []
    if (id === undefined) throw new Error(JSON.stringify(canceled))
    await core.cancelParts(id, 'job')
    await stateWhen(core, () => core.history.details(id)?.outcome !== null)
    const retry = core.history.draftFrom(id, 'failed')
    if (retry?.source.kind !== 'files') throw new Error('The record has no failed files.')
    const [first] = retry.source.items
    if (first === undefined) throw new Error('The record has no files.')
    const replaced = await run(core, { ...retry, source: { kind: 'files', items: [first] } })
    await vi.waitUntil(() => core.history.details(replaced.id)?.replaced !== null, 60_000)
    const second = core.history.draftFrom(id, 'failed')
    const started = second && (await start(core, second))
    expect(started).toMatchObject({ ok: true, skipped: 1 })
  })

  it('is not done once its result is gone or has changed', async () => {
    const { core, photo, result } = await openWithPhoto()
    const bytes = await readFile(result)
    await appendFile(result, 'more')
    expect(await isDone(core, photo)).toBe(false)
    await rm(result)
    expect(await isDone(core, photo)).toBe(false)
    expect(bytes.length).toBeGreaterThan(0)
  })

  itInLongSuite(
    'is not processed again if it returns to a watched folder under its name after its result was moved',
    async () => {
      const { core, folder, photo, result, nothing } = await openWithPhoto()
      await expect.poll(() => core.history.ledger.at(photo)[0]?.content ?? null).not.toBeNull()
      await rename(result, join(folder, 'album.webp'))
      const watched = (path: string, more: Partial<Draft> = {}) =>
        core.drafts.startDraft({ ...draftOf(core, [path], more), watched: 'w' }, { split: false, grace: 0 })
      await mkdir(join(folder, 'sub'))
      const [returned, renamed] = [join(folder, 'sub', 'one.jpg'), join(folder, 'two.jpg')]
      for (const copy of [returned, renamed]) await photoAt(copy)
      await rm(photo)
      expect(await watched(returned)).toEqual(nothing)
      expect(await watched(renamed)).toMatchObject({ ok: true })
      expect(await watched(returned, { done: 'again' })).toMatchObject({ ok: true })
    },
  )

  it('is not done once it has been edited in place, even if it has its size and time again', async () => {
    const { core, photo } = await openWithPhoto()
    await editInvisibly(photo)
    expect(await isDone(core, photo)).toBe(false)
  })

  itInLongSuite('is hashed once after its permissions have changed, and is still done', async () => {
    const { core, folder, photo } = await openWithPhoto(await openAlone())
    expect(await isDone(core, await photoAt(join(folder, 'copy.jpg')))).toBe(true)
    await chmod(photo, 0o600)
    const hashed = vi.spyOn(core.history.ledger, 'cacheContent')
    expect(await isDone(core, photo)).toBe(true)
    expect(await isDone(core, photo)).toBe(true)
    expect(hashed).toHaveBeenCalledTimes(1)
  })

  itInLongSuite(
    'with an alias is recognized without being read, although its links changed one of its times',
    async () => {
      const core = await openAlone()
      const { path, draft } = await draftWithAlias(core)
      const { inputs } = await run(core, draft)
      expect(inputs).toMatchObject([{ path, identity: expect.stringMatching(/^\d+:\d+:/) }])
      const hashed = vi.spyOn(core.history.ledger, 'cacheContent')
      expect(await core.done.find(draft)).toMatchObject([{ path, isDone: true }])
      expect(hashed).not.toHaveBeenCalled()
    },
  )

  itInLongSuite.each([
    ['one after the other', [['Thumbnail'], ['Grayscale']]],
    ['at once', [['Thumbnail', 'Grayscale']]],
  ])('with aliases for several presets, %s, is done with each of them', async (_, jobs) => {
    const core = shared
    const { path, draft } = await draftWithAlias(core)
    for (const presets of jobs) {
      const started = await start(core, { ...draft, presets })
      const ids = started.ok ? started.ids : []
      expect(ids).toHaveLength(presets.length)
      await stateWhen(core, () =>
        ids.every((id) => typeof core.history.details(id)?.resultBytes === 'number'),
      )
    }
    const presets = jobs.flat()
    expect(await core.done.find({ ...draft, presets })).toMatchObject([{ path, isDone: true, presets }])
  })

  itInLongSuite('is not done once it has been edited in place between two presets', async () => {
    const { core, photo } = await openWithPhoto()
    await editInvisibly(photo)
    const item = { path: photo, name: 'one.jpg', kind: 'image', size: 1, format: 'jpg' } as const
    const several = { source: { kind: 'files', items: [item] }, presets: ['Grayscale'] } as const
    await run(core, draftOf(core, [], several))
    expect(await isDone(core, photo)).toBe(false)
  })

  it('is not done once the preset has been edited, but is if the preset has only been renamed', async () => {
    const { core, photo } = await openWithPhoto()
    const file = join(data, 'service/presets/thumbnail.json')
    const text = await readFile(file, 'utf8')
    onTestFinished(() => writeFile(file, text))
    const document = JSON.parse(text) as { name: string; image: object }
    await writeFile(file, JSON.stringify({ ...document, name: 'Tiny' }))
    expect(await isDone(core, photo, { presets: ['Tiny'] })).toBe(true)
    const image = { ...document.image, grayscale: true, colour: 'gray' }
    await writeFile(file, JSON.stringify({ ...document, image }))
    expect(await isDone(core, photo)).toBe(false)
  })

  it('is known by name for another service', async () => {
    const { core, photo } = await openWithPhoto()
    const target = 'http://127.0.0.1:3847/api'
    expect(await core.done.find(draftOf(core, [photo]), { target })).toEqual([])
  })
})

describe('a file that is itself a result', () => {
  it('is not processed with the same preset, and names it', async () => {
    const { core, folder, result } = await openWithPhoto()
    const inPlace = { path: result, isDone: false, presets: [], resultOf: { preset: 'Thumbnail' } }
    expect(await core.done.find(draftOf(core, [result], { presets: [] }))).toMatchObject([inPlace])
    const copy = join(folder, 'copy.jpg')
    await copyFile(result, copy)
    await utimes(copy, LONG_AGO, LONG_AGO)
    expect(await isDone(core, copy)).toBe(true)
    await rm(result)
    expect(await isDone(core, copy)).toBe(true)
  })
})

/** Processes two photos with the same content in one job, and hashes what the ledger has. */
async function openWithTwins() {
  const core = shared
  const folder = temporaryFolder()
  const photos = [await photoAt(join(folder, 'one.jpg')), await photoAt(join(folder, 'two.jpg'))] as const
  const { results } = await run(core, draftOf(core, photos))
  const { ledger } = core.history
  for (let row = ledger.nextPending(0); row !== undefined; row = ledger.nextPending(row.id))
    await hashRow(row, { ledger, clock: Date.now })
  return { core, folder, photos, results: results.map(({ outputPath }) => outputPath) }
}

describeInLongSuite('files with the same content', () => {
  itInLongSuite('stay done after the result of another one is gone, also in other places', async () => {
    for (const lost of [0, 1]) {
      const { core, folder, photos, results } = await openWithTwins()
      await rm(results[lost] ?? '')
      for (const photo of photos) expect(await isDone(core, photo), photo).toBe(true)
      expect(await isDone(core, await photoAt(join(folder, 'copy.jpg')))).toBe(true)
      await rm(results[1 - lost] ?? '')
      for (const photo of photos) expect(await isDone(core, photo), photo).toBe(false)
    }
  })

  it('have results that are all known, and not processed with their own preset', async () => {
    const { core, results } = await openWithTwins()
    expect(await core.done.findResults(draftOf(core, results))).toMatchObject(
      results.map((path) => ({ path, resultOf: { preset: 'Thumbnail' } })),
    )
    const both = await core.done.findResults(draftOf(core, results, { presets: ['Thumbnail', 'Grayscale'] }))
    expect(both).toHaveLength(2)
  })
})

async function openWithResult() {
  const { core, results } = await openWithTwins()
  const [result = ''] = results
  const found = async () => (await core.done.findResults(draftOf(core, [result]))).length
  expect(await found()).toBe(1)
  return { result, found }
}

describeInLongSuite('a result with its size and date of before', () => {
  it('is still one after its permissions have changed', async () => {
    const { result, found } = await openWithResult()
    await chmod(result, 0o600)
    expect(await found()).toBe(1)
  })

  it('isn’t one after an edit', async () => {
    const { result, found } = await openWithResult()
    await editInvisibly(result)
    expect(await found()).toBe(0)
  })
})

it('shows in the state which of the draft’s files are done', async () => {
  const { core, folder, photo } = await openWithPhoto()
  const other = join(folder, 'other.jpg')
  await writeFile(other, 'something else')
  core.drafts.store.change({ presets: ['Thumbnail'] })
  await core.intake.add([photo, other])
  const { doneFiles } = await stateWhen(core, (state) => state.doneFiles?.kind === 'known')
  expect(doneFiles).toMatchObject({
    kind: 'known',
    done: [{ path: photo, isDone: true, presets: ['Thumbnail'] }],
  })
  core.drafts.store.clear()
  expect(core.state.get().doneFiles).toBeNull()
})
