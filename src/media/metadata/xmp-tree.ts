/** Parses and writes XMP packets (ISO 16684-1), whose XML has no document type. Takes linear time even for hostile input. */

export type XmpAttribute = { readonly name: string; value: string; readonly quote: string }
export type XmpElement = {
  readonly kind: 'element'
  readonly name: string
  attributes: XmpAttribute[]
  children: XmpNode[]
  readonly scope: Scope
}
/** Character data or an instruction, as in the file. */
type XmpText = { readonly kind: 'text'; text: string }
export type XmpNode = XmpElement | XmpText

type Scope = { readonly own: ReadonlyMap<string, string>; readonly outer: Scope | undefined }

/** A name and its namespace. An undeclared prefix stands for its own namespace. */
export type QualifiedName = { readonly namespace: string; readonly local: string }

/** Maximum nesting depth, which XMP never reaches. */
const DEEPEST = 64
/** Maximum number of nodes. A packet of a few megabytes has fewer. */
const MOST_NODES = 1_000_000

/** @returns undefined if the packet isn't well-formed XML in UTF-8 or UTF-16 without a document type, or exceeds the limits */
export function parseXmp(packet: Buffer): XmpNode[] | undefined {
  const text = textOf(packet)
  return text === undefined ? undefined : parse(text)
}

/** @returns undefined if the bytes aren't text */
function textOf(packet: Buffer): string | undefined {
  const start = packet.toString('latin1', 0, 2)
  if (start === '\xff\xfe' || start === '<\0') return packet.toString('utf16le').replace(/^\uFEFF/, '')
  if (start === '\xfe\xff' || start === '\0<') {
    const even = packet.subarray(0, packet.length - (packet.length % 2))
    return Buffer.from(even)
      .swap16()
      .toString('utf16le')
      .replace(/^\uFEFF/, '')
  }
  const text = packet.toString('utf8')
  // Padding of zeros is common.
  return text.includes('\uFFFD') ? undefined : text.replace(/\0+$/, '')
}

const NAME = /[^\s<>/=!?"']+/y
const SPACES = /\s*/y
const EQUALS = /\s*=\s*/y

/** Starts text in which no character has a special meaning. */
const LITERAL = '<![CDATA['

type Tag = { readonly end: number; readonly attributes: XmpAttribute[]; readonly isEmpty: boolean }

function parse(text: string): XmpNode[] | undefined {
  const root: XmpNode[] = []
  const open: XmpElement[] = []
  let left = MOST_NODES
  const add = (node: XmpNode) => (open.at(-1)?.children ?? root).push(node)
  for (let at = 0; at < text.length;) {
    const start = text.indexOf('<', at)
    const before = text.slice(at, start < 0 ? text.length : start)
    if (before !== '') add({ kind: 'text', text: before })
    if (start < 0) break
    if (text.startsWith(LITERAL, start)) {
      const end = text.indexOf(']]>', start)
      if (end < 0) return undefined
      add({ kind: 'text', text: escaped(text.slice(start + LITERAL.length, end)) })
      at = end + 3
      continue
    }
    const other = endOfOther(text, start)
    if (other !== undefined) {
      if (other < 0) return undefined
      // Comments and other instructions aren't kept: they may contain anything.
      if (text.startsWith('<?xpacket', start)) add({ kind: 'text', text: text.slice(start, other) })
      at = other
      continue
    }
    const closes = text[start + 1] === '/'
    NAME.lastIndex = start + (closes ? 2 : 1)
    const name = NAME.exec(text)?.[0]
    const tag = name === undefined ? undefined : tagAt(text, NAME.lastIndex)
    if (name === undefined || tag === undefined || --left === 0) return undefined
    at = tag.end
    if (closes) {
      if (open.pop()?.name !== name || tag.attributes.length > 0) return undefined
      continue
    }
    const element: XmpElement = {
      kind: 'element',
      name,
      attributes: tag.attributes,
      children: [],
      scope: scopeOf(tag.attributes, open.at(-1)?.scope),
    }
    add(element)
    if (tag.isEmpty) continue
    open.push(element)
    if (open.length > DEEPEST) return undefined
  }
  return open.length === 0 ? root : undefined
}

/** Returns the end of a comment or an instruction, -1 for anything unreadable, or undefined if there is a tag instead. */
function endOfOther(text: string, start: number): number | undefined {
  const closing = text.startsWith('<!--', start) ? '-->' : text.startsWith('<?', start) ? '?>' : undefined
  if (closing === undefined) return text[start + 1] === '!' ? -1 : undefined
  const end = text.indexOf(closing, start)
  return end < 0 ? -1 : end + closing.length
}

function tagAt(text: string, from: number): Tag | undefined {
  const attributes: XmpAttribute[] = []
  for (let at = from; ;) {
    SPACES.lastIndex = at
    SPACES.exec(text)
    at = SPACES.lastIndex
    if (text[at] === '>') return { end: at + 1, attributes, isEmpty: false }
    if (text.startsWith('/>', at)) return { end: at + 2, attributes, isEmpty: true }
    NAME.lastIndex = at
    const name = NAME.exec(text)?.[0]
    EQUALS.lastIndex = NAME.lastIndex
    if (name === undefined || EQUALS.exec(text) === null) return undefined
    const quote = text[EQUALS.lastIndex]
    if (quote !== '"' && quote !== "'") return undefined
    const end = text.indexOf(quote, EQUALS.lastIndex + 1)
    if (end < 0) return undefined
    attributes.push({ name, value: text.slice(EQUALS.lastIndex + 1, end), quote })
    at = end + 1
  }
}

function scopeOf(attributes: readonly XmpAttribute[], outer: Scope | undefined): Scope {
  const own = new Map(
    attributes.flatMap(({ name, value }) =>
      name.startsWith('xmlns:') ? [[name.slice('xmlns:'.length), unescaped(value)] as const] : [],
    ),
  )
  return own.size === 0 && outer !== undefined ? outer : { own, outer }
}

export function qualified(name: string, scope: Scope): QualifiedName {
  const colon = name.indexOf(':')
  const [prefix, local] = colon < 0 ? ['', name] : [name.slice(0, colon), name.slice(colon + 1)]
  for (let at: Scope | undefined = scope; at !== undefined; at = at.outer) {
    const namespace = at.own.get(prefix)
    if (namespace !== undefined) return { namespace, local }
  }
  return { namespace: prefix, local }
}

/** Returns whether an attribute declares a namespace or belongs to the syntax, such as `rdf:about` and `xml:lang`. */
const isSyntax = (name: string): boolean => /^(?:xmlns|xml|rdf)(?::(?!resource$|value$)|$)/.test(name)

export function writeXmp(nodes: readonly XmpNode[]): Buffer {
  const parts: string[] = []
  const write = (node: XmpNode): void => {
    if (node.kind === 'text') {
      parts.push(node.text)
      return
    }
    parts.push(`<${node.name}`)
    for (const { name, value, quote } of node.attributes) parts.push(` ${name}=${quote}${value}${quote}`)
    if (node.children.length === 0) {
      parts.push('/>')
      return
    }
    parts.push('>')
    node.children.forEach(write)
    parts.push(`</${node.name}>`)
  }
  nodes.forEach(write)
  return Buffer.from(parts.join(''))
}

export const elementsIn = ({ children }: XmpElement): readonly XmpElement[] =>
  children.filter((child) => child.kind === 'element')

export const textIn = (node: XmpNode): string =>
  node.kind === 'text' ? unescaped(node.text) : node.children.map(textIn).join('')

const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }

export const unescaped = (text: string): string =>
  text.includes('&')
    ? text.replaceAll(
        /&(?:#x([\da-f]{1,6})|#(\d{1,7})|(amp|lt|gt|quot|apos));/gi,
        (whole, hex, decimal, name) => {
          if (typeof name === 'string') return ENTITIES[name.toLowerCase()] ?? whole
          const code = typeof hex === 'string' ? Number.parseInt(hex, 16) : Number(decimal)
          return code <= 0x10ffff ? String.fromCodePoint(code) : whole
        },
      )
    : text

/** How to change a property: `to` is its new text, or undefined to remove the property. An undefined change keeps the property. */
export type PropertyChange = { readonly to: string | undefined } | undefined

/**
 * Changes properties, which are attributes or elements, and modifies the given nodes. Visits an element before its content. Skips the
 * content of removed elements, and removes lists and structures that become empty.
 * @param change gets the property's text, which is empty for a list or a structure
 */
export function changeProperties(
  nodes: readonly XmpNode[],
  change: (name: QualifiedName, text: string, element: XmpElement | undefined) => PropertyChange,
): XmpNode[] {
  return nodes.flatMap((node): XmpNode[] => {
    if (node.kind === 'text') return [node]
    const { scope } = node
    const isLeaf = node.children.every(({ kind }) => kind === 'text')
    const changed = change(qualified(node.name, scope), isLeaf ? textIn(node) : '', node)
    if (changed !== undefined) {
      if (changed.to === undefined) return []
      node.children = [{ kind: 'text', text: escaped(changed.to) }]
    }
    node.attributes = node.attributes.filter((attribute) => {
      if (isSyntax(attribute.name)) return true
      const result = change(qualified(attribute.name, scope), unescaped(attribute.value), undefined)
      if (result?.to !== undefined) attribute.value = escaped(result.to)
      return result === undefined || result.to !== undefined
    })
    node.children = changeProperties(node.children, change)
    return !isLeaf && isEmptied(node) ? [] : [node]
  })
}

/** Elements around the properties. They stay even if they are empty, because programs expect them in a packet. */
const FRAME = /(?:^|:)(?:RDF|Description)$/

/** Returns whether a list or a structure has become empty. Programs would show an empty list as blank text. */
const isEmptied = ({ name, attributes, children }: XmpElement): boolean =>
  !FRAME.test(name) &&
  attributes.every((attribute) => isSyntax(attribute.name)) &&
  children.every((child) => child.kind === 'text' && child.text.trim() === '')

/** Writes a number as text, with at most six decimals. */
export const decimal = (value: number): string => String(Number(value.toFixed(6)))

export const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;').replaceAll("'", '&apos;')
