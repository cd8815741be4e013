/** Quotes text for shells, command lines, desktop entries and XML, through which other programs start this app. */

/** Quotes an argument for `/bin/sh`. */
export const shellQuoted = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`

/** Quotes an argument for `/bin/sh` in a command in which `%` begins a field code. */
export const fieldQuoted = (text: string): string => shellQuoted(text).replaceAll('%', '%%')

/**
 * Returns the command that starts the MCP server, for the configuration of an assistant, which may not search the `PATH`.
 * @param launcher the command-line launcher: an absolute path, or a name on the `PATH`
 */
export function assistantCommand(launcher: string, platform: NodeJS.Platform): string {
  const file = platform === 'win32' ? `${launcher}.cmd` : launcher
  if (/^[\w./-]+$/.test(file)) return `${file} mcp`
  return `${platform === 'win32' ? `"${file}"` : shellQuoted(file)} mcp`
}

/**
 * Quotes an argument of `Exec` as the Desktop Entry Specification requires: in double quotes, with four characters escaped and
 * percent signs doubled. The whole value of `Exec` must then go through `keyFileValue`.
 */
export const execQuoted = (text: string): string =>
  `"${text.replaceAll(/["`$\\]/g, (character) => `\\${character}`).replaceAll('%', '%%')}"`

const KEY_FILE_ESCAPES: Readonly<Record<string, string>> = {
  '\\': String.raw`\\`,
  '\n': String.raw`\n`,
  '\r': String.raw`\r`,
  '\t': String.raw`\t`,
}

/** Escapes a value of a desktop entry or another file in GLib's key file format. */
export const keyFileValue = (text: string): string =>
  text
    .replaceAll(/[\\\n\r\t]/g, (character) => KEY_FILE_ESCAPES[character] ?? character)
    .replace(/^ /, String.raw`\s`)

/** Escapes a list in a key file. Each item ends in a semicolon. */
export const keyFileList = (items: readonly string[]): string =>
  items.map((item) => `${keyFileValue(item).replaceAll(';', String.raw`\;`)};`).join('')

const XML_ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
}

/** Escapes text for XML. Characters that XML can't contain are replaced. */
export const xmlText = (text: string): string =>
  text
    .toWellFormed()
    .replaceAll(/[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu, '\uFFFD')
    .replaceAll(/[&<>"]/g, (character) => XML_ESCAPES[character] ?? character)

/** Quotes an argument for a Windows command line. Backslashes are special only before a double quote. */
export const windowsQuoted = (text: string): string =>
  `"${text.replaceAll(/(\\*)("|$)/g, (_match, backslashes: string, quote: string) =>
    quote === '' ? `${backslashes}${backslashes}` : `${backslashes}${backslashes}\\"`,
  )}"`
