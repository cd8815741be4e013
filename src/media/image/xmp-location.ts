/** Removes the location from an XMP packet (ISO 16684-1). */

/** Fields with a location, by namespace. */
const LOCATION_FIELDS: Readonly<Record<string, RegExp>> = {
  'http://ns.adobe.com/photoshop/1.0/': /^(City|State|Country)$/,
  'http://iptc.org/std/Iptc4xmpCore/1.0/xmlns/': /^(Location|CountryCode)$/,
  'http://iptc.org/std/Iptc4xmpExt/2008-02-29/':
    /^(Location\w*|City|CountryName|CountryCode|ProvinceState|Sublocation|WorldRegion)$/,
  'http://ns.adobe.com/xmp/1.0/DynamicMedia/': /^shotLocation$/,
  'http://purl.org/dc/elements/1.1/': /^coverage$/,
  'http://www.w3.org/2003/01/geo/wgs84_pos#': /^/,
  // Embedded previews are images with their own metadata.
  'http://ns.adobe.com/xap/1.0/': /^Thumbnails$/,
}

/** Names of fields with a location in any namespace, such as `exif:GPSLatitude`. Drones misspell the longitude. */
const ANYWHERE = /gps|latitude|longt?itude|altitude|makernote/i

const EMPTY = '<x:xmpmeta xmlns:x="adobe:ns:meta/"/>'

/**
 * Returns a packet of the same length, padded with spaces. A packet that isn't plain XML in UTF-8 comes back empty, because its
 * content is unknown.
 */
export function xmpWithoutLocation(xmp: Buffer): Buffer {
  const text = xmp.toString('utf8')
  const isPlain = Buffer.from(text).equals(xmp) && !/<!(?:DOCTYPE|ENTITY|\[)/i.test(text)
  const kept = Buffer.from((isPlain ? withoutFields(text) : undefined) ?? EMPTY)
  const room = Buffer.alloc(xmp.length, ' ')
  if (kept.length <= room.length) kept.copy(room)
  return room
}

// Both patterns match in linear time: no part of them can begin at several places of the same run of characters.
/** A tag: its slash if it ends an element, its name and its attributes. */
const TAG = /<(\/?)([^\s<>/=!?"']+)(?=[\s/>])((?:[^<>"']|"[^"]*"|'[^']*')*)>/y
const ATTRIBUTE = /(?<!\s)\s+([^\s="'/]+)\s*=\s*(?:"[^"]*"|'[^']*')/g

/** @returns undefined if the text isn't well-formed */
function withoutFields(text: string): string | undefined {
  const isLocation = locationNames(text)
  const kept: string[] = []
  const open: string[] = []
  /** Depth of the element that is being removed with its content. */
  let removed: number | undefined
  const keep = (piece: string): void => {
    if (removed === undefined) kept.push(piece)
  }
  for (let at = 0; at < text.length;) {
    const start = text.indexOf('<', at)
    keep(text.slice(at, start < 0 ? text.length : start))
    if (start < 0) break
    const end = endOfOther(text, start)
    if (end !== undefined) {
      if (end < 0) return undefined
      // Comments aren't kept: they may contain anything.
      if (text[start + 1] === '?') keep(text.slice(start, end))
      at = end
      continue
    }
    TAG.lastIndex = start
    const [whole, slash, name, attributes] = TAG.exec(text) ?? []
    if (whole === undefined || name === undefined || attributes === undefined) return undefined
    at = start + whole.length
    if (slash === '/') {
      if (open.pop() !== name) return undefined
      keep(whole)
      if (open.length === removed) removed = undefined
      continue
    }
    const isEmpty = attributes.endsWith('/')
    if (!isLocation(name)) keep(`<${name}${withoutAttributes(attributes, isLocation)}>`)
    else if (!isEmpty) removed ??= open.length
    if (!isEmpty) open.push(name)
  }
  return open.length === 0 ? kept.join('') : undefined
}

/** Returns the end of a comment or an instruction, -1 if it has none, or undefined if there is a tag instead. */
function endOfOther(text: string, start: number): number | undefined {
  const closing = text.startsWith('<!--', start) ? '-->' : text.startsWith('<?', start) ? '?>' : undefined
  if (closing === undefined) return undefined
  const end = text.indexOf(closing, start)
  return end < 0 ? -1 : end + closing.length
}

const withoutAttributes = (attributes: string, isLocation: (name: string) => boolean): string =>
  attributes.replaceAll(ATTRIBUTE, (one, name: string) => (isLocation(name) ? '' : one))

/** Returns whether a name with a prefix is a location. A prefix counts with every namespace that the text declares for it. */
function locationNames(text: string): (name: string) => boolean {
  const fields = new Map<string, RegExp[]>()
  for (const [, prefix = '', , namespace = ''] of text.matchAll(/\sxmlns:([^\s=]+)\s*=\s*(["'])(.*?)\2/g)) {
    const found = LOCATION_FIELDS[namespace]
    if (found !== undefined) fields.set(prefix, [...(fields.get(prefix) ?? []), found])
  }
  return (name) => {
    const [prefix = '', local = ''] = name.split(':', 2)
    if (prefix === 'xmlns' || local === '') return false
    return ANYWHERE.test(local) || (fields.get(prefix) ?? []).some((field) => field.test(local))
  }
}
