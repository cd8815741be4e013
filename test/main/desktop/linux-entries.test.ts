import { execFileSync, spawnSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { linuxEntries, type LinuxFileManager } from '../../../src/main/desktop/file-managers/linux.ts'
import { presetsOf } from '../../../src/main/desktop/launch/launch-arguments.ts'
import type { StarredPreset } from '../../../src/shared/preset/starred.ts'
import { temporaryFolder } from '../../temporary-folder.ts'
import { firstOf } from '../../faults/long-suite.ts'
import { both, HOSTILE_NAMES, isVisible } from './hostile-presets.ts'

const PROGRAM = `/opt/Media "tray" $HOME 100%/it's; mediatray`

const entries = (
  presets: readonly StarredPreset[],
  manager: LinuxFileManager,
  { program = PROGRAM, dataFolder = '/data' } = {},
) => linuxEntries(presets, { program, dataFolder, managers: [manager] })

const textOf = (name: string, manager: LinuxFileManager): string =>
  entries([both(name)], manager)[0]?.text ?? ''

/** Reads a value as GLib and KDE read key files. */
function valueOf(text: string, key: string): string {
  const raw = new RegExp(`^${key}=(.*)$`, 'm').exec(text)?.[1] ?? ''
  const escapes: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t', s: ' ', '\\': '\\' }
  return raw.replaceAll(/\\(.)/g, (match, character: string) => escapes[character] ?? match)
}

/** Returns the arguments of a command line, as a real shell splits it. The quoting of `Exec` is a subset of the shell's. */
function argumentsIn(command: string): readonly string[] {
  const output = execFileSync('/bin/sh', ['-c', `printf '%s\\0' ${command}`], { encoding: 'utf8' })
  return output.split('\0').slice(0, -1)
}

/** Replaces the field codes of a command. */
const expanded = (command: string): string =>
  command.replaceAll(/%(.)/g, (_match, code: string) => (code === '%' ? '%' : `'a b.jpg' 'c.jpg'`))

const started = (command: string) => {
  const [program, ...args] = argumentsIn(expanded(command))
  return { program, presets: presetsOf({ args, cwd: '/' }), files: args.slice(args.indexOf('--') + 1) }
}

/** Returns the groups of MIME types for which a service menu appears. */
const types = (preset: StarredPreset) =>
  valueOf(entries([preset], 'kde')[0]?.text ?? '', 'MimeType')
    .split(';')
    .map((type) => type.split('/')[0])

/** A home folder with the scripts, and a program that prints its arguments. */
function install(names: readonly string[]) {
  const home = temporaryFolder()
  const program = join(home, `it's a "tray" $HOME 100%`, 'mediatray')
  mkdirSync(dirname(program))
  writeFileSync(program, '#!/bin/sh\nprintf "%s\\0" "$@"\n')
  chmodSync(program, 0o755)
  const files = entries(names.map(both), 'nautilus', { program, dataFolder: home })
  for (const { path, text } of files) {
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, text, { mode: 0o755 })
  }
  const run = (script: string, args: readonly string[], variable = '') =>
    execFileSync(script, [...args], {
      encoding: 'utf8',
      cwd: home,
      env: { NAUTILUS_SCRIPT_SELECTED_FILE_PATHS: variable },
    })
      .split('\0')
      .slice(0, -1)
  return { files, run, removeProgram: () => chmodSync(program, 0o644) }
}

describe('a service menu of KDE', () => {
  it('is executable, and in a submenu that all presets share', () => {
    const files = entries([both('Web'), both('Mail')], 'kde')
    expect(files.map(({ path, isExecutable }) => [path, isExecutable])).toEqual([
      ['/data/kio/servicemenus/mediatray-preset-1.desktop', true],
      ['/data/kio/servicemenus/mediatray-preset-2.desktop', true],
    ])
    expect(files.map(({ text }) => valueOf(text, 'X-KDE-Submenu'))).toEqual(['Mediatray', 'Mediatray'])
    // KDE identifies actions by these names across all files.
    expect(files.map(({ text }) => valueOf(text, 'Actions'))).toEqual([
      'mediatrayPreset1;',
      'mediatrayPreset2;',
    ])
  })

  it('appears only for files that the preset handles, and for folders', () => {
    const photos = types({ name: 'Web', forPhotos: true, forVideos: false })
    const videos = types({ name: 'Clip', forPhotos: false, forVideos: true })
    expect(new Set(photos)).toEqual(new Set(['image', 'inode', '']))
    expect(new Set(videos)).toEqual(new Set(['video', 'inode', '']))
  })

  it.each(firstOf(HOSTILE_NAMES, 8))('passes on a name unchanged: %j', (name) => {
    const text = textOf(name, 'kde')
    expect(started(valueOf(text, 'Exec'))).toEqual({
      program: PROGRAM,
      presets: [name],
      files: ['a b.jpg', 'c.jpg'],
    })
    expect(valueOf(text, 'TryExec')).toBe(PROGRAM)
    expect(valueOf(text, 'Name')).toSatisfy(isVisible)
    expect(valueOf(text, 'Name')).not.toMatch(/[\p{Cc}\p{Bidi_Control}]/u)
  })

  it.each(firstOf(HOSTILE_NAMES, 8))('is a valid desktop entry: %j', (name) => {
    const file = join(temporaryFolder(), 'entry.desktop')
    // The validator doesn't know KDE's type. Everything else must be valid.
    const application = 'Type=Application\nName=Mediatray\nExec=mediatray'
    writeFileSync(file, textOf(name, 'kde').replace('Type=Service', application))
    const { stdout, stderr, error } = spawnSync('desktop-file-validate', [file], { encoding: 'utf8' })
    expect(error).toBeUndefined()
    expect(`${stdout}${stderr}`).toBe('')
  })
})

describe('a script for Nautilus', () => {
  it.each(firstOf(HOSTILE_NAMES, 8))('passes on a name unchanged, and is visible: %j', (name) => {
    const { files, run } = install([name])
    const [script] = files
    const args = run(script?.path ?? '', ['a b.jpg', '-c.jpg'])
    expect(presetsOf({ args, cwd: '/' })).toEqual([name])
    expect(args.slice(-3)).toEqual(['--', 'a b.jpg', '-c.jpg'])
    expect(basename(script?.path ?? '')).toMatch(/^(?!\.).*(?<!~)$/)
    expect(basename(script?.path ?? '')).toSatisfy(isVisible)
    expect(Buffer.byteLength(basename(script?.path ?? ''))).toBeLessThanOrEqual(255)
    expect(script?.isExecutable).toBe(true)
  })

  it('reads the selection from the variable if there are no arguments, and starts nothing without a selection', () => {
    const { files, run } = install(['Web'])
    const script = files[0]?.path ?? ''
    expect(run(script, [], '/photos/a b.jpg\n/photos/*.jpg\n')).toEqual([
      '--preset',
      'Web',
      '--',
      '/photos/a b.jpg',
      '/photos/*.jpg',
    ])
    expect(run(script, [])).toEqual([])
  })

  it('removes itself once the program is gone', () => {
    const { files, run, removeProgram } = install(['Web'])
    const script = files[0]?.path ?? ''
    removeProgram()
    expect(run(script, ['a.jpg'])).toEqual([])
    expect(existsSync(script)).toBe(false)
  })

  it('has a unique name even if two presets would have the same', () => {
    const names = install(['a/b', 'A∕B', 'a:b']).files.map(({ path }) => basename(path))
    expect(names).toEqual(['a∕b', 'A∕B 2', 'a∶b'])
  })
})

describe('an action for Nemo', () => {
  it.each(firstOf(HOSTILE_NAMES, 8))('passes on a name unchanged: %j', (name) => {
    const text = textOf(name, 'nemo')
    expect(started(valueOf(text, 'Exec'))).toEqual({
      program: PROGRAM,
      presets: [name],
      files: ['a b.jpg', 'c.jpg'],
    })
    expect(text.startsWith('[Nemo Action]\n')).toBe(true)
    expect(valueOf(text, 'Name')).toSatisfy(isVisible)
  })

  it('shows percent signs and underscores in its name', () => {
    const label = valueOf(textOf('50% _off_', 'nemo'), 'Name')
    expect(label).toBe('Mediatray: 50%% __off__')
  })

  it('is hidden while the program doesn’t exist', () => {
    expect(textOf('Web', 'nemo')).toContain(`\nDependencies=${PROGRAM.replaceAll(';', String.raw`\;`)};\n`)
  })
})

it('entries are written only for the given file managers, and need no program to exist', () => {
  const all = linuxEntries([both('Web')], {
    program: PROGRAM,
    dataFolder: '/data',
    managers: ['kde', 'nautilus', 'nemo', 'thunar'],
  })
  expect(all.map(({ path }) => path)).toEqual([
    '/data/kio/servicemenus/mediatray-preset-1.desktop',
    '/data/nautilus/scripts/Mediatray/Web',
    '/data/nemo/actions/mediatray-preset-1.nemo_action',
  ])
  expect(linuxEntries([both('Web')], { program: PROGRAM, dataFolder: '/data', managers: [] })).toEqual([])
})
