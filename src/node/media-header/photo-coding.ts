/** Reads from the header of a photo how its pixels are coded, which determines how much memory decoding needs. */
import { findJpegFrame, heifItems, jpegXlHeader, TIFF_TAG, tiffTags } from './image-size.ts'
import { boxAt } from './iso-boxes.ts'
import { HeaderTooLarge, type ReadPart } from './window.ts'

export type PhotoCoding = {
  /** Bytes of a decoded pixel. Channels with a lower resolution count less. */
  readonly pixelBytes: number
  /** Whether channels have more than 8 bits. */
  readonly isDeep: boolean
  /**
   * Whether the whole image must be decoded before its first row is available: in an interlaced PNG, a progressive JPEG, or a TIFF with a
   * single strip or row of tiles.
   */
  readonly isWhole: boolean
  /** Undefined if it isn't known how many frames an animation has. */
  readonly frames: number | undefined
}

export const USUAL_CODING: PhotoCoding = { pixelBytes: 3, isDeep: false, isWhole: false, frames: 1 }

type Reader = (read: ReadPart, size: number) => Promise<Partial<PhotoCoding>>

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
export const photoCoding = async (format: string, read: ReadPart, size: number): Promise<PhotoCoding> => ({
  ...USUAL_CODING,
  ...(await READERS[format]?.(read, size)),
})

/** @param bits of each channel */
const depthOf = (channels: number, bits: number) => ({
  pixelBytes: channels * Math.ceil(bits / 8),
  isDeep: bits > 8,
})

async function jpegCoding(read: ReadPart): Promise<Partial<PhotoCoding>> {
  const found = await findJpegFrame(read)
  if (found === undefined) return {}
  const { at, marker } = found
  const count = (await read(at + 9, 1)).readUInt8(0)
  const parts = await read(at + 10, count * 3)
  const areas = Array.from({ length: count }, (_, index) => {
    const factors = parts.readUInt8(index * 3 + 1)
    return (factors >> 4) * (factors & 15)
  })
  const pixelBytes = areas.reduce((sum, area) => sum + area, 0) / Math.max(1, ...areas)
  return { pixelBytes, isWhole: PROGRESSIVE.has(marker) }
}

/** Markers of frames that are coded progressively. */
const PROGRESSIVE: ReadonlySet<number> = new Set([0xc2, 0xc6, 0xca, 0xce])

/** Channels of each color type. A palette has one. */
const PNG_CHANNELS: Readonly<Record<number, number>> = { 0: 1, 2: 3, 3: 1, 4: 2, 6: 4 }

async function pngCoding(read: ReadPart): Promise<Partial<PhotoCoding>> {
  const head = await read(24, 5)
  const coding = {
    ...depthOf(PNG_CHANNELS[head.readUInt8(1)] ?? 3, head.readUInt8(0)),
    isWhole: head.readUInt8(4) === 1,
  }
  for (let at = 33; ;) {
    const chunk = await read(at, 12)
    const type = chunk.toString('latin1', 4, 8)
    if (type === 'acTL') return { ...coding, frames: chunk.readUInt32BE(8) }
    if (type === 'IDAT') return coding
    at += 12 + chunk.readUInt32BE(0)
  }
}

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
  const frames = await countFrames(13 + colorBytes(flags), size, async (at) => {
    const kind = (await read(at, 1)).readUInt8(0)
    if (kind === 0x21) return { isFrame: false, next: await afterBlocks(read, at + 2) }
    if (kind !== 0x2c) return undefined
    const own = (await read(at + 9, 1)).readUInt8(0)
    return { isFrame: true, next: await afterBlocks(read, at + 11 + colorBytes(own)) }
  })
  return { pixelBytes: 1, frames }
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

async function tiffCoding(read: ReadPart): Promise<Partial<PhotoCoding>> {
  const tags = await tiffTags(read, 0)
  const rows = tags.get(TIFF_TAG.tileHeight) ?? tags.get(TIFF_TAG.rowsPerStrip) ?? Infinity
  return {
    ...depthOf(tags.get(TIFF_TAG.samples) ?? 1, tags.get(TIFF_TAG.bits) ?? 1),
    isWhole: rows >= (tags.get(TIFF_TAG.height) ?? 0),
  }
}

async function heifCoding(read: ReadPart): Promise<Partial<PhotoCoding>> {
  const found = await heifItems(read)
  if (found === undefined) return {}
  const { content, items } = found
  const properties = items.all.flatMap((item) => items.propertiesOf(item))
  const isDeep = properties.some(({ type, body }) => {
    if (type === 'av1C') return (content.readUInt8(body + 2) & 0x40) !== 0
    return type === 'hvcC' && (content.readUInt8(body + 17) & 7) > 0
  })
  const hasAlpha = properties.some(
    ({ type, body, end }) => type === 'auxC' && /alpha|auxid:1/.test(content.toString('latin1', body, end)),
  )
  const frames = await samplesOfTrack(read)
  return { ...depthOf(hasAlpha ? 4 : 3, isDeep ? 16 : 8), ...(frames === undefined ? {} : { frames }) }
}

/** Returns the number of samples of the first track, if the file has one. */
async function samplesOfTrack(read: ReadPart): Promise<number | undefined> {
  let box = await boxAt(read, 0, ['moov'])
  for (const type of ['trak', 'mdia', 'minf', 'stbl', 'stsz'])
    box &&= await boxAt(read, box.body, [type], box.end)
  return box && (await read(box.body + 8, 4)).readUInt32BE(0)
}

async function jpegXlCoding(read: ReadPart): Promise<Partial<PhotoCoding>> {
  const header = await jpegXlHeader(read)
  if (header === undefined) return {}
  const { bits, hasAlpha, plays } = header
  return {
    ...depthOf(hasAlpha ? 4 : 3, bits),
    frames: plays === undefined ? 1 : undefined,
  }
}
