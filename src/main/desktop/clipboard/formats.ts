/** Formats of the clipboard, as Electron names them (docs/decisions/clipboard.md). */

/** Returns Electron's name for one of the platform's own formats. */
export const nativeFormat = (name: string): string => `electron application/osclipboard;format="${name}"`

const NATIVE = /^electron application\/osclipboard;format="(.*)"$/
export const nativeNameOf = (type: string): string | undefined => NATIVE.exec(type)?.[1]

/** Copied files on every platform. */
export const FILES = 'text/uri-list'
/** Marks files as copied or cut in GNOME's file manager and its forks. */
export const GNOME_FILES = nativeFormat('x-special/gnome-copied-files')
export const KDE_CUT = nativeFormat('application/x-kde-cutselection')
/** Marks files as copied or cut on Windows. 4 bytes: 1 to copy, 2 to move. */
export const WINDOWS_EFFECT = nativeFormat('Preferred DropEffect')

export const IMAGE = 'image/png'
/** Formats of images that aren't available as a bitmap, in order of preference. */
export const OTHER_IMAGES = [
  'image/png', 'image/jpeg', 'image/webp', 'image/bmp', 'image/tiff', 'image/avif', 'image/jxl', 'image/gif',
].map(nativeFormat) // prettier-ignore

/** Marks content that Mediatray has put on the clipboard. */
export const MARK = nativeFormat('app.mediatray.result')

/** Formats that mark content as secret, as password managers do, or as temporary. */
const CONCEALED: ReadonlySet<string> = new Set(
  [
    'org.nspasteboard.ConcealedType',
    'org.nspasteboard.TransientType',
    'Clipboard Viewer Ignore',
    'ExcludeClipboardContentFromMonitorProcessing',
    'x-kde-passwordManagerHint',
  ].map(nativeFormat),
)

export const isConcealed = (types: readonly string[]): boolean => types.some((type) => CONCEALED.has(type))

/** Text formats except HTML. An image that is copied together with such text is only a picture of it. */
const TEXTS = ['text/plain', 'text/rtf']
export const hasText = (types: readonly string[]): boolean => types.some((type) => TEXTS.includes(type))

/**
 * Formats that can't be put back: parts of X11's protocol, other names of standard text, and handles that are valid only in the app that
 * copied the content.
 */
const NOT_KEPT: ReadonlySet<string> = new Set([
  'TARGETS', 'TIMESTAMP', 'MULTIPLE', 'SAVE_TARGETS', 'DELETE', 'INSERT_PROPERTY', 'INSERT_SELECTION',
  'TEXT', 'STRING', 'UTF8_STRING', 'COMPOUND_TEXT', 'text/plain;charset=utf-8',
  'DataObject', 'Ole Private Data', 'Shell IDList Array', 'FileName', 'FileNameW', 'FileContents',
  'FileGroupDescriptorW', 'DragImageBits', 'DragContext', 'AsyncFlag',
]) // prettier-ignore

/** Uncompressed copies that macOS adds to each image. */
const TIFF: ReadonlySet<string> = new Set(['public.tiff', 'NeXT TIFF v4.0 pasteboard type'])
const isImage = (name: string): boolean => name.startsWith('image/') || TIFF.has(name)

/** The search text that apps on macOS share. It isn't part of the copied content, and putting it back would replace a newer search. */
const FIND_TEXT = 'electron application/findtext'

/** Windows' own formats have numbers instead of names. If put back, each would become a new format with that number as its name. */
const isNumber = (name: string): boolean => /^\d+$/.test(name)

/** Whether to keep a format, so that it can be put back. With a bitmap, the same image in other formats isn't kept. */
export function isKept(type: string, types: readonly string[]): boolean {
  if (type === MARK || type === FIND_TEXT) return false
  const name = nativeNameOf(type)
  if (name === undefined) return true
  if (NOT_KEPT.has(name) || isNumber(name)) return false
  return !(isImage(name) && types.includes(IMAGE))
}
