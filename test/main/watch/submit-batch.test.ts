import { mkdir, rename, rm, symlink, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { expect, it, vi } from 'vitest'
import { fingerprintFiles, type FoundFile } from '../../../src/main/watch/fingerprint.ts'
import { createSubmitBatch, type SubmitBatchOptions } from '../../../src/main/watch/submit-batch.ts'
import type { Draft, StartResult } from '../../../src/shared/model/draft.ts'
import type { WatchFolder } from '../../../src/shared/model/watch-folder.ts'
import { NO_RULES } from '../../../src/shared/model/folder-rules.ts'
import { holdTime } from './held-time.ts'
import { folderIn, newRoot, offering, openStore } from './watched.ts'

const started: StartResult = { ok: true, ids: [], jobs: [] }
const refused: StartResult = { ok: false, problems: [{ code: 'presetUnknown', preset: 'Gone' }] }

const irreplaceable = (folder: string): StartResult => ({
  ok: false,
  problems: [{ code: 'replaceImpossible', folder, reason: { code: 'readOnly', values: {} } }],
})

const namesOf = (files: readonly FoundFile[]) => files.map(({ path }) => basename(path))
const failing = () => Promise.reject(new Error('disk full'))

async function setUp(folder: Partial<WatchFolder> = {}, change: Partial<SubmitBatchOptions> = {}) {
  const root = await newRoot()
  const time = holdTime()
  const store = openStore(join(root, 'state.db'))
  const submitted: string[][] = []
  const notStarted: string[][] = []
  const changed: string[] = []
  const problems: unknown[] = []
  let keys = 0
  let last: Promise<void> = Promise.resolve()
  const batch = createSubmitBatch({
    folder: () => folderIn(root, { grouping: 'together', windowMs: 100, ...folder }),
    store,
    async start(draft) {
      submitted.push(draft.source.kind === 'files' ? draft.source.items.map(({ name }) => name) : [])
      return started
    },
    wasStarted: () => false,
    confirmStarted: () => undefined,
    isUnderWay: () => false,
    newKey: () => `key-${(keys += 1)}`,
    service: () => offering(null),
    rules: () => NO_RULES,
    own: { isRead: () => false },
    deferred: {
      defer: () => undefined,
      release: () => undefined,
      keepWarned: () => undefined,
      presetOf: () => null,
    },
    root: () => join(root, 'in'),
    clock: Date.now,
    after: time.timing.after,
    inTurn: (work) => (last = work()),
    isOpen: () => true,
    onChanged: ({ path }) => changed.push(basename(path)),
    onTaken: () => undefined,
    onNotStarted: (files) => notStarted.push(namesOf(files)),
    onFailed: () => undefined,
    onProblems: (said) => problems.push(said),
    ...change,
  })
  const at = (name: string) => join(root, 'in', name)
  return {
    batch,
    store,
    submitted,
    notStarted,
    changed,
    problems,
    at,
    put: async (...names: readonly string[]) => {
      for (const name of names) await writeFile(at(name), name)
      return fingerprintFiles(names.map(at))
    },
    windowEnds: async () => {
      time.pass(100)
      await last
    },
  }
}

it('files that arrive within the window are submitted together, without any that changed or disappeared meanwhile, and later ones separately', async () => {
  const { batch, put, at, windowEnds, submitted, changed } = await setUp()
  await batch.add(await put('a.jpg', 'gone.jpg', 'grows.jpg'))
  await batch.add(await put('b.jpg'))
  await rm(at('gone.jpg'))
  await writeFile(at('grows.jpg'), 'much more than before')
  expect(submitted).toEqual([])
  await windowEnds()
  await batch.add(await put('c.jpg'))
  await windowEnds()
  expect(submitted).toEqual([['a.jpg', 'b.jpg'], ['c.jpg']])
  expect(changed).toEqual(['grows.jpg'])
})

it('files that are submitted individually don’t wait for others', async () => {
  const { batch, put, submitted, store } = await setUp({ grouping: 'separate' })
  await batch.add(await put('a.jpg', 'b.jpg'))
  expect(submitted).toEqual([['a.jpg', 'b.jpg']])
  expect(store.count('w')).toBe(2)
  expect(store.unfinished()).toEqual([])
})

it('a failed submission is dropped until the next attempt, and the reason is reported once', async () => {
  let answer: StartResult = refused
  const { batch, put, store, notStarted, problems } = await setUp(
    { windowMs: 0 },
    { start: () => Promise.resolve(answer) },
  )
  const files = await put('a.jpg')
  await batch.add(files)
  await batch.add(files)
  expect(notStarted).toEqual([['a.jpg'], ['a.jpg']])
  expect(problems).toHaveLength(1)
  expect(files.map((file) => store.knows('w', file))).toEqual([null])
  answer = started
  await batch.add(files)
  answer = refused
  await batch.add(await put('b.jpg'))
  expect(problems).toHaveLength(2)
})

it('originals in folders where nothing can be replaced wait, while the others are submitted', async () => {
  const drafts: string[][] = []
  const { batch, put, at, store, notStarted, problems } = await setUp(
    { windowMs: 0 },
    {
      start(draft) {
        const names = draft.source.kind === 'files' ? draft.source.items.map(({ name }) => name) : []
        drafts.push(names)
        return Promise.resolve(names.includes('b.jpg') ? irreplaceable(at('card')) : started)
      },
    },
  )
  await mkdir(at('card'))
  const files = await put('a.jpg', 'card/b.jpg', 'c.jpg')
  await batch.add(files)
  expect(drafts).toEqual([
    ['a.jpg', 'b.jpg', 'c.jpg'],
    ['a.jpg', 'c.jpg'],
  ])
  expect(notStarted).toEqual([['b.jpg']])
  expect(problems).toHaveLength(1)
  expect(files.map((file) => store.knows('w', file) !== null)).toEqual([true, false, true])
  expect(store.unfinished()).toEqual([])
})

it('photos behind a link that has taken the place of a subfolder aren’t accepted, while the others are submitted', async () => {
  const { batch, put, at, store, submitted, notStarted } = await setUp({ windowMs: 0 })
  for (const name of ['../private', 'sub', 'other']) await mkdir(at(name))
  await put('../private/p.jpg', 'sub/p.jpg')
  await rename(at('sub'), at('old'))
  await symlink(at('../private'), at('sub'))
  // Found while the link was there, so its identity is that of the private photo.
  const [behindLink] = await fingerprintFiles([at('sub/p.jpg')])
  await batch.add([...(behindLink === undefined ? [] : [behindLink]), ...(await put('other/q.jpg'))])
  expect(submitted).toEqual([['q.jpg']])
  expect(notStarted).toEqual([['p.jpg']])
  expect(behindLink === undefined || store.knows('w', behindLink)).toBe(null)
})

it.each([
  [['Audio off'], { code: 'presetNotFor', preset: 'Audio off', kind: 'photos' }],
  [['Audio off', 'Web video'], { code: 'noPresetFor', kind: 'photos', count: 1 }],
] as const)(
  'photos that none of the presets %j handles wait and are reported once, while videos are submitted',
  async (presets, problem) => {
    const { batch, put, store, submitted, notStarted, problems } = await setUp(
      { windowMs: 0, presets: [...presets] },
      { service: () => offering({ image: ['Web 2048'], video: ['Audio off', 'Web video'] }) },
    )
    const files = await put('a.jpg', 'b.mp4')
    await batch.add(files)
    await batch.add(files.slice(0, 1))
    await batch.add(await put('c.mp4'))
    await batch.add(files.slice(0, 1))
    expect(submitted).toEqual([['b.mp4'], ['c.mp4']])
    expect(notStarted).toEqual([['a.jpg'], ['a.jpg'], ['a.jpg']])
    expect(problems).toEqual([[problem]])
    expect(files.map((file) => store.knows('w', file) !== null)).toEqual([false, true])
  },
)

it('files that are already done count as processed, without a report', async () => {
  const done: StartResult = { ok: false, problems: [{ code: 'nothingToProcess', count: 2 }] }
  const { batch, put, store, notStarted, problems } = await setUp(
    { windowMs: 0 },
    { start: () => Promise.resolve(done) },
  )
  const files = await put('a.jpg', 'b.jpg')
  await batch.add(files)
  expect(store.count('w')).toBe(2)
  expect(files.every((file) => store.knows('w', file) !== null)).toBe(true)
  expect(store.unfinished()).toEqual([])
  expect([notStarted, problems]).toEqual([[], []])
})

it.each([
  [{}, 'skip'],
  [{ done: 'skip' }, 'skip'],
  [{ done: 'again' }, 'again'],
] as const)(
  'a folder with the settings %j submits files that are already done as %s',
  async (folder, done) => {
    const drafts: Draft[] = []
    const start = async (draft: Draft) => {
      drafts.push(draft)
      return started
    }
    const { batch, put } = await setUp({ windowMs: 0, ...folder }, { start })
    await batch.add(await put('a.jpg'))
    expect(drafts.map((draft) => draft.done)).toEqual([done])
  },
)

it.each([
  ['before it was durable is retried', false, 0],
  ['after it was durable counts as processed', true, 1],
])('a submission that fails %s', async (_, wasStarted, taken) => {
  const { batch, put, store, notStarted } = await setUp(
    { windowMs: 0 },
    { start: failing, wasStarted: () => wasStarted },
  )
  await batch.add(await put('a.jpg'))
  expect(store.count('w')).toBe(taken)
  expect(store.unfinished()).toEqual([])
  expect(notStarted).toHaveLength(1 - taken)
})

it.each(['beginTaking', 'abandonTaking', 'finishTaking'] as const)(
  'files are retried when the database is locked in %s',
  async (step) => {
    const answer = step === 'finishTaking' ? started : refused
    const { batch, put, store, notStarted } = await setUp(
      { windowMs: 0 },
      { start: () => Promise.resolve(answer) },
    )
    vi.spyOn(store, step).mockImplementation(() => {
      throw new Error('database is locked')
    })
    await batch.add(await put('a.jpg'))
    expect(notStarted).toEqual([['a.jpg']])
  },
)

it('nothing more is submitted after closing', async () => {
  const { batch, put, windowEnds, submitted } = await setUp()
  await batch.add(await put('a.jpg'))
  batch.close()
  await windowEnds()
  expect(submitted).toEqual([])
})
