/** Splits XMP that is too large for a JPEG segment, and joins it again (XMP Specification Part 3, 1.1.3.1). */
import { createHash } from 'node:crypto'
import {
  elementsIn,
  escaped,
  parseXmp,
  qualified,
  writeXmp,
  type XmpElement,
  type XmpNode,
} from './xmp-tree.ts'

/** Attributes that aren't properties. */
export const SYNTAX = /^(?:xmlns|xml|rdf)(?::|$)/
export const RDF = 'http://www.w3.org/1999/02/22-rdf-syntax-ns#'
const NOTE = 'http://ns.adobe.com/xmp/note/'

export type SplitXmp = {
  readonly main: Buffer
  /** Undefined if everything fits into the main packet. */
  readonly extension?: { readonly guid: string; readonly content: Buffer }
}

/**
 * Moves the largest properties to the extension until the rest fits.
 * @param most maximum number of bytes of the main packet
 * @returns undefined if that isn't possible
 */
export function splitXmp(xmp: Buffer, most: number): SplitXmp | undefined {
  if (xmp.length <= most) return { main: xmp }
  const nodes = parseXmp(xmp)
  const rdf = nodes && rdfIn(nodes)
  if (nodes === undefined || rdf === undefined) return undefined
  const properties = elementsIn(rdf)
    .flatMap((description) => [
      ...elementsIn(description).map((child) => ({ description, child, bytes: writeXmp([child]).length })),
      ...description.attributes
        .filter(({ name }) => !SYNTAX.test(name))
        .map((attribute) => ({ description, attribute, bytes: attribute.value.length })),
    ])
    .toSorted((one, other) => other.bytes - one.bytes)
  const moved = new Map<XmpElement, XmpElement>()
  let left = writeXmp(nodes).length + NOTE_BYTES
  for (const property of properties) {
    if (left <= most) break
    const { description, bytes } = property
    const target = moved.get(description) ?? {
      ...description,
      attributes: syntaxOf(description),
      children: [],
    }
    moved.set(description, target)
    if ('child' in property) {
      description.children = description.children.filter((child) => child !== property.child)
      target.children.push(property.child)
    } else {
      description.attributes = description.attributes.filter((one) => one !== property.attribute)
      target.attributes.push(property.attribute)
    }
    left -= bytes
  }
  const content = writeXmp([{ ...rdf, attributes: allDeclarations(rdf), children: [...moved.values()] }])
  const guid = createHash('md5').update(content).digest('hex').toUpperCase()
  rdf.children.push(noteOf(rdf, guid))
  const main = writeXmp(nodes)
  return main.length <= most && content.length <= 0xffffffff
    ? { main, extension: { guid, content } }
    : undefined
}

/** Upper limit for the size of the note about the extension. */
const NOTE_BYTES = 256

function noteOf({ name, scope }: XmpElement, guid: string): XmpElement {
  const prefix = name.includes(':') ? name.slice(0, name.indexOf(':') + 1) : ''
  return {
    kind: 'element',
    name: `${prefix}Description`,
    attributes: [
      { name: `${prefix}about`, value: '', quote: '"' },
      { name: 'xmlns:xmpNote', value: escaped(NOTE), quote: '"' },
      { name: 'xmpNote:HasExtendedXMP', value: guid, quote: '"' },
    ],
    children: [],
    scope,
  }
}

/** Returns the attributes with all namespaces that apply, even those declared outside, for example in `x:xmpmeta`. */
function allDeclarations(rdf: XmpElement) {
  const own = new Set(rdf.attributes.map(({ name }) => name))
  const outer = new Map<string, string>()
  for (let at = rdf.scope.outer; at !== undefined; at = at.outer)
    for (const [prefix, namespace] of at.own)
      outer.set(`xmlns:${prefix}`, outer.get(`xmlns:${prefix}`) ?? namespace)
  const added = [...outer]
    .filter(([name]) => !own.has(name))
    .map(([name, namespace]) => ({ name, value: escaped(namespace), quote: '"' }))
  return [...rdf.attributes, ...added]
}

const syntaxOf = ({ attributes }: XmpElement) =>
  attributes.filter(({ name }) => SYNTAX.test(name)).map((one) => ({ ...one }))

/** Returns the GUID of the extension that a main packet announces, if any. */
export function extensionOf(main: Buffer): string | undefined {
  return /HasExtendedXMP(?:\s*=\s*["']|>)\s*([\dA-F]{32})/i.exec(main.toString('latin1'))?.[1]
}

/**
 * Moves the properties of the extension back to the main packet.
 * @returns the main packet unchanged if either packet can't be read
 */
export function joinXmp(main: Buffer, content: Buffer): Buffer {
  const [nodes, more] = [parseXmp(main), parseXmp(content)]
  const [rdf, extension] = [nodes && rdfIn(nodes), more && rdfIn(more)]
  if (nodes === undefined || rdf === undefined || extension === undefined) return main
  for (const description of elementsIn(rdf))
    description.attributes = description.attributes.filter(
      ({ name }) => qualified(name, description.scope).local !== 'HasExtendedXMP',
    )
  // The extension declares its namespaces in its own root.
  const declared = syntaxOf(extension).filter(({ name }) => name.startsWith('xmlns:'))
  for (const description of elementsIn(extension)) {
    const own = new Set(description.attributes.map(({ name }) => name))
    description.attributes.unshift(...declared.filter(({ name }) => !own.has(name)))
    rdf.children.push(description)
  }
  return writeXmp(nodes)
}

export function rdfIn(nodes: readonly XmpNode[]): XmpElement | undefined {
  for (const node of nodes) {
    if (node.kind === 'text') continue
    const { namespace, local } = qualified(node.name, node.scope)
    if (namespace === RDF && local === 'RDF') return node
    const found = rdfIn(node.children)
    if (found !== undefined) return found
  }
  return undefined
}
