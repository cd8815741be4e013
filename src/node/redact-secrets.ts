/** Takes out of what is about to be written whatever opens a door. Pure. */

const SECRET_NAME =
  /^(?:authorization|proxy-?authorization|cookie|set-cookie|password|passphrase|secret|token|credentials?|(?:api[-_]?|access[-_]?|private[-_]?)?key)$/i
const BEARER = /\b(bearer|basic)\s+[^\s"',;]+/gi
/** User and password in an address. */
const USER_INFO = /\b([a-z][a-z0-9+.-]*:\/\/)[^\s/@"']+@/gi
const DEEPEST = 8
const LONGEST_TEXT = 4_000

export const HIDDEN = '[hidden]'

/**
 * A copy that can be written as JSON: no values under names such as `authorization` or `key`, no bearer tokens, and none of
 * the given secrets, wherever they stand. Errors become their name, message, code and stack.
 */
export function redactSecrets(value: unknown, secrets: readonly string[] = []): unknown {
  return copy(
    value,
    secrets.filter((secret) => secret !== ''),
    0,
  )
}

function copy(value: unknown, secrets: readonly string[], depth: number): unknown {
  if (typeof value === 'string') return cleanText(value, secrets)
  if (typeof value === 'bigint' || typeof value === 'symbol') return String(value)
  if (typeof value === 'function') return undefined
  if (typeof value !== 'object' || value === null) return value
  if (depth >= DEEPEST) return '…'
  if (value instanceof Error) return copy(errorFacts(value), secrets, depth)
  if (value instanceof Date) return value.toISOString()
  if (value instanceof URL) return cleanText(value.href, secrets)
  if (ArrayBuffer.isView(value)) return `${value.byteLength} bytes`
  if (Array.isArray(value)) return value.map((one) => copy(one, secrets, depth + 1))
  const entries: [string, unknown][] = Object.entries(value)
  return Object.fromEntries(
    entries.map(([name, part]) => [
      cleanText(name, secrets),
      SECRET_NAME.test(name) && part !== null && typeof part !== 'boolean'
        ? HIDDEN
        : copy(part, secrets, depth + 1),
    ]),
  )
}

function errorFacts(error: Error): Record<string, unknown> {
  const { name, message, stack, cause } = error
  const code: unknown = Reflect.get(error, 'code')
  return { name, message, code, stack, ...(cause === undefined ? {} : { cause }) }
}

function cleanText(text: string, secrets: readonly string[]): string {
  let clean = text
  for (const secret of secrets) clean = clean.replaceAll(secret, HIDDEN)
  clean = clean.replace(BEARER, `$1 ${HIDDEN}`).replace(USER_INFO, `$1${HIDDEN}@`)
  return clean.length > LONGEST_TEXT ? `${clean.slice(0, LONGEST_TEXT)}…` : clean
}
