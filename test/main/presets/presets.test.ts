import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createPresetFiles } from '../../../src/main/presets/presets.ts'
import { openPresetStore } from '../../../src/service/presets/presets.ts'

let root: string
let folder: string
const files = () => createPresetFiles({ folder })
const documents = async () => (await files().list()).documents
const text = (document: object) => JSON.stringify(document)

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'mediatray-presets-'))
  folder = join(root, 'presets')
})
afterEach(() => rm(root, { recursive: true, force: true }))

it('there are none before the service has run', async () => {
  expect(await documents()).toEqual([])
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
  expect(await documents()).toEqual([
    expect.objectContaining({
      name: 'Both',
      text: `${typed}\n`,
      forPhotos: true,
      forVideos: true,
      origin: 'own',
      problems: [],
    }),
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
  expect(await documents()).toEqual([])
})

it('a preset that gets another name stays in its file', async () => {
  await files().save({ text: text({ name: 'Old', image: {} }), replaces: null })
  await files().save({ text: text({ name: 'New', image: {} }), replaces: 'Old' })
  expect(await readdir(folder)).toEqual(['old.json'])
  expect((await documents()).map(({ name }) => name)).toEqual(['New'])
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
  const listed = await documents()
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

const names = async () => (await documents()).map(({ name }) => name)

it('what was not saved outlives the app, follows a new name, and goes when it is told', async () => {
  await files().save({ text: text({ name: 'Old', image: {} }), replaces: null })
  await files().keepUnsaved({ name: 'Old', text: '{ "name": "Old", "image": { "quality": 7 } }' })
  await files().keepUnsaved({ name: null, text: '{' })
  await files().save({ text: text({ name: 'New', image: {} }), replaces: 'Old' })
  expect(await files().list()).toMatchObject({
    unsavedNew: '{',
    documents: [{ name: 'New', unsaved: '{ "name": "New", "image": { "quality": 7 } }' }],
  })
  await files().keepUnsaved({ name: 'New', text: null })
  await files().keepUnsaved({ name: null, text: null })
  expect(await files().list()).toMatchObject({ unsavedNew: null, documents: [{ unsaved: null }] })
  expect(await readdir(folder)).toEqual(['old.json'])
})

it('a deleted preset comes back as it was, once', async () => {
  await writeFile(join(await made(), 'mine.json'), '{ "name": "Mine", "image": {} }')
  const all = files()
  await all.remove('Mine')
  expect(await names()).toEqual([])
  await all.undo()
  expect(await readFile(join(folder, 'mine.json'), 'utf8')).toBe('{ "name": "Mine", "image": {} }')
  await all.remove('Mine')
  await all.undo()
  await all.undo()
  expect(await names()).toEqual(['Mine'])
})

const originOf = async (name: string) => (await documents()).find((one) => one.name === name)?.origin

describe('a default', () => {
  beforeEach(() => openPresetStore({ folder, log: () => {} }))

  it('is told from one that was changed, and becomes what it was', async () => {
    const all = files()
    const changed = text({ name: 'Web 2048', image: { quality: 5 } })
    await all.save({ text: changed, replaces: 'Web 2048' })
    expect(await originOf('Web 2048')).toBe('changedDefault')
    await all.reset('Web 2048')
    expect(await originOf('Web 2048')).toBe('default')
    await all.undo()
    expect(await readFile(join(folder, 'web-2048.json'), 'utf8')).toBe(`${changed}\n`)
  })

  it('that was deleted is counted and can be brought back', async () => {
    const all = files()
    const before = await names()
    await all.remove('Web 2048')
    await all.remove('Web 720p')
    expect((await all.list()).deletedDefaults).toBe(2)
    await all.restoreDefaults()
    expect(await names()).toEqual(before)
    await all.undo()
    expect((await all.list()).deletedDefaults).toBe(2)
    await all.save({ text: text({ name: 'Something', image: {} }), replaces: null })
    await all.save({ text: text({ name: 'Web 2048', image: {} }), replaces: 'Something' })
    expect((await all.list()).deletedDefaults).toBe(1)
  })
})

describe('presets from elsewhere', () => {
  it('come beside those of the same name, as they were written', async () => {
    await files().save({ text: text({ name: 'Mail', image: {} }), replaces: null })
    const all = files()
    const typed = '{\n\t"name": "Mail",\n\t"image": { "quality": 70 }\n}'
    expect(await all.import([{ file: 'a.json', text: typed }])).toEqual({
      taken: [{ name: 'Mail 2', was: 'Mail' }],
      leftOut: [],
    })
    expect((await documents()).map((document) => document.text)).toContain(
      `${typed.replace('Mail', 'Mail 2')}\n`,
    )
    await all.undo()
    expect(await names()).toEqual(['Mail'])
  })

  it('are left out with field and line where they do not fit', async () => {
    const file =
      '{\n  "presets": [\n    { "name": "Good", "image": {} },\n    {\n      "name": "Old scans",\n      "image": { "quality": 140 }\n    }\n  ]\n}'
    expect(
      await files().import([
        { file: 'two.json', text: file },
        { file: 'torn.json', text: '{' },
      ]),
    ).toEqual({
      taken: [{ name: 'Good', was: null }],
      leftOut: [
        {
          name: 'Old scans',
          line: 6,
          reason: {
            field: expect.objectContaining({
              path: 'image.quality',
              reason: { kind: 'range', min: 1, max: 100 },
            }),
          },
        },
        { name: 'torn.json', line: 1, reason: { json: expect.objectContaining({ code: 'notClosed' }) } },
      ],
    })
    expect(await names()).toEqual(['Good'])
  })

  it('come back out of what was written of all of them', async () => {
    await openPresetStore({ folder, log: () => {} })
    const before = await documents()
    const written = await files().textFor(null)
    await rm(folder, { recursive: true })
    await files().import([{ file: 'all.json', text: written ?? '' }])
    expect((await documents()).map((one) => one.text)).toEqual(before.map((one) => one.text))
  })
})

async function made(): Promise<string> {
  await mkdir(folder, { recursive: true })
  return folder
}
