/**
 * Matches file names against patterns. Other users may choose the names, so the time is proportional to the lengths of name and pattern.
 * A regular expression with several `*` would take minutes for some names.
 */
import { comparable } from './paths.ts'

/** A part of a pattern: one character, any text, or one of several sequences. */
type Part =
  | { readonly kind: 'one'; readonly fits: (character: string) => boolean }
  | { readonly kind: 'any' }
  | { readonly kind: 'either'; readonly options: readonly (readonly Part[])[] }

/** A state of the automaton, which waits for a character. All states that the next character leads to are followed in parallel. */
type State = { readonly fits: (character: string) => boolean; readonly next: Step }
/** The states that can be reached without another character, and whether the pattern may end there. */
type Step = { readonly states: readonly State[]; readonly isEnd: boolean }

const isAnything = () => true

/**
 * Compiles a pattern with `*`, `?`, `{jpg,png}`, `[0-9]`, `[!0-9]` and `!` at its start, which negates it. `\` makes the next character
 * literal. Incomplete constructs, such as `[a`, are literal, too. Case is ignored.
 */
export function createNamePattern(pattern: string): (name: string) => boolean {
  const characters = Array.from(comparable(pattern))
  const start = characters.findIndex((character) => character !== '!')
  const isNegated = (start === -1 ? characters.length : start) % 2 === 1
  const parts = parse(characters.slice(start === -1 ? characters.length : start))
  const leadsToEnd = createWalk(linked(parts, { states: [], isEnd: true }))
  return (name) => leadsToEnd(comparable(name)) !== isNegated
}

/** All states that the same text reaches, and where each next character leads. */
type Reached = Step & { readonly after: Map<string, Reached> }

/** Maximum number of cached transitions. Names that are chosen to fill the cache only slow down matching. */
const MOST_REMEMBERED = 10_000

/** Creates a function that checks whether a name matches. The function caches transitions, which makes it fast for many names. */
function createWalk(first: Step): (name: string) => boolean {
  const ids = new Map<State, number>()
  let start: Reached = { ...first, after: new Map() }
  let known = new Map<string, Reached>()
  let remembered = 0

  function idOf(state: State): number {
    const id = ids.get(state) ?? ids.size
    ids.set(state, id)
    return id
  }

  function follow(reached: Reached, character: string): Reached {
    const steps = reached.states.flatMap(({ fits, next }) => (fits(character) ? [next] : []))
    const states = [...new Set(steps.flatMap((step) => step.states))]
    const isEnd = steps.some((step) => step.isEnd)
    const key = `${isEnd} ${states
      .map(idOf)
      .toSorted((a, b) => a - b)
      .join()}`
    const next = known.get(key) ?? { states, isEnd, after: new Map() }
    known.set(key, next)
    reached.after.set(character, next)
    remembered += 1
    return next
  }

  return (name) => {
    if (remembered > MOST_REMEMBERED) {
      start = { ...first, after: new Map() }
      known = new Map()
      remembered = 0
    }
    let reached = start
    for (const character of name) reached = reached.after.get(character) ?? follow(reached, character)
    return reached.isEnd
  }
}

/** Returns the step that begins with these parts and continues with `end`. */
const linked = (parts: readonly Part[], end: Step): Step => parts.reduceRight(before, end)

function before(next: Step, part: Part): Step {
  switch (part.kind) {
    case 'one':
      return { states: [{ fits: part.fits, next }], isEnd: false }
    case 'any': {
      const states: State[] = [...next.states]
      const step = { states, isEnd: next.isEnd }
      states.push({ fits: isAnything, next: step })
      return step
    }
    case 'either': {
      const steps = part.options.map((option) => linked(option, next))
      return {
        states: [...new Set(steps.flatMap(({ states }) => states))],
        isEnd: steps.some(({ isEnd }) => isEnd),
      }
    }
  }
}

function parse(characters: readonly string[]): readonly Part[] {
  const parts: Part[] = []
  for (let at = 0; at < characters.length; at++) {
    const character = characters[at]
    const end =
      character === '[' ? endOfSet(characters, at) : character === '{' ? endOfBrace(characters, at) : null
    if (character === '*') {
      if (parts.at(-1)?.kind !== 'any') parts.push({ kind: 'any' })
    } else if (character === '?') parts.push({ kind: 'one', fits: isAnything })
    else if (end !== null) {
      const inside = characters.slice(at + 1, end)
      if (character === '[') parts.push({ kind: 'one', fits: setOf(inside) })
      else parts.push({ kind: 'either', options: optionsIn(inside).map(parse) })
      at = end
    } else {
      if (character === '\\' && at + 1 < characters.length) at++
      const wanted = characters[at]
      parts.push({ kind: 'one', fits: (one) => one === wanted })
    }
  }
  return parts
}

/**
 * Returns the index of the bracket that ends a set; null if the set isn't complete. A closing bracket at the start of a set belongs to the
 * set.
 */
function endOfSet(characters: readonly string[], start: number): number | null {
  const first = start + (isNegation(characters[start + 1]) ? 2 : 1)
  const end = characters.indexOf(']', first + 1)
  return end === -1 ? null : end
}

const isNegation = (character: string | undefined): boolean => character === '!' || character === '^'

/** Returns the index of the brace that ends a list of options; null if it is missing or there is only one option. */
function endOfBrace(characters: readonly string[], start: number): number | null {
  let depth = 0
  let hasOptions = false
  for (let at = start; at < characters.length; at++) {
    if (characters[at] === '\\') at++
    else if (characters[at] === '{') depth++
    else if (characters[at] === ',' && depth === 1) hasOptions = true
    else if (characters[at] === '}' && --depth === 0) return hasOptions ? at : null
  }
  return null
}

function optionsIn(characters: readonly string[]): readonly (readonly string[])[] {
  const options: string[][] = [[]]
  let depth = 0
  for (let at = 0; at < characters.length; at++) {
    const character = characters[at] ?? ''
    if (character === '{') depth++
    if (character === '}') depth--
    if (character === ',' && depth === 0) options.push([])
    else options.at(-1)?.push(character)
    if (character === '\\' && at + 1 < characters.length) options.at(-1)?.push(characters[++at] ?? '')
  }
  return options
}

function setOf(characters: readonly string[]): (character: string) => boolean {
  const isNegated = isNegation(characters[0])
  const members = isNegated ? characters.slice(1) : characters
  const ranges: (readonly [string, string])[] = []
  for (let at = 0; at < members.length; at++) {
    const from = members[at] ?? ''
    const to = members[at + 1] === '-' ? members[at + 2] : undefined
    ranges.push([from, to ?? from])
    if (to !== undefined) at += 2
  }
  return (character) => ranges.some(([from, to]) => from <= character && character <= to) !== isNegated
}
