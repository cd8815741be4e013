/**
 * How the history is searched: text is cut into plain words here, both what is stored and what is looked for, so that
 * SQLite's index only ever sees words that are already folded.
 */

/** Letters that are not a base letter with a mark, and that people type without knowing how. */
const SPELT: Readonly<Record<string, string>> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  đ: 'd',
  ð: 'd',
  þ: 'th',
  ł: 'l',
  ı: 'i',
}
const SPELT_LETTERS = new RegExp(`[${Object.keys(SPELT).join('')}]`, 'g')

/** Without marks, case and width: Ä, ä and ａ are a. */
const fold = (text: string): string =>
  text
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .toLowerCase()
    .replaceAll(SPELT_LETTERS, (letter) => SPELT[letter] ?? letter)

/** Scripts that put no spaces between words: each sign is a word, and a longer word is looked for as a sequence. */
const UNSPACED = String.raw`[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]`
const WORD = new RegExp(String.raw`${UNSPACED}|\p{N}+|(?:(?!${UNSPACED})\p{L})+`, 'gu')

/** Folded words in their order; letters and digits are apart, so that `IMG_0093`, `img0093` and `0093` meet. */
export const wordsOf = (text: string): readonly string[] => fold(text).match(WORD) ?? []

/** Longer words are found from their start and up to here from their middle. */
const LONGEST_WITH_TAILS = 40
const SHORTEST_TAIL = 3
const SHORTEST_NUMBER_TAIL = 2

/** The ends of a word, so that a part of it can be found as the beginning of one: `foto` in `hafenfoto`. */
export function tailsOf(word: string): readonly string[] {
  const shortest = /^\p{N}/u.test(word) ? SHORTEST_NUMBER_TAIL : SHORTEST_TAIL
  const letters = Array.from(word.slice(0, LONGEST_WITH_TAILS))
  const count = Math.max(0, letters.length - shortest)
  return Array.from({ length: count }, (_, n) => letters.slice(n + 1).join(''))
}

/**
 * The full-text condition for what a person typed: every word has to be there, in any order, as a word, the beginning or
 * a part of one. Undefined when there is nothing in it to look for.
 */
export function conditionFor(typed: string): string | undefined {
  const conditions = typed.split(/\s+/).flatMap((word) => {
    const pieces = wordsOf(word)
    if (pieces.length === 0) return []
    // Only letters and digits are left in a piece, so that nothing can end the quotes.
    return pieces.length === 1 ? [`{words tails} : "${pieces[0]}" *`] : [`words : "${pieces.join(' ')}" *`]
  })
  return conditions.length === 0 ? undefined : conditions.map((condition) => `(${condition})`).join(' AND ')
}
