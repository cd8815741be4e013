/** Finds content of an AVIF that isn't needed for its pixels and colors: everything that isn't known to be needed. */
import { type Box, boxesIn, readFrom } from '../../node/media-header/heif-boxes.ts'
import { readItems } from '../../node/media-header/heif-items.ts'

const NEEDED = {
  file: new Set(['ftyp', 'meta', 'mdat', 'free', 'skip']),
  meta: new Set(['hdlr', 'pitm', 'iloc', 'iinf', 'iref', 'iprp', 'idat']),
  properties: new Set('ispe pixi av1C colr pasp auxC clap irot imir clli mdcv a1lx a1op lsel'.split(' ')),
  items: new Set(['av01', 'grid']),
  references: new Set(['dimg', 'auxl', 'prem']),
} as const

/** Names that encoders write. Any other name may be a text of the user. */
const NAMES: ReadonlySet<string> = new Set(['', 'Color', 'Alpha', 'libavif', 'Image'])

/**
 * Returns whether the file has more than the boxes, items and properties of one image, or bytes that no item uses.
 * @throws RangeError if a box ends before its content does
 */
export function avifCarriesMore(file: Buffer): boolean {
  const boxes = boxesIn(file, 0, file.length)
  const [meta, ...others] = boxes.filter(({ type }) => type === 'meta')
  if (meta === undefined || others.length > 0 || boxes.at(-1)?.end !== file.length) return true
  if (!boxes.every(({ type }) => NEEDED.file.has(type))) return true
  if (!boxes.filter(isPadding).every(({ body, end }) => isZero(file.subarray(body, end)))) return true
  const parts = boxesIn(file, meta.body + 4, meta.end)
  if (!parts.every(({ type }) => NEEDED.meta.has(type)) || parts.at(-1)?.end !== meta.end) return true
  return namesSomething(file, parts) || hasOtherProperties(file, parts) || hasOtherItems(file, meta, boxes)
}

const isPadding = ({ type }: Box): boolean => type === 'free' || type === 'skip'
const isZero = (bytes: Buffer): boolean => bytes.every((byte) => byte === 0)

/** The handler and each item have a name. */
function namesSomething(file: Buffer, parts: readonly Box[]): boolean {
  const handler = parts.find(({ type }) => type === 'hdlr')
  // After four bytes of version and flags come four empty ones, the type, and twelve empty ones.
  if (handler !== undefined && !NAMES.has(textIn(file, handler.body + 24, handler.end))) return true
  const list = parts.find(({ type }) => type === 'iinf')
  if (list === undefined) return true
  const entries = boxesIn(file, list.body + (file.readUInt8(list.body) === 0 ? 6 : 8), list.end)
  return !entries.every(({ type, body, end }) => {
    const version = file.readUInt8(body)
    const read = readFrom(file, body + 4, end)
    read.number(version === 2 ? 2 : 4)
    read.number(2)
    return (
      type === 'infe' &&
      version >= 2 &&
      NEEDED.items.has(read.text(4)) &&
      NAMES.has(textIn(file, read.at(), end))
    )
  })
}

/** Returns the text up to its end, with everything that follows the end. */
const textIn = (file: Buffer, start: number, end: number): string =>
  file.toString('latin1', start, end).replace(/\0$/, '')

function hasOtherProperties(file: Buffer, parts: readonly Box[]): boolean {
  const properties = parts.find(({ type }) => type === 'iprp')
  const containers = properties && boxesIn(file, properties.body, properties.end)
  return (
    containers?.every(({ type, body, end }) => {
      if (type === 'ipma') return true
      return type === 'ipco' && boxesIn(file, body, end).every((one) => NEEDED.properties.has(one.type))
    }) !== true
  )
}

function hasOtherItems(file: Buffer, meta: Box, boxes: readonly Box[]): boolean {
  const items = readItems(file, meta)
  const { primary, references } = items
  if (primary === undefined || !references.every(({ type }) => NEEDED.references.has(type))) return true
  // Tiles and the alpha channel belong to the primary image, directly or through others.
  const used = new Set([primary])
  for (let known = 0; known < used.size;) {
    known = used.size
    for (const { type, from, to } of references) {
      if (type === 'dimg' && used.has(from)) to.forEach((item) => used.add(item))
      if (type !== 'dimg' && to.some((item) => used.has(item))) used.add(from)
    }
  }
  if (!items.all.every((item) => used.has(item))) return true
  const data = [...used].map((item) => items.dataOf(item) ?? Buffer.alloc(0))
  const stored = boxes
    .filter(({ type }) => type === 'mdat')
    .reduce((sum, { body, end }) => sum + end - body, 0)
  const itemData = boxesIn(file, meta.body + 4, meta.end).find(({ type }) => type === 'idat')
  const room = stored + (itemData === undefined ? 0 : itemData.end - itemData.body)
  if (data.reduce((sum, { length }) => sum + length, 0) !== room) return true
  return [...used].some((item, index) => items.typeOf(item) === 'av01' && hasUserData(data[index]))
}

const [METADATA, PADDING] = [5, 15]
/** Brightness of HDR content and of the screen it was made on. */
const HDR_TYPES: ReadonlySet<number> = new Set([1, 2])

/** Checks the units of an AV1 image (AV1 specification, 5.3) for metadata other than that of HDR. */
function hasUserData(coded: Buffer | undefined): boolean {
  if (coded === undefined) return true
  for (let at = 0; at < coded.length;) {
    const head = coded.readUInt8(at)
    const type = (head >> 3) & 15
    at += 1 + ((head >> 2) & 1)
    // A unit without a size is the last one.
    let length = coded.length - at
    if ((head & 2) !== 0) {
      const size = leb128(coded, at)
      at += size.bytes
      length = size.value
    }
    if (type === PADDING || (type === METADATA && !HDR_TYPES.has(coded.readUInt8(at)))) return true
    at += length
  }
  return false
}

function leb128(bytes: Buffer, at: number): { readonly value: number; readonly bytes: number } {
  let value = 0
  for (let index = 0; index < 8; index++) {
    const byte = bytes.readUInt8(at + index)
    value += (byte & 0x7f) * 2 ** (7 * index)
    if ((byte & 0x80) === 0) return { value, bytes: index + 1 }
  }
  throw new RangeError('A number is too long')
}
