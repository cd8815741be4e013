/**
 * The entries for File Explorer: a submenu for each supported file type and for folders, and shortcuts in *Send to*. The
 * uninstaller removes these shortcuts and our keys in the user's part of the registry (build/installer.nsh).
 */
import { createHash } from 'node:crypto'
import { win32 } from 'node:path'
import { OPENABLE_EXTENSIONS, openableExtensions } from '../../../shared/media-types.ts'
import { isDeviceName, UNSAFE_IN_NAMES } from '../../../shared/paths.ts'
import type { StarredPreset } from '../../../shared/preset/starred.ts'
import { windowsQuoted } from '../quoting.ts'
import { distinct, labelOf, presetArguments } from './entry.ts'

const CLASSES = 'HKEY_CURRENT_USER\\Software\\Classes'
/** Below `CLASSES`. Its value `Entries` is the digest of what was written last. */
export const STATE_KEY = 'Mediatray.Presets'
const VERB = 'Mediatray.Presets'
const MENUS = {
  photos: 'Mediatray.Presets.Photos',
  videos: 'Mediatray.Presets.Videos',
  folders: 'Mediatray.Presets.Folders',
} as const
export type Shortcut = { readonly name: string; readonly target: string; readonly args: string }

export type ExplorerEntries = {
  /** For `reg.exe import`: removes earlier entries and adds the current ones. */
  readonly registry: string
  readonly digest: string
  readonly shortcuts: readonly Shortcut[]
}

/** Characters that a command can't pass on reliably. Explorer replaces `%1`, and quoting of `"` and `\` differs between programs. */
const UNSAFE_IN_COMMANDS = /[\p{Cc}"%\\]/u

/** @param program absolute path */
export function explorerEntries(presets: readonly StarredPreset[], program: string): ExplorerEntries {
  const shortcuts = shortcutsFor(presets, program)
  const photos = presets.filter(({ forPhotos }) => forPhotos)
  const videos = presets.filter(({ forVideos }) => forVideos)
  const keys = [
    ...menuKeys(MENUS.photos, photos, program),
    ...menuKeys(MENUS.videos, videos, program),
    ...menuKeys(MENUS.folders, presets, program),
    ...(photos.length === 0
      ? []
      : openableExtensions('image').map((ext) => verbKey(typeKey(ext), MENUS.photos, program))),
    ...(videos.length === 0
      ? []
      : openableExtensions('video').map((ext) => verbKey(typeKey(ext), MENUS.videos, program))),
    ...(presets.length === 0 ? [] : [verbKey('Directory', MENUS.folders, program)]),
  ]
  const body = [...OWN_KEYS.map((key) => `[-${CLASSES}\\${key}]`), ...keys.map(keyText)].join('\n\n')
  const digest = createHash('sha256')
    .update(JSON.stringify([body, shortcuts]))
    .digest('hex')
  const state = presets.length === 0 ? [] : stateKeys(digest, shortcuts)
  return {
    registry:
      `Windows Registry Editor Version 5.00\n\n${[body, ...state.map(keyText)].join('\n\n')}\n\n`.replaceAll(
        '\n',
        '\r\n',
      ),
    digest: presets.length === 0 ? '' : digest,
    shortcuts,
  }
}

const typeKey = (extension: string): string => `SystemFileAssociations\\.${extension}`
const verbKeyName = (parent: string): string => `${parent}\\shell\\${VERB}`

const OWN_KEYS = [
  STATE_KEY,
  ...Object.values(MENUS),
  ...OPENABLE_EXTENSIONS.map((extension) => verbKeyName(typeKey(extension))),
  verbKeyName('Directory'),
]

type RegistryKey = { readonly key: string; readonly values: Readonly<Record<string, string>> }

/** Without `MultiSelectModel=Player` a verb disappears when more than 15 files are selected. */
const PLAYER = { MultiSelectModel: 'Player' }

const verbKey = (parent: string, menu: string, program: string): RegistryKey => ({
  key: verbKeyName(parent),
  values: { MUIVerb: 'Mediatray', Icon: iconOf(program), ExtendedSubCommandsKey: menu, ...PLAYER },
})

/** Returns the registry value that stands for the program's first icon. */
const iconOf = (program: string): string => `${windowsQuoted(program)},0`

const menuKeys = (menu: string, presets: readonly StarredPreset[], program: string): readonly RegistryKey[] =>
  presets.flatMap((preset, index) => [
    { key: `${menu}\\shell\\${index + 1}`, values: { MUIVerb: verbLabel(preset), ...PLAYER } },
    { key: `${menu}\\shell\\${index + 1}\\command`, values: { '': commandOf(preset, program) } },
  ])

/** Escapes a label: `&` marks a shortcut letter, and a label that begins with `@` would be looked up as a resource. */
const verbLabel = (preset: StarredPreset): string => labelOf(preset).replaceAll('&', '&&').replace(/^@/, ' @')

const commandOf = (preset: StarredPreset, program: string): string =>
  `${windowsQuoted(program)} ${argumentsOf(preset)} "%1"`

function argumentsOf(preset: StarredPreset): string {
  const [option, value] = presetArguments(preset, UNSAFE_IN_COMMANDS)
  return `${option} ${windowsQuoted(value)} --`
}

/** Returns the keys with the digest, and with the names of the shortcuts for the uninstaller. */
const stateKeys = (digest: string, shortcuts: readonly Shortcut[]): readonly RegistryKey[] => [
  { key: STATE_KEY, values: { Entries: digest } },
  {
    key: `${STATE_KEY}\\SendTo`,
    values: Object.fromEntries(shortcuts.map(({ name }, index) => [String(index + 1), name])),
  },
]

const keyText = ({ key, values }: RegistryKey): string =>
  [
    `[${CLASSES}\\${key}]`,
    ...Object.entries(values).map(([name, value]) => `${name === '' ? '@' : quoted(name)}=${quoted(value)}`),
  ].join('\n')

const quoted = (text: string): string => `"${text.replaceAll(/[\\"]/g, (character) => `\\${character}`)}"`

function shortcutsFor(presets: readonly StarredPreset[], program: string): readonly Shortcut[] {
  const names = distinct(presets.map(shortcutName))
  return presets.map((preset, index) => ({
    name: `Mediatray, ${names[index] ?? ''}.lnk`,
    target: program,
    args: argumentsOf(preset),
  }))
}

const EACH_UNSAFE = new RegExp(UNSAFE_IN_NAMES, 'gu')

/** Returns the name of a preset's shortcut. Windows drops dots and spaces at the end of a name. */
function shortcutName(preset: StarredPreset): string {
  const name = labelOf(preset)
    .replaceAll(EACH_UNSAFE, '_')
    .replace(/[. ]+$/, '')
  return name === '' || isDeviceName(name) ? `${name}_` : name
}

/** Whether an existing shortcut in *Send to* is one of ours. */
export const isOwnShortcut = (
  found: { readonly target: string; readonly args?: string },
  program: string,
): boolean =>
  win32.basename(found.target).toLowerCase() === win32.basename(program).toLowerCase() &&
  /^--preset(?:-base64)? /.test(found.args ?? '')

export const isShortcutName = (name: string): boolean => /^Mediatray, .*\.lnk$/i.test(name)
