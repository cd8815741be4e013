/** Removes secrets from text that servers wrote, because a server may repeat them, and results are stored and shown. */
import { ifPossible } from '../../node/if-possible.ts'
import type { MessageAddress } from '../../shared/model/message-formats.ts'

/** Minimum length of a secret in characters. Shorter parts of a path are words such as `api`. */
const SHORTEST = 4

/** Returns an address and all of its parts that may be secret, as written and decoded. */
export function secretsOf({ url, token }: MessageAddress): readonly string[] {
  const { href, pathname, search, hash } = new URL(url)
  const pairs = search.slice(1).split('&')
  const parts = [
    token,
    url,
    href,
    pathname + search,
    pathname,
    ...pathname.split('/'),
    search,
    ...pairs,
    ...pairs.map((pair) => pair.slice(pair.indexOf('=') + 1)),
    hash.slice(1),
  ]
  return [...parts, ...parts.map(decoded), ...parts.map((part) => decoded(part.replaceAll('+', ' ')))]
}

const decoded = (text: string): string => ifPossible(() => decodeURIComponent(text)) ?? text

/**
 * Replaces secrets with "…", even if they are escaped for URLs, JSON or HTML.
 * @param isCut whether more text followed, so that the end of this text may be the beginning of a secret
 */
export function withoutSecrets(text: string, secrets: readonly string[], isCut: boolean): string {
  const hidden = [...new Set(secrets)]
    .filter(({ length }) => length >= SHORTEST)
    .map((secret) => Array.from(secret, formsOf))
  const searched = inLowerCase(text)
  let rest = ''
  for (let at = 0; at < text.length;) {
    const end = Math.max(at, ...hidden.map((forms) => endOfMatch(searched, at, forms, isCut)))
    rest += end === at ? text.charAt(at) : '…'
    at = Math.max(end, at + 1)
  }
  return rest
}

/** Returns the end of a secret that begins at `start`; -1 if it doesn't begin there. */
function endOfMatch(
  text: string,
  start: number,
  secret: readonly (readonly string[])[],
  isCut: boolean,
): number {
  let at = start
  for (const forms of secret) {
    const form = forms.find((one) => text.startsWith(one, at))
    if (form === undefined)
      return isCut && forms.some((one) => one.startsWith(text.slice(at))) ? text.length : -1
    at += form.length
  }
  return at
}

const NAMED = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&apos;' }

/** Returns the ways to write a character, the longest first. */
function formsOf(character: string): readonly string[] {
  const code = character.codePointAt(0) ?? 0
  const bytes = [...Buffer.from(character)].map((byte) => byte.toString(16).padStart(2, '0'))
  const units = Array.from({ length: character.length }, (_, at) =>
    character.charCodeAt(at).toString(16).padStart(4, '0'),
  )
  return [
    character,
    bytes.map((byte) => `%${byte}`).join(''),
    units.map((unit) => `\\u${unit}`).join(''),
    JSON.stringify(character).slice(1, -1),
    `&#${code};`,
    `&#${String(code).padStart(3, '0')};`,
    `&#x${code.toString(16)};`,
    ...Object.entries(NAMED).flatMap(([plain, name]) => (plain === character ? [name] : [])),
    ...(character === '/' ? [String.raw`\/`] : []),
    ...(character === ' ' ? ['+'] : []),
  ]
    .map(inLowerCase)
    .toSorted((a, b) => b.length - a.length)
}

/** Keeps the length, unlike `toLowerCase`. */
const inLowerCase = (text: string): string => text.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase())
