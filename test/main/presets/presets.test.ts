import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { createPresetFiles } from '../../../src/main/presets/presets.ts'
import { openPresetStore } from '../../../src/service/presets/presets.ts'

let root: string
let folder: string
const files = () => createPresetFiles({ folder })
const text = (document: object) => JSON.stringify(document)

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'mediatray-presets-'))
  folder = join(root, 'presets')
})
afterEach(() => rm(root, { recursive: true, force: true }))

it('there are none before the service has run', async () => {
  expect(await files().list()).toEqual([])
})

it('what is saved is offered by a running service at its next look', async () => {
  const store = await openPresetStore({ folder, log: () => {} })
  expect(await files().save({ text: text({ name: 'Mine', image: {} }), replaces: null })).toEqual({
    ok: true,
  })
  await store.refresh()
  expect(store.list().image).toContain('Mine')
  await files().remove('Mine')
  await store.refresh()
  expect(store.list().image).not.toContain('Mine')
})

it('the documents say for what they are, and keep the text that was typed', async () => {
  const typed = '{ "name": "Both",\n  "image": {}, "video": {} }'
  await files().save({ text: typed, replaces: null })
  await files().save({ text: text({ name: 'Clips', video: {} }), replaces: null })
  expect(await files().list()).toEqual([
    { name: 'Both', text: `${typed}\n`, forPhotos: true, forVideos: true, problems: [] },
    expect.objectContaining({ name: 'Clips', forPhotos: false, forVideos: true }),
  ])
})

it('a text that does not fit is refused with its fields, and nothing is written', async () => {
  const saved = await files().save({
    text: text({ name: 'Q', image: { quality: 0, qty: 1 } }),
    replaces: null,
  })
  expect(saved).toMatchObject({ ok: false })
  expect(!saved.ok && saved.problems.map(({ field }) => field)).toEqual(['image.quality', 'image.qty'])
  expect(await files().save({ text: '{', replaces: null })).toMatchObject({
    ok: false,
    problems: [{ field: '', message: expect.stringContaining('not JSON') }],
  })
  expect(await files().list()).toEqual([])
})

it('a preset that gets another name stays in its file', async () => {
  await files().save({ text: text({ name: 'Old', image: {} }), replaces: null })
  await files().save({ text: text({ name: 'New', image: {} }), replaces: 'Old' })
  expect(await readdir(folder)).toEqual(['old.json'])
  expect((await files().list()).map(({ name }) => name)).toEqual(['New'])
})

it('a name that another preset has is refused', async () => {
  await files().save({ text: text({ name: 'One', image: {} }), replaces: null })
  await files().save({ text: text({ name: 'Two', image: {} }), replaces: null })
  const saved = await files().save({ text: text({ name: 'One', image: {} }), replaces: 'Two' })
  expect(!saved.ok && saved.problems.map(({ field }) => field)).toEqual(['name'])
})

it('two saves of one new name at once make one preset', async () => {
  const both = files()
  const saved = await Promise.all(
    [1, 2].map((quality) => both.save({ text: text({ name: 'Same', image: { quality } }), replaces: null })),
  )
  expect(saved.map(({ ok }) => ok)).toEqual([true, false])
})

it('documents edited by hand are listed with their problems, can be mended, and can be removed', async () => {
  await files().save({ text: text({ name: 'Good', image: {} }), replaces: null })
  await writeFile(join(folder, 'bad.json'), '{"name": "Bad", "image": {"quality": 500}}')
  await writeFile(join(folder, 'worse.json'), 'nothing')
  await writeFile(join(folder, 'z-twin.json'), text({ name: 'Good', video: {} }))
  const listed = await files().list()
  expect(listed.map(({ name, problems }) => [name, problems.map(({ field }) => field)])).toEqual([
    ['Bad', ['image.quality']],
    ['Good', []],
    ['worse.json', ['']],
    ['z-twin.json', ['name']],
  ])
  expect(await files().save({ text: text({ name: 'Bad', image: {} }), replaces: 'Bad' })).toEqual({
    ok: true,
  })
  expect(await readFile(join(folder, 'bad.json'), 'utf8')).toBe('{"name":"Bad","image":{}}\n')
  await files().remove('worse.json')
  await files().remove('z-twin.json')
  await files().remove('nobody')
  expect((await readdir(folder)).toSorted()).toEqual(['bad.json', 'good.json'])
})
