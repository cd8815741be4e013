import { t } from './english.ts'

/** Maximum number of submissions, files or results that are listed individually. */
export const FEW = 10

/**
 * "a.jpg, b.jpg, c.jpg and 97 more"
 * @param count how many there are, if `names` has only the first ones
 */
export function someOf(names: readonly string[], count = names.length): string {
  const more = count > 3 ? ` and ${t.number(count - 3)} more` : ''
  return `${names.slice(0, 3).join(', ')}${more}`
}
