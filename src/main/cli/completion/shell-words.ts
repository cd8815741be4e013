/** Splits a command line like bash, but never expands or runs anything in it. */

export type ShellLine = {
  readonly words: readonly string[]
  /** The open quote that the last word is in; empty if there is none. */
  readonly quote: '"' | "'" | ''
  /** Length of the part of the last word that bash keeps: up to the last unquoted `=` or `:`. */
  readonly kept: number
}

export function splitLine(line: string): ShellLine {
  const words: string[] = []
  let word = ''
  let isOpen = false
  let quote: ShellLine['quote'] = ''
  let kept = 0
  for (let at = 0; at < line.length; at += 1) {
    const character = line.charAt(at)
    if (quote === "'") {
      if (character === "'") quote = ''
      else word += character
    } else if (character === '\\' && (quote === '' || /["\\$`]/.test(line.charAt(at + 1)))) {
      at += 1
      word += line.charAt(at)
      isOpen = true
    } else if (character === '"') {
      quote = quote === '"' ? '' : '"'
      isOpen = true
    } else if (quote === '' && character === "'") {
      quote = "'"
      isOpen = true
    } else if (quote === '' && /\s/.test(character)) {
      if (isOpen) words.push(word)
      word = ''
      kept = 0
      isOpen = false
    } else {
      word += character
      isOpen = true
      if (quote === '' && /[=:]/.test(character)) kept = word.length
    }
  }
  return { words: [...words, word], quote, kept }
}

/** Quotes a value for the place where bash inserts it. Returns undefined if that is impossible. */
export function quotedForBash(value: string, quote: ShellLine['quote']): string | undefined {
  if (quote === "'") return value.includes("'") ? undefined : value
  // In double quotes, bash replaces “!” with text from its history. A backslash prevents this, but stays in the value.
  if (quote === '"') return value.includes('!') ? undefined : value.replaceAll(/["\\$`]/g, String.raw`\$&`)
  return value.replaceAll(/[^\p{L}\p{N}_./:=@%+,-]/gu, String.raw`\$&`)
}
