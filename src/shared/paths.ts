/** Returns the last segment of a path. Accepts both kinds of slashes, because a service may run on another system. */
export const baseName = (path: string): string =>
  path.slice(Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1)

/**
 * Misleading characters: they break lines, move a terminal's cursor or change the text direction, and can make one name look like
 * another.
 */
export const MISLEADING = /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/u
export const EACH_MISLEADING = new RegExp(MISLEADING, 'gu')

/** Accepts `/home/me`, `C:\Users\me`, `C:/Users/me` and `\\server\share`, because a service may run on another operating system. */
export const isAbsolutePath = (path: string): boolean => /^(?:\/|[A-Za-z]:[\\/]|\\\\[^\\])/.test(path)

/** Makes untrusted text safe to display: replaces each misleading character with �. */
export const shownText = (text: string): string => text.toWellFormed().replaceAll(EACH_MISLEADING, '\uFFFD')

/**
 * Makes a sentence with untrusted names safe to display. Like `shownText`, but keeps directional isolates in pairs, because sentences
 * written from right to left contain them. A pair in a name can't affect the text around it.
 */
export function shownSentence(text: string): string {
  const kept = new Set<number>()
  const open: number[] = []
  for (const { 0: character, index } of text.matchAll(/[\u2068\u2069]/g)) {
    if (character === '\u2068') open.push(index)
    else {
      const start = open.pop()
      if (start !== undefined) kept.add(start).add(index)
    }
  }
  return text
    .toWellFormed()
    .replaceAll(EACH_MISLEADING, (character, index: number) => (kept.has(index) ? character : '\uFFFD'))
}

/** Returns the same text for names that some file systems and drives don't distinguish: they ignore case and Unicode normalization. */
export const comparable = (name: string): string => name.normalize('NFC').toLowerCase()

/** Makes an untrusted name safe for a new file or folder: replaces each misleading character with an underscore. */
export const plainName = (name: string): string => name.toWellFormed().replaceAll(EACH_MISLEADING, '_')

/**
 * Removes trailing slashes. The lookbehind makes each match start at the beginning of a run, so that a megabyte of slashes takes
 * linear time.
 */
export const withoutSlashesBehind = (path: string): string => path.replace(/(?<!\/)\/+$/, '')

/** Characters that are invalid in file names on at least one system, invisible, or misleading. */
export const UNSAFE_IN_NAMES = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}<>:"/\\|?*\uFFFD]/u

/** Names that Windows reserves for devices, with or without an extension, even with spaces before it. */
const DEVICE = /^(?:con|prn|aux|nul|conin\$|conout\$|(?:com|lpt)[\d¹²³]) *(?:\.|$)/i

export const isDeviceName = (name: string): boolean => DEVICE.test(name)
