/** Measures and wraps text in the columns of a terminal. */

/** Characters that terminals show in two columns. Including too many is safe: it only makes lines shorter. */
const WIDE =
  /[\u1100-\u115F\u2E80-\uA4CF\uAC00-\uD7A3\uF900-\uFAFF\uFE30-\uFE6F\uFF00-\uFF60\uFFE0-\uFFE6\u{1F000}-\u{1FAFF}\u{20000}-\u{3FFFF}]/u

/** Characters without a width. */
const NONE = /\p{Bidi_Control}/u

/** Returns the width of a character in columns. */
export const widthOf = (character: string): number =>
  WIDE.test(character) ? 2 : NONE.test(character) ? 0 : 1

export const columnsOf = (text: string): number =>
  Array.from(text).reduce((sum, one) => sum + widthOf(one), 0)

/** Chinese and Japanese characters and punctuation. A line may break before or after them. */
const BREAKABLE = '[\\u2E80-\\uA4CF\\uF900-\\uFAFF\\uFE30-\\uFE6F\\uFF00-\\uFF60]'

/** A word or one such character, with the brackets before it and the punctuation after it. */
const PIECE = new RegExp(
  `\\s*[（「『【]*(?:${BREAKABLE}|(?:(?!${BREAKABLE})\\S)+)[、。，：；？！）」』】〕]*`,
  'gu',
)

/** Wraps text to a number of columns. Breaks lines at white space, and next to Chinese and Japanese characters. */
export function wrapped(text: string, columns: number): string {
  const lines: string[] = []
  let line = ''
  for (const [piece] of text.matchAll(PIECE)) {
    if (line !== '' && columnsOf(line + piece) > columns) {
      lines.push(line)
      line = piece.trimStart()
    } else line += piece
  }
  return [...lines, line].join('\n')
}
