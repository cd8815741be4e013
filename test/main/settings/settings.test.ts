import { writeFileSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createSettings, openSettingsFile } from '../../../src/main/settings/settings.ts'
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

  it('are as they were where a library leaves half a file', async () => {
    openSettingsFile(path).set('kept', 1)
    const store = openSettingsFile(path, { putter: () => () => writeFileSync(path, '{ "kept": ') })
    expect(() => store.set('kept', 2)).toThrow('could not be written whole')
    expect(await content()).toEqual({ kept: 1 })
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

  it('that are damaged stay where they are until somebody chooses something', async () => {
    inFile()
    await mkdir(join(folder, 'deep'), { recursive: true })
    await writeFile(path, '{"settings": {"appea')
    const settings = inFile()
    expect(settings.keptAs).toBe(`${path}.damaged`)
    expect(await readFile(path, 'utf8')).toBe('{"settings": {"appea')
    settings.update({ appearance: 'light' })
    expect(await content()).toMatchObject({ settings: { appearance: 'light' } })
    expect(inFile().keptAs).toBeNull()
  })

  it('that are damaged are kept once, also when two processes find them, and no good file is taken for them', async () => {
    await mkdir(join(folder, 'deep'), { recursive: true })
    await writeFile(path, 'nonsense')
    const [one, other] = [inFile(), inFile()]
    one.update({ appearance: 'dark' })
    other.update({ variations: 4 })
    expect(inFile().view()).toMatchObject({ appearance: 'dark', variations: 4 })
    expect(await readdir(join(folder, 'deep'))).toEqual(['config.json', 'config.json.damaged'])
    await writeFile(path, 'other nonsense')
    expect(inFile().keptAs).toBe(`${path}.damaged-2`)
    expect(await readFile(`${path}.damaged`, 'utf8')).toBe('nonsense')
  })

  it('that are only read, as by a command, leave a damaged file alone', async () => {
    await mkdir(join(folder, 'deep'), { recursive: true })
    await writeFile(path, '[]')
    const read = openSettingsFile(path, { keepsDamaged: false })
    expect(read.damage).toBe('damaged')
    expect(await readdir(join(folder, 'deep'))).toEqual(['config.json'])
  })

  it('that can not be read are not overwritten', async () => {
    await mkdir(path, { recursive: true })
    const settings = inFile()
    expect(settings.view()).toEqual(DEFAULT_SETTINGS)
    expect(() => settings.update({ appearance: 'dark' })).toThrow(/EISDIR/)
  })

  it('keep a value that this version does not understand until another is chosen', async () => {
    await mkdir(join(folder, 'deep'), { recursive: true })
    await writeFile(path, JSON.stringify({ settings: { appearance: 'sepia', variations: 2 } }))
    const settings = inFile()
    settings.update({ variations: 3 })
    expect(await content()).toMatchObject({ settings: { appearance: 'sepia', variations: 3 } })
    settings.update({ appearance: 'dark' })
    expect(await content()).toMatchObject({ settings: { appearance: 'dark' } })
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

describe('settings of an earlier version', () => {
  it('are read in the form that electron-store gave them', async () => {
    await mkdir(join(folder, 'deep'), { recursive: true })
    await writeFile(
      path,
      '{\n\t"settings": {\n\t\t"appearance": "dark"\n\t},\n\t"window": {\n\t\t"width": 880\n\t}\n}',
    )
    inFile().update({ variations: 2 })
    expect(await content()).toMatchObject({ settings: { appearance: 'dark' }, window: { width: 880 } })
  })
})
