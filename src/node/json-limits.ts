/** Limits for JSON from other programs. Parsing a few bytes can take much memory, and checking them much time. */

export type JsonLimits = {
  readonly bytes: number
  /** Number of values: each element, each member's value, each list and object. */
  readonly values: number
}

export type JsonExcess = 'tooLong' | 'tooManyValues' | 'tooDeep'

/** Receives the offsets at which an element of a list begins and ends. */
export type ElementListener = (start: number, end: number) => void

/** Maximum nesting depth, deeper than any resource, preset or setting. */
const MOST_LEVELS = 64

const QUOTE = 0x22
const COMMA = 0x2c
const BACKSLASH = 0x5c
/** The brackets of lists and of objects differ only in this bit. */
const EITHER = 0x20
const OPEN = 0x7b
const CLOSE = 0x7d

/** The level of a list or object that is an element of a list in an object. */
const ELEMENT = 3

/**
 * Returns the first limit that a JSON text exceeds; undefined if it exceeds none. Counts brackets and commas outside strings, without
 * building anything.
 * @param text in UTF-8; needn't be valid
 * @param onElement called for each list or object that is exactly two levels below the outermost one
 */
export function jsonExcess(
  text: Uint8Array,
  limits: JsonLimits,
  onElement?: ElementListener,
): JsonExcess | undefined {
  if (text.length > limits.bytes) return 'tooLong'
  let values = 1
  let levels = 0
  let start = 0
  for (let at = 0; at < text.length; at++) {
    const byte = text[at] ?? 0
    if (byte === QUOTE) at = endOfString(text, at)
    else if (byte === COMMA) values++
    else if ((byte | EITHER) === OPEN) {
      values++
      if (++levels > MOST_LEVELS) return 'tooDeep'
      if (levels === ELEMENT) start = at
    } else if ((byte | EITHER) === CLOSE && levels-- === ELEMENT) onElement?.(start, at + 1)
    if (values > limits.values) return 'tooManyValues'
  }
  return undefined
}

/** @param start offset of the opening quotation mark */
function endOfString(text: Uint8Array, start: number): number {
  let end = start + 1
  while (end < text.length && text[end] !== QUOTE) end += text[end] === BACKSLASH ? 2 : 1
  return end
}
