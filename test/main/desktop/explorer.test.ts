import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { explorerEntries, isOwnShortcut } from '../../../src/main/desktop/file-managers/explorer.ts'
import { writeExplorerEntries } from '../../../src/main/desktop/file-managers/write-explorer.ts'
import { presetsOf } from '../../../src/main/desktop/launch/launch-arguments.ts'
import { SUPPORTED_EXTENSIONS } from '../../../src/shared/media-types.ts'
import { temporaryFolder } from '../../temporary-folder.ts'
import { firstOf } from '../../faults/long-suite.ts'
import { both, HOSTILE_NAMES, isVisible } from './hostile-presets.ts'

const PROGRAM = 'C:\\Users\\Ida Ö\\AppData\\Local\\Programs\\mediatray\\Mediatray.exe'
const CLASSES = 'HKEY_CURRENT_USER\\Software\\Classes\\'

type Keys = ReadonlyMap<string, ReadonlyMap<string, string>>

/** Reads a registration file. Removed keys have the name `-key` and no values. */
function keysIn(registry: string): Keys {
  const [header, ...lines] = registry.split('\r\n')
  expect(header).toBe('Windows Registry Editor Version 5.00')
  const keys = new Map<string, Map<string, string>>()
  let values = new Map<string, string>()
  for (const line of lines.filter((one) => one !== '')) {
    const [, key] = /^\[(.*)\]$/.exec(line) ?? []
    if (key !== undefined) {
      values = new Map()
      keys.set(key.replace(CLASSES, ''), values)
      continue
    }
    const [, name, text] = /^(@|"(?:[^"\\]|\\.)*")="((?:[^"\\]|\\.)*)"$/.exec(line) ?? []
    expect(name, line).toBeDefined()
    values.set((name ?? '').replaceAll('"', ''), (text ?? '').replaceAll(/\\(.)/g, '$1'))
  }
  return keys
}

/** Splits a command line as Windows programs do. */
function argumentsIn(command: string): string[] {
  return [...command.matchAll(/"((?:[^"\\]|\\+[^"\\]|(?:\\\\)*\\"|(?:\\\\)+(?="))*)"|(\S+)/g)].map(
    ([, quoted, plain]) =>
      plain ??
      (quoted ?? '').replaceAll(
        /(\\+)("|$)/g,
        (_match, slashes: string, quote: string) => '\\'.repeat(slashes.length >> 1) + quote,
      ),
  )
}

describe('the submenu in Explorer', () => {
  it('exists for all supported types and for folders, and for any number of files', () => {
    const keys = keysIn(explorerEntries([both('Web')], PROGRAM).registry)
    for (const extension of [...SUPPORTED_EXTENSIONS, 'tif', 'jfif', 'heif', 'qt', 'avif']) {
      expect(keys.get(`SystemFileAssociations\\.${extension}\\shell\\Mediatray.Presets`)).toEqual(
        new Map([
          ['MUIVerb', 'Mediatray'],
          ['Icon', `"${PROGRAM}",0`],
          [
            'ExtendedSubCommandsKey',
            /^(mp4|mov|qt|avi|mkv|webm|m4v)$/.test(extension)
              ? 'Mediatray.Presets.Videos'
              : 'Mediatray.Presets.Photos',
          ],
          ['MultiSelectModel', 'Player'],
        ]),
      )
    }
    expect(keys.get('Directory\\shell\\Mediatray.Presets')?.get('ExtendedSubCommandsKey')).toBe(
      'Mediatray.Presets.Folders',
    )
  })

  it('lists only presets for the kind of file, in their order', () => {
    const presets = [
      { name: 'Clip', forPhotos: false, forVideos: true },
      { name: 'Web', forPhotos: true, forVideos: false },
      both('Any'),
    ]
    const keys = keysIn(explorerEntries(presets, PROGRAM).registry)
    const listed = (menu: string): readonly (string | undefined)[] =>
      [1, 2, 3].map((number) => keys.get(`Mediatray.Presets.${menu}\\shell\\${number}`)?.get('MUIVerb'))
    expect(listed('Photos')).toEqual(['Web', 'Any', undefined])
    expect(listed('Videos')).toEqual(['Clip', 'Any', undefined])
    expect(listed('Folders')).toEqual(['Clip', 'Web', 'Any'])
    expect(keys.get('Mediatray.Presets.Photos\\shell\\1')?.get('MultiSelectModel')).toBe('Player')
    const onlyVideos = keysIn(explorerEntries(presets.slice(0, 1), PROGRAM).registry)
    expect(onlyVideos.has('SystemFileAssociations\\.jpg\\shell\\Mediatray.Presets')).toBe(false)
  })

  it.each(firstOf(HOSTILE_NAMES, 8))('passes on a name unchanged: %j', (name) => {
    const { registry, shortcuts } = explorerEntries([both(name)], PROGRAM)
    const keys = keysIn(registry)
    const command = keys.get('Mediatray.Presets.Photos\\shell\\1\\command')?.get('@') ?? ''
    // Explorer replaces everything that begins with a percent sign.
    expect(command.match(/%./g)).toEqual(['%1'])
    const [program, ...args] = argumentsIn(command)
    expect(program).toBe(PROGRAM)
    expect(presetsOf({ args, cwd: '/' })).toEqual([name])
    expect(args.slice(-2)).toEqual(['--', '%1'])
    const label = keys.get('Mediatray.Presets.Photos\\shell\\1')?.get('MUIVerb') ?? ''
    expect(label).toSatisfy(isVisible)
    expect(label).not.toMatch(/^@|(?<!&)&(?!&)|\p{Cc}/u)
    expect(presetsOf({ args: argumentsIn(shortcuts[0]?.args ?? ''), cwd: '/' })).toEqual([name])
    expect(basename(shortcuts[0]?.name ?? '', '.lnk')).toSatisfy(isVisible)
    expect(shortcuts[0]?.name).toMatch(/^Mediatray, [^<>:"/\\|?*\p{Cc}]*[^<>:"/\\|?*\p{Cc}. ]\.lnk$/u)
  })

  it('is removed completely before it is written, and with the last star', () => {
    const written = [...keysIn(explorerEntries([both('Web')], PROGRAM).registry).keys()]
    const roots = written.filter((key) => key.startsWith('-')).map((key) => key.slice(1))
    const added = written.filter((key) => !key.startsWith('-'))
    expect(added.filter((key) => !roots.some((root) => `${key}\\`.startsWith(`${root}\\`)))).toEqual([])
    expect(written.findLastIndex((key) => key.startsWith('-'))).toBeLessThan(written.indexOf(added[0] ?? ''))
    const none = explorerEntries([], PROGRAM)
    expect([...keysIn(none.registry).keys()].every((key) => key.startsWith('-'))).toBe(true)
    expect(none).toMatchObject({ digest: '', shortcuts: [] })
  })

  it('is removed by the uninstaller, whose list names the same keys', () => {
    const installer = readFileSync(join(import.meta.dirname, '../../../build/installer.nsh'), 'utf8')
    const extensions = [...installer.matchAll(/mediatrayForEachPreset[^]*?!macroend/g)]
      .flatMap(([macro]) => [...macro.matchAll(/\$\{DO\} "(\w+)"/g)])
      .map(([, extension]) => `SystemFileAssociations\\.${extension}\\shell\\Mediatray.Presets`)
    const fixed = [
      ...installer.matchAll(/DeleteRegKey HKCU "Software\\Classes\\([^"$]*Mediatray\.Presets[^"$]*)"/g),
    ].map(([, key]) => key ?? '')
    const removed = [...keysIn(explorerEntries([], PROGRAM).registry).keys()].map((key) => key.slice(1))
    expect([...extensions, ...fixed].toSorted()).toEqual(removed.toSorted())
  })
})

describe('what is written for Explorer', () => {
  type Link = { readonly target: string; readonly args?: string }
  /** A registry that remembers what was imported, and a folder of shortcuts that are JSON files. */
  function setUp() {
    const folder = temporaryFolder()
    const sendTo = join(folder, 'SendTo')
    mkdirSync(sendTo)
    // Windows paths contain backslashes, which are ordinary characters in other systems' names.
    const onDisk = (path: string) => join(sendTo, path.slice(path.lastIndexOf('\\') + 1))
    const imported: string[] = []
    const shell = {
      readShortcutLink: (path: string) => JSON.parse(readFileSync(onDisk(path), 'utf8')) as Link,
      writeShortcutLink: (path: string, _operation: unknown, link?: unknown) => {
        writeFileSync(onDisk(path), JSON.stringify(link))
        return true
      },
    } as unknown as Parameters<typeof writeExplorerEntries>[1]['shell']
    const registryFile = join(folder, 'entries.reg')
    const reg = (args: readonly string[]) => {
      if (args[0] === 'import') imported.push(readFileSync(args[1] ?? '', 'utf16le'))
      const digest = /"Entries"="([0-9a-f]+)"/.exec(imported.at(-1) ?? '')?.[1]
      return digest === undefined
        ? Promise.reject(new Error('The system was unable to find the specified registry key.'))
        : Promise.resolve(`    Entries    REG_SZ    ${digest}\r\n`)
    }
    const write = (...names: readonly string[]) =>
      writeExplorerEntries(explorerEntries(names.map(both), PROGRAM), {
        program: PROGRAM,
        sendTo,
        registryFile,
        reg,
        shell,
      })
    return { sendTo, imported, write, folder }
  }

  it('is imported once as UTF-16, until something changes', async () => {
    const { imported, write, folder } = setUp()
    await write('Wëb')
    await write('Wëb')
    expect(imported).toHaveLength(1)
    expect(imported[0]?.startsWith('\uFEFFWindows Registry Editor')).toBe(true)
    await write('Mail')
    expect(imported).toHaveLength(2)
    expect(readdirSync(folder)).toEqual(['SendTo'])
  })

  it('includes shortcuts in Send to, and never touches those of others', async () => {
    const { sendTo, write } = setUp()
    const foreign = JSON.stringify({ target: 'C:\\other.exe' })
    writeFileSync(join(sendTo, 'Mediatray, Mail.lnk'), foreign)
    writeFileSync(join(sendTo, 'Mediatray, notes.lnk'), 'no shortcut')
    writeFileSync(join(sendTo, 'Mediatray.lnk'), JSON.stringify({ target: PROGRAM }))
    expect(await write('Web', 'Mail')).toMatchObject([{ message: 'another file has this name' }])
    expect(readFileSync(join(sendTo, 'Mediatray, Mail.lnk'), 'utf8')).toBe(foreign)
    expect(JSON.parse(readFileSync(join(sendTo, 'Mediatray, Web.lnk'), 'utf8'))).toMatchObject({
      target: PROGRAM,
      args: '--preset "Web" --',
    })
  })

  it('recognizes its own shortcuts by the program and the option', () => {
    expect(isOwnShortcut({ target: 'D:\\Old\\MEDIATRAY.exe', args: '--preset "Web" --' }, PROGRAM)).toBe(true)
    expect(isOwnShortcut({ target: PROGRAM, args: '--new-job' }, PROGRAM)).toBe(false)
    expect(isOwnShortcut({ target: 'C:\\other.exe', args: '--preset "Web" --' }, PROGRAM)).toBe(false)
  })
})
