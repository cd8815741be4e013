/** The file extensions that the service accepts (API spec, section 1). */
import { baseName } from './paths.ts'

export const IMAGE_EXTENSIONS = ['jpg', 'jpeg', 'png', 'webp', 'heic', 'bmp', 'tiff'] as const
export const VIDEO_EXTENSIONS = ['mp4', 'mov', 'avi', 'mkv', 'webm', 'm4v'] as const
export const SUPPORTED_EXTENSIONS = [...IMAGE_EXTENSIONS, ...VIDEO_EXTENSIONS] as const

export type ImageExtension = (typeof IMAGE_EXTENSIONS)[number]
type VideoExtension = (typeof VIDEO_EXTENSIONS)[number]
export type MediaKind = 'image' | 'video'

const kinds = new Map<string, MediaKind>([
  ...IMAGE_EXTENSIONS.map((extension) => [extension, 'image'] as const),
  ...VIDEO_EXTENSIONS.map((extension) => [extension, 'video'] as const),
])

/** Other extensions of formats that every service accepts. Such files are submitted under one of the extensions above. */
const OTHER_SPELLINGS = {
  tif: 'image',
  jfif: 'image',
  jpe: 'image',
  heif: 'image',
  hif: 'image',
  qt: 'video',
} as const

/** Formats that only the built-in service processes, by extension, with the names that users know. */
export const BUILT_IN_FORMATS = {
  avif: 'AVIF',
  jxl: 'JPEG XL',
  gif: 'GIF',
  ts: 'MPEG-TS',
  mpg: 'MPEG',
  flv: 'Flash Video',
  wmv: 'Windows Media',
} as const
export type BuiltInFormat = keyof typeof BUILT_IN_FORMATS

export const isBuiltInFormat = (format: string | undefined): format is BuiltInFormat =>
  format !== undefined && Object.hasOwn(BUILT_IN_FORMATS, format)

/**
 * The extensions under which these formats are submitted to the built-in service, which reads files by content. The API accepts
 * only the extensions in section 1.
 */
const ACCEPTED_ALIASES: Readonly<Record<BuiltInFormat, ImageExtension | VideoExtension>> = {
  avif: 'heic',
  jxl: 'png',
  gif: 'png',
  ts: 'mp4',
  mpg: 'mp4',
  flv: 'mp4',
  wmv: 'mp4',
}

/** Matches endings that can be replaced. A longer one is probably part of the name. */
const REPLACEABLE = /\.[a-z0-9]{1,5}$/i

/**
 * Returns the name under which a file is submitted.
 * @param format the extension that fits the content
 */
export function acceptedName(name: string, format: string): string {
  const extension = isBuiltInFormat(format) ? ACCEPTED_ALIASES[format] : format
  const stem = name.replace(REPLACEABLE, '')
  return `${stem === '' ? name : stem}.${extension}`
}

const openable = new Map<string, MediaKind>([
  ...kinds,
  ...Object.entries(OTHER_SPELLINGS),
  // Other videos are accepted for their content only. The system associates their extensions with players, or with sources.
  ...(['avif', 'jxl', 'gif'] satisfies BuiltInFormat[]).map((extension) => [extension, 'image'] as const),
])

/** The extensions of files that the app accepts. Files with other extensions are accepted for their content. */
export const OPENABLE_EXTENSIONS: readonly string[] = [...openable.keys()]

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
export function mediaKindOf(nameOrPath: string): MediaKind | undefined {
  return kinds.get(extensionOf(nameOrPath))
}

/** Returns the kind of a file from its name, ignoring case; undefined for an extension that isn't of a photo or video. */
export function namedKindOf(nameOrPath: string): MediaKind | undefined {
  return openable.get(extensionOf(nameOrPath))
}

/** Extensions of results that have only the audio of a video. The app accepts no such files as inputs. */
const AUDIO_EXTENSIONS: ReadonlySet<string> = new Set(['m4a', 'opus', 'mp3', 'ogg', 'flac', 'wav', 'mka'])

/** Returns the kind of a result from its file name; undefined if it isn't a result's name. Audio can't be displayed. */
export function resultKindOf(nameOrPath: string): MediaKind | 'audio' | undefined {
  return AUDIO_EXTENSIONS.has(extensionOf(nameOrPath)) ? 'audio' : namedKindOf(nameOrPath)
}
