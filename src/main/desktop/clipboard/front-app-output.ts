/**
 * Parses what system programs print about the app in front. Apps choose their own names, so a name may contain any text. All functions
 * return undefined if the output doesn't name an app.
 */

/** Parses the output of `lsappinfo front`: the serial number (ASN) of the app in front, which identifies it in further calls. */
export const macAppIn = (output: string): string | undefined =>
  /ASN:(?:0x)?[\da-f]+-(?:0x)?[\da-f]+:?/i.exec(output)?.[0]

const MAC_NAME = /^\s*"(CFBundleIdentifier|LSDisplayName|LSBundlePath)"\s*=\s*"(.*)"\s*$/

/** Parses the output of `lsappinfo info -only bundleid,name,bundlepath`. Only the display name depends on the system's language. */
export function macNamesIn(output: string): readonly string[] | undefined {
  const names = output.split('\n').flatMap((line) => {
    const [, key, value = ''] = MAC_NAME.exec(line) ?? []
    return key === 'LSBundlePath' ? value.split('/').slice(-1) : [value]
  })
  return namesAmong(names)
}

/** Parses the output of `xprop -root _NET_ACTIVE_WINDOW`. Window 0 means that no window is in front. */
export function activeWindowIn(output: string): string | undefined {
  const [, id] = /^_NET_ACTIVE_WINDOW\(WINDOW\): window id # (0x[\da-f]+)/.exec(output) ?? []
  return id === undefined || Number(id) === 0 ? undefined : id
}

/** Parses the output of `xprop -id WINDOW WM_CLASS`: the names of the instance and the class. */
export function windowNamesIn(output: string): readonly string[] | undefined {
  const [, list = ''] = /^WM_CLASS\(\w+\) = (.*)$/m.exec(output) ?? []
  return namesAmong([...list.matchAll(/"((?:[^"\\]|\\.)*)"/g)].map(([, text = '']) => unescaped(text)))
}

/** xprop writes bytes that aren't ASCII as three octal digits. */
function unescaped(text: string): string {
  const bytes = text.replaceAll(/\\([0-7]{3}|.)/g, (_all, code: string) =>
    code.length === 3 ? String.fromCodePoint(Number.parseInt(code, 8) & 0xff) : code,
  )
  return Buffer.from(bytes, 'latin1').toString('utf8')
}

/** The process that owns the frames of all Store apps on Windows, so it doesn't identify the app. */
const WINDOWS_FRAME = 'applicationframehost'

/** Parses the output of the PowerShell script: the name of the process, and the description in its program. */
export function windowsNamesIn(output: string): readonly string[] | undefined {
  const names = namesAmong(output.split('\n'))
  return names?.[0]?.toLowerCase() === WINDOWS_FRAME ? undefined : names
}

function namesAmong(texts: readonly string[]): readonly string[] | undefined {
  const names = texts.map((text) => text.trim()).filter((text) => text !== '')
  return names.length === 0 ? undefined : names
}
