import { writeFileSync } from 'node:fs'
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { createSettings, openSettingsFile } from '../../../src/main/settings/settings.ts'
import { DEFAULT_SETTINGS } from '../../default-settings.ts'
import { temporaryFolder } from '../../temporary-folder.ts'

let folder: string
let path: string

beforeEach(() => {
  folder = temporaryFolder()
  path = join(folder, 'deep', 'config.json')
})

const inFile = () => createSettings(openSettingsFile(path))
async function put(text: string): Promise<void> {
  await mkdir(join(folder, 'deep'), { recursive: true })
  await writeFile(path, text)
}
const content = async (): Promise<unknown> => JSON.parse(await readFile(path, 'utf8'))

describe('settings in a file', () => {
  it('are the defaults if nothing was ever changed, without writing a file', async () => {
    expect(inFile().view()).toEqual(DEFAULT_SETTINGS)
    expect(await readdir(folder)).toEqual([])
  })

  it('survive an interrupted write', async () => {
    openSettingsFile(path).set('settings', { kept: 1 })
    const store = openSettingsFile(path, { writer: () => () => writeFileSync(path, '{ "kept": ') })
    expect(() => store.set('settings', { kept: 2 })).toThrow('Its previous content was restored')
    expect(await content()).toEqual({ settings: { kept: 1 } })
  })

  it('survive a restart', () => {
    inFile().update({ appearance: 'dark', recentOutputs: ['/photos'] })
    expect(inFile().view()).toMatchObject({ appearance: 'dark', recentOutputs: ['/photos'] })
  })

  it('lose only the field whose value is invalid', async () => {
    inFile().update({ appearance: 'dark', keepHistoryDays: 3 })
    await put(JSON.stringify({ settings: { appearance: 'dark', keepHistoryDays: 'three' } }))
    expect(inFile().view()).toEqual({ ...DEFAULT_SETTINGS, appearance: 'dark' })
  })

  it('name the values that can’t be read, until they are overwritten', async () => {
    const folders = [{ id: 'in', path: '/in', variations: 'one' }]
    const rules = { a: { rules: [], rest: 'later' }, b: { rules: [], rest: 'ignore', new: 1 } }
    const quiet = { from: '7:00', until: '07:00', later: true }
    await put(
      JSON.stringify({
        settings: { watchFolders: folders, folderRules: rules, quiet, later: 1, keepHistoryDays: 2 },
      }),
    )
    const settings = inFile()
    expect(settings.unread().toSorted()).toEqual([
      'folderRules.a',
      'folderRules.b',
      'quiet.from',
      'watchFolders',
    ])
    settings.update({ watchFolders: [] })
    expect(settings.unread()).not.toContain('watchFolders')
  })

  it('keep originals forever in doubt, and say whether the user has chosen for how long', async () => {
    expect(inFile().keepOriginals()).toEqual({ from: 'default', days: 30 })
    inFile().update({ keepOriginalsDays: 365 })
    expect(inFile().keepOriginals()).toEqual({ from: 'choice', days: 365 })
    for (const text of ['{"settings":{"keepOriginalsDays":"never"}}', '{"settings":{"keepOrig'])
      expect(await put(text).then(() => inFile().keepOriginals())).toEqual({ from: 'unreadable' })
  })

  it('keep fields that another version has written', async () => {
    inFile()
    inFile().update({ keepHistoryDays: 2 })
    await put(JSON.stringify({ settings: { later: [1] }, window: { width: 880 } }))
    inFile().update({ appearance: 'light' })
    expect(await content()).toMatchObject({
      settings: { later: [1], appearance: 'light' },
      window: { width: 880 },
    })
  })

  it('are reset to the defaults if the file is damaged, and the damaged file is kept', async () => {
    inFile().update({ appearance: 'dark' })
    await put('{"settings": {"appea')
    expect(inFile().view()).toEqual(DEFAULT_SETTINGS)
    expect(await readFile(`${path}.damaged`, 'utf8')).toBe('{"settings": {"appea')
  })

  it('may begin with a byte order mark, which some Windows editors write', async () => {
    await put('\uFEFF{ "settings": { "appearance": "dark" }, "window": { "width": 880 } }')
    const settings = inFile()
    expect(settings.view().appearance).toBe('dark')
    settings.update({ keepHistoryDays: 2 })
    expect(await content()).toMatchObject({ settings: { appearance: 'dark' }, window: { width: 880 } })
  })

  it('leave a damaged file in place until a setting is changed', async () => {
    inFile()
    await put('{"settings": {"appea')
    const settings = inFile()
    expect(settings.keptAs).toBe(`${path}.damaged`)
    expect(await readFile(path, 'utf8')).toBe('{"settings": {"appea')
    settings.update({ appearance: 'light' })
    expect(await content()).toMatchObject({ settings: { appearance: 'light' } })
    expect(inFile().keptAs).toBeNull()
  })

  it('that are damaged are copied only once, even if two processes find them, and never over an earlier copy', async () => {
    await put('nonsense')
    const [one, other] = [inFile(), inFile()]
    one.update({ appearance: 'dark' })
    other.update({ keepHistoryDays: 4 })
    expect(inFile().view()).toMatchObject({ appearance: 'dark', keepHistoryDays: 4 })
    expect(await readdir(join(folder, 'deep'))).toEqual(['config.json', 'config.json.damaged'])
    await put('other nonsense')
    expect(inFile().keptAs).toBe(`${path}.damaged-2`)
    expect(await readFile(`${path}.damaged`, 'utf8')).toBe('nonsense')
  })

  it.each([
    '',
    'x',
    'null',
    '[]',
    '{}',
    '{"window":{}}',
    ...['null', '[1]', '"x"', '1'].map((value) => `{"settings":${value}}`),
  ])('are damaged if the file is %j', async (text) => {
    await put(text)
    expect(openSettingsFile(path, { keepsDamaged: false }).damage).toBe('damaged')
  })

  it('that are only read, for example by a command, leave a damaged file unchanged', async () => {
    await put('[]')
    const read = openSettingsFile(path, { keepsDamaged: false })
    expect(read.damage).toBe('damaged')
    expect(await readdir(join(folder, 'deep'))).toEqual(['config.json'])
  })

  it('that can’t be read are not overwritten', async () => {
    await mkdir(path, { recursive: true })
    const settings = inFile()
    expect(settings.view()).toEqual(DEFAULT_SETTINGS)
    expect(() => settings.update({ appearance: 'dark' })).toThrow(/EISDIR/)
  })

  it('keep a value that this version does not understand until the user chooses another', async () => {
    await put(JSON.stringify({ settings: { appearance: 'sepia', keepHistoryDays: 2 } }))
    const settings = inFile()
    settings.update({ keepHistoryDays: 3 })
    expect(await content()).toMatchObject({ settings: { appearance: 'sepia', keepHistoryDays: 3 } })
    settings.update({ appearance: 'dark' })
    expect(await content()).toMatchObject({ settings: { appearance: 'dark' } })
  })

  it('keep rules that only a newer version understands when the rules of another folder change', async () => {
    const newer = {
      rules: [{ id: 'n', when: [{ about: 'camera' }], action: { do: 'ignore' } }],
      rest: 'process',
    }
    const ours = { rules: [], rest: 'ignore' } as const
    await put(JSON.stringify({ settings: { folderRules: { a: newer, b: ours } } }))
    const settings = inFile()
    expect(settings.view().folderRules).toEqual({ a: null, b: ours })
    settings.update({ folderRules: { ...settings.view().folderRules, b: { rules: [], rest: 'process' } } })
    expect(await content()).toMatchObject({ settings: { folderRules: { a: newer, b: { rest: 'process' } } } })
    settings.update({ folderRules: { b: { rules: [], rest: 'process' } } })
    expect(await content()).toMatchObject({ settings: { folderRules: { b: { rest: 'process' } } } })
    expect(inFile().view().folderRules).not.toHaveProperty('a')
  })

  it('refuse an invalid value, and keep the old one', () => {
    const settings = inFile()
    settings.update({ keepHistoryDays: 2 })
    expect(() => settings.update({ keepHistoryDays: 0 })).toThrow(/keepHistoryDays/)
    expect(inFile().view().keepHistoryDays).toBe(2)
  })

  it('notify listeners once per change, and not at all without one', () => {
    const settings = inFile()
    const seen: string[] = []
    const stop = settings.onChange(({ appearance }) => seen.push(appearance))
    settings.update({ appearance: 'dark' })
    settings.update({ appearance: 'dark', keepHistoryDays: undefined })
    stop()
    settings.update({ appearance: 'light' })
    expect(seen).toEqual(['dark'])
  })
})

describe('the settings file', () => {
  it('is read in electron-store’s format', async () => {
    await put('{\n\t"settings": {\n\t\t"appearance": "dark"\n\t},\n\t"window": {\n\t\t"width": 880\n\t}\n}')
    inFile().update({ keepHistoryDays: 2 })
    expect(await content()).toMatchObject({ settings: { appearance: 'dark' }, window: { width: 880 } })
  })
})
