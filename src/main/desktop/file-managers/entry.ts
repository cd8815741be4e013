/** What the entries of all file managers have in common. */
import type { StarredPreset } from '../../../shared/preset/starred.ts'
import { shownText } from '../../../shared/paths.ts'
import { ENCODED_PRESET_OPTION, PRESET_OPTION } from '../preset-option.ts'

/** Part of every file that Mediatray writes for a file manager. Files without it are never changed or removed. */
export const MARK = 'Written by Mediatray for a starred preset'

/** A file that adds a starred preset to a file manager's menu. */
export type EntryFile = {
  /** Absolute. */
  readonly path: string
  readonly text: string
  readonly isExecutable: boolean
}

/** A place that may contain earlier entries. */
export type EntryPlace = {
  /** Absolute. Empty folders below it that contained entries are removed. */
  readonly root: string
  /**
   * Returns the files of the menu entry `name` in `folder`, as paths relative to `root`; an empty list if menu entries aren't named like
   * this.
   */
  readonly filesOf: (name: string) => readonly string[]
  /** The folder to list, relative to `root`. */
  readonly folder: string
}

/** MIME types of the photos that Mediatray accepts. */
const PHOTO_TYPES = [
  'image/jpeg',
  'image/png',
  'image/webp',
  'image/heic',
  'image/heif',
  'image/bmp',
  'image/tiff',
  'image/gif',
  'image/avif',
  'image/jxl',
]
const VIDEO_TYPES = [
  'video/mp4',
  'video/x-m4v',
  'video/quicktime',
  'video/x-msvideo',
  'video/vnd.avi',
  'video/x-matroska',
  'video/webm',
]

/** Returns the MIME types of the files that a preset handles, and of folders that may contain them. */
export const typesFor = ({ forPhotos, forVideos }: StarredPreset): readonly string[] => [
  ...(forPhotos ? PHOTO_TYPES : []),
  ...(forVideos ? VIDEO_TYPES : []),
  'inode/directory',
]

/** Matches text without visible characters. U+2800 is a Braille pattern without dots. */
const ONLY_INVISIBLE = /^[\s\p{Default_Ignorable_Code_Point}\u2800]*$/u

/** The label of a preset without visible characters in its name. Only external services can have such presets. */
const OPEN_BOX = '␣'

/** Returns a preset's name as a menu can show it: visible, on one line, without characters that change the order of other characters. */
export function labelOf({ name }: Pick<StarredPreset, 'name'>): string {
  const label = shownText(name.replaceAll(/\s+/g, ' ')).trim()
  return ONLY_INVISIBLE.test(label) ? OPEN_BOX : label
}

/** Returns the label for menus without a submenu for the app. */
export const longLabelOf = (preset: Pick<StarredPreset, 'name'>): string => `Mediatray: ${labelOf(preset)}`

/** Maximum length of a name in bytes. File systems allow 255, but extensions and numbers need some of them. */
const LONGEST_NAME = 200

const SUBSTITUTES: Readonly<Record<string, string>> = { '/': '∕', ':': '∶' }

/** Returns a preset's name as a visible file name, shortened if necessary, for file managers that show it as the label. */
export function fileNameOf(preset: Pick<StarredPreset, 'name'>): string {
  const name = labelOf(preset)
    .replaceAll(/[/:]/g, (character) => SUBSTITUTES[character] ?? character)
    // Names that begin with a dot or end with a tilde are hidden.
    .replace(/^\./, '․')
    .replace(/~$/, '∼')
  if (Buffer.byteLength(name) <= LONGEST_NAME) return name
  const characters = Array.from(name)
  while (Buffer.byteLength(characters.join('')) > LONGEST_NAME) characters.pop()
  return `${characters.join('')}…`
}

/** Makes equal names differ: "Web", "Web 2". File systems may ignore case. */
export function distinct(names: readonly string[]): readonly string[] {
  const used = new Set<string>()
  return names.map((name) => {
    let free = name
    for (let number = 2; used.has(free.toLowerCase()); number++) free = `${name} ${number}`
    used.add(free.toLowerCase())
    return free
  })
}

/** Control characters, such as line breaks, which no known menu format passes on. Some readers also split lines at U+2028. */
const UNSAFE_CHARACTER = /[\p{Cc}\p{Zl}\p{Zp}]/u

/**
 * Returns the arguments that start a job with a preset. The files follow.
 * @param isUnsafe matches names that the format can't pass on unchanged; they are encoded
 */
export const presetArguments = (
  { name }: Pick<StarredPreset, 'name'>,
  isUnsafe = UNSAFE_CHARACTER,
): readonly [option: string, value: string] =>
  isUnsafe.test(name)
    ? [ENCODED_PRESET_OPTION, Buffer.from(name).toString('base64url')]
    : [PRESET_OPTION, name]
