/** Reads from the header of a photo how its pixels are coded, which determines how much memory decoding needs. */
import type { Extent } from '../../shared/extent.ts'
import {
  channelsOfScan,
  findJpegFrame,
  heifExtents,
  heifItems,
  jpegXlHeader,
  mainTiffImage,
  TIFF_TAG,
  type TiffTags,
} from './image-size.ts'
import type { Items } from './heif-items.ts'
import { boxAt } from './iso-boxes.ts'
import { countJpegXlFrames } from './jpeg-xl-frames.ts'
import { HeaderTooLarge, type ReadPart } from './window.ts'

export type PhotoCoding = {
  /** Bytes of a decoded pixel. Channels with a lower resolution count less. */
  readonly pixelBytes: number
  /** Whether channels have more than 8 bits. */
  readonly isDeep: boolean
  /** Whether a PNG or a TIFF may have other colors than sRGB; false for other formats. */
  readonly hasProfile: boolean
  /**
   * Whether the whole image must be decoded before its first row is available: in an interlaced PNG, a JPEG that is progressive or has
   * several scans, a TIFF with a single strip or row of tiles, or a HEIC or AVIF without tiles.
   */
  readonly isWhole: boolean
  /** Whether the colors are those of HDR: PQ or HLG. */
  readonly isHdr: boolean
  /** Whether the pixels of a TIFF are rewritten before they are read, because libvips doesn't read them correctly. */
  readonly isRewritten: boolean
  /** Whether the whole file of a TIFF is read and copied: its main image is an old-style JPEG, or isn't the first and isn't rewritten. */
  readonly isHeld: boolean
  /** undefined if an animation's number of frames isn't known. */
  readonly frames: number | undefined
  /** Dimensions that decoding needs, which may exceed those displayed; not set for formats whose decoders refuse such files. */
  readonly needed?: Extent
}

/** Numbers of the transfer curves PQ and HLG (ITU-T H.273). */
const HDR_CURVES: readonly number[] = [16, 18]

export const USUAL_CODING: PhotoCoding = {
  pixelBytes: 3,
  isDeep: false,
  hasProfile: false,
  isWhole: false,
  isHdr: false,
  isRewritten: false,
  isHeld: false,
  frames: 1,
}

/** For a photo whose header can't be read: the coding that needs the most memory, apart from very rare ones. */
export const UNKNOWN_CODING: PhotoCoding = {
  ...USUAL_CODING,
  ...depthOf(4, 16),
  isWhole: true,
  frames: undefined,
}

/** Returns undefined if the file has no header. */
type Reader = (read: ReadPart, size: number) => Promise<Partial<PhotoCoding> | undefined>

const READERS: Readonly<Record<string, Reader>> = {
  jpg: jpegCoding,
  png: pngCoding,
  gif: gifCoding,
  webp: webpCoding,
  tiff: tiffCoding,
  heic: heifCoding,
  avif: heifCoding,
  jxl: jpegXlCoding,
}

/**
 * @param format the usual extension of the content
 * @param size of the file in bytes
 * @throws RangeError if the file ends before its header does
 */
export async function photoCoding(format: string, read: ReadPart, size: number): Promise<PhotoCoding> {
  const reader = READERS[format] ?? (() => Promise.resolve({}))
  return { ...USUAL_CODING, ...((await reader(read, size)) ?? UNKNOWN_CODING) }
}

/** @param bits of each channel */
function depthOf(channels: number, bits: number) {
  return { pixelBytes: channels * Math.ceil(bits / 8), isDeep: bits > 8 }
}

async function jpegCoding(read: ReadPart): ReturnType<Reader> {
  const found = await findJpegFrame(read)
  if (found === undefined) return undefined
  const { at, marker } = found
  const count = (await read(at + 9, 1)).readUInt8(0)
  const parts = await read(at + 10, count * 3)
  const areas = Array.from({ length: count }, (_, index) => {
    const factors = parts.readUInt8(index * 3 + 1)
    return (factors >> 4) * (factors & 15)
  })
  const pixelBytes = areas.reduce((sum, area) => sum + area, 0) / Math.max(1, ...areas)
  // Decoders also keep the whole image if its channels are in separate scans.
  const isWhole = PROGRESSIVE.has(marker) || (await channelsOfScan(read, at).catch(() => 0)) < count
  return { pixelBytes, isWhole }
}

/** Markers of frames that are coded progressively. */
const PROGRESSIVE: ReadonlySet<number> = new Set([0xc2, 0xc6, 0xca, 0xce])

/** Channels of each color type. A palette has one. */
const PNG_CHANNELS: Readonly<Record<number, number>> = { 0: 1, 2: 3, 3: 1, 4: 2, 6: 4 }

async function pngCoding(read: ReadPart, size: number): Promise<Partial<PhotoCoding>> {
  const head = await read(24, 5)
  const coding = {
    ...depthOf(PNG_CHANNELS[head.readUInt8(1)] ?? 3, head.readUInt8(0)),
    isWhole: head.readUInt8(4) === 1,
  }
  const types = new Set<string>()
  let isHdr = false
  let promised: number | undefined
  for (let at = 33; !types.has('IDAT');) {
    const chunk = await read(at, 12)
    const type = chunk.toString('latin1', 4, 8)
    types.add(type)
    if (type === 'acTL') promised = chunk.readUInt32BE(8)
    if (type === 'cICP') isHdr = HDR_CURVES.includes(chunk.readUInt8(9))
    at += 12 + chunk.readUInt32BE(0)
  }
  const hasProfile = types.has('iCCP') || types.has('cICP') || (types.has('gAMA') && !types.has('sRGB'))
  return { ...coding, hasProfile, isHdr, frames: promised === undefined ? 1 : await framesOfPng() }

  /** Decoders use all frames, even if the header promises fewer. */
  async function framesOfPng(): Promise<number | undefined> {
    const found = await countFrames(PNG_CHUNKS_AT, size, async (at) => {
      const chunk = await read(at, 8)
      return { isFrame: chunk.toString('latin1', 4) === 'fcTL', next: at + 12 + chunk.readUInt32BE(0) }
    })
    return found && Math.max(found, promised ?? 1)
  }
}

/** After the signature. */
const PNG_CHUNKS_AT = 8

async function webpCoding(read: ReadPart, size: number): Promise<Partial<PhotoCoding>> {
  const head = await read(12, 9)
  if (head.toString('latin1', 0, 4) !== 'VP8X') return {}
  const flags = head.readUInt8(8)
  const pixelBytes = (flags & 0x10) === 0 ? 3 : 4
  if ((flags & 2) === 0) return { pixelBytes }
  return {
    pixelBytes,
    frames: await countFrames(30, size, async (at) => {
      const chunk = await read(at, 8)
      const length = chunk.readUInt32LE(4)
      return { isFrame: chunk.toString('latin1', 0, 4) === 'ANMF', next: at + 8 + length + (length % 2) }
    }),
  }
}

async function gifCoding(read: ReadPart, size: number): Promise<Partial<PhotoCoding>> {
  const flags = (await read(10, 1)).readUInt8(0)
  let [width, height] = [0, 0]
  const frames = await countFrames(13 + colorBytes(flags), size, async (at) => {
    const kind = (await read(at, 1)).readUInt8(0)
    if (kind === 0x21) return { isFrame: false, next: await afterBlocks(read, at + 2) }
    if (kind !== 0x2c) return undefined
    const frame = await read(at, 10)
    // Decoders enlarge a canvas that is too small for a frame.
    width = Math.max(width, frame.readUInt16LE(1) + frame.readUInt16LE(5))
    height = Math.max(height, frame.readUInt16LE(3) + frame.readUInt16LE(7))
    return { isFrame: true, next: await afterBlocks(read, at + 11 + colorBytes(frame.readUInt8(9))) }
  })
  return { pixelBytes: 1, frames, needed: { width, height } }
}

const colorBytes = (flags: number): number => ((flags & 0x80) === 0 ? 0 : 3 * 2 ** ((flags & 7) + 1))

async function afterBlocks(read: ReadPart, from: number): Promise<number> {
  for (let at = from; ;) {
    const length = (await read(at, 1)).readUInt8(0)
    at += 1 + length
    if (length === 0) return at
  }
}

/**
 * Counts the frames of an animation. If the animation is larger than a header may be, assumes that the rest has as many frames per byte.
 * @returns undefined if the first frame is larger than that
 * @param step returns whether a frame begins here, and where the next part begins; undefined after the last part
 */
async function countFrames(
  from: number,
  size: number,
  step: (at: number) => Promise<{ readonly isFrame: boolean; readonly next: number } | undefined>,
): Promise<number | undefined> {
  let frames = 0
  let at = from
  try {
    while (at < size) {
      const part = await step(at)
      if (part === undefined) break
      if (part.isFrame) frames += 1
      at = part.next
    }
  } catch (error) {
    if (error instanceof HeaderTooLarge) return frames === 0 ? undefined : Math.ceil((frames * size) / at)
  }
  return Math.max(1, frames)
}

/** What libvips reads (`isUsual` in `src/media/image/tiff/layout.ts`): sample formats, compressions, and bit depths. */
const OF_LIBVIPS = {
  formats: [0, 1, 4],
  compressions: [1, 2, 3, 4, 5, 7, 8, 32_766, 32_771, 32_773, 32_809, 32_946, 34_676, 34_677, 50_001],
  depths: [8, 16],
  depthsOfOne: [1, 2, 4, 8, 16],
} as const satisfies Readonly<Record<string, readonly number[]>>
/** Number of color channels of each PhotometricInterpretation that can be rewritten. */
const COLOR_CHANNELS: Readonly<Record<number, number>> = {
  0: 1,
  1: 1,
  2: 3,
  3: 1,
  4: 1,
  5: 4,
  6: 3,
  8: 3,
  9: 3,
  10: 3,
}
const NEVER_USUAL: readonly number[] = [4, 6, 8, 9, 10]
/** Values of ExtraSamples that mean transparency. */
const ALPHA: readonly number[] = [1, 2]
const [CMYK, OLD_JPEG, JPEG, SEPARATE] = [5, 6, 7, 2]

async function tiffCoding(read: ReadPart): Promise<Partial<PhotoCoding>> {
  const { tags, isFirst } = await mainTiffImage(read)
  const rows = tags.get(TIFF_TAG.tileHeight) ?? tags.get(TIFF_TAG.rowsPerStrip) ?? Infinity
  const isRewritten = rewritesTiff(tags)
  return {
    ...depthOf(tags.get(TIFF_TAG.samples) ?? 1, tags.get(TIFF_TAG.bits) ?? 1),
    hasProfile: tags.has(TIFF_TAG.profile),
    isWhole: rows >= (tags.get(TIFF_TAG.height) ?? 0),
    isRewritten,
    isHeld: isRewritten ? tags.get(TIFF_TAG.compression) === OLD_JPEG : !isFirst,
  }
}

function rewritesTiff(tags: TiffTags): boolean {
  const is = (list: readonly number[], tag: number, usual: number) => list.includes(tags.get(tag) ?? usual)
  const [photometric, samples] = [tags.get(TIFF_TAG.photometric) ?? 1, tags.get(TIFF_TAG.samples) ?? 1]
  const colors = COLOR_CHANNELS[photometric]
  if (!is(OF_LIBVIPS.compressions, TIFF_TAG.compression, 1)) return true
  if (colors === undefined) return false
  if (!is(OF_LIBVIPS.formats, TIFF_TAG.sampleFormat, 1)) return true
  const isSeparate = is([SEPARATE], TIFF_TAG.planes, 1)
  const isPlanar = isSeparate && samples > 1
  if (is([JPEG], TIFF_TAG.compression, 1)) return isPlanar
  const extra = samples - colors
  const depths = colors === 1 && samples === 1 ? OF_LIBVIPS.depthsOfOne : OF_LIBVIPS.depths
  return (
    NEVER_USUAL.includes(photometric) ||
    (isSeparate && tags.has(TIFF_TAG.tileHeight)) ||
    (isPlanar && colors < 3) ||
    extra > 1 ||
    (extra === 1 && (photometric === CMYK || !is(ALPHA, TIFF_TAG.extraSamples, 0))) ||
    !is(depths, TIFF_TAG.bits, 1)
  )
}

async function heifCoding(read: ReadPart): ReturnType<Reader> {
  const found = await heifItems(read)
  const track = await firstTrack(read)
  if (found === undefined) return { ...UNKNOWN_CODING, ...track }
  const { content, items } = found
  const extents = heifExtents(found)
  const properties = items.all.flatMap((item) => items.propertiesOf(item))
  const isDeep = properties.some(({ type, body }) => {
    if (type === 'av1C') return (content.readUInt8(body + 2) & 0x40) !== 0
    return type === 'hvcC' && (content.readUInt8(body + 17) & 7) > 0
  })
  const hasAlpha = properties.some(
    ({ type, body, end }) => type === 'auxC' && /alpha|auxid:1/.test(content.toString('latin1', body, end)),
  )
  // A file of SDR colors may describe an HDR version of itself, made with its gain map.
  const isHdr = partsOf(items, items.primary)
    .flatMap((item) => items.propertiesOf(item))
    .some(
      ({ type, body }) =>
        type === 'colr' &&
        content.toString('latin1', body, body + 4) === 'nclx' &&
        HDR_CURVES.includes(content.readUInt16BE(body + 6)),
    )
  return {
    ...depthOf(hasAlpha ? 4 : 3, isDeep ? 16 : 8),
    isWhole: items.primary === undefined || items.typeOf(items.primary) !== 'grid',
    isHdr,
    frames: track?.frames ?? 1,
    needed: largest(extents?.stored, track?.needed),
  }
}

/** Returns dimensions that contain all of these. */
const largest = (...extents: readonly (Extent | undefined)[]): Extent => ({
  width: Math.max(...extents.map((extent) => extent?.width ?? 0)),
  height: Math.max(...extents.map((extent) => extent?.height ?? 0)),
})

/** Returns the image and its tiles. */
const partsOf = ({ references }: Items, image = -1): readonly number[] => [
  image,
  ...references.flatMap(({ type, from, to }) => (type === 'dimg' && from === image ? to : [])),
]

/** Returns the number of frames of the first track and their dimensions, if the file has one. */
async function firstTrack(read: ReadPart): Promise<Pick<PhotoCoding, 'frames' | 'needed'> | undefined> {
  let table = await boxAt(read, 0, ['moov'])
  for (const type of ['trak', 'mdia', 'minf', 'stbl'])
    table &&= await boxAt(read, table.body, [type], table.end)
  const sizes = table && (await boxAt(read, table.body, ['stsz'], table.end))
  const entries = table && (await boxAt(read, table.body, ['stsd'], table.end))
  if (sizes === undefined) return undefined
  const frames = (await read(sizes.body + 8, 4)).readUInt32BE(0)
  if (entries === undefined) return { frames }
  const sides = await read(entries.body + SIDES_AT, 4)
  return { frames, needed: { width: sides.readUInt16BE(0), height: sides.readUInt16BE(2) } }
}

/** Position of the dimensions in the list of a track's entries: after its own head, and the head and other fields of the first entry. */
const SIDES_AT = 8 + 8 + 24

async function jpegXlCoding(read: ReadPart, size: number): ReturnType<Reader> {
  const header = await jpegXlHeader(read)
  if (header === undefined) return undefined
  const { bits, hasAlpha, plays, hdr } = header
  return {
    ...depthOf(hasAlpha ? 4 : 3, bits),
    isHdr: hdr !== undefined,
    frames: plays === undefined ? 1 : await countJpegXlFrames(read, size),
  }
}
