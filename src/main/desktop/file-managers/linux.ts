/**
 * The entries for Linux file managers. Each entry belongs to one user. Packages can't remove files from home folders, so an entry is hidden
 * or does nothing once the program is gone. Formats: docs/decisions/file-manager-entries.md.
 */
import { join } from 'node:path'
import type { StarredPreset } from '../../../shared/preset/starred.ts'
import { execQuoted, fieldQuoted, keyFileList, keyFileValue, shellQuoted } from '../quoting.ts'
import {
  distinct,
  fileNameOf,
  labelOf,
  longLabelOf,
  MARK,
  presetArguments,
  typesFor,
  type EntryFile,
  type EntryPlace,
} from './entry.ts'

export type LinuxFileManager = 'kde' | 'nautilus' | 'nemo' | 'thunar'

/** Program names. Thunar keeps all its actions in one file, which thunar.ts handles. */
export const LINUX_PROGRAMS: Readonly<Record<LinuxFileManager, readonly string[]>> = {
  kde: ['dolphin', 'konqueror', 'krusader'],
  nautilus: ['nautilus'],
  nemo: ['nemo'],
  thunar: ['thunar', 'Thunar'],
}

/** Below the user's data folder. */
const FOLDERS = {
  kde: 'kio/servicemenus',
  nautilus: 'nautilus/scripts/Mediatray',
  nemo: 'nemo/actions',
} as const

const numbered = (number: number, extension: string): string => `mediatray-preset-${number}.${extension}`

/** @param dataFolder `~/.local/share` by default */
export const linuxPlaces = (dataFolder: string): readonly EntryPlace[] => [
  placeOf(dataFolder, FOLDERS.kde, /^mediatray-preset-\d+\.desktop$/),
  placeOf(join(dataFolder, 'nautilus/scripts'), 'Mediatray', /./),
  placeOf(dataFolder, FOLDERS.nemo, /^mediatray-preset-\d+\.nemo_action$/),
]

const placeOf = (root: string, folder: string, pattern: RegExp): EntryPlace => ({
  root,
  folder,
  filesOf: (name) => (pattern.test(name) ? [join(folder, name)] : []),
})

/**
 * Returns the files for all file managers except Thunar.
 * @param program absolute path
 */
export function linuxEntries(
  presets: readonly StarredPreset[],
  options: {
    readonly program: string
    readonly dataFolder: string
    readonly managers: readonly LinuxFileManager[]
  },
): readonly EntryFile[] {
  const { program, dataFolder, managers } = options
  const at = (folder: string, name: string) => join(dataFolder, folder, name)
  const fileNames = distinct(presets.map(fileNameOf))
  return presets.flatMap((preset, index) => {
    const number = index + 1
    const entries: Partial<Record<LinuxFileManager, EntryFile>> = {
      // KDE ignores service menus in a home folder that aren't executable.
      kde: {
        path: at(FOLDERS.kde, numbered(number, 'desktop')),
        text: kdeServiceMenu(preset, number, program),
        isExecutable: true,
      },
      nautilus: {
        path: at(FOLDERS.nautilus, fileNames[index] ?? ''),
        text: nautilusScript(preset, program),
        isExecutable: true,
      },
      nemo: {
        path: at(FOLDERS.nemo, numbered(number, 'nemo_action')),
        text: nemoAction(preset, program),
        isExecutable: false,
      },
    }
    return managers.flatMap((manager) => entries[manager] ?? [])
  })
}

/** Returns a service menu. KDE merges the menus of all files that name the same submenu. */
function kdeServiceMenu(preset: StarredPreset, number: number, program: string): string {
  const [option, value] = presetArguments(preset)
  const exec = [execQuoted(program), option, execQuoted(value), '--', '%F'].join(' ')
  return lines(
    `# ${MARK}`,
    '[Desktop Entry]',
    'Type=Service',
    'X-KDE-ServiceTypes=KonqPopupMenu/Plugin',
    `MimeType=${keyFileList(typesFor(preset))}`,
    `TryExec=${keyFileValue(program)}`,
    'X-KDE-Priority=TopLevel',
    'X-KDE-Submenu=Mediatray',
    `Actions=mediatrayPreset${number};`,
    '',
    `[Desktop Action mediatrayPreset${number}]`,
    `Name=${keyFileValue(labelOf(preset))}`,
    'Icon=mediatray',
    `Exec=${keyFileValue(exec)}`,
  )
}

/**
 * Returns a script for Nautilus. Nautilus passes names relative to the shown folder, or paths if it shows search results. Some views pass
 * the paths only in a variable. Once the program is gone, the script removes itself.
 */
function nautilusScript(preset: StarredPreset, program: string): string {
  const [option, value] = presetArguments(preset)
  return lines(
    '#!/bin/sh',
    `# ${MARK}`,
    'if [ $# -eq 0 ]; then',
    "  IFS='",
    "'",
    '  set -f',
    '  set -- $NAUTILUS_SCRIPT_SELECTED_FILE_PATHS',
    'fi',
    `program=${shellQuoted(program)}`,
    'if [ ! -x "$program" ]; then',
    '  rm -f -- "$0"',
    'elif [ $# -gt 0 ]; then',
    `  exec "$program" ${option} ${shellQuoted(value)} -- "$@"`,
    'fi',
  )
}

/** Returns an action for Nemo. In names and commands, `%` begins a token. In names, an underscore marks the next letter as a shortcut. */
function nemoAction(preset: StarredPreset, program: string): string {
  const [option, value] = presetArguments(preset)
  return lines(
    '[Nemo Action]',
    `# ${MARK}`,
    `Name=${keyFileValue(longLabelOf(preset).replaceAll('%', '%%').replaceAll('_', '__'))}`,
    `Exec=${keyFileValue(`${fieldQuoted(program)} ${option} ${fieldQuoted(value)} -- %F`)}`,
    'Icon-Name=mediatray',
    'Selection=notnone',
    `Mimetypes=${keyFileList(typesFor(preset))}`,
    'Quote=double',
    `Dependencies=${keyFileList([program])}`,
  )
}

const lines = (...all: readonly string[]): string => `${all.join('\n')}\n`
