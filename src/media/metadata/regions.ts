/** Adjusts the regions in XMP that mark faces and other parts of an image to the result. */
import { RDF } from './extended-xmp.ts'
import type { ResultFacts } from './result-plan.ts'
import { mapPoint, type Mapping, mapRegion, type Region, storedExtent } from './result-mapping.ts'
import {
  decimal,
  elementsIn,
  escaped,
  qualified,
  type QualifiedName,
  textIn,
  unescaped,
  type XmpElement,
  type XmpNode,
} from './xmp-tree.ts'

const REGIONS = 'http://www.metadataworkinggroup.com/schemas/regions/'
/** Areas of the Metadata Working Group and of ACDSee: a center and a size. */
const AREA = /sType\/Area#$/i
const MICROSOFT_REGION = 'http://ns.microsoft.com/photo/1.2/t/Region#'
const IPTC_EXTENSION = 'http://iptc.org/std/Iptc4xmpExt/2008-02-29/'

/** Moves the regions, and removes those that aren't visible in the result. */
export function moveRegions(nodes: readonly XmpNode[], facts: ResultFacts): XmpNode[] {
  const elements = descendants(nodes)
  const applied = elements.filter(({ scope, name }) => {
    const { namespace, local } = qualified(name, scope)
    return namespace === REGIONS && local === 'AppliedToDimensions'
  })
  const mapping = mappingFor(applied, facts)
  for (const one of applied) {
    const fields = fieldsOf(one)
    fields.get('w')?.set(String(facts.extent.width))
    fields.get('h')?.set(String(facts.extent.height))
    fields.get('unit')?.set('pixel')
  }
  // The fields of a description belong to the element around it.
  const structures = elements.filter(({ name }) => !/(?:^|:)Description$/.test(name))
  const hidden = new Set(structures.filter((element) => !moveRegion(element, mapping, facts)))
  return hidden.size === 0 ? [...nodes] : withoutHidden(nodes, hidden)
}

/**
 * Returns the mapping that applies to the regions. They refer to the stored image (MWG guidelines 2.0, 5.9), unless `AppliedToDimensions`
 * shows that they were made for the upright one.
 */
function mappingFor(
  applied: readonly XmpElement[],
  { original, orientation, fromStored, mapping }: ResultFacts,
): Mapping {
  const [first] = applied
  const fields = first && fieldsOf(first)
  const [w, h] = [fields?.get('w')?.number(), fields?.get('h')?.number()]
  const isUpright =
    orientation >= 5 && w !== undefined && h !== undefined && w > h === original.width > original.height
  return isUpright ? mapping : fromStored
}

/** Moves a region to its place in the result. Returns false if the result doesn't show the region. */
function moveRegion(element: XmpElement, mapping: Mapping, facts: ResultFacts): boolean {
  const fields = fieldsOf(element)
  return moveArea(fields, mapping) && moveRectangle(fields, mapping) && moveBoundary(fields, mapping, facts)
}

function moveArea(fields: Fields, mapping: Mapping): boolean {
  const [x, y, w, h] = ['x', 'y', 'w', 'h'].map((name) => fields.get(name))
  const d = fields.get('d')
  if (x === undefined || y === undefined || !AREA.test(x.namespace)) return true
  const size = d?.number() ?? 0
  const moved = mapRegion(
    { x: x.number(), y: y.number(), w: w?.number() ?? size, h: h?.number() ?? size },
    mapping,
  )
  if (moved === undefined) return false
  x.set(decimal(moved.x))
  y.set(decimal(moved.y))
  w?.set(decimal(moved.w))
  h?.set(decimal(moved.h))
  d?.set(decimal(Math.max(moved.w, moved.h)))
  return true
}

/** Moves Microsoft's rectangle: left, top, width and height. Returns false if the result doesn't show it. */
function moveRectangle(fields: Fields, mapping: Mapping): boolean {
  const field = fields.get('Rectangle')
  if (field === undefined || field.namespace !== MICROSOFT_REGION) return true
  const [left = NaN, top = NaN, w = NaN, h = NaN] = field.text().split(',').map(Number)
  const moved = mapRegion({ x: left + w / 2, y: top + h / 2, w, h }, mapping)
  if (moved === undefined) return false
  field.set(corner(moved).map(decimal).join(', '))
  return true
}

const corner = ({ x, y, w, h }: Region) => [x - w / 2, y - h / 2, w, h]

/**
 * Moves the boundary of an image region (IPTC Photo Metadata Standard): a rectangle, a circle or a polygon. Returns false if the result
 * doesn't show the rectangle or the circle. Moves a polygon's hidden corners to the edge.
 */
function moveBoundary(fields: Fields, mapping: Mapping, facts: ResultFacts): boolean {
  const [x, y, w, h] = ['rbX', 'rbY', 'rbW', 'rbH'].map((name) => fields.get(name))
  if (x === undefined || y === undefined || x.namespace !== IPTC_EXTENSION) return true
  // A polygon's corners don't state a unit. Values above 1 are pixels.
  const isPixels = fields.get('rbUnit')?.text() === 'pixel' || x.number() > 1 || y.number() > 1
  const { original, orientation, extent } = facts
  const stored = storedExtent(original, orientation)
  const [from, to] = isPixels ? [stored, extent] : [ONE, ONE]
  const position = { x: x.number() / from.width, y: y.number() / from.height }
  const radius = fields.get('rbRx')
  if (w === undefined || h === undefined) {
    const moved = mapPoint(position, mapping)
    x.set(decimal(clamp(moved.x) * to.width))
    y.set(decimal(clamp(moved.y) * to.height))
    if (radius !== undefined) {
      // The radius is a share of the width, even vertically.
      const size = (2 * radius.number()) / from.width
      const down = (size * stored.width) / stored.height
      const circle = mapRegion({ ...position, w: size, h: down }, mapping)
      if (circle === undefined) return false
      radius.set(decimal((circle.w / 2) * to.width))
    }
    return true
  }
  const size = { w: w.number() / from.width, h: h.number() / from.height }
  const moved = mapRegion({ x: position.x + size.w / 2, y: position.y + size.h / 2, ...size }, mapping)
  if (moved === undefined) return false
  const [left = 0, top = 0] = corner(moved)
  x.set(decimal(left * to.width))
  y.set(decimal(top * to.height))
  w.set(decimal(moved.w * to.width))
  h.set(decimal(moved.h * to.height))
  return true
}

const ONE = { width: 1, height: 1 }
const clamp = (value: number): number => Math.max(0, Math.min(1, value))

type Field = { readonly namespace: string; text(): string; number(): number; set(value: string): void }
type Fields = ReadonlyMap<string, Field>

/** Returns the fields of a structure, which are attributes, elements, or either of them in a nested description. */
function fieldsOf(element: XmpElement): Fields {
  const fields = new Map<string, Field>()
  const add = ({ namespace, local }: QualifiedName, text: Field['text'], set: Field['set']) =>
    void fields.set(local, { namespace, text, number: () => Number(text()), set })
  for (const attribute of element.attributes)
    add(
      qualified(attribute.name, element.scope),
      () => unescaped(attribute.value),
      (value) => (attribute.value = escaped(value)),
    )
  for (const child of elementsIn(element)) {
    const name = qualified(child.name, child.scope)
    if (name.namespace === RDF && name.local === 'Description')
      for (const [inner, field] of fieldsOf(child)) fields.set(inner, field)
    else
      add(
        name,
        () => textIn(child),
        (value) => (child.children = [{ kind: 'text', text: escaped(value) }]),
      )
  }
  return fields
}

const descendants = (nodes: readonly XmpNode[]): readonly XmpElement[] =>
  nodes.flatMap((node) => (node.kind === 'text' ? [] : [node, ...descendants(node.children)]))

/** Removes hidden regions together with their list items. Keeps an item that contains another list. */
function withoutHidden(nodes: readonly XmpNode[], hidden: ReadonlySet<XmpElement>): XmpNode[] {
  return nodes.flatMap((node): XmpNode[] => {
    if (node.kind === 'text') return [node]
    const isItem = /(?:^|:)li$/.test(node.name)
    const own = elementsIn(node)
    if (hidden.has(node)) return []
    const nested = own.flatMap((child) => [child, ...(isItem ? descendants(child.children) : [])])
    const holdsList = nested.some(({ name }) => /(?:^|:)(?:Bag|Seq)$/.test(name))
    if (isItem && !holdsList && nested.some((child) => hidden.has(child))) return []
    node.children = withoutHidden(node.children, hidden)
    return [node]
  })
}
