import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
// What electron-store is made of; electron-store itself asks for the Electron runtime when it is imported.
import Conf from 'conf'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createSettings, openSettingsFile, type SettingsStore } from '../../../src/main/settings/index.ts'
import { DEFAULT_SETTINGS } from '../../../src/shared/model/settings.ts'

let folder: string
let path: string

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mediatray-settings-'))
  path = join(folder, 'deep', 'config.json')
})
afterEach(() => rm(folder, { recursive: true, force: true }))

const inFile = () => createSettings(openSettingsFile(path))
const content = async (): Promise<unknown> => JSON.parse(await readFile(path, 'utf8'))

describe('settings in a file', () => {
  it('are the defaults where nothing was ever chosen, and nothing is written for that', async () => {
    expect(inFile().view()).toEqual(DEFAULT_SETTINGS)
    expect(await readdir(folder)).toEqual([])
  })

  it('are there again after a restart', () => {
    inFile().update({ appearance: 'dark', recentOutputs: ['/photos'] })
    expect(inFile().view()).toMatchObject({ appearance: 'dark', recentOutputs: ['/photos'] })
  })

  it('lose only the field whose value does not fit', async () => {
    inFile().update({ appearance: 'dark', variations: 3 })
    await writeFile(path, JSON.stringify({ settings: { appearance: 'dark', variations: 'three' } }))
    expect(inFile().view()).toEqual({ ...DEFAULT_SETTINGS, appearance: 'dark' })
  })

  it('keep what another version has written', async () => {
    inFile()
    inFile().update({ variations: 2 })
    await writeFile(path, JSON.stringify({ settings: { later: [1] }, window: { width: 880 } }))
    inFile().update({ appearance: 'light' })
    expect(await content()).toMatchObject({
      settings: { later: [1], appearance: 'light' },
      window: { width: 880 },
    })
  })

  it('start from the defaults when the file is damaged, and the damaged file is kept', async () => {
    inFile().update({ appearance: 'dark' })
    await writeFile(path, '{"settings": {"appea')
    expect(inFile().view()).toEqual(DEFAULT_SETTINGS)
    expect(await readFile(`${path}.damaged`, 'utf8')).toBe('{"settings": {"appea')
  })

  it('leave no temporary file behind', async () => {
    inFile().update({ appearance: 'dark' })
    expect(await readdir(join(folder, 'deep'))).toEqual(['config.json'])
  })

  it('refuse a value that a field cannot hold, and keep what was there', () => {
    const settings = inFile()
    settings.update({ variations: 2 })
    expect(() => settings.update({ variations: 0 })).toThrow(/variations/)
    expect(inFile().view().variations).toBe(2)
  })

  it('tell who listens, once for a change and not at all for none', () => {
    const settings = inFile()
    const seen: string[] = []
    const stop = settings.onChange(({ appearance }) => seen.push(appearance))
    settings.update({ appearance: 'dark' })
    settings.update({ appearance: 'dark', variations: undefined })
    stop()
    settings.update({ appearance: 'light' })
    expect(seen).toEqual(['dark'])
  })
})

describe('settings in an electron-store', () => {
  it('are written and read in the same form as in a plain file', async () => {
    const store: SettingsStore = new Conf<Record<string, unknown>>({ cwd: folder })
    createSettings(store).update({ appearance: 'dark' })
    expect(createSettings(openSettingsFile(join(folder, 'config.json'))).view().appearance).toBe('dark')
  })
})
