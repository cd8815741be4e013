/**
 * Parses JSON with the position of every value, and edits single values in the text. Everything else keeps its exact formatting,
 * including unknown keys, key order and indentation.
 */

export type JsonMember = { readonly key: string; readonly start: number; readonly node: JsonNode }

/** `start` and `end` are offsets in the text; `end` is exclusive. */
export type JsonNode = { readonly start: number; readonly end: number } & (
  | { readonly kind: 'object'; readonly members: readonly JsonMember[] }
  | { readonly kind: 'array'; readonly items: readonly JsonNode[] }
  | { readonly kind: 'value'; readonly value: string | number | boolean | null }
)

export type JsonFaultCode =
  | 'commaMissing'
  | 'commaTooMany'
  | 'colonMissing'
  | 'nameMissing'
  | 'valueMissing'
  | 'notAValue'
  | 'quoteMissing'
  | 'notClosed'
  | 'afterTheEnd'

/** Why text isn't valid JSON, with the 1-based line and the (shortened) word at the error. */
export type JsonFault = {
  readonly code: JsonFaultCode
  readonly line: number
  readonly near: string
}

export type JsonReading =
  | { readonly root: JsonNode; readonly fault?: never }
  | { readonly root?: never; readonly fault: JsonFault }

/** Maximum nesting depth, so that nested input can't exhaust the stack. Far deeper than any preset. */
const DEEPEST = 64

export function readJson(text: string): JsonReading {
  try {
    return { root: createReader(text).document() }
  } catch (error) {
    if (error instanceof Unreadable) {
      return { fault: { code: error.code, line: linesOf(text).at(error.at), near: wordAt(text, error.at) } }
    }
    throw error
  }
}

export type Lines = ReturnType<typeof linesOf>

/**
 * Scans text once. Returns a function for the number of the line that contains an offset, and one for the offset at which that line starts.
 */
export function linesOf(text: string) {
  const starts = [0]
  for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', end + 1)) starts.push(end + 1)
  /** Returns the 1-based number of the line that contains an offset. */
  function at(offset: number): number {
    let low = 0
    let high = starts.length
    while (high - low > 1) {
      const middle = (low + high) >> 1
      if ((starts[middle] ?? 0) <= offset) low = middle
      else high = middle
    }
    return high
  }
  return {
    at,
    startOf: (offset: number): number => starts[at(offset) - 1] ?? 0,
  }
}

const wordAt = (text: string, offset: number): string =>
  (/^"[^"\n]*"|^[\w.+-]+|^\S/u.exec(text.slice(offset))?.[0] ?? '').replaceAll('"', '').slice(0, 40)

class Unreadable extends Error {
  readonly code: JsonFaultCode
  readonly at: number
  constructor(code: JsonFaultCode, at: number) {
    super(code)
    this.code = code
    this.at = at
  }
}

const STRING = /"(?:[^"\\\n]|\\.)*"/y
const SCALAR = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y
/** Matches the characters that may follow a number or keyword. */
const AFTER_SCALAR = /[\s,\]}]|$/y
const SPACE = /[ \t\r\n]*/y

function createReader(text: string) {
  let at = text.startsWith('\uFEFF') ? 1 : 0

  const fail = (code: JsonFaultCode, where = at): never => {
    throw new Unreadable(code, where)
  }
  const take = (pattern: RegExp): string | undefined => {
    pattern.lastIndex = at
    const found = pattern.exec(text)?.[0]
    if (found !== undefined) at += found.length
    return found
  }
  const space = (): void => void take(SPACE)

  function value(depth: number): JsonNode {
    if (depth > DEEPEST) fail('notAValue')
    const start = at
    const first = text[at]
    if (first === '{') return { kind: 'object', start, members: members(depth), end: at }
    if (first === '[') return { kind: 'array', start, items: items(depth), end: at }
    if (first === '"') return { kind: 'value', start, value: string(), end: at }
    if (first === undefined || ',]}:'.includes(first)) return fail('valueMissing')
    const scalar = take(SCALAR)
    AFTER_SCALAR.lastIndex = at
    if (scalar === undefined || !AFTER_SCALAR.test(text)) return fail('notAValue', start)
    const parsed: unknown = JSON.parse(scalar)
    return { kind: 'value', start, value: typeof parsed === 'object' ? null : scalarOf(parsed), end: at }
  }

  function string(): string {
    const start = at
    const found = take(STRING) ?? fail('quoteMissing')
    try {
      return String(JSON.parse(found))
    } catch {
      // A stray backslash or tab isn't a value.
      return fail('notAValue', start)
    }
  }

  function members(depth: number): JsonMember[] {
    return listed('}', (found: JsonMember[]) => {
      if (text[at] !== '"') fail('nameMissing')
      const start = at
      const key = string()
      space()
      if (text[at] !== ':') fail('colonMissing')
      at += 1
      space()
      found.push({ key, start, node: value(depth + 1) })
    })
  }

  function items(depth: number): JsonNode[] {
    return listed(']', (found: JsonNode[]) => {
      found.push(value(depth + 1))
    })
  }

  function listed<Item>(end: '}' | ']', one: (found: Item[]) => void): Item[] {
    const opened = at
    const found: Item[] = []
    at += 1
    space()
    while (text[at] !== end) {
      if (at >= text.length) fail('notClosed', opened)
      one(found)
      space()
      if (text[at] === end) break
      if (at >= text.length) fail('notClosed', opened)
      if (text[at] !== ',') fail('commaMissing')
      const comma = at
      at += 1
      space()
      if (text[at] === end) fail('commaTooMany', comma)
    }
    at += 1
    return found
  }

  return {
    document(): JsonNode {
      space()
      const root = value(0)
      space()
      if (at < text.length) fail('afterTheEnd')
      return root
    },
  }
}

const scalarOf = (value: unknown): string | number | boolean =>
  typeof value === 'number' || typeof value === 'boolean' ? value : String(value)

/** A path in a document, such as `image.size.width`. Preset keys never contain dots. */
export type JsonPath = string

const keysOf = (path: JsonPath): readonly string[] => (path === '' ? [] : path.split('.'))

/** Returns a member by name. If the name occurs more than once, the last member counts, as in `JSON.parse`. */
const memberOf = (node: JsonNode, key: string): JsonMember | undefined =>
  node.kind === 'object' ? node.members.findLast((member) => member.key === key) : undefined

export function nodeAt(root: JsonNode, path: JsonPath): JsonNode | undefined {
  let node: JsonNode | undefined = root
  for (const key of keysOf(path)) {
    node = node?.kind === 'array' ? node.items[Number(key)] : node && memberOf(node, key)?.node
  }
  return node
}

/** Returns the same value as `JSON.parse`, but without members named `__proto__`. */
export function valueOf(node: JsonNode): unknown {
  if (node.kind === 'value') return node.value
  if (node.kind === 'array') return node.items.map(valueOf)
  const members = node.members.filter(({ key }) => key !== '__proto__')
  return Object.fromEntries(members.map((member) => [member.key, valueOf(member.node)]))
}

export function valueAt(root: JsonNode, path: JsonPath): unknown {
  const node = nodeAt(root, path)
  return node && valueOf(node)
}

/**
 * Returns the text with one value changed. Creates missing objects on the path.
 * @param value undefined removes the member
 * @returns the same text if it can't be parsed or already has that value
 */
export function setInJson(text: string, path: JsonPath, value: unknown): string {
  const { root } = readJson(text)
  if (root === undefined) return text
  return value === undefined ? removed(text, root, path) : written(text, root, path, value)
}

function written(text: string, root: JsonNode, path: JsonPath, value: unknown): string {
  const keys = keysOf(path)
  let node = root
  for (const [index, key] of keys.entries()) {
    const next = memberOf(node, key)?.node
    if (next === undefined) {
      const rest = nested(keys.slice(index + 1), value)
      return node.kind === 'object' ? inserted(text, node, key, rest) : replaced(text, node, { [key]: rest })
    }
    node = next
  }
  return JSON.stringify(valueOf(node)) === JSON.stringify(value) ? text : replaced(text, node, value)
}

const nested = (keys: readonly string[], value: unknown): unknown =>
  keys.reduceRight((inner, key) => ({ [key]: inner }), value)

const splice = (text: string, start: number, end: number, by: string): string =>
  text.slice(0, start) + by + text.slice(end)

const replaced = (text: string, node: JsonNode, value: unknown): string =>
  splice(text, node.start, node.end, serialized(text, value, indentAt(text, node.start)))

function inserted(
  text: string,
  node: Extract<JsonNode, { kind: 'object' }>,
  key: string,
  value: unknown,
): string {
  const last = node.members.at(-1)
  const name = JSON.stringify(key)
  if (last === undefined) {
    const outer = indentAt(text, node.start)
    const inner = outer + unitOf(text)
    const body = text.includes('\n')
      ? `{\n${inner}${name}: ${serialized(text, value, inner)}\n${outer}}`
      : `{ ${name}: ${JSON.stringify(value)} }`
    return splice(text, node.start, node.end, body)
  }
  const before = text.slice(node.start, last.start)
  const ownLines = before.slice(before.lastIndexOf('\n') + 1).trim() === '' && before.includes('\n')
  const indent = indentAt(text, last.start)
  const added = ownLines
    ? `,\n${indent}${name}: ${serialized(text, value, indent)}`
    : `, ${name}: ${JSON.stringify(value)}`
  return splice(text, last.node.end, last.node.end, added)
}

function removed(text: string, root: JsonNode, path: JsonPath): string {
  const keys = keysOf(path)
  const key = keys.at(-1)
  const parent = nodeAt(root, keys.slice(0, -1).join('.'))
  if (key === undefined || parent?.kind !== 'object') return text
  const { members } = parent
  const firstKept = members.findIndex((member) => member.key !== key)
  if (firstKept < 0) return members.length === 0 ? text : splice(text, parent.start, parent.end, '{}')
  // Remove all members with this name, because an earlier duplicate must not take effect now. Remove each one with the comma before
  // it, or with the comma after it if it comes first.
  const pieces: string[] = []
  let from = 0
  for (const [index, member] of members.entries()) {
    if (member.key !== key) continue
    const isFirst = index < firstKept
    pieces.push(text.slice(from, isFirst ? member.start : (members[index - 1]?.node.end ?? member.start)))
    from = isFirst ? (members[index + 1]?.start ?? member.node.end) : member.node.end
  }
  return [...pieces, text.slice(from)].join('')
}

/** Returns the indentation of the line that contains the offset. */
const indentAt = (text: string, offset: number): string =>
  /^[ \t]*/.exec(text.slice(text.lastIndexOf('\n', offset - 1) + 1, offset))?.[0] ?? ''

/** Returns the document's indentation unit: the indentation of its first indented line, or two spaces if no line is indented. */
const unitOf = (text: string): string => /\n([ \t]+)\S/.exec(text)?.[1] ?? '  '

const serialized = (text: string, value: unknown, indent: string): string =>
  text.includes('\n')
    ? JSON.stringify(value, null, unitOf(text)).replaceAll('\n', `\n${indent}`)
    : JSON.stringify(value)
