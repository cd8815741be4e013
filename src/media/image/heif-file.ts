/** What a HEIF file says of its primary picture: where its coded parts lie, and what is to be done with them (ISO/IEC 23008-12). */
import { type Box, boxesIn, readFrom } from './heif-boxes.ts'
import type { Extent } from './geometry.ts'
import { type HdrColours, hdrColours } from './hdr-colours.ts'
import { type Items, readItems, type Reference } from './heif-items.ts'

/** The item and the property that hold a picture and its parameters. */
const CODINGS = {
  hevc: { item: 'hvc1', parameters: 'hvcC' },
  av1: { item: 'av01', parameters: 'av1C' },
} as const
export type Coding = keyof typeof CODINGS

/** One picture as it was coded; several of them side by side make a large one. */
export type CodedPicture = {
  /** What the decoder has to know beforehand: the content of its `hvcC` or `av1C`. */
  readonly parameters: Buffer
  readonly data: Buffer
}

export type Transform =
  /** Against the clock, by so many quarters. */
  | { readonly kind: 'turn'; readonly quarters: number }
  | { readonly kind: 'mirror'; readonly over: 'upDown' | 'leftRight' }

/** Whether width and height change places. */
export const isOnItsSide = (transforms: readonly Transform[]): boolean =>
  transforms.reduce((sum, one) => sum + (one.kind === 'turn' ? one.quarters : 0), 0) % 2 === 1

/** What is kept of the coded picture, before anything is turned. */
export type Cut = {
  readonly left: number
  readonly top: number
  readonly width: number
  readonly height: number
}

export type CodedColours = {
  /** The same numbers as those of a film. */
  readonly primaries: number
  readonly transfer: number
  /** As numbered in ITU-T H.273: 1 is BT.709, 5 and 6 are BT.601, 9 is BT.2020. */
  readonly matrix: number
  readonly fullRange: boolean
}

export type HeifPicture = {
  readonly coding: Coding
  /** Before it is turned, in pixels. Tiles may reach beyond it. */
  readonly width: number
  readonly height: number
  readonly columns: number
  readonly rows: number
  /** From left to right, from top to bottom; all with the same parameters. */
  readonly tiles: readonly [CodedPicture, ...CodedPicture[]]
  readonly cut: Cut
  /** In the order in which they are carried out. */
  readonly transforms: readonly Transform[]
  /** undefined: what the coded pictures say themselves. */
  readonly colours: CodedColours | undefined
  readonly metadata: PictureMetadata
}

/** What goes with the pixels. */
export type PictureMetadata = {
  readonly icc?: Buffer | undefined
  /** With or without its `Exif` prefix. */
  readonly exif?: Buffer | undefined
  readonly xmp?: Buffer | undefined
}

/** By its first bytes (ISO/IEC 14496-12, 4.3): one of the brands under which HEVC pictures go. */
export const looksLikeHeif = (head: Buffer): boolean =>
  head.toString('latin1', 4, 8) === 'ftyp' &&
  /^(hei[cxms]|hev[cxms]|mif1|msf1)/.test(head.toString('latin1', 8, 12))

/** Whether it was cut short: decoders fill up what is missing. */
export function endsTooEarly(file: Buffer): boolean {
  try {
    const boxes = boxesIn(file, 0, file.length)
    if (boxes.some(({ end }) => end > file.length)) return true
    return boxes.some((box) => box.type === 'meta' && readItems(file, box).end > file.length)
  } catch (error) {
    if (error instanceof RangeError) return true
    throw error
  }
}

/** Properties that change nothing about the pixels, and those that are followed here. Others are not overlooked. */
const UNDERSTOOD = new Set([
  'ispe',
  'hvcC',
  'colr',
  'pixi',
  'clap',
  'irot',
  'imir',
  'pasp',
  'clli',
  'mdcv',
  'amve',
  'rref',
  'udes',
  'auxC',
  'av1C',
])

/**
 * @returns undefined for whatever is not a plain picture of HEVC, alone or in a grid: overlays, see-through pictures,
 *   other codecs, tiles that are coded in different ways, a primary picture that is another one's thumbnail
 * @throws RangeError where a box ends before what it has to hold
 */
export function readHevcPicture(file: Buffer): HeifPicture | undefined {
  const items = itemsOf(file)
  if (items?.primary === undefined || hasSomethingElse(file, items, items.primary)) return undefined
  return readCodedItem(file, items, items.primary, 'hevc')
}

/** @throws RangeError where a box ends before what it has to hold */
export function itemsOf(file: Buffer): Items | undefined {
  const meta = boxesIn(file, 0, file.length).find(({ type }) => type === 'meta')
  return meta && readItems(file, meta)
}

/** As `readHevcPicture`, of any of the file's pictures, where all of it is coded in one way. */
export function readCodedItem(
  file: Buffer,
  items: Items,
  item: number,
  coding: Coding,
): HeifPicture | undefined {
  const properties = items.propertiesOf(item)
  if (!properties.every(({ type }) => UNDERSTOOD.has(type))) return undefined
  const size = sizeIn(file, properties)
  const grid =
    items.typeOf(item) === 'grid' ? readGrid(items, item) : { ...size, columns: 1, rows: 1, tiles: [item] }
  if (size === undefined || grid === undefined) return undefined
  if (grid.width !== size.width || grid.height !== size.height) return undefined
  const [first, ...others] = grid.tiles.map((tile) => codedPicture(file, items, tile, coding))
  if (first === undefined || !others.every((tile) => tile?.parameters.equals(first.parameters) === true))
    return undefined
  if (grid.tiles.length > 1 && grid.tiles.some((tile) => items.propertiesOf(tile).some(isTransforming)))
    return undefined
  const tiles = [first, ...others.filter((tile) => tile !== undefined)] as const
  const [firstTile = item] = grid.tiles
  const cut = cutIn(file, properties, size)
  if (cut === undefined) return undefined
  return {
    coding,
    ...size,
    columns: grid.columns,
    rows: grid.rows,
    tiles,
    cut,
    transforms: transformsOf(file, items, item),
    colours: coloursIn(file, properties) ?? coloursIn(file, items.propertiesOf(firstTile)),
    metadata: {
      icc: profileIn(file, properties) ?? profileIn(file, items.propertiesOf(firstTile)),
      ...describedBy(items, item),
    },
  }
}

export type SaidOfLight = {
  readonly hdr: HdrColours | undefined
  /** Whether a second picture says how much brighter each place may be shown: Apple's, or that of ISO 21496-1. */
  readonly hasGainMap: boolean
}

/** What the file says of its primary picture, whatever that is coded in. */
export function lightOfHeif(file: Buffer): SaidOfLight {
  try {
    const items = itemsOf(file)
    if (items?.primary === undefined) return { hdr: undefined, hasGainMap: false }
    const { primary } = items
    const colours = coloursIn(file, items.propertiesOf(primary))
    return {
      hdr: colours && hdrColours(colours.primaries, colours.transfer),
      hasGainMap:
        toneMapOf(items, primary) !== undefined ||
        auxiliariesOf(file, items, primary).some(({ purpose }) => purpose.includes('hdrgainmap')),
    }
  } catch (error) {
    if (error instanceof RangeError) return { hdr: undefined, hasGainMap: false }
    throw error
  }
}

/** The item that says by ISO 21496-1 how the picture and its gain map, its two inputs, make a brighter one. */
export function toneMapOf(items: Items, picture: number): Reference | undefined {
  return items.references.find(
    ({ type, from, to }) => type === 'dimg' && to.includes(picture) && items.typeOf(from) === 'tmap',
  )
}

/** Pictures that go with another one, and what for (ISO/IEC 23008-12, 6.5.8). */
export function auxiliariesOf(file: Buffer, items: Items, picture: number) {
  return items.references.flatMap(({ type, from, to }) => {
    if (type !== 'auxl' || !to.includes(picture)) return []
    const box = items.propertiesOf(from).find((one) => one.type === 'auxC')
    const [purpose = ''] = box === undefined ? [] : file.toString('latin1', box.body + 4, box.end).split('\0')
    return [{ item: from, purpose }]
  })
}

/** A second picture that says how much of it is seen, or the picture being but a small copy of another one. */
function hasSomethingElse(file: Buffer, items: Items, primary: number): boolean {
  const isPart = items.references.some(({ type, from }) => from === primary && /^(thmb|prem)$/.test(type))
  return isPart || auxiliariesOf(file, items, primary).some(({ purpose }) => /alpha|auxid:1/.test(purpose))
}

function sizeIn(file: Buffer, properties: readonly Box[]) {
  const box = properties.find(({ type }) => type === 'ispe')
  if (box === undefined) return undefined
  const read = readFrom(file, box.body + 4)
  return { width: read.number(4), height: read.number(4) }
}

const isTransforming = ({ type }: Box): boolean => type === 'clap' || type === 'irot' || type === 'imir'

/**
 * The clean aperture (ISO/IEC 14496-12, 12.1.4): a size, and how far its middle is from that of the picture, all as fractions.
 * undefined where it does not begin at a whole pixel of each colour, or comes after a turn.
 */
function cutIn(file: Buffer, properties: readonly Box[], size: Extent): Cut | undefined {
  const transforming = properties.filter(isTransforming)
  if (!transforming.some(({ type }) => type === 'clap')) return { left: 0, top: 0, ...size }
  const [first, ...others] = transforming
  if (first?.type !== 'clap' || others.some(({ type }) => type === 'clap')) return undefined
  const fraction = (at: number) => file.readInt32BE(first.body + at) / file.readInt32BE(first.body + at + 4)
  const [width, height] = [fraction(0), fraction(8)]
  const left = fraction(16) + (size.width - width) / 2
  const top = fraction(24) + (size.height - height) / 2
  const fits = left >= 0 && top >= 0 && left + width <= size.width && top + height <= size.height
  const isWhole = [left / 2, top / 2, width, height].every((length) => Number.isInteger(length))
  return fits && isWhole && width > 0 && height > 0 ? { left, top, width, height } : undefined
}

/** ISO/IEC 23008-12, 6.6.2.3. */
function readGrid(items: Items, item: number) {
  const layout = items.dataOf(item)
  const tiles = items.references.find(({ type, from }) => type === 'dimg' && from === item)?.to
  if (layout === undefined || tiles === undefined) return undefined
  const read = readFrom(layout, 1)
  const sideBytes = (read.number(1) & 1) === 1 ? 4 : 2
  const rows = read.number(1) + 1
  const columns = read.number(1) + 1
  const width = read.number(sideBytes)
  const height = read.number(sideBytes)
  return tiles.length === rows * columns ? { width, height, columns, rows, tiles } : undefined
}

function codedPicture(file: Buffer, items: Items, item: number, coding: Coding): CodedPicture | undefined {
  const properties = items.propertiesOf(item)
  if (!properties.every(({ type }) => UNDERSTOOD.has(type))) return undefined
  const parameters = properties.find(({ type }) => type === CODINGS[coding].parameters)
  const data = items.dataOf(item)
  if (items.typeOf(item) !== CODINGS[coding].item || parameters === undefined || data === undefined)
    return undefined
  return { parameters: file.subarray(parameters.body, parameters.end), data }
}

export const transformsOf = (file: Buffer, items: Items, item: number): readonly Transform[] =>
  items.propertiesOf(item).flatMap((box) => transformOf(file, box))

function transformOf(file: Buffer, { type, body }: Box): readonly Transform[] {
  if (type === 'irot') return [{ kind: 'turn', quarters: file.readUInt8(body) & 3 }]
  if (type === 'imir')
    return [{ kind: 'mirror', over: (file.readUInt8(body) & 1) === 0 ? 'upDown' : 'leftRight' }]
  return []
}

/** Unlike a number for its colours, a profile of its own. */
function profileIn(file: Buffer, properties: readonly Box[]): Buffer | undefined {
  const box = properties.find(
    ({ type, body }) => type === 'colr' && /^(prof|rICC)$/.test(file.toString('latin1', body, body + 4)),
  )
  return box && file.subarray(box.body + 4, box.end)
}

/** Items that say something about the picture (ISO/IEC 23008-12, A.2). */
export function describedBy(items: Items, picture: number): Pick<PictureMetadata, 'exif' | 'xmp'> {
  const describing = items.references.filter(({ type, to }) => type === 'cdsc' && to.includes(picture))
  const dataOf = (wanted: string) => {
    const item = describing.find(({ from }) => items.typeOf(from) === wanted)?.from
    return item === undefined ? undefined : items.dataOf(item)
  }
  const exif = dataOf('Exif')
  // Its first four bytes say how far behind them the block begins.
  const block = exif && exif.length > 4 ? exif.subarray(4 + exif.readUInt32BE(0)) : undefined
  return {
    exif: block !== undefined && block.length > 8 ? block : undefined,
    xmp: dataOf('application/rdf+xml'),
  }
}

function coloursIn(file: Buffer, properties: readonly Box[]): CodedColours | undefined {
  const box = properties.find(
    ({ type, body }) => type === 'colr' && file.toString('latin1', body, body + 4) === 'nclx',
  )
  if (box === undefined) return undefined
  const at = (place: number) => file.readUInt16BE(box.body + place)
  const fullRange = (file.readUInt8(box.body + 10) & 0x80) !== 0
  return { primaries: at(4), transfer: at(6), matrix: at(8), fullRange }
}
