/** Names for files that every system takes, whoever chose them. */
import { extname, join } from 'node:path'
import { extensionOf, resultKindOf } from '../shared/media-types.ts'
import { UNSAFE_IN_NAMES } from '../shared/paths.ts'
import type { MediaContent } from './media-content.ts'

const LONGEST_NAME_BYTES = 200

/** Windows keeps these for devices, with any extension. */
const DEVICE = /^(con|prn|aux|nul|com\d|lpt\d)(\.|$)/i

export const isDeviceName = (name: string): boolean => DEVICE.test(name)

/** Each such sign becomes a line; two ways of writing the same letters become one. */
export const withoutUnsafe = (name: string): string =>
  name.toWellFormed().normalize('NFC').replaceAll(new RegExp(UNSAFE_IN_NAMES, 'gu'), '_')

/** The last part of a path of any system. */
export const lastSegment = (path: string): string => path.split(/[/\\]/).at(-1) ?? ''

/** Cut between what people take for single signs, so that no half of one is left. */
export function cutToBytes(text: string, most: number): string {
  let kept = ''
  let bytes = 0
  for (const { segment } of new Intl.Segmenter().segment(text)) {
    bytes += Buffer.byteLength(segment)
    if (bytes > most) break
    kept += segment
  }
  return kept
}

/** Only the last part of it, without what file systems forbid; undefined where nothing is left. */
export function safeFileName(name: string): string | undefined {
  const plain = withoutUnsafe(lastSegment(name)).replace(/^\s+|[\s.]+$/g, '')
  if (plain === '') return undefined
  return shortened(plain.startsWith('.') || isDeviceName(plain) ? `_${plain}` : plain)
}

/** Cuts before the extension. */
function shortened(name: string): string {
  const dot = name.lastIndexOf('.')
  const extension = dot > 0 && name.length - dot <= 12 ? name.slice(dot) : ''
  const stem = name.slice(0, name.length - extension.length)
  return cutToBytes(stem, LONGEST_NAME_BYTES - Buffer.byteLength(extension)) + extension
}

/** `photo.jpg`, `photo (2).jpg`, `photo (3).jpg` …, as absolute paths in the folder, for each attempt from 1 on. */
export function numberedIn(folder: string, name: string): (attempt: number) => string {
  const extension = extname(name)
  const stem = extension === '' ? name : name.slice(0, -extension.length)
  return (attempt) => join(folder, attempt === 1 ? name : `${stem} (${attempt})${extension}`)
}

/**
 * The name with an ending that its content has, whatever it was called: a picture named `photo.exe` becomes `photo.png`. What
 * is neither photo nor video keeps no ending that a system could run.
 */
export function withTrueEnding(name: string, content: MediaContent | undefined): string {
  const ending = extensionOf(name)
  if (content === undefined) return resultKindOf(name) === undefined ? `${name}.bin` : name
  if (content.extensions.includes(ending)) return name
  const stem = ending === '' ? name : name.slice(0, -ending.length - 1)
  return `${stem}.${content.extensions[0]}`
}
