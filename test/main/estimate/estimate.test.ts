import { describe, expect, it } from 'vitest'
import { settingsText } from '../../../src/shared/model/estimate.ts'
import { createEstimates, unsavedPreset, type Trials } from '../../../src/main/estimate/estimate.ts'
import { createStateStore } from '../../../src/main/state/state.ts'
import { Preset } from '../../../src/shared/preset/preset.ts'
import type { Draft } from '../../../src/shared/model/draft.ts'
import type { MediaItem } from '../../../src/shared/model/media-item.ts'
import type { History } from '../../../src/main/history/index.ts'
import { loss, lossReason } from '../../../src/shared/loss/loss.ts'
import { emptyState } from '../state/empty-state.ts'

const photo = (name: string) => ({ path: `/in/${name}`, name, kind: 'image' as const, size: 1_000 })
const video = (name: string) => ({ path: `/in/${name}`, name, kind: 'video' as const, size: 1_000 })

const documentOf = (preset: Readonly<Record<string, unknown>>) => ({
  name: String(preset['name']),
  text: JSON.stringify(preset),
  preset: Preset.parse(preset),
  problems: [],
  fault: null,
  origin: 'own' as const,
  unsaved: null,
})

function begin(kind: 'builtIn' | 'external' | null = 'builtIn') {
  const connection = { ...emptyState.connection, kind }
  const state = createStateStore({ ...emptyState, connection })
  const tried: [string, string][] = []
  const past: {
    readonly preset: string
    readonly baseUrl: string
    readonly job: ReturnType<History['pastJobs']>[number]
  }[] = []
  const trials: Pick<Trials, 'estimate' | 'foresee' | 'close'> = {
    estimate({ path, recipe }) {
      tried.push([path.slice(4), recipe.kind === 'image' ? recipe.image.format : recipe.video.codec])
      const estimate = { bytes: 300, milliseconds: 50, spread: 0 }
      return Promise.resolve({ kind: 'estimate', estimate, startMs: 0 })
    },
    foresee({ path, identity, recipe }) {
      const isLost =
        path.endsWith('.tif') &&
        identity !== 'one page' &&
        recipe.kind === 'image' &&
        recipe.image.format !== 'tiff'
      const why = lossReason('holdsOnePage', { format: 'WebP' })
      const losses = isLost ? [loss('pages', { count: 4, first: 2, last: 5 }, why)] : []
      const pages = path.endsWith('.tif') ? 3 : 1
      return Promise.resolve({
        kind: 'foreseen',
        losses,
        holds: { pages, chapters: 0, keepsHdr: false, resultFormat: 'WebP' },
      })
    },
    close: () => tried.push(['', 'closed']),
  }
  const documents = [
    documentOf({ name: 'Web', image: { format: 'webp' } }),
    documentOf({ name: 'Fits', image: { format: 'jpeg', maxBytes: 400 } }),
    documentOf({ name: 'Clip', video: { codec: 'h264' } }),
  ]
  const estimates = createEstimates({
    state,
    presets: {
      find: (names) => Promise.resolve(names.map((name) => documents.find((one) => one.name === name))),
    },
    trials,
    pastJobs: ({ preset, baseUrl }) =>
      past.filter((job) => job.preset === preset && job.baseUrl === baseUrl).map(({ job }) => job),
    cores: 2,
    log: () => {},
  })
  const draft = (change: Partial<Draft>) => state.set({ draft: { ...state.get().draft, ...change } })
  const items = (...all: readonly MediaItem[]) => draft({ source: { kind: 'files', items: all } })
  return { state, tried, past, estimates, draft, items }
}

const exactly = (value: number) => ({ low: value, likely: value, high: value })

type Begun = ReturnType<typeof begin>
const becomes = ({ state }: Begun, estimate: unknown) =>
  expect.poll(() => state.get().estimate?.total).toMatchObject(estimate as object)

const foresees = ({ state }: Begun, expected: unknown) =>
  expect.poll(() => state.get().foreseen).toEqual(expected)

/** Shows the estimate of a draft with these files. */
function visible(
  files: readonly MediaItem[],
  change: Partial<Draft> = {},
  kind?: Parameters<typeof begin>[0],
) {
  const all = begin(kind)
  all.items(...files)
  all.draft(change)
  all.estimates.setVisible(true)
  return all
}

/** The estimate for the whole draft. */
const shownEstimate = ({ estimates, state }: Begun) => estimates.snapshot()(state.get().draft)

it('follows the draft and its preset while it is visible', async () => {
  const all = begin()
  all.items(photo('a.jpg'))
  all.draft({ presets: ['Web'] })
  expect(all.tried).toEqual([])
  all.estimates.setVisible(true)
  await becomes(all, { kind: 'known', bytes: { likely: 300 }, inputBytes: 1_000, isGrowing: false })
  all.draft({ variations: 3 })
  await becomes(all, { bytes: { likely: 900 } })
  all.draft({ presets: ['Fits'] })
  await becomes(all, { atMostBytes: 1_200 })
  expect(all.tried).toEqual([
    ['a.jpg', 'webp'],
    ['a.jpg', 'jpeg'],
  ])
})

it('returns the visible estimate of the current draft, to be stored with its submission', async () => {
  const all = begin()
  all.items(photo('a.jpg'))
  all.draft({ presets: ['Web'] })
  expect(shownEstimate(all)).toBeUndefined()
  all.estimates.setVisible(true)
  await becomes(all, { kind: 'known', isGrowing: false })
  expect(shownEstimate(all)).toEqual({
    bytes: exactly(300),
    milliseconds: { low: 45, likely: 50, high: 55 },
  })
  // The estimate that stays visible for a moment belongs to the previous preset.
  all.draft({ presets: ['Fits'] })
  expect(shownEstimate(all)).toBeUndefined()
  await becomes(all, { atMostBytes: 400 })
  all.estimates.setVisible(false)
  expect(shownEstimate(all)).toBeUndefined()
})

it('provides the visible estimate of each part that is started separately', async () => {
  const all = begin()
  const files = Array.from({ length: 30 }, (_, index) => photo(`${index}.jpg`))
  all.items(...files)
  all.draft({ presets: ['Web'], variations: 2 })
  all.estimates.setVisible(true)
  await becomes(all, { kind: 'known', isGrowing: false })
  const { draft } = all.state.get()
  const ofPart = all.estimates.snapshot()
  const part = (items: typeof files) => ({ ...draft, source: { kind: 'files' as const, items } })
  const untried = files.filter(({ name }) => !all.tried.some(([path]) => path === name))
  expect(untried.length).toBeGreaterThan(3)
  expect(ofPart(part(untried.slice(0, 3)))?.bytes.likely).toBe(1_800)
  expect(ofPart(part(files))).toEqual(shownEstimate(all))
  expect(ofPart({ ...part(files), presets: ['Fits'] })).toBeUndefined()
})

it('uses unsaved settings while they are visible, without storing them', async () => {
  const all = begin()
  all.items(photo('a.jpg'), video('b.mp4'))
  all.draft({ presets: ['Web'] })
  const both = { name: 'Web', image: { format: 'avif' }, video: { codec: 'av1' } }
  all.estimates.setUnsavedPreset(unsavedPreset(both, 'image'))
  await becomes(all, { kind: 'known', inputBytes: 1_000 })
  expect(all.state.get().estimateWith).toBe(settingsText(both, 'image'))
  expect(shownEstimate(all)).toBeUndefined()
  all.estimates.setUnsavedPreset(unsavedPreset(both, 'video'))
  expect(all.state.get()).toMatchObject({ estimate: null, estimateWith: settingsText(both, 'video') })
  await expect.poll(() => all.tried).toHaveLength(2)
  // The new job can become visible before or after the preset editor closes.
  all.estimates.setVisible(true)
  all.estimates.setUnsavedPreset(null)
  await expect.poll(() => all.tried).toHaveLength(3)
  await expect.poll(() => shownEstimate(all)).toBeDefined()
  all.estimates.setVisible(false)
  expect(all.state.get()).toMatchObject({ estimate: null, estimateWith: null })
  expect(all.tried).toEqual([
    ['a.jpg', 'avif'],
    ['b.mp4', 'av1'],
    ['a.jpg', 'webp'],
  ])
  expect(unsavedPreset({ name: 'Web', image: { format: 'bmp' } }, 'image')).toBeNull()
})

it('uses the basic defaults if no preset is selected', async () => {
  const all = visible([photo('a.jpg'), video('b.mp4')])
  await becomes(all, { kind: 'known', bytes: { likely: 600 } })
  expect(all.tried).toEqual([
    ['a.jpg', 'same'],
    ['b.mp4', 'h264'],
  ])
})

it('leaves out files that the preset doesn’t cover', async () => {
  const all = visible([photo('a.jpg'), video('b.mp4')], { presets: ['Web'] })
  await becomes(all, { kind: 'known', inputBytes: 1_000 })
  expect(all.tried).toEqual([['a.jpg', 'webp']])
})

it('uses past jobs of another service once there are enough, without trials', async () => {
  const all = visible([photo('a.jpg'), photo('b.jpg')], { presets: ['Web'] }, 'external')
  await becomes(all, { kind: 'unknown', why: 'noHistory' })
  const { baseUrl } = all.state.get().connection
  const job = { kind: 'image', files: 4, variations: 1, inputBytes: 4_000, resultBytes: 1_200 } as const
  const more = { preset: 'Web', baseUrl, job: { ...job, milliseconds: null } }
  all.past.push(more, more, more)
  all.state.set({ historyVersion: 3 })
  await becomes(all, { kind: 'known', inputBytes: 2_000, bytes: { likely: 600 }, milliseconds: null })
  expect(shownEstimate(all)).toMatchObject({ bytes: { likely: 600 }, milliseconds: null })
  all.draft({ presets: ['Fits'] })
  expect(shownEstimate(all)).toBeUndefined()
  await becomes(all, { kind: 'unknown', why: 'noHistory' })
  all.estimates.setVisible(false)
  expect(all.state.get().estimate).toBeNull()
  expect(all.tried).toEqual([])
})

it.each(['no service', 'a drive folder', 'an unknown preset'])('gives no estimate for %s', async (what) => {
  const all = begin(what === 'no service' ? null : 'builtIn')
  all.items(photo('a.jpg'))
  if (what === 'a drive folder') all.draft({ source: { kind: 'drive', folderId: 'x' } })
  if (what === 'an unknown preset') all.draft({ presets: ['Gone'] })
  all.estimates.setVisible(true)
  for (let turn = 0; turn < 20; turn += 1) await new Promise(setImmediate)
  expect([all.state.get().estimate, all.tried]).toEqual([null, []])
})

it('does not follow changes once it is closed', async () => {
  const all = begin()
  all.estimates.setVisible(true)
  all.estimates.close()
  all.items(photo('a.jpg'))
  for (let turn = 0; turn < 20; turn += 1) await new Promise(setImmediate)
  expect(all.tried).toEqual([['', 'closed']])
})

const lines = ({ state }: Begun) =>
  state
    .get()
    .estimate?.presets.map(({ preset, estimate }) => [
      preset,
      estimate.kind === 'known' ? estimate.bytes.likely : estimate.why,
    ])

describe('several presets', () => {
  it('are estimated one by one, in turns, and add up to a total', async () => {
    const all = visible([photo('a.jpg'), photo('b.jpg')], { presets: ['Fits', 'Web'] })
    await becomes(all, {
      kind: 'known',
      bytes: { likely: 1_200 },
      inputBytes: 2_000,
      atMostBytes: null,
      isGrowing: false,
    })
    expect(lines(all)).toEqual([
      ['Fits', 600],
      ['Web', 600],
    ])
    expect(all.tried.slice(0, 4).map(([, format]) => format)).toEqual(['jpeg', 'webp', 'jpeg', 'webp'])
  })

  it('keep their measurements when another preset is added or removed', async () => {
    const all = visible([photo('a.jpg')], { presets: ['Web'] })
    await becomes(all, { kind: 'known', bytes: { likely: 300 } })
    all.draft({ presets: ['Web', 'Fits'] })
    await becomes(all, { kind: 'known', bytes: { likely: 600 } })
    all.draft({ presets: ['Web'] })
    await becomes(all, { kind: 'known', bytes: { likely: 300 } })
    expect(all.tried).toEqual([
      ['a.jpg', 'webp'],
      ['a.jpg', 'jpeg'],
    ])
  })

  it('leave out a preset that handles none of the files', async () => {
    const all = visible([photo('a.jpg')], { presets: ['Web', 'Clip'] })
    await becomes(all, { kind: 'known', bytes: { likely: 300 } })
    expect(lines(all)).toEqual([['Web', 300]])
  })

  it('have no total while one of them is unknown', async () => {
    const all = begin('external')
    all.items(photo('a.jpg'), photo('b.jpg'))
    all.draft({ presets: ['Web', 'Fits'] })
    const { baseUrl } = all.state.get().connection
    const job = {
      kind: 'image',
      files: 4,
      variations: 1,
      inputBytes: 4_000,
      resultBytes: 1_200,
      milliseconds: null,
    } as const
    const past = { preset: 'Web', baseUrl, job }
    all.past.push(past, past, past)
    all.estimates.setVisible(true)
    await becomes(all, { kind: 'unknown', why: 'noHistory' })
    expect(lines(all)).toEqual([
      ['Web', 600],
      ['Fits', 'noHistory'],
    ])
  })
})

const withPages = () => visible([photo('a.tif'), photo('b.tif'), photo('c.jpg')], { presets: ['Web'] })

describe('what the results will lose', () => {
  const pages = { code: 'pages', why: lossReason('holdsOnePage', { format: 'WebP' }), files: 2 }
  const lost = { files: 2, kinds: [pages], keeping: { format: 'tiff', files: 2 } }

  it('is known while the draft is visible, and follows its files and presets', async () => {
    const all = withPages()
    await foresees(all, lost)
    const held = { code: 'pages', count: 3, keptBy: null }
    expect(new Set(all.state.get().contents)).toEqual(
      new Set(['/in/a.tif', '/in/b.tif'].map((path) => ({ path, ...held }))),
    )
    all.items(photo('b.tif'), photo('c.jpg'))
    await foresees(all, { files: 1, kinds: [{ ...pages, files: 1 }], keeping: { format: 'tiff', files: 1 } })
    all.items(photo('a.tif'), photo('b.tif'))
    await foresees(all, lost)
    all.draft({ presets: ['Web', 'Fits'] })
    const { keeping: _, ...withoutChoice } = lost
    await foresees(all, withoutChoice)
    // A variation differs from its original on purpose.
    all.draft({ variations: 2 })
    await foresees(all, null)
    all.draft({ variations: 1, presets: ['Web'] })
    await foresees(all, lost)
    const paths = ['/in/a.tif', '/in/b.tif']
    const { paths: found, ...keeping } = all.estimates.keepingFormat() ?? { paths: [] }
    expect([keeping, found.toSorted((one, other) => one.localeCompare(other))]).toEqual([
      { format: 'tiff', others: 'WebP' },
      paths,
    ])
    // Another change of format isn't offered, even if this one keeps nothing.
    all.draft({ otherFormat: { format: 'tiff', preset: 'Fits', paths: paths.slice(1) } })
    await foresees(all, withoutChoice)
    all.draft({ otherFormat: undefined })
    await foresees(all, lost)
    all.estimates.setVisible(false)
    expect(all.state.get().foreseen).toBeNull()
  })

  it('is read again for another file at the same path', async () => {
    const all = withPages()
    await foresees(all, lost)
    all.items({ ...photo('a.tif'), identity: 'one page' }, photo('b.tif'))
    await foresees(all, { files: 1, kinds: [{ ...pages, files: 1 }], keeping: { format: 'tiff', files: 1 } })
  })

  it('leaves out what the user doesn’t miss', async () => {
    const all = withPages()
    await foresees(all, lost)
    const { settings } = all.state.get()
    all.state.set({ settings: { ...settings, fineLosses: { Web: ['pages'] } } })
    await foresees(all, null)
  })

  it('isn’t known with another service', async () => {
    const all = visible([photo('a.tif')], { presets: ['Web'] }, 'external')
    await becomes(all, { kind: 'unknown' })
    expect(all.state.get().foreseen).toBeNull()
  })
})
