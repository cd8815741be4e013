/** The template of result names: plain text with placeholders, validated for all systems. */
import { UNSAFE_IN_NAMES } from '../paths.ts'

export const PLACEHOLDERS = ['name', 'preset', 'width', 'height', 'date', 'taken', 'number'] as const
export type Placeholder = (typeof PLACEHOLDERS)[number]

export const USUAL_NAME = '{name}-{preset}'
/** Maximum length in characters, far more than any name needs. */
export const MAX_TEMPLATE_LENGTH = 120

const isPlaceholder = (word: string): word is Placeholder => PLACEHOLDERS.some((known) => known === word)

const list = PLACEHOLDERS.map((name) => `{${name}}`).join(', ')

export type TemplateRule = 'templateBraces' | 'templateCharacter' | 'templateEdges' | 'templateUnique'

/** Returns the rule that a template breaks, with a message that follows the field's name; undefined for a valid template. */
export function templateProblem(
  template: string,
): { readonly rule: TemplateRule; readonly message: string } | undefined {
  const text = template.replaceAll(/\{(\w+)\}/g, (whole, word: string) => (isPlaceholder(word) ? '' : whole))
  if (/[{}]/.test(text))
    return { rule: 'templateBraces', message: `has braces around something other than ${list}` }
  if (text.search(UNSAFE_IN_NAMES) >= 0)
    return {
      rule: 'templateCharacter',
      message: "contains a character that isn't valid in file names on every system",
    }
  if (/^[\s.]|\s$/.test(template))
    return {
      rule: 'templateEdges',
      message: 'must not begin with a dot or a space, nor end with a space',
    }
  if (!/\{(name|number)\}/.test(template))
    return { rule: 'templateUnique', message: 'needs {name} or {number}, so that result names differ' }
  return undefined
}

export const fillTemplate = (template: string, values: Readonly<Record<Placeholder, string>>): string =>
  template.replaceAll(/\{(\w+)\}/g, (whole, word: string) => (isPlaceholder(word) ? values[word] : whole))
