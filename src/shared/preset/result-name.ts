/** The template that results are named by: plain text with placeholders, checked for every system at once. */
import { UNSAFE_IN_NAMES } from '../paths.ts'

export const PLACEHOLDERS = ['name', 'preset', 'width', 'height', 'date', 'number'] as const
export type Placeholder = (typeof PLACEHOLDERS)[number]

export const USUAL_NAME = '{name}-{preset}'
/** Far more than a name has room for. */
export const MAX_TEMPLATE_LENGTH = 120

const isPlaceholder = (word: string): word is Placeholder => PLACEHOLDERS.some((known) => known === word)

const list = PLACEHOLDERS.map((name) => `{${name}}`).join(', ')

/** @returns what is wrong, as it follows the name of the field; undefined for a template that can be used */
export function templateProblem(template: string): string | undefined {
  const text = template.replaceAll(/\{(\w+)\}/g, (whole, word: string) => (isPlaceholder(word) ? '' : whole))
  if (/[{}]/.test(text)) return `has braces around something else than ${list}`
  if (text.search(UNSAFE_IN_NAMES) >= 0) return 'holds a character that no file name may have on every system'
  if (/^[\s.]|\s$/.test(template)) return 'must not begin with a dot or a space, nor end with a space'
  if (!/\{(name|number)\}/.test(template)) return 'needs {name} or {number}, so that results differ'
  return undefined
}

export const fillTemplate = (template: string, values: Readonly<Record<Placeholder, string>>): string =>
  template.replaceAll(/\{(\w+)\}/g, (whole, word: string) => (isPlaceholder(word) ? values[word] : whole))
