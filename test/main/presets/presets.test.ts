import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { readImport } from '../../../src/main/presets/import-presets.ts'
import { createPresetFiles } from '../../../src/main/presets/presets.ts'
import { defaultDocuments } from '../../../src/shared/preset/default-presets.ts'
import { openPresetStore } from '../../../src/service/presets/presets.ts'
import { withFault } from '../../faults/vault/failing-steps.ts'
import { growthOf } from '../../growth.ts'
import { temporaryFolder } from '../../temporary-folder.ts'
import { itInLongSuite } from '../../faults/long-suite.ts'

let folder: string
const files = () => createPresetFiles(folder)
const documents = async () => (await files().list()).documents
const text = (document: object) => JSON.stringify(document)

beforeEach(() => {
  folder = join(temporaryFolder(), 'presets')
})

/** Saves a preset, under a new name or in place of another one. */
const save = (document: object, replaces: string | null = null, all = files()) =>
  all.save({ text: text(document), replaces })

it('there are no presets before the service has run', async () => {
  expect(await documents()).toEqual([])
})

it('a running service offers a newly saved preset after its next refresh', async () => {
  const store = await openPresetStore({ folder, log: () => {} })
  expect(await save({ name: 'Mine', image: {} })).toEqual({
    ok: true,
  })
  await store.refresh()
  expect(store.list().image).toContain('Mine')
  await files().remove('Mine')
  await store.refresh()
  expect(store.list().image).not.toContain('Mine')
})

it('of several documents with the same name, the one that the service offers is listed under it', async () => {
  await mkdir(folder)
  const named = [
    ['a.json', { name: 'Web', image: { quality: 101 } }],
    ['b.json', { name: 'Web', image: {} }],
    ['c.json', { name: 'Web', video: {} }],
  ] as const
  for (const [file, document] of named) await writeFile(join(folder, file), text(document))
  const store = await openPresetStore({ folder, log: () => {} })
  expect(store.find('Web')).toMatchObject({ image: {} })
  const listed = (await documents()).filter(({ text: one }) => one.includes('"Web"'))
  expect(listed.map(({ name, preset }) => [name, preset !== null])).toEqual([
    ['a.json', false],
    ['c.json', false],
    ['Web', true],
  ])
})

it('lists each preset document with its text as typed', async () => {
  const typed = '{ "name": "Both",\n  "image": {}, "video": {} }'
  await files().save({ text: typed, replaces: null })
  await save({ name: 'Clips', video: {} })
  expect(await documents()).toEqual([
    expect.objectContaining({
      name: 'Both',
      text: `${typed}\n`,
      preset: expect.objectContaining({ image: expect.anything(), video: expect.anything() }),
      origin: 'own',
      problems: [],
    }),
    expect.objectContaining({ name: 'Clips' }),
  ])
})

it('an invalid text is refused with a list of the invalid fields, and nothing is written', async () => {
  const saved = await save({ name: 'Q', image: { quality: 0, qty: 1 } })
  expect(saved).toMatchObject({ ok: false })
  expect(saved).toMatchObject({ fault: { field: { path: 'image.quality', reason: { kind: 'range' } } } })
  expect(await files().save({ text: '{', replaces: null })).toMatchObject({
    ok: false,
    fault: { json: { line: 1 } },
  })
  expect(await documents()).toEqual([])
})

it('a renamed preset keeps its file', async () => {
  await save({ name: 'Old', image: {} })
  await save({ name: 'New', image: {} }, 'Old')
  expect(await readdir(folder)).toEqual(['old.json'])
  expect((await documents()).map(({ name }) => name)).toEqual(['New'])
})

it('a name that is already used is refused', async () => {
  await save({ name: 'One', image: {} })
  await save({ name: 'Two', image: {} })
  const saved = await save({ name: 'One', image: {} }, 'Two')
  expect(saved).toMatchObject({ ok: false, fault: { field: { reason: { kind: 'nameTaken', name: 'One' } } } })
})

it('saving twice under the same new name creates one preset', async () => {
  const both = files()
  const saved = await Promise.all(
    [1, 2].map((quality) => save({ name: 'Same', image: { quality } }, null, both)),
  )
  expect(saved.map(({ ok }) => ok)).toEqual([true, false])
})

it('documents edited by hand are listed with their problems, and can be fixed or removed', async () => {
  await save({ name: 'Good', image: {} })
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
  expect(await save({ name: 'Bad', image: {} }, 'Bad')).toEqual({
    ok: true,
  })
  expect(await readFile(join(folder, 'bad.json'), 'utf8')).toBe('{"name":"Bad","image":{}}\n')
  await files().remove('worse.json')
  await files().remove('z-twin.json')
  await files().remove('missing')
  expect((await readdir(folder)).toSorted()).toEqual(['bad.json', 'good.json'])
})

const names = async () => (await documents()).map(({ name }) => name)

it('unsaved changes survive a restart, follow a rename, and are discarded on request', async () => {
  await save({ name: 'Old', image: {} })
  await files().keepUnsaved({ name: 'Old', text: '{ "name": "Old", "image": { "quality": 7 } }' })
  await files().keepUnsaved({ name: null, text: '{' })
  await save({ name: 'New', image: {} }, 'Old')
  expect(await files().list()).toMatchObject({
    unsavedNew: '{',
    documents: [{ name: 'New', unsaved: '{ "name": "New", "image": { "quality": 7 } }' }],
  })
  await files().keepUnsaved({ name: 'New', text: null })
  await files().keepUnsaved({ name: null, text: null })
  expect(await files().list()).toMatchObject({ unsavedNew: null, documents: [{ unsaved: null }] })
  expect(await readdir(folder)).toEqual(['old.json'])
})

it.each(['constructor', '__proto__', 'toString', 'hasOwnProperty'])(
  'a preset called %s is edited like any other',
  async (name) => {
    const all = files()
    await save({ name, image: {} }, null, all)
    expect(await all.list()).toMatchObject({ documents: [{ name, unsaved: null }] })
    await all.keepUnsaved({ name, text: '{' })
    expect(await files().list()).toMatchObject({ documents: [{ name, unsaved: '{' }] })
    await save({ name: 'Usual', image: {} }, name, all)
    expect(await all.list()).toMatchObject({ documents: [{ name: 'Usual', unsaved: '{' }] })
    await save({ name, image: {} }, 'Usual', all)
    expect(await all.list()).toMatchObject({ documents: [{ name, unsaved: '{' }] })
    await all.keepUnsaved({ name, text: null })
    expect(await all.list()).toMatchObject({ documents: [{ name, unsaved: null }] })
  },
)

it('a preset’s file is not given a reserved Windows device name', async () => {
  await openPresetStore({ folder, log: () => {} })
  const before = await readdir(folder)
  const all = files()
  for (const name of ['CON', 'nul', 'Com1', 'lpt².', 'AUX…']) await save({ name, image: {} }, null, all)
  expect((await readdir(folder)).filter((file) => !before.includes(file)).toSorted()).toEqual([
    'aux-preset.json',
    'com1-preset.json',
    'con-preset.json',
    'lpt²-preset.json',
    'nul-preset.json',
  ])
})

it('a deleted preset can be restored once, unchanged', async () => {
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

const changed = (name: string) => text({ name, image: { quality: 5 } })

describe('a default preset', () => {
  beforeEach(() => openPresetStore({ folder, log: () => {} }))

  it('is marked as changed once it is edited, and can be reset', async () => {
    const all = files()
    await all.save({ text: changed('Web 2048'), replaces: 'Web 2048' })
    expect(await originOf('Web 2048')).toBe('changedDefault')
    await all.reset('Web 2048')
    expect(await originOf('Web 2048')).toBe('default')
    await all.undo()
    expect(await readFile(join(folder, 'web-2048.json'), 'utf8')).toBe(`${changed('Web 2048')}\n`)
  })

  it('that was renamed gets its name back when it is reset, unless another preset uses it', async () => {
    const all = files()
    await all.save({ text: changed('Mine'), replaces: 'Web 2048' })
    expect(await all.reset('Mine')).toBe('Web 2048')
    await all.save({ text: changed('Mine'), replaces: 'Web 2048' })
    await save({ name: 'Web 2048', image: {} }, null, all)
    expect(await all.reset('Mine')).toBe('Mine')
    const shipped = defaultDocuments().find(({ name }) => name === 'Web 2048')
    const { name: _, ...settings } = JSON.parse(shipped?.text ?? '')
    expect(JSON.parse((await all.textFor('Mine')) ?? '')).toEqual({ ...settings, name: 'Mine' })
    expect((await documents()).flatMap(({ problems }) => problems)).toEqual([])
    await all.undo()
    expect(await readFile(join(folder, 'web-2048.json'), 'utf8')).toBe(`${changed('Mine')}\n`)
  })

  it('that can’t be read gets a free name when it is reset while another preset uses its own', async () => {
    const all = files()
    await writeFile(join(folder, 'web-2048.json'), 'nothing')
    await save({ name: 'Web 2048', image: {} }, null, all)
    expect(await all.reset('web-2048.json')).toBe('Web 2048 2')
    expect(await names()).toEqual(expect.arrayContaining(['Web 2048', 'Web 2048 2']))
  })

  it('that was deleted is counted and can be restored', async () => {
    const all = files()
    const before = await names()
    await all.remove('Web 2048')
    await all.remove('Web 720p')
    expect((await all.list()).deletedDefaults).toBe(2)
    await all.restoreDefaults()
    expect(await names()).toEqual(before)
    await all.undo()
    expect((await all.list()).deletedDefaults).toBe(2)
    await save({ name: 'Something', image: {} }, null, all)
    await save({ name: 'Web 2048', image: {} }, 'Something', all)
    expect((await all.list()).deletedDefaults).toBe(1)
  })
})

describe('imported presets', () => {
  it('are renamed if their name is already used, and are otherwise unchanged', async () => {
    await save({ name: 'Mail', image: {} })
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

  it('are skipped if they are invalid, and the report names the field and line', async () => {
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

  itInLongSuite(
    'are limited in number, and the report locates the first preset left out of each file',
    async () => {
      const list = Array.from({ length: 16_000 }, (_, n) => `{"name":"${n}","image":{}}`)
      const report = await files().import([
        { file: 'many.json', text: `[\n${list.join(',\n')}\n]` },
        { file: 'one.json', text: '{"name":"One more","image":{}}' },
      ])
      expect(report.taken).toHaveLength(500)
      expect(report.leftOut).toEqual([
        { name: 'many.json', line: 502, reason: { moreThan: 500 } },
        { name: 'one.json', line: 1, reason: { moreThan: 500 } },
      ])
      expect(await names()).toHaveLength(500)
    },
  )

  itInLongSuite('take linear time, however many lines are empty', () => {
    const growth = growthOf(
      10,
      (size) => `[${'\n'.repeat(size * 10_000)}${Array(size).fill('{"name":"A","image":{}}').join()}]`,
      (written) => readImport([{ file: 'a.json', text: written }], []),
    )
    expect(growth).toBeLessThan(1.6)
  })

  it('are unchanged after an export of all presets', async () => {
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

const toPut = (name: string, document: object = {}) => ({
  name,
  text: text({ name, image: {}, ...document }),
})
const namedTexts = async () =>
  (await documents()).map(({ name, text: one }) => [name, JSON.parse(one)] as const)

describe('putting presets', () => {
  it('several presets with the same name become one, even if two commands put them at the same time', async () => {
    await files().put([toPut('Gallery', { description: 'first' }), toPut('Gallery', { description: 'last' })])
    expect(await namedTexts()).toEqual([['Gallery', expect.objectContaining({ description: 'last' })]])
    await Promise.all([
      files().put([toPut('Web')]),
      files().put([toPut('Web')]),
      save({ name: 'Web', image: {} }),
    ])
    expect((await documents()).map(({ name, preset }) => [name, preset !== null])).toEqual([
      ['Gallery', true],
      ['Web', true],
    ])
  })

  it('undo restores the replaced presets, except for one that was edited after that', async () => {
    const all = files()
    for (const name of ['Mine', 'Other', 'Later']) await save({ name, image: {} }, null, all)
    const { unsaved, undo } = await all.put([
      toPut('Mine', { description: 'imported' }),
      toPut('Later', { description: 'imported' }),
      toPut('New'),
      { name: 'Broken', text: '{}' },
    ])
    expect(unsaved).toEqual(['Broken'])
    await all.remove('Other')
    await save({ name: 'Later', image: {}, description: 'edited' }, 'Later', all)
    await undo()
    expect(await namedTexts()).toEqual([
      ['Later', expect.objectContaining({ description: 'edited' })],
      ['Mine', { name: 'Mine', image: {} }],
    ])
    await all.undo()
    expect((await documents()).map(({ name }) => name)).toEqual(['Later', 'Mine', 'Other'])
  })

  it('all presets stay as they were if one of them can’t be written', async () => {
    await save({ name: 'Mine', image: {} })
    const before = await namedTexts()
    const presets = [toPut('Mine', { description: 'imported' }), toPut('New'), toPut('Last')]
    await withFault(
      undefined,
      () => expect(files().put(presets)).rejects.toThrow('full'),
      ({ name, args }) => {
        if (name === 'rename' && String(args[1]).endsWith('last.json')) throw new Error('full')
      },
    )
    expect(await namedTexts()).toEqual(before)
  })
})
