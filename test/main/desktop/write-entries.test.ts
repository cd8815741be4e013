import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { MARK } from '../../../src/main/desktop/file-managers/entry.ts'
import { finderEntries, finderPlaces } from '../../../src/main/desktop/file-managers/finder.ts'
import { linuxEntries, linuxPlaces } from '../../../src/main/desktop/file-managers/linux.ts'
import { writeEntries } from '../../../src/main/desktop/file-managers/write-entries.ts'
import { temporaryFolder } from '../../temporary-folder.ts'
import { both } from './hostile-presets.ts'

const PROGRAM = '/opt/Mediatray/mediatray'

let folder: string
const scripts = () => join(folder, 'nautilus/scripts')
const script = (name: string) => join(scripts(), 'Mediatray', name)

beforeEach(() => {
  folder = temporaryFolder()
})

const write = (...names: readonly string[]) =>
  writeEntries(
    linuxEntries(names.map(both), {
      program: PROGRAM,
      dataFolder: folder,
      managers: ['kde', 'nautilus', 'nemo'],
    }),
    linuxPlaces(folder),
  )

const filesBelow = (root: string): readonly string[] =>
  readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => !entry.isDirectory())
    .map(({ name }) => name)
    .toSorted()

describe('the entries', () => {
  it('are added, renamed and removed with the stars, and leave nothing behind', async () => {
    expect(await write('Web', 'Mail')).toEqual([])
    expect(filesBelow(folder)).toEqual([
      'Mail',
      'Web',
      'mediatray-preset-1.desktop',
      'mediatray-preset-1.nemo_action',
      'mediatray-preset-2.desktop',
      'mediatray-preset-2.nemo_action',
    ])
    expect(statSync(join(folder, 'kio/servicemenus/mediatray-preset-1.desktop')).mode & 0o777).toBe(0o755)
    expect(statSync(join(folder, 'nemo/actions/mediatray-preset-1.nemo_action')).mode & 0o777).toBe(0o644)
    await write('Net')
    expect(filesBelow(folder)).toEqual([
      'Net',
      'mediatray-preset-1.desktop',
      'mediatray-preset-1.nemo_action',
    ])
    expect(await write()).toEqual([])
    expect(filesBelow(folder)).toEqual([])
    expect(existsSync(join(scripts(), 'Mediatray'))).toBe(false)
  })

  it('are left as they are if nothing has changed', async () => {
    await write('Web')
    const before = statSync(script('Web'), { bigint: true })
    await write('Web')
    expect(statSync(script('Web'), { bigint: true }).ino).toBe(before.ino)
    chmodSync(script('Web'), 0o644)
    await write('Web')
    expect(statSync(script('Web')).mode & 0o100).not.toBe(0)
  })

  it('never replace or remove files of others, and report those that are in the way', async () => {
    mkdirSync(join(scripts(), 'Mediatray'), { recursive: true })
    writeFileSync(script('Web'), 'echo mine')
    writeFileSync(script('Other'), 'echo mine')
    writeFileSync(join(folder, 'ours'), `# ${MARK}`)
    symlinkSync(join(folder, 'ours'), script('Link'))
    expect(await write('Web', 'Mail')).toEqual([
      { path: script('Web'), message: 'another file has this name' },
    ])
    expect(existsSync(script('Mail'))).toBe(true)
    await write()
    expect(readFileSync(script('Web'), 'utf8')).toBe('echo mine')
    expect(readFileSync(script('Other'), 'utf8')).toBe('echo mine')
    expect(lstatSync(script('Link')).isSymbolicLink()).toBe(true)
    expect(filesBelow(folder)).toEqual(['Link', 'Other', 'Web', 'ours'])
  })

  it('are written for the other file managers if one of them can’t be', async () => {
    writeFileSync(join(folder, 'nemo'), 'a file where a folder should be')
    const troubles = await write('Web')
    expect(troubles.map(({ path }) => path)).toEqual([
      join(folder, 'nemo/actions/mediatray-preset-1.nemo_action'),
    ])
    expect(filesBelow(folder)).toEqual(['Web', 'mediatray-preset-1.desktop', 'nemo'])
  })

  it('that are bundles are removed as a whole, unless a file of another program is in them', async () => {
    const services = join(folder, 'Services')
    const writeActions = (...names: readonly string[]) =>
      writeEntries(finderEntries(names.map(both), { services, program: PROGRAM }), finderPlaces(services))
    await writeActions('Web', 'Mail')
    writeFileSync(join(services, 'Mail (Mediatray).workflow/Contents/QuickLook.png'), '')
    await writeActions()
    expect(readdirSync(services)).toEqual(['Mail (Mediatray).workflow'])
    expect(filesBelow(services)).toEqual(['QuickLook.png'])
  })
})
