/** File extensions: those that the API accepts (section 1), and those of other formats that the app recognizes or creates. */
import { baseName } from './paths.ts'
import { OTHER_PHOTO_FORMATS } from './preset/photo-formats.ts'

export const IMAGE_EXTENSIONS = ['jpg', 'jpeg', 'png', 'webp', 'heic', 'bmp', 'tiff'] as const
export const VIDEO_EXTENSIONS = ['mp4', 'mov', 'avi', 'mkv', 'webm', 'm4v'] as const
export const SUPPORTED_EXTENSIONS = [...IMAGE_EXTENSIONS, ...VIDEO_EXTENSIONS] as const

export type MediaKind = 'image' | 'video'

const kinds = new Map<string, MediaKind>([
  ...IMAGE_EXTENSIONS.map((extension) => [extension, 'image'] as const),
  ...VIDEO_EXTENSIONS.map((extension) => [extension, 'video'] as const),
])

/** Extensions of the same format, the usual one first. */
const SPELLINGS = [
  ['tiff', 'tif'],
  ['jpg', 'jpeg', 'jfif', 'jpe'],
  ['heic', 'heif', 'hif'],
  ['mp4', 'm4v'],
  ['mov', 'qt'],
  ['ts', 'mts', 'm2ts'],
  ['mpg', 'mpeg'],
  ['wmv', 'asf'],
] as const

const spellingsOf = (extension: string): readonly string[] =>
  SPELLINGS.find((all) => all.some((one) => one === extension)) ?? [extension]

/**
 * Returns the extension of a result: that of its original if the format stays the same, such as `tif` for a TIFF.
 * @param usual the usual extension of the result's format, without the dot
 */
export function resultExtension(usual: string, original: string): string {
  const own = extensionOf(original)
  return spellingsOf(usual).includes(own) ? own : usual
}

const BUILT_IN_PHOTOS = { ...OTHER_PHOTO_FORMATS, gif: { name: 'GIF', acceptedAs: 'png' } } as const
/**
 * Video formats that only the built-in service processes. Systems associate their extensions with players or source code, so the app
 * recognizes such files only by their content.
 */
const BUILT_IN_VIDEOS = {
  ts: { name: 'MPEG-TS', acceptedAs: 'mp4' },
  mpg: { name: 'MPEG', acceptedAs: 'mp4' },
  flv: { name: 'Flash Video', acceptedAs: 'mp4' },
  wmv: { name: 'Windows Media', acceptedAs: 'mp4' },
} as const

/**
 * Formats that only the built-in service processes, by extension: the name that users know, and the extension under which such a file
 * is submitted. The service reads files by content, but the API accepts only the extensions in section 1.
 */
export const BUILT_IN_FORMATS = { ...BUILT_IN_PHOTOS, ...BUILT_IN_VIDEOS }
export type BuiltInFormat = keyof typeof BUILT_IN_FORMATS

export const isBuiltInFormat = (format: string | undefined): format is BuiltInFormat =>
  format !== undefined && Object.hasOwn(BUILT_IN_FORMATS, format)

/** Returns why a service other than the built-in one rejects such a file. */
export const builtInOnlyReason = (format: BuiltInFormat) =>
  format in BUILT_IN_VIDEOS
    ? 'videoBuiltInOnly'
    : (`${format as keyof typeof BUILT_IN_PHOTOS}BuiltInOnly` as const)

/** Matches endings that can be replaced. A longer ending is probably part of the name. */
const REPLACEABLE = /\.[a-z0-9]{1,5}$/i

/**
 * Returns the name under which a file is submitted.
 * @param format the extension that fits the content
 */
export function acceptedName(name: string, format: string): string {
  const extension = isBuiltInFormat(format) ? BUILT_IN_FORMATS[format].acceptedAs : format
  const stem = name.replace(REPLACEABLE, '')
  return `${stem === '' ? name : stem}.${extension}`
}

const openable = new Map<string, MediaKind>([
  ...kinds,
  ...[...kinds].flatMap(([usual, kind]) => spellingsOf(usual).map((extension) => [extension, kind] as const)),
  ...Object.keys(BUILT_IN_PHOTOS).map((extension) => [extension, 'image'] as const),
])

/** The extensions by which the app recognizes files. It recognizes files with other extensions by their content. */
export const OPENABLE_EXTENSIONS: readonly string[] = [...openable.keys()]
export const openableExtensions = (kind: MediaKind) =>
  OPENABLE_EXTENSIONS.filter((extension) => openable.get(extension) === kind)

/** Extensions of camera RAW files. Most of them are TIFF files by content. */
export const RAW_EXTENSIONS: ReadonlySet<string> = new Set(
  '3fr arw cr2 cr3 crw dcr dng erf fff iiq k25 kdc mef mos mrw nef nrw orf pef raf raw rw2 rwl sr2 srf srw x3f'.split(
    ' ',
  ),
)

/** Returns the extension in lower case without the dot; '' if there is none. */
export function extensionOf(nameOrPath: string): string {
  const name = baseName(nameOrPath)
  const dot = name.lastIndexOf('.')
  return dot > 0 ? name.slice(dot + 1).toLowerCase() : ''
}

/** Returns the kind of an input from its file name, ignoring case; undefined if the service would refuse it. */
export const mediaKindOf = (nameOrPath: string): MediaKind | undefined => kinds.get(extensionOf(nameOrPath))

/** Returns the kind of a file from its name, ignoring case; undefined if the extension isn't in `OPENABLE_EXTENSIONS`. */
export const namedKindOf = (nameOrPath: string): MediaKind | undefined =>
  openable.get(extensionOf(nameOrPath))

/** Extensions of results that have only the audio of a video. The app doesn't accept such files as inputs. */
const AUDIO_EXTENSIONS: ReadonlySet<string> = new Set(['m4a', 'opus', 'mp3', 'ogg', 'flac', 'wav', 'mka'])

/** Extensions of results that are copies of their originals. Mediatray doesn't create files in these formats. */
const COPIED_EXTENSIONS: ReadonlySet<string> = new Set(Object.keys(BUILT_IN_VIDEOS).flatMap(spellingsOf))

/** Returns the kind of a result from its file name; undefined if it isn't a result's name. Audio can't be displayed. */
export function resultKindOf(nameOrPath: string): MediaKind | 'audio' | undefined {
  const extension = extensionOf(nameOrPath)
  if (AUDIO_EXTENSIONS.has(extension)) return 'audio'
  return COPIED_EXTENSIONS.has(extension) ? 'video' : namedKindOf(nameOrPath)
}
