import { expect, it, vi } from 'vitest'
import { settingsText } from '../../../src/shared/model/forecast.ts'
import { createForecasts, unsavedPreset, type Trials } from '../../../src/main/forecast/forecast.ts'
import { createStateStore } from '../../../src/main/state/state.ts'
import { Preset } from '../../../src/shared/preset/preset.ts'
import type { Draft } from '../../../src/shared/model/draft.ts'
import type { PastJob } from '../../../src/shared/model/forecast.ts'
import { emptyState } from '../state/empty-state.ts'

const photo = (name: string) => ({ path: `/in/${name}`, name, kind: 'image' as const, size: 1_000 })
const film = (name: string) => ({ path: `/in/${name}`, name, kind: 'video' as const, size: 1_000 })

const documentOf = (preset: Readonly<Record<string, unknown>>) => ({
  name: String(preset['name']),
  text: JSON.stringify(preset),
  forPhotos: true,
  forVideos: false,
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
  const past: { readonly preset: string; readonly baseUrl: string; readonly job: PastJob }[] = []
  const trials: Trials = {
    run({ path, recipe }) {
      tried.push([path.slice(4), recipe.kind === 'image' ? recipe.image.format : recipe.video.codec])
      return Promise.resolve({ bytes: 300, milliseconds: 50, spread: 0, startMs: 0 })
    },
    close: () => tried.push(['', 'closed']),
  }
  const documents = [
    documentOf({ name: 'Web', image: { format: 'webp' } }),
    documentOf({ name: 'Fits', image: { format: 'jpeg', maxBytes: 400 } }),
  ]
  const forecasts = createForecasts({
    state,
    presets: { list: () => Promise.resolve({ documents }) },
    trials,
    pastJobs: ({ preset, baseUrl }) =>
      past.filter((job) => job.preset === preset && job.baseUrl === baseUrl).map(({ job }) => job),
    cores: 2,
    log: () => {},
  })
  const draft = (change: Partial<Draft>) => state.set({ draft: { ...state.get().draft, ...change } })
  const items = (...all: readonly ReturnType<typeof photo | typeof film>[]) =>
    draft({ source: { kind: 'files', items: all } })
  return { state, tried, past, forecasts, draft, items }
}

const exactly = (value: number) => ({ low: value, likely: value, high: value })

type Begun = ReturnType<typeof begin>
const becomes = ({ state }: Begun, forecast: unknown) =>
  vi.waitFor(() => expect(state.get().forecast).toMatchObject(forecast as object))

/** Of all of the draft. */
const onShow = ({ forecasts, state }: Begun) => forecasts.onShow()(state.get().draft)

it('follows the draft and its preset while somebody looks', async () => {
  const all = begin()
  all.items(photo('a.jpg'))
  all.draft({ preset: 'Web' })
  expect(all.tried).toEqual([])
  all.forecasts.look(true)
  await becomes(all, { kind: 'known', bytes: { likely: 300 }, inputBytes: 1_000, isGrowing: false })
  all.draft({ variations: 3 })
  await becomes(all, { bytes: { likely: 900 } })
  all.draft({ preset: 'Fits' })
  await becomes(all, { atMostBytes: 1_200 })
  expect(all.tried).toEqual([
    ['a.jpg', 'webp'],
    ['a.jpg', 'jpeg'],
  ])
})

it('hands on what is on show of the draft as it is, to be kept with what is started of it', async () => {
  const all = begin()
  all.items(photo('a.jpg'))
  all.draft({ preset: 'Web' })
  expect(onShow(all)).toBeUndefined()
  all.forecasts.look(true)
  await becomes(all, { kind: 'known', isGrowing: false })
  expect(onShow(all)).toEqual({
    bytes: exactly(300),
    milliseconds: { low: 45, likely: 50, high: 55 },
  })
  // What is still on show for a moment is not of this preset.
  all.draft({ preset: 'Fits' })
  expect(onShow(all)).toBeUndefined()
  await becomes(all, { atMostBytes: 400 })
  all.forecasts.look(false)
  expect(onShow(all)).toBeUndefined()
})

it('knows of each part that is started by itself what was on show of it', async () => {
  const all = begin()
  const files = Array.from({ length: 30 }, (_, index) => photo(`${index}.jpg`))
  all.items(...files)
  all.draft({ preset: 'Web', variations: 2 })
  all.forecasts.look(true)
  await becomes(all, { kind: 'known', isGrowing: false })
  const { draft } = all.state.get()
  const ofPart = all.forecasts.onShow()
  const part = (items: typeof files) => ({ ...draft, source: { kind: 'files' as const, items } })
  const untried = files.filter(({ name }) => !all.tried.some(([path]) => path === name))
  expect(untried.length).toBeGreaterThan(3)
  expect(ofPart(part(untried.slice(0, 3)))?.bytes.likely).toBe(1_800)
  expect(ofPart(part(files))).toEqual(onShow(all))
  expect(ofPart({ ...part(files), preset: 'Fits' })).toBeUndefined()
})

it('goes by settings that are not saved while somebody looks at them, and keeps nothing of it', async () => {
  const all = begin()
  all.items(photo('a.jpg'), film('b.mp4'))
  all.draft({ preset: 'Web' })
  const both = { name: 'Web', image: { format: 'avif' }, video: { codec: 'av1' } }
  all.forecasts.lookWith(unsavedPreset(both, 'image'))
  await becomes(all, { kind: 'known', inputBytes: 1_000 })
  expect(all.state.get().forecastWith).toBe(settingsText(both, 'image'))
  expect(onShow(all)).toBeUndefined()
  all.forecasts.lookWith(unsavedPreset(both, 'video'))
  expect(all.state.get()).toMatchObject({ forecast: null, forecastWith: settingsText(both, 'video') })
  await vi.waitFor(() => expect(all.tried).toHaveLength(2))
  // Who comes back to the new job looks before the studio is gone, or after.
  all.forecasts.look(true)
  all.forecasts.lookWith(null)
  await vi.waitFor(() => expect(all.tried).toHaveLength(3))
  await vi.waitFor(() => expect(onShow(all)).toBeDefined())
  all.forecasts.look(false)
  expect(all.state.get()).toMatchObject({ forecast: null, forecastWith: null })
  expect(all.tried).toEqual([
    ['a.jpg', 'avif'],
    ['b.mp4', 'av1'],
    ['a.jpg', 'webp'],
  ])
  expect(unsavedPreset({ name: 'Web', image: { format: 'bmp' } }, 'image')).toBeNull()
})

it('goes by the basic defaults where no preset is chosen', async () => {
  const all = begin()
  all.items(photo('a.jpg'), film('b.mp4'))
  all.forecasts.look(true)
  await becomes(all, { kind: 'known', bytes: { likely: 600 } })
  expect(all.tried).toEqual([
    ['a.jpg', 'same'],
    ['b.mp4', 'h264'],
  ])
})

it('leaves out what the preset is not for', async () => {
  const all = begin()
  all.items(photo('a.jpg'), film('b.mp4'))
  all.draft({ preset: 'Web' })
  all.forecasts.look(true)
  await becomes(all, { kind: 'known', inputBytes: 1_000 })
  expect(all.tried).toEqual([['a.jpg', 'webp']])
})

it('goes by the earlier jobs of another service, as soon as there are enough, and tries nothing', async () => {
  const all = begin('external')
  all.items(photo('a.jpg'), photo('b.jpg'))
  all.draft({ preset: 'Web' })
  all.forecasts.look(true)
  await becomes(all, { kind: 'unknown', why: 'noHistory' })
  const { baseUrl } = all.state.get().connection
  const job = { kind: 'image', files: 4, variations: 1, inputBytes: 4_000, resultBytes: 1_200 } as const
  const more = { preset: 'Web', baseUrl, job: { ...job, milliseconds: null } }
  all.past.push(more, more, more)
  all.state.set({ historyVersion: 3 })
  await becomes(all, { kind: 'known', inputBytes: 2_000, bytes: { likely: 600 }, milliseconds: null })
  expect(onShow(all)).toMatchObject({ bytes: { likely: 600 }, milliseconds: null })
  all.draft({ preset: 'Fits' })
  expect(onShow(all)).toBeUndefined()
  await becomes(all, { kind: 'unknown', why: 'noHistory' })
  all.forecasts.look(false)
  expect(all.state.get().forecast).toBeNull()
  expect(all.tried).toEqual([])
})

it.each(['no service', 'a drive folder', 'an unknown preset'])('says nothing of %s', async (what) => {
  const all = begin(what === 'no service' ? null : 'builtIn')
  all.items(photo('a.jpg'))
  if (what === 'a drive folder') all.draft({ source: { kind: 'drive', folderId: 'x' } })
  if (what === 'an unknown preset') all.draft({ preset: 'Gone' })
  all.forecasts.look(true)
  for (let turn = 0; turn < 20; turn += 1) await new Promise(setImmediate)
  expect([all.state.get().forecast, all.tried]).toEqual([null, []])
})

it('is forgotten when nobody looks any more, and made again when somebody does', async () => {
  const all = begin()
  all.items(photo('a.jpg'))
  all.forecasts.look(true)
  await becomes(all, { kind: 'known' })
  all.forecasts.look(false)
  expect(all.state.get().forecast).toBeNull()
  all.items(photo('b.jpg'))
  all.forecasts.look(true)
  await becomes(all, { kind: 'known' })
  expect(all.tried.map(([name]) => name)).toEqual(['a.jpg', 'b.jpg'])
})

it('follows nothing once it is closed', async () => {
  const all = begin()
  all.forecasts.look(true)
  all.forecasts.close()
  all.items(photo('a.jpg'))
  for (let turn = 0; turn < 20; turn += 1) await new Promise(setImmediate)
  expect(all.tried).toEqual([['', 'closed']])
})
