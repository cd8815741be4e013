/** Splits and shortens text between the characters that a user sees. */
import { once } from './once.ts'

/** Splits by grapheme: an accent or a combined emoji counts as part of its character. */
const segmenter = once(() => new Intl.Segmenter())
const charactersOf = (text: string): string[] =>
  // Most names are ASCII, where each code unit is a grapheme.
  /^[ -~]*$/.test(text) ? text.split('') : Array.from(segmenter().segment(text), ({ segment }) => segment)

export const firstCharacters = (text: string, count: number): string =>
  text.length <= count ? text : charactersOf(text).slice(0, count).join('')

/**
 * Shortens text without splitting a character.
 * @param most number of UTF-16 code units
 */
export function shortened(text: string, most: number): string {
  if (text.length <= most) return text
  let kept = ''
  for (const character of charactersOf(text)) {
    if (kept.length + character.length >= most) break
    kept += character
  }
  return `${kept}…`
}

/** Splits a name for truncation in the middle. The last seven characters always remain visible. */
export function splitName(name: string): { readonly head: string; readonly tail: string } {
  const characters = charactersOf(name)
  const cut = Math.max(1, characters.length - 7)
  return { head: characters.slice(0, cut).join(''), tail: characters.slice(cut).join('') }
}
