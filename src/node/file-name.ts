/** Turns names from any source into file names that every system accepts. */
import { extname, join, parse } from 'node:path'
import { extensionOf, resultExtension, resultKindOf } from '../shared/media-types.ts'
import { isDeviceName, UNSAFE_IN_NAMES } from '../shared/paths.ts'
import type { MediaContent } from './media-content.ts'

const LONGEST_NAME_BYTES = 200
/** Maximum length of a name that every common file system accepts, in bytes of UTF-8. */
const MOST_NAME_BYTES = 255

/** Replaces each unsafe character with an underscore and normalizes Unicode to NFC. */
export const withoutUnsafe = (name: string): string =>
  name.toWellFormed().normalize('NFC').replaceAll(new RegExp(UNSAFE_IN_NAMES, 'gu'), '_')

/** Returns the last segment of a path in any system's format. */
export const lastSegment = (path: string): string => path.split(/[/\\]/).at(-1) ?? ''

/** Truncates to a number of UTF-8 bytes without splitting a grapheme. */
export function cutToBytes(text: string, most: number): string {
  if (Buffer.byteLength(text) <= most) return text
  let kept = ''
  let bytes = 0
  for (const { segment } of new Intl.Segmenter().segment(text)) {
    bytes += Buffer.byteLength(segment)
    if (bytes > most) break
    kept += segment
  }
  return kept
}

/**
 * Turns the last segment of a path into a safe file name: replaces unsafe characters, adds an underscore to hidden names and device names,
 * and shortens the name. Returns undefined if nothing remains.
 */
export function safeFileName(name: string): string | undefined {
  const plain = withoutEnds(withoutUnsafe(lastSegment(name)).trimStart())
  if (plain === '') return undefined
  return shortened(plain.startsWith('.') || isDeviceName(plain) ? `_${plain}` : plain)
}

/**
 * Removes trailing dots and spaces, which Windows drops. The lookbehind makes each match start at the beginning of a run, which keeps this
 * linear.
 */
const withoutEnds = (name: string): string => name.replace(/(?<![\s.])[\s.]+$/, '')

/** Shortens the stem of a name that is too long, and keeps a short extension. */
export function shortened(name: string): string {
  const dot = name.lastIndexOf('.')
  const extension = dot > 0 && name.length - dot <= 12 ? name.slice(dot) : ''
  const stem = name.slice(0, name.length - extension.length)
  // A single grapheme can exceed the limit, which leaves nothing of the stem.
  const cut = cutToBytes(stem, LONGEST_NAME_BYTES - Buffer.byteLength(extension)) || '_'
  return withoutEnds(cut + extension)
}

/** Creates a function that returns the absolute path for an attempt, counted from 1: `photo.jpg`, `photo (2).jpg`, `photo (3).jpg` … */
export const numberedIn =
  (folder: string, name: string): ((attempt: number) => string) =>
  (attempt) =>
    join(folder, attempt === 1 ? name : nameWith(name, { suffix: ` (${attempt})` }))

/** Adds a suffix to the stem of a name, or changes its extension. The stem is shortened if the name would be too long for a file system. */
export function nameWith(
  name: string,
  { suffix = '', extension = extname(name) }: { readonly suffix?: string; readonly extension?: string },
): string {
  const { name: stem } = parse(name)
  const most = MOST_NAME_BYTES - Buffer.byteLength(suffix + extension)
  return (Buffer.byteLength(stem) > most ? cutToBytes(stem, most) : stem) + suffix + extension
}

/**
 * Returns the name with an extension that matches the content: an image named `photo.exe` becomes `photo.png`. A file whose content isn't
 * recognized gets `.bin`, unless it has a media file's extension.
 */
export function withTrueEnding(name: string, content: MediaContent | undefined): string {
  const ending = extensionOf(name)
  // Audio files use the same containers as videos, so the name decides.
  if (resultKindOf(name) === 'audio') return name
  if (content === undefined) return resultKindOf(name) === undefined ? `${name}.bin` : name
  if (content.extensions.some((usual) => resultExtension(usual, name) === ending)) return name
  const stem = ending === '' ? name : name.slice(0, -ending.length - 1)
  return `${stem}.${content.extensions[0]}`
}
