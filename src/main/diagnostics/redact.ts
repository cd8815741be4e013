/**
 * Takes out of a text who and what it is about, and leaves what happened: names, places and files become stand-ins, the same
 * one for the same thing within a report. Where it is not clear where a path ends, more is taken rather than less. Pure.
 */
import { IMAGE_EXTENSIONS, VIDEO_EXTENSIONS, extensionOf } from '../../shared/media-types.ts'

export type Identities = {
  /** Never shown, not even as a stand-in that can be told from others. */
  readonly secrets: readonly string[]
  readonly homeFolder: string
  readonly userNames: readonly string[]
  readonly hostNames: readonly string[]
  /** File names, with or without their folders, that are known to the app. */
  readonly fileNames: readonly string[]
}

export interface Redactor {
  text(text: string): string
  /** All texts in a value, the names of fields included. */
  value(value: unknown): unknown
}

const URL_PATTERN = String.raw`\b[a-z][a-z0-9+.-]{1,20}:\/\/[^\s"'<>|]+`
const BEARER_PATTERN = String.raw`\b(?:bearer|basic)\s+[^\s"',;]+`
const EMAIL_PATTERN = String.raw`[\p{L}\p{N}._%+-]+@[\p{L}\p{N}-]+(?:\.[\p{L}\p{N}-]+)*`
/** In quotes a path ends with them; elsewhere with the line. */
const QUOTED_PATH_PATTERN = String.raw`(["'“‘«])(?=~?[\\/]|[a-z]:[\\/])[^\n]*?\1`
const PATH_PATTERN = String.raw`(?:(?<![\p{L}\p{N}])[a-z]:[\\/]|\\\\|(?<![\p{L}\p{N}.…])~?\/(?=[^\s/])|~[\\/])[^\n"'“”‘’«»<>|]*`
const QUOTED_FILE_PATTERN = String.raw`(["'“‘«])[^\n"'“”‘’«»]*\.(?:EXTENSIONS)["'”’»]`
const FILE_PATTERN = String.raw`[^\s"'“”‘’«»\/\\:]+\.(?:EXTENSIONS)(?![\p{L}\p{N}])`
const TOKEN_PATTERN = String.raw`(?=[A-Za-z_+=-]*\d)[A-Za-z0-9_+=-]{24,}`

/** Said by the API and by nobody's files. */
const ROUTE = /^\/(?:api|health|presets|drive\/status|upload|jobs|download)(?=$|[\s/?.,;:)])/
const LOOPBACK = /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])$/

export function createRedactor(identities: Identities): Redactor {
  const { homeFolder } = identities
  const stand = standIns()
  const secrets = wordsOf(identities.secrets)
  const files = wordsOf(identities.fileNames)
  const users = wordsOf(identities.userNames)
  const hosts = wordsOf(identities.hostNames)
  const extensions = [...IMAGE_EXTENSIONS, ...VIDEO_EXTENSIONS, 'tif', 'heif'].join('|')
  const rules: readonly Rule[] = [
    { pattern: anyOf(secrets), replace: () => '[hidden]' },
    { pattern: BEARER_PATTERN, replace: () => '[hidden]' },
    { pattern: URL_PATTERN, replace: redactUrl },
    { pattern: QUOTED_PATH_PATTERN, replace: quoted(redactPath) },
    { pattern: PATH_PATTERN, replace: redactPath },
    { pattern: anyOf(files), replace: (found) => fileStandIn(found) },
    { pattern: EMAIL_PATTERN, replace: (found) => stand('mail', found) },
    { pattern: QUOTED_FILE_PATTERN, replace: quoted(fileStandIn) },
    { pattern: FILE_PATTERN, replace: fileStandIn },
    { pattern: anyOf(users), replace: (found) => stand('user', found.toLowerCase()) },
    { pattern: anyOf(hosts), replace: (found) => stand('computer', found.toLowerCase()) },
    { pattern: TOKEN_PATTERN, replace: (found) => stand('id', found) },
  ]
  const steps = rules.map(({ pattern, replace }) => ({
    pattern: new RegExp(pattern.replaceAll('EXTENSIONS', extensions), 'giu'),
    replace,
  }))

  function fileStandIn(found: string): string {
    const extension = extensionOf(found)
    return `${stand('file', found)}${extension === '' ? '' : `.${extension}`}`
  }

  function redactPath(path: string): string {
    const route = ROUTE.exec(path)?.[0]
    if (route !== undefined) return route + text(path.slice(route.length).replace(/^\//, ' '))
    const isHome = homeFolder !== '' && path.startsWith(homeFolder)
    return `${isHome || path.startsWith('~') ? '~/' : '/'}${stand('path', path)}${endingOf(path)}`
  }

  function redactUrl(found: string): string {
    if (!URL.canParse(found)) return stand('address', found)
    const { protocol, hostname, port, pathname } = new URL(found)
    if (!/^(?:https?|wss?):$/.test(protocol)) return stand('address', found)
    const host = LOOPBACK.test(hostname) ? hostname : stand('host', hostname)
    const route = pathname.startsWith('/api') ? '/api' : ''
    const rest = pathname.length > route.length + 1 ? '/…' : ''
    return `${protocol}//${host}${port === '' ? '' : `:${port}`}${route}${rest}`
  }

  /** Each stretch is dealt with by one rule; what a rule has written is not looked at again. */
  function text(whole: string): string {
    let parts: readonly Part[] = [{ text: whole, isDone: false }]
    for (const { pattern, replace } of steps) {
      parts = parts.flatMap((part) => (part.isDone ? [part] : apply(part.text, pattern, replace)))
    }
    return parts.map((part) => part.text).join('')
  }

  function value(given: unknown): unknown {
    if (typeof given === 'string') return text(given)
    if (Array.isArray(given)) return given.map(value)
    if (typeof given !== 'object' || given === null) return given
    return Object.fromEntries(Object.entries(given).map(([name, part]) => [text(name), value(part)]))
  }

  return { text, value }
}

type Rule = { readonly pattern: string; readonly replace: (found: string) => string }
type Part = { readonly text: string; readonly isDone: boolean }

function apply(text: string, pattern: RegExp, replace: (found: string) => string): Part[] {
  const parts: Part[] = []
  let from = 0
  for (const match of text.matchAll(pattern)) {
    if (match[0] === '') continue
    parts.push(
      { text: text.slice(from, match.index), isDone: false },
      { text: replace(match[0]), isDone: true },
    )
    from = match.index + match[0].length
  }
  parts.push({ text: text.slice(from), isDone: false })
  return parts.filter((part) => part.text !== '')
}

/** "path 1", "path 2", … in the order in which they are met. */
function standIns(): (kind: string, found: string) => string {
  const met = new Map<string, Map<string, number>>()
  return (kind, found) => {
    const known = met.get(kind) ?? new Map<string, number>()
    met.set(kind, known)
    const number = known.get(found) ?? known.size + 1
    known.set(found, number)
    return `‹${kind} ${number}›`
  }
}

const quoted =
  (replace: (found: string) => string) =>
  (found: string): string =>
    `${found.slice(0, 1)}${replace(found.slice(1, -1))}${found.slice(-1)}`

/** The longest first, so that a name within a name does not leave the rest of it. */
const wordsOf = (words: readonly string[]): readonly string[] =>
  [...new Set(words)].filter((word) => word !== '').toSorted((a, b) => b.length - a.length)

/** Matches nothing where there are none. Very short ones only as whole words, or the report would be unreadable. */
const anyOf = (words: readonly string[]): string =>
  words.length === 0 ? String.raw`(?!)` : words.map(wordPattern).join('|')

const wordPattern = (word: string): string => {
  const escaped = word.replaceAll(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`)
  return word.length > 3 ? escaped : String.raw`(?<![\p{L}\p{N}])${escaped}(?![\p{L}\p{N}])`
}

/** What kind of file a path names; a sentence that goes on behind it names none. */
function endingOf(path: string): string {
  const extension = /\.([a-z0-9]{1,5})$/i.exec(path)?.[1]?.toLowerCase()
  return extension === undefined ? '' : `.${extension}`
}
