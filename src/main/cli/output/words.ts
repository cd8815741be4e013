/** Helpers for turning events into text. Results go to stdout, everything else to stderr. */
import { EACH_MISLEADING, shownSentence } from '../../../shared/paths.ts'
import { t } from './language.ts'

export type Words = { readonly to: 'stdout' | 'stderr'; readonly lines: readonly string[] }

export const out = (...lines: readonly string[]): Words => ({ to: 'stdout', lines })
export const err = (...lines: readonly string[]): Words => ({ to: 'stderr', lines })

export const indented = (line: string): string => `  ${line}`

/** Maximum number of submissions, files or results that are listed individually. */
export const FEW = 10

/**
 * Returns the first names and the number of the rest, such as "a.jpg, b.jpg, c.jpg and 97 more".
 * @param count the number of all names, if `names` has only the first ones
 */
export function someOf(names: readonly string[], count = names.length): string {
  const first = t().listed(names.slice(0, 3))
  return count > 3 ? t().fileReport.more({ names: first, count: count - 3 }) : first
}

/** Formats a time in ms since 1970 in the local time zone, for example "2026-11-17 14:32". */
export function localTime(at: number): string {
  const offset = new Date(at).getTimezoneOffset() * 60_000
  return new Date(at - offset).toISOString().slice(0, 16).replace('T', ' ')
}

export const printed = (lines: readonly string[]): string =>
  lines.map((line) => `${shownSentence(line)}\n`).join('')

/** Serializes to JSON, escaping characters that a terminal or a line reader could misinterpret. */
export const plainJson = (value: unknown): string =>
  JSON.stringify(value).replaceAll(
    EACH_MISLEADING,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
