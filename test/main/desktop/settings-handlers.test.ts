import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync, rmSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { expect, it, vi } from 'vitest'
import { settingsHandlers } from '../../../src/main/desktop/ipc/settings-handlers.ts'
import { createPresetFiles } from '../../../src/main/presets/presets.ts'
import { createSettings, openSettingsFile } from '../../../src/main/settings/settings.ts'
import { createTranslation } from '../../../src/node/translation.ts'
import { basicDefaults } from '../../../src/shared/preset/preset.ts'
import { temporaryFolder } from '../../temporary-folder.ts'
import { watchFolder } from '../../watch-folder.ts'

/** Creates handlers for a user who has this home folder, picks this file in every dialog, and accepts or declines other services. */
function open(
  home: string,
  file: string,
  { agrees = true, platform = 'linux' }: { agrees?: boolean; platform?: 'linux' | 'win32' } = {},
) {
  const settings = createSettings(openSettingsFile(join(home, 'settings.json')))
  const presets = createPresetFiles(join(home, 'presets'))
  const asked: string[] = []
  const used: string[] = []
  /** The watched folders whenever the presets were read again. */
  const foldersAtRefresh: string[][] = []
  const refreshPresets = async () =>
    void foldersAtRefresh.push(settings.view().watchFolders.map(({ path }) => path))
  const lines = {
    to: () => ({ connection: { refreshPresets } }),
    useKnown: async (service: string) => void used.push(service),
    useBuiltIn: async () => void used.push('builtIn'),
  }
  const handlers = settingsHandlers({
    settings,
    presets,
    lines: lines as never,
    folders: {} as never,
    dialogs: {
      askToSave: () => Promise.resolve(file),
      askToOpen: () => Promise.resolve([file]),
    } as never,
    platform,
    app: { getPath: () => home } as never,
    mayReach: async (service) => Boolean(asked.push(service)) && agrees,
    t: () => createTranslation('en'),
  })
  const names = async () => namesIn(await presets.list())
  return { settings, presets, handlers, lines, asked, used, foldersAtRefresh, names }
}

/** The same with a file of exported settings and presets, by default in a new home folder. */
function openExported(
  exported: object,
  { home = temporaryFolder(), ...options }: Parameters<typeof open>[2] & { home?: string } = {},
) {
  const file = join(home, 'moved.json')
  writeFileSync(file, JSON.stringify({ mediatraySettings: 1, settings: {}, ...exported }))
  return { home, ...open(home, file, options) }
}

const namesIn = ({ documents }: { readonly documents: readonly { readonly name: string }[] }) =>
  documents.map(({ name }) => name)
const NOTHING = { names: [], unsaved: [], unconfirmed: [] }
const presetText = (name: string, more: object = {}) => JSON.stringify({ ...basicDefaults(), name, ...more })
const NEW = [JSON.parse(presetText('New'))]

it('exports to one file, and imports the chosen pages of it on another computer as one undoable change', async () => {
  const [one, other] = [temporaryFolder(), temporaryFolder()]
  const file = join(one, 'moved.json')
  const from = open(one, file)
  await from.presets.save({ text: presetText('Gallery'), replaces: null })
  from.settings.update({
    appearance: 'dark',
    keepHistoryDays: 9,
    watchFolders: [watchFolder(join(one, 'Inbox'), join(one, 'Out'), { presets: ['Gallery'] })],
    afterJob: { program: '/bin/true', url: null },
  })
  expect(await from.handlers.export()).toEqual({ savedAs: file, leftOut: [] })

  const to = open(other, file)
  await to.presets.save({ text: presetText('Own'), replaces: null })
  const found = await to.handlers.chooseImport()
  expect(found).toMatchObject({
    file: 'moved.json',
    exported: { at: expect.any(Number), computer: hostname() },
    presets: [{ name: 'Gallery', isNew: true }],
    missing: [join(other, 'Inbox')],
    off: ['afterJob'],
  })
  expect(to.settings.view().appearance).toBe('system')

  expect(
    await to.handlers.import({ names: ['appearance', 'watchFolders', 'afterJob'], presets: true }),
  ).toEqual({ names: ['appearance', 'afterJob', 'watchFolders'], unsaved: [], unconfirmed: [] })
  // A folder must not report that its imported preset is missing.
  expect(to.foldersAtRefresh).toEqual([[]])
  const { appearance, watchFolders, afterJob, keepHistoryDays } = to.settings.view()
  expect([appearance, keepHistoryDays]).toEqual(['dark', null])
  expect(watchFolders).toMatchObject([{ path: join(other, 'Inbox'), enabled: false }])
  expect(afterJob).toEqual({ program: '/bin/true', url: null, on: [] })
  expect(await to.names()).toEqual(['Gallery', 'Own'])

  await to.handlers.undoImport()
  expect(to.settings.view()).toMatchObject({
    appearance: 'system',
    watchFolders: [],
    afterJob: { program: null, url: null },
  })
  expect(await to.names()).toEqual(['Own'])
  expect(await to.handlers.import({ names: ['appearance'], presets: true })).toEqual(NOTHING)
  expect(to.settings.view().appearance).toBe('system')
})

it('replaces a preset with the same name, names invalid ones, and undo restores it', async () => {
  const presets = [JSON.parse(presetText('Own', { description: 'new' })), { name: 'Broken', image: 7 }]
  const { home, handlers, presets: files } = openExported({ presets })
  await files.save({ text: presetText('Own'), replaces: null })
  const folder = join(home, 'presets')
  const before = readFileSync(join(folder, 'own.json'), 'utf8')
  expect(await handlers.chooseImport()).toMatchObject({ exported: null })
  expect(await handlers.import({ names: [], presets: true })).toMatchObject({ unsaved: ['Broken'] })
  expect(readFileSync(join(folder, 'own.json'), 'utf8')).not.toBe(before)
  expect(readdirSync(folder).filter((name) => name.endsWith('.json'))).toEqual(['own.json'])
  await handlers.undoImport()
  expect(readFileSync(join(folder, 'own.json'), 'utf8')).toBe(before)
})

it.each([
  [true, ['https://media.example/api'], ['https://media.example/api']],
  [false, ['https://media.example/api'], []],
])('uses a service on another computer only if the user agrees: %s', async (agrees, asked, used) => {
  const settings = { connection: 'external', baseUrl: 'https://media.example/api' }
  const opened = openExported({ settings }, { agrees })
  await opened.handlers.chooseImport()
  const result = await opened.handlers.import({ names: ['connection', 'baseUrl'], presets: false })
  expect(result.unconfirmed).toEqual(agrees ? [] : asked)
  expect(result.names).toEqual(agrees ? ['connection', 'baseUrl'] : [])
  expect([opened.asked, opened.used]).toEqual([asked, used])
  expect(opened.settings.view().connection).toBeNull()
})

it('another file changes nothing', async () => {
  const home = temporaryFolder()
  const file = join(home, 'other.json')
  mkdirSync(join(home, 'presets'))
  for (const text of ['not JSON', '{}', `${' '.repeat(1_000_001)}{}`]) {
    writeFileSync(file, text)
    const { handlers } = open(home, file)
    expect(await handlers.chooseImport()).toBe('notSettings')
    expect(await handlers.import({ names: ['appearance'], presets: true })).toEqual(NOTHING)
  }
  expect(existsSync(join(home, 'settings.json'))).toBe(false)
})

it('exports nothing if a setting can’t be read, and names invalid presets and settings of a newer version', async () => {
  const [home, away] = [temporaryFolder(), temporaryFolder()]
  const file = join(away, 'moved.json')
  const store = (settings: object) => writeFileSync(join(home, 'settings.json'), JSON.stringify({ settings }))
  store({ quiet: { from: '25:00' }, grouping: 'apart' })
  expect(await open(home, file).handlers.export()).toEqual({ unread: ['grouping', 'quiet.from'] })
  expect(existsSync(file)).toBe(false)

  store({ hologram: { url: 'https://secret.example' } })
  mkdirSync(join(home, 'presets'))
  writeFileSync(join(home, 'presets', 'broken.json'), '{')
  expect(await open(home, file).handlers.export()).toEqual({
    savedAs: file,
    leftOut: ['hologram', 'broken.json'],
  })
  const { settings, presets } = JSON.parse(readFileSync(file, 'utf8'))
  expect([settings.hologram, presets]).toEqual([undefined, []])
})

it('an import changes nothing if the settings can’t be written', async () => {
  const service = 'http://127.0.0.1:1/api'
  const settings = { connection: 'external', baseUrl: service, keepAwake: true }
  const { home, handlers, used, names } = openExported({ settings, presets: NEW })
  await handlers.chooseImport()
  mkdirSync(join(home, 'settings.json'))
  const importing = handlers.import({ names: Object.keys(settings), presets: true })
  await expect(importing).rejects.toThrow('nothing was written')
  expect([used, await names()]).toEqual([[service, 'builtIn'], []])
})

it('undo restores what was stored, also values that can’t be read, and keeps presets that were deleted meanwhile', async () => {
  const home = temporaryFolder()
  const stored = {
    settings: { grouping: 'apart', connection: 'external', baseUrl: 'http://127.0.0.1:1/api' },
  }
  writeFileSync(join(home, 'settings.json'), JSON.stringify(stored))
  const settings = { grouping: 'separate', connection: 'builtIn', keepAwake: true }
  const { handlers, presets: files, used, names } = openExported({ settings, presets: NEW }, { home })
  await files.save({ text: presetText('Own'), replaces: null })
  await handlers.chooseImport()
  await handlers.import({ names: Object.keys(settings), presets: true })
  await files.remove('Own')
  await handlers.undoImport()
  expect(JSON.parse(readFileSync(join(home, 'settings.json'), 'utf8'))).toEqual(stored)
  expect([used, await names()]).toEqual([['builtIn', 'http://127.0.0.1:1/api'], []])
})

it('an undo that failed can be repeated', async () => {
  const exported = { settings: { keepAwake: true }, presets: NEW }
  const { home, handlers, settings, names } = openExported(exported)
  const before = settings.view().keepAwake
  await handlers.chooseImport()
  await handlers.import({ names: ['keepAwake'], presets: true })
  const stored = join(home, 'settings.json')
  rmSync(stored)
  mkdirSync(stored)
  await expect(handlers.undoImport()).rejects.toThrow('nothing was written')
  rmdirSync(stored)
  await handlers.undoImport()
  expect([settings.view().keepAwake, await names()]).toEqual([before, []])
})

it('an undo that can’t switch the service back restores everything else, and can be repeated', async () => {
  const moved = { connection: 'external', baseUrl: 'https://media.example/api', keepAwake: true }
  const { handlers, settings, lines, used, names } = openExported({ settings: moved, presets: NEW })
  const before = settings.view()
  await handlers.chooseImport()
  await handlers.import({ names: Object.keys(moved), presets: true })
  vi.spyOn(lines, 'useBuiltIn').mockRejectedValueOnce(new Error('not switched'))
  await expect(handlers.undoImport()).rejects.toThrow('not switched')
  expect([settings.view(), await names()]).toEqual([before, []])
  await handlers.undoImport()
  expect(used).toEqual([moved.baseUrl, 'builtIn'])
})

it('an undo that is requested twice runs once', async () => {
  const moved = { connection: 'external', baseUrl: 'https://media.example/api' }
  const { handlers, used } = openExported({ settings: moved })
  await handlers.chooseImport()
  await handlers.import({ names: Object.keys(moved), presets: false })
  await Promise.all([handlers.undoImport(), handlers.undoImport()])
  expect(used).toEqual([moved.baseUrl, 'builtIn'])
})

it('folders that can’t exist on this system are named, and nothing is watched that would save to them', async () => {
  const home = temporaryFolder()
  const windows = { kind: 'folder', path: String.raw`C:\Out` } as const
  const settings = { defaultOutput: windows, watchFolders: [watchFolder(home, windows.path)] }
  const choose = (platform: 'linux' | 'win32') =>
    openExported({ settings }, { home, platform }).handlers.chooseImport()
  expect(await choose('linux')).toMatchObject({
    missing: [windows.path],
    changes: [{ name: 'defaultOutput' }, { name: 'watchFolders', next: [{ enabled: false }] }],
  })
  expect(await choose('win32')).toMatchObject({ missing: [] })
})

it('a network share that only the file names isn’t opened on Windows, because that would send credentials to it', async () => {
  // On this system, it is a folder that exists.
  const share = `/${temporaryFolder()}`
  const settings = { watchFolders: [watchFolder(share, '/out')] }
  const choose = (platform: 'linux' | 'win32') =>
    openExported({ settings }, { platform }).handlers.chooseImport()
  expect(await choose('win32')).toMatchObject({ missing: [share, '/out'] })
  expect(await choose('linux')).toMatchObject({ missing: [] })
})
