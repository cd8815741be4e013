/** Merges the XMP packets that several programs wrote to different parts of a photo. */
import { joinXmp, RDF, rdfIn, SYNTAX } from './extended-xmp.ts'
import type { PhotoMetadata } from './photo-metadata.ts'
import {
  elementsIn,
  escaped,
  parseXmp,
  qualified,
  type QualifiedName,
  textIn,
  unescaped,
  writeXmp,
  type XmpElement,
} from './xmp-tree.ts'

/** Maximum number of packets to join. Programs write fewer into one file. */
export const MOST_PACKETS = 8

/**
 * Joins packets. As in ExifTool, the last packet that has a property determines its value. Lists get the items of all packets, and text in
 * several languages gets all languages. If none of several packets is XMP, returns the first one.
 * @param packets in the order of the file
 */
export function joinPackets(
  packets: readonly (Buffer | undefined)[],
): Pick<PhotoMetadata, 'xmp' | 'otherXmp'> {
  const all = packets.filter((packet) => packet !== undefined).slice(0, MOST_PACKETS)
  if (all.length < 2) return { xmp: all[0] }
  const [main, ...others] = all.filter(isXmp).toReversed()
  const left = new Set<string>()
  const xmp = others.reduce<Buffer | undefined>((joined, other) => joined && addTo(joined, other, left), main)
  return { xmp: xmp ?? all[0], ...(left.size > 0 ? { otherXmp: [...left] } : {}) }
}

/** Returns whether a packet is XMP. Files may have other XML in the same places. */
export function isXmp(packet: Buffer): boolean {
  const nodes = parseXmp(packet)
  return nodes !== undefined && rdfIn(nodes) !== undefined
}

/**
 * Adds to the main packet what only the other packet has.
 * @param left receives the names of properties whose value in the other packet differs and can't be added, except technical properties
 */
function addTo(main: Buffer, other: Buffer, left: Set<string>): Buffer {
  const [nodes, more] = [parseXmp(main), parseXmp(other)]
  const [rdf, added] = [nodes && rdfIn(nodes), more && rdfIn(more)]
  if (!nodes || !rdf || !more || !added || main.equals(other)) return main
  const known = new Map<string, XmpElement | string>()
  for (const description of elementsIn(rdf)) {
    for (const { name, value } of description.attributes)
      if (!SYNTAX.test(name)) known.set(keyOf(qualified(name, description.scope)), unescaped(value))
    for (const child of elementsIn(description)) known.set(keyOf(qualified(child.name, child.scope)), child)
  }
  let isNews = false
  /** Returns whether the main packet lacks the property. Otherwise, adds missing list items to the property. */
  const isMissing = (name: QualifiedName, value: XmpElement | string): boolean => {
    const present = known.get(keyOf(name))
    if (present !== undefined && !addItems(present, value) && isMissed(name)) left.add(name.local)
    isNews ||= present === undefined
    return present === undefined
  }
  for (const description of elementsIn(added)) {
    const { scope } = description
    description.attributes = description.attributes.filter(
      ({ name, value }) => SYNTAX.test(name) || isMissing(qualified(name, scope), unescaped(value)),
    )
    description.children = description.children.filter(
      (child) => child.kind !== 'element' || isMissing(qualified(child.name, child.scope), child),
    )
  }
  return isNews ? joinXmp(writeXmp(nodes), writeXmp(more)) : writeXmp(nodes)
}

const keyOf = ({ namespace, local }: QualifiedName): string => `${namespace} ${local}`

const textOf = (value: XmpElement | string): string =>
  (typeof value === 'string' ? value : textIn(value)).trim()

/**
 * Adds the items of the other packet's list that the present list lacks.
 * @returns false if a value of the other packet couldn't be added
 */
function addItems(present: XmpElement | string, other: XmpElement | string): boolean {
  if (textOf(other) === '' || textOf(present) === textOf(other)) return true
  const [list, more] = [listIn(present), listIn(other)]
  if (list === undefined || more === undefined) return false
  const isAlternative = qualified(list.name, list.scope).local === 'Alt'
  const identityOf = (item: XmpElement) => (isAlternative ? languageOf(item) : textOf(item))
  const items = new Map(elementsIn(list).map((item) => [identityOf(item), textOf(item)]))
  let isWhole = true
  for (const item of elementsIn(more)) {
    const [same, text] = [items.get(identityOf(item)), textOf(item)]
    // Don't copy structures, because their names depend on their packet's namespaces.
    if (same === undefined && elementsIn(item).length === 0) list.children.push(itemLike(list, item))
    else isWhole &&= same === text
  }
  return isWhole
}

const listIn = (value: XmpElement | string): XmpElement | undefined =>
  typeof value === 'string'
    ? undefined
    : elementsIn(value).find(({ name, scope }) => {
        const { namespace, local } = qualified(name, scope)
        return namespace === RDF && ['Bag', 'Seq', 'Alt'].includes(local)
      })

const LANGUAGE = 'xml:lang'

const languageOf = ({ attributes }: XmpElement): string =>
  attributes.find(({ name }) => name === LANGUAGE)?.value.toLowerCase() ?? 'x-default'

const itemLike = ({ name, scope }: XmpElement, item: XmpElement): XmpElement => ({
  kind: 'element',
  name: name.replace(/\w+$/, 'li'),
  attributes: item.attributes.filter((one) => one.name === LANGUAGE),
  children: [{ kind: 'text', text: escaped(textIn(item)) }],
  scope,
})

const ADOBE = 'http://ns.adobe.com/'

/** Properties in which programs record facts about the file and its processing. */
const TECHNICAL: ReadonlyMap<string, RegExp> = new Map([
  [`${ADOBE}xap/1.0/`, /Date$|^(?:CreatorTool|Thumbnails)$/],
  [`${ADOBE}xap/1.0/mm/`, /./],
  [`${ADOBE}xmp/note/`, /./],
  [`${ADOBE}tiff/1.0/`, /./],
  [`${ADOBE}exif/1.0/`, /^(?!GPS)/],
  [`${ADOBE}camera-raw-settings/1.0/`, /./],
  [`${ADOBE}photoshop/1.0/`, /^(?:ICCProfile|ColorMode|LegacyIPTCDigest|DocumentAncestors|History)$/],
  ['http://purl.org/dc/elements/1.1/', /^format$/],
])

const isMissed = ({ namespace, local }: QualifiedName): boolean =>
  TECHNICAL.get(namespace)?.test(local) !== true
