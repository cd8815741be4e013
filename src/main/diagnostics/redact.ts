/**
 * Replaces secrets, names, addresses, paths and file names with placeholders, and keeps the rest of the text. Within a report, equal values
 * get the same placeholder, except secrets. If the end of a path is ambiguous, more text is removed rather than less. Has no side effects.
 */
import { extensionOf, OPENABLE_EXTENSIONS, RAW_EXTENSIONS } from '../../shared/media-types.ts'

export type Identities = {
  /** Never shown, not even as a distinguishable placeholder. */
  readonly secrets: readonly string[]
  readonly homeFolder: string
  readonly userNames: readonly string[]
  readonly hostNames: readonly string[]
  /** File names that the app knows, with or without their folder. */
  readonly fileNames: readonly string[]
  /** Other names and addresses that the user has chosen. */
  readonly names: readonly string[]
}

export type Redactor = ReturnType<typeof createRedactor>

const URL_PATTERN = String.raw`\b[a-z][a-z0-9+.-]{1,20}:\/\/[^\s"'<>|]+`
const BEARER_PATTERN = String.raw`\b(?:bearer|basic)\s+[^\s"',;]+`
/**
 * The patterns for addresses, files and tokens match only at the start of a run of their characters. Otherwise a long run without a
 * match would be scanned again from each character. An address includes everything that an @ attaches to it.
 */
const EMAIL_PATTERN = String.raw`(?<![\p{L}\p{N}._%+-])[\p{L}\p{N}._%+-]+(?:@[\p{L}\p{N}._%+-]*[\p{L}\p{N}])+`
/**
 * A quoted path ends at the closing quote, any other path at a quotation mark, `<`, `>`, `|` or the end of the line. An apostrophe inside a
 * word, as in “Anna's photos”, doesn't end a path. An apostrophe before a drive letter does, because in a line with many such prefixes,
 * each one would otherwise start another scan.
 */
const QUOTED_PATH_PATTERN = String.raw`(["'“‘«])(?=~?[\\/]|[a-z]:[\\/])[^\n]*?\1(?![\p{L}\p{N}](?!:[\\/]))`
const ROUTES = 'api|health|presets|drive/status|upload|jobs|download'
/** A route doesn't extend to the end of the line, because more paths may follow it. */
const PATH_PATTERN = String.raw`(?<![\p{L}\p{N}.…])\/(?-i:${ROUTES})(?=$|[\s/?.,;:)"'“”‘’«»<>|])\/?|(?:(?<![\p{L}\p{N}])[a-z]:[\\/]|\\\\|(?<![\p{L}\p{N}.…])~?\/(?=[^\s/])|~[\\/])(?:[^\n"'“”‘’«»<>|]|(?<=[\p{L}\p{N}])['’](?=[\p{L}\p{N}]))*`
const QUOTED_FILE_PATTERN = String.raw`(["'“‘«])[^\n"'“”‘’«»]*\.(?:EXTENSIONS)["'”’»]`
const FILE_PATTERN = String.raw`(?<![^\s"'“”‘’«»\/\\:])[^\s"'“”‘’«»\/\\:]+\.(?:EXTENSIONS)(?![\p{L}\p{N}])`
const TOKEN_PATTERN = String.raw`(?<![A-Za-z0-9_+=-])(?=[A-Za-z_+=-]*\d)[A-Za-z0-9_+=-]{24,}`

/** Routes of the API, which are not file paths. */
const ROUTE = new RegExp(String.raw`^/(?:${ROUTES})(?=$|[\s/?.,;:)])`)
const LOOPBACK = /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])$/

export function createRedactor(identities: Identities) {
  const { homeFolder } = identities
  const placeholder = numberedPlaceholders()
  const secrets = wordsOf(identities.secrets)
  const files = wordsOf(identities.fileNames)
  const users = wordsOf(identities.userNames)
  const hosts = wordsOf(identities.hostNames)
  const names = wordsOf(identities.names)
  const extensions = [...OPENABLE_EXTENSIONS, ...RAW_EXTENSIONS].join('|')
  const rules: readonly Rule[] = [
    { pattern: anyOf(secrets), replace: () => '[hidden]' },
    { pattern: BEARER_PATTERN, replace: () => '[hidden]' },
    { pattern: URL_PATTERN, replace: redactUrl },
    { pattern: QUOTED_PATH_PATTERN, replace: quoted(redactPath) },
    { pattern: PATH_PATTERN, replace: redactPath },
    { pattern: anyOf(files), replace: (found) => filePlaceholder(found) },
    { pattern: anyOf(names), replace: name },
    { pattern: EMAIL_PATTERN, replace: (found) => placeholder('mail', found) },
    { pattern: QUOTED_FILE_PATTERN, replace: quoted(filePlaceholder) },
    { pattern: FILE_PATTERN, replace: filePlaceholder },
    { pattern: anyOf(users), replace: (found) => placeholder('user', found.toLowerCase()) },
    { pattern: anyOf(hosts), replace: (found) => placeholder('computer', found.toLowerCase()) },
    { pattern: TOKEN_PATTERN, replace: (found) => placeholder('id', found) },
  ]
  const steps = rules.map(({ pattern, replace }) => ({
    pattern: new RegExp(pattern.replaceAll('EXTENSIONS', extensions), 'giu'),
    replace,
  }))

  function filePlaceholder(found: string): string {
    const extension = extensionOf(found)
    return `${placeholder('file', found)}${extension === '' ? '' : `.${extension}`}`
  }

  /** Returns the placeholder for the whole text. */
  function name(found: string): string {
    return placeholder('name', found.toLowerCase())
  }

  function redactPath(path: string): string {
    const route = ROUTE.exec(path)?.[0]
    if (route !== undefined) return route + text(path.slice(route.length).replace(/^\//, ' '))
    const isHome = homeFolder !== '' && path.startsWith(homeFolder)
    return `${isHome || path.startsWith('~') ? '~/' : '/'}${placeholder('path', path)}${endingOf(path)}`
  }

  function redactUrl(found: string): string {
    if (!URL.canParse(found)) return placeholder('address', found)
    const { protocol, hostname, port, pathname } = new URL(found)
    if (!/^(?:https?|wss?):$/.test(protocol)) return placeholder('address', found)
    const host = LOOPBACK.test(hostname) ? hostname : placeholder('host', hostname)
    const route = pathname.startsWith('/api') ? '/api' : ''
    const rest = pathname.length > route.length + 1 ? '/…' : ''
    return `${protocol}//${host}${port === '' ? '' : `:${port}`}${route}${rest}`
  }

  /** Redacts text. One rule handles each part of it, and the output of a rule isn't processed again. */
  function text(whole: string): string {
    let parts: readonly Part[] = [{ text: whole, isDone: false }]
    for (const { pattern, replace } of steps) {
      parts = parts.flatMap((part) => (part.isDone ? [part] : apply(part.text, pattern, replace)))
    }
    return parts.map((part) => part.text).join('')
  }

  /** Redacts all strings in a value, including field names. */
  function value(given: unknown): unknown {
    if (typeof given === 'string') return text(given)
    if (Array.isArray(given)) return given.map(value)
    if (typeof given !== 'object' || given === null) return given
    return Object.fromEntries(Object.entries(given).map(([name, part]) => [text(name), value(part)]))
  }

  const secretPattern = new RegExp(anyOf(secrets), 'giu')
  return {
    text,
    name,
    value,
    withoutSecrets: (whole: string): string => whole.replaceAll(secretPattern, '[hidden]'),
  }
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

/** Numbers the placeholders in order of appearance: "path 1", "path 2", … */
function numberedPlaceholders(): (kind: string, found: string) => string {
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

/** Sorts the longest first, so that replacing a short name can't leave part of a longer one visible. */
const wordsOf = (words: readonly string[]): readonly string[] =>
  [...new Set(words)].filter((word) => word !== '').toSorted((a, b) => b.length - a.length)

/** Matches nothing if the list is empty. Very short words match only as whole words, to keep the report readable. */
const anyOf = (words: readonly string[]): string =>
  words.length === 0 ? String.raw`(?!)` : words.map(wordPattern).join('|')

const wordPattern = (word: string): string => {
  const escaped = word.replaceAll(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`)
  return word.length > 3 ? escaped : String.raw`(?<![\p{L}\p{N}])${escaped}(?![\p{L}\p{N}])`
}

/** Returns the extension of a path, with its dot; empty if it has none or if other text follows the path. */
function endingOf(path: string): string {
  const extension = /\.([a-z0-9]{1,5})$/i.exec(path)?.[1]?.toLowerCase()
  return extension === undefined ? '' : `.${extension}`
}
