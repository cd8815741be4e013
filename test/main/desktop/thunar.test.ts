import { execFileSync } from 'node:child_process'
import { lstatSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { writeThunarActions } from '../../../src/main/desktop/file-managers/thunar-file.ts'
import { EMPTY_ACTIONS, withThunarActions } from '../../../src/main/desktop/file-managers/thunar.ts'
import { presetsOf } from '../../../src/main/desktop/launch/launch-arguments.ts'
import { temporaryFolder } from '../../temporary-folder.ts'
import { firstOf } from '../../faults/long-suite.ts'
import { both, HOSTILE_NAMES, isVisible } from './hostile-presets.ts'

const PROGRAM = '/opt/Mediatray/mediatray'

/** A user's file: a document type, comments and text that look like tags, and an action that Thunar has saved. */
const USERS = `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE actions [
  <!ELEMENT actions (action)+>
]>
<!-- </actions> <action> <unique-id>mediatray-preset-1</unique-id> </action> -->
<actions>
<action>
\t<icon>utilities-terminal</icon>
\t<name>Open &amp; edit</name>
\t<submenu></submenu>
\t<unique-id>1700000000000000-1</unique-id>
\t<command><![CDATA[x </actions> %f]]></command>
\t<description></description>
\t<range>1-3</range>
\t<patterns>*</patterns>
\t<directories/>
</action>
</actions>
<!-- the end </actions> -->
`

const unescaped = (text: string): string =>
  text.replaceAll(
    /&(amp|lt|gt|quot);/g,
    (_match, name: string) => ({ amp: '&', lt: '<', gt: '>', quot: '"' })[name] ?? '',
  )

const elementIn = (text: string, name: string): string =>
  unescaped(new RegExp(`<${name}>([^<]*)</${name}>`).exec(text)?.[1] ?? '')

describe('the actions of Thunar', () => {
  it('are added after the user’s own, and removing them restores the text exactly', () => {
    const added = withThunarActions(USERS, [both('Web'), both('Mail')], PROGRAM) ?? ''
    const at = USERS.indexOf('</action>\n</actions>') + '</action>\n'.length
    expect(added.startsWith(USERS.slice(0, at))).toBe(true)
    expect(added.endsWith(USERS.slice(at))).toBe(true)
    expect(added.match(/<unique-id>mediatray-preset-\d<\/unique-id>\n\t/g)).toHaveLength(2)
    expect(withThunarActions(added, [], PROGRAM)).toBe(USERS)
    expect(withThunarActions(added, [both('Web')], PROGRAM)).toBe(
      withThunarActions(USERS, [both('Web')], PROGRAM),
    )
  })

  it('are recognized after Thunar has saved them in its own way', () => {
    const saved = USERS.replace('1700000000000000-1', 'mediatray-preset-3')
    expect(withThunarActions(saved, [], PROGRAM)).not.toContain('Open &amp; edit')
  })

  it('are shown for folders and for the kinds of files that the preset handles', () => {
    const photos = withThunarActions(
      EMPTY_ACTIONS,
      [{ name: 'Web', forPhotos: true, forVideos: false }],
      PROGRAM,
    )
    expect(photos).toContain('<directories/>\n\t<image-files/>\n</action>')
  })

  it.each(['', 'text', '<actions>', '<actions><action></actions>', '<other/>', '</action>'])(
    'are not added to text that isn’t a list of actions: %j',
    (text) => {
      expect(withThunarActions(text, [both('Web')], PROGRAM)).toBeUndefined()
    },
  )

  it('are added to an empty list', () => {
    expect(withThunarActions('<actions/>', [both('Web')], PROGRAM)).toMatch(
      /^<actions>\n<action>[^]*<\/action>\n<\/actions>$/,
    )
    expect(withThunarActions('<actions/>', [], PROGRAM)).toBe('<actions/>')
  })

  it.each(firstOf(HOSTILE_NAMES, 8))('pass on a name unchanged: %j', (name) => {
    // A program that exists everywhere, and prints what it received.
    const text = withThunarActions(EMPTY_ACTIONS, [both(name)], '/usr/bin/printf') ?? ''
    const command = elementIn(text, 'command').replaceAll(/%(.)/g, (_match, code: string) =>
      code === '%' ? '%' : `'a b.jpg'`,
    )
    const printing = command.replace("/usr/bin/printf' --", String.raw`/usr/bin/printf' '%s\0' --`)
    const args = execFileSync('/bin/sh', ['-c', printing], { encoding: 'utf8' }).split('\0').slice(0, -1)
    expect(presetsOf({ args, cwd: '/' })).toEqual([name])
    expect(args.slice(-2)).toEqual(['--', 'a b.jpg'])
    expect(text.match(/<action>/g)).toHaveLength(1)
    expect(elementIn(text, 'name')).toSatisfy(isVisible)
  })

  it('do nothing if the program is gone', () => {
    const text = withThunarActions(EMPTY_ACTIONS, [both('Web')], '/opt/gone/mediatray') ?? ''
    const command = elementIn(text, 'command').replace('%F', '')
    expect(() => execFileSync('/bin/sh', ['-c', `${command} || exit 7`])).toThrow(/Command failed/)
  })
})

const SYSTEM = USERS.replace('Open &amp; edit', 'Open Terminal Here')
function setUp({ user, system }: { user?: string; system?: string }) {
  const folder = temporaryFolder()
  const [configFolder, systemFolder] = [join(folder, 'config'), join(folder, 'xdg')]
  const [path, systemPath] = [configFolder, systemFolder].map((root) => join(root, 'Thunar/uca.xml')) as [
    string,
    string,
  ]
  for (const [file, text] of [
    [path, user],
    [systemPath, system],
  ] as const) {
    mkdirSync(dirname(file), { recursive: true })
    if (text !== undefined) writeFileSync(file, text, { mode: 0o600 })
  }
  const write = (...names: string[]) =>
    writeThunarActions(names.map(both), PROGRAM, {
      configFolder,
      systemFolders: ['/nowhere', systemFolder],
    })
  return { path, write, text: () => readFileSync(path, 'utf8') }
}

describe('Thunar’s file', () => {
  it('keeps the system’s actions, and is removed with the last star', async () => {
    const { path, write, text } = setUp({ system: SYSTEM })
    await write()
    expect(lstatSync(path, { throwIfNoEntry: false })).toBeUndefined()
    await write('Web')
    expect(text()).toContain('Open Terminal Here')
    await write()
    expect(lstatSync(path, { throwIfNoEntry: false })).toBeUndefined()
  })

  it('keeps the user’s actions and the file’s mode', async () => {
    const { path, write, text } = setUp({ user: USERS, system: SYSTEM })
    await write('Web')
    expect(text()).toContain('Open &amp; edit')
    expect(statSync(path).mode & 0o777).toBe(0o600)
    await write()
    expect(text()).toBe(USERS)
  })

  it('is created if the system has none', async () => {
    const { write, text } = setUp({})
    await write('Web', 'Mail')
    expect(text()).toMatch(/^<\?xml [^]*Mediatray: Web[^]*Mediatray: Mail[^]*<\/actions>\n$/)
  })

  it('is written where a link points to', async () => {
    const { path, write } = setUp({})
    const elsewhere = join(temporaryFolder(), 'uca.xml')
    writeFileSync(elsewhere, USERS)
    symlinkSync(elsewhere, path)
    await write('Web')
    expect(lstatSync(path).isSymbolicLink()).toBe(true)
    expect(readFileSync(elsewhere, 'utf8')).toContain('Mediatray: Web')
  })

  it('is left unchanged if it is damaged', async () => {
    const { write, text } = setUp({ user: '<actions><action>' })
    await expect(write('Web')).rejects.toThrow('isn’t a list of custom actions')
    expect(text()).toBe('<actions><action>')
    await write()
    expect(text()).toBe('<actions><action>')
  })
})
