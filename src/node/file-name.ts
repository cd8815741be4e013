/** Names for files that every system takes, whoever chose them. */
import { extname, join } from 'node:path'

const LONGEST_NAME_BYTES = 200

/** Names that mean a device on Windows, with any extension. */
const DEVICE = /^(con|prn|aux|nul|com\d|lpt\d)(\.|$)/i

/** What no file name may hold on one system or another, and what could make a name look like something it isn't. */
const UNSAFE = /[\p{Cc}\p{Bidi_Control}<>:"/\\|?*]/gu

/** Only the last part of it, without what file systems forbid; undefined where nothing is left. */
export function safeFileName(name: string): string | undefined {
  const last = name.toWellFormed().split(/[/\\]/).at(-1) ?? ''
  const plain = last.replace(UNSAFE, '_').replace(/^\s+|[\s.]+$/g, '')
  if (plain === '' || /^\.+$/.test(plain)) return undefined
  const named = plain.startsWith('.') || DEVICE.test(plain) ? `_${plain}` : plain
  return shortened(named)
}

/** Cuts before the extension, at whole characters. */
function shortened(name: string): string {
  const dot = name.lastIndexOf('.')
  const extension = dot > 0 && name.length - dot <= 12 ? name.slice(dot) : ''
  let stem = extension === '' ? name : name.slice(0, dot)
  while (Buffer.byteLength(stem + extension) > LONGEST_NAME_BYTES)
    stem = Array.from(stem).slice(0, -1).join('')
  return stem + extension
}

/** `photo.jpg`, `photo (2).jpg`, `photo (3).jpg` …, as absolute paths in the folder, for each attempt from 1 on. */
export function numberedIn(folder: string, name: string): (attempt: number) => string {
  const extension = extname(name)
  const stem = extension === '' ? name : name.slice(0, -extension.length)
  return (attempt) => join(folder, attempt === 1 ? name : `${stem} (${attempt})${extension}`)
}
