/**
 * Decodes Windows bitmaps, which sharp can't read.
 * Supports 1, 2, 4, 8, 16, 24 and 32 bits per pixel, RLE4 and RLE8, bit fields, top-down and bottom-up rows, and the headers from
 * OS/2 1.x to BITMAPV5, with their profiles. Offsets in the file aren't trusted: reads beyond the end are errors, and the size is
 * checked before memory is allocated.
 */
import { MAX_PIXELS_IN_MEMORY } from '../../shared/extent.ts'
import { damagedFile } from '../damaged-file.ts'
import { failed } from '../../shared/failure/failure-error.ts'
import { profileOfBmp } from './bmp-colors.ts'
import { INCHES_PER_METER } from './density.ts'
import { refuseTooManyPixels } from './image-failure.ts'
import type { RawImage } from './raw-image.ts'

export const looksLikeBmp = (head: Uint8Array) => head[0] === 0x42 && head[1] === 0x4d

const RGB = 0
const RLE8 = 1
const RLE4 = 2
const BITFIELDS = 3
const ALPHA_BITFIELDS = 6

type Header = ReturnType<typeof readHeader>
type Pixels = Omit<RawImage, 'metadata'>
type Color = readonly [red: number, green: number, blue: number]
type Masks = { readonly red: number; readonly green: number; readonly blue: number; readonly alpha: number }

/** @throws FailureError if the bitmap is damaged, unsupported or too large */
export function parseBmp(file: Buffer): RawImage {
  const header = readHeader(file)
  const icc = profileOfBmp(file)
  return { ...pixelsOf(file, header), metadata: icc === undefined ? {} : { icc } }
}

/** Returns the pixels per inch; undefined if the header doesn't give them, as in older versions. */
export function densityOfBmp(file: Buffer): number | undefined {
  const perMeter = file.readUInt32LE(14) >= 40 ? file.readInt32LE(38) : 0
  return perMeter > 0 ? perMeter / INCHES_PER_METER : undefined
}

function pixelsOf(file: Buffer, header: Header): Pixels {
  const pixels = file.subarray(header.pixelOffset)
  const { compression, bits } = header
  if (compression === RLE8 || compression === RLE4) return fromRunLengths(header, pixels)
  requireRows(header, pixels)
  if (bits <= 8) return fromIndices(header, pixels)
  if (bits === 24) return fromTriples(header, pixels)
  return fromMasks(header, pixels)
}

function readHeader(file: Buffer) {
  if (file.length < 26 || !looksLikeBmp(file)) throw damagedFile('headerCutOff')
  const headerSize = file.readUInt32LE(14)
  const isCore = headerSize === 12
  if (!isCore && (headerSize < 16 || headerSize > 4_096)) throw damagedFile('headerSizeUnknown')
  if (14 + headerSize > file.length) throw damagedFile('headerCutOff')
  // OS/2 2.x headers may end early. Their missing fields are zero.
  const field = (offset: number) => (offset + 4 <= headerSize ? file.readUInt32LE(14 + offset) : 0)

  const width = isCore ? file.readUInt16LE(18) : file.readInt32LE(18)
  const signedHeight = isCore ? file.readUInt16LE(20) : file.readInt32LE(22)
  const bits = isCore ? file.readUInt16LE(24) : file.readUInt16LE(28)
  const compression = isCore ? RGB : field(16)
  const height = Math.abs(signedHeight)
  if (width <= 0 || height === 0) throw damagedFile('noDimensions')
  refuseTooManyPixels(width, height, 1, MAX_PIXELS_IN_MEMORY)
  requireKnown(bits, compression)
  // The format doesn't allow compressed top-down bitmaps, but they exist, and every program shows them top-down.
  const topDown = signedHeight < 0

  const masksBehindHeader =
    headerSize === 40 ? (compression === ALPHA_BITFIELDS ? 16 : compression === BITFIELDS ? 12 : 0) : 0
  const paletteOffset = 14 + headerSize + masksBehindHeader
  const pixelOffset = file.readUInt32LE(10)
  if (pixelOffset > file.length || pixelOffset < 14 + headerSize) throw damagedFile('pixelsMissing')
  return {
    width,
    height,
    topDown,
    bits,
    compression,
    pixelOffset,
    palette:
      bits <= 8
        ? readPalette(file.subarray(paletteOffset, pixelOffset), isCore ? 3 : 4, field(32) || Infinity, bits)
        : [],
    masks: readMasks(file, { headerSize, bits, compression }),
  }
}

function requireKnown(bits: number, compression: number): void {
  const known =
    (compression === RGB && [1, 2, 4, 8, 16, 24, 32].includes(bits)) ||
    (compression === RLE8 && bits === 8) ||
    (compression === RLE4 && bits === 4) ||
    ((compression === BITFIELDS || compression === ALPHA_BITFIELDS) && (bits === 16 || bits === 32))
  if (!known) throw failed('bitmapUnsupported', { bits, compression })
}

/** @param count stated number of colors */
function readPalette(stored: Buffer, entryBytes: 3 | 4, count: number, bits: number): readonly Color[] {
  const length = Math.min(count, 2 ** bits, Math.floor(stored.length / entryBytes))
  if (length === 0) throw damagedFile('paletteMissing')
  return Array.from({ length }, (_, index): Color => {
    const at = index * entryBytes
    return [stored.readUInt8(at + 2), stored.readUInt8(at + 1), stored.readUInt8(at)]
  })
}

function readMasks(file: Buffer, header: { headerSize: number; bits: number; compression: number }): Masks {
  const { headerSize, bits, compression } = header
  if (compression === BITFIELDS || compression === ALPHA_BITFIELDS) {
    const count = headerSize >= 56 || compression === ALPHA_BITFIELDS ? 4 : 3
    if (54 + count * 4 > file.length) throw damagedFile('bitFieldsCutOff')
    const [red, green, blue] = [file.readUInt32LE(54), file.readUInt32LE(58), file.readUInt32LE(62)]
    return { red, green, blue, alpha: count === 4 ? file.readUInt32LE(66) : 0 }
  }
  if (bits === 16) return { red: 0x7c00, green: 0x03e0, blue: 0x001f, alpha: 0 }
  return { red: 0xff0000, green: 0xff00, blue: 0xff, alpha: bits === 32 ? 0xff000000 : 0 }
}

const strideOf = ({ width, bits }: Header) => Math.floor((width * bits + 31) / 32) * 4

function requireRows(header: Header, pixels: Buffer): void {
  // Many files omit the padding after the last row.
  const needed = strideOf(header) * (header.height - 1) + Math.ceil((header.width * header.bits) / 8)
  if (pixels.length < needed) throw damagedFile('rowsMissing')
}

const rowStart = (header: Header, y: number) =>
  strideOf(header) * (header.topDown ? y : header.height - 1 - y)

function fromIndices(header: Header, pixels: Buffer): Pixels {
  const { width, height, bits } = header
  const data = new Uint8Array(width * height * 3)
  const perByte = 8 / bits
  const mask = 2 ** bits - 1
  const colors = fullPalette(header)
  let to = 0
  for (let y = 0; y < height; y++) {
    const row = rowStart(header, y)
    for (let x = 0; x < width; x++) {
      const byte = pixels[row + Math.floor(x / perByte)] ?? 0
      const from = ((byte >> (8 - bits * ((x % perByte) + 1))) & mask) * 3
      data[to++] = colors[from] ?? 0
      data[to++] = colors[from + 1] ?? 0
      data[to++] = colors[from + 2] ?? 0
    }
  }
  return { pixels: data, width, height, channels: 3 }
}

/** Treats indices beyond the end of a short palette as black, as other decoders do. */
function fullPalette({ palette, bits }: Header): Uint8Array {
  const colors = new Uint8Array(2 ** bits * 3)
  colors.set(palette.flat())
  return colors
}

function fromTriples(header: Header, pixels: Buffer): Pixels {
  const { width, height } = header
  const data = new Uint8Array(width * height * 3)
  let to = 0
  for (let y = 0; y < height; y++) {
    let from = rowStart(header, y)
    for (let x = 0; x < width; x++, from += 3) {
      data[to++] = pixels[from + 2] ?? 0
      data[to++] = pixels[from + 1] ?? 0
      data[to++] = pixels[from] ?? 0
    }
  }
  return { pixels: data, width, height, channels: 3 }
}

function fromMasks(header: Header, pixels: Buffer): Pixels {
  const { width, height, bits, masks } = header
  const channels = hasTransparency(header, pixels) ? 4 : 3
  const data = new Uint8Array(width * height * channels)
  const [red, green, blue, alpha] = [masks.red, masks.green, masks.blue, masks.alpha].map(channelReader)
  const size = bits / 8
  let to = 0
  for (let y = 0; y < height; y++) {
    let from = rowStart(header, y)
    for (let x = 0; x < width; x++, from += size) {
      const value = size === 2 ? pixels.readUInt16LE(from) : pixels.readUInt32LE(from)
      data[to++] = red?.(value) ?? 0
      data[to++] = green?.(value) ?? 0
      data[to++] = blue?.(value) ?? 0
      if (channels === 4) data[to++] = alpha?.(value) ?? 255
    }
  }
  return { pixels: data, width, height, channels }
}

/**
 * Returns whether the fourth channel is really alpha.
 * Many programs leave the channel empty. Without bit fields, it may hold any data, so it counts only if it also varies and
 * is opaque somewhere.
 */
function hasTransparency(header: Header, pixels: Buffer): boolean {
  const { width, height, bits, masks, compression } = header
  if (masks.alpha === 0) return false
  const alpha = channelReader(masks.alpha)
  const size = bits / 8
  let least = 255
  let most = 0
  for (let y = 0; y < height; y++) {
    const row = rowStart(header, y)
    for (let from = row; from < row + width * size; from += size) {
      const value = alpha(size === 2 ? pixels.readUInt16LE(from) : pixels.readUInt32LE(from))
      if (value < least) least = value
      if (value > most) most = value
    }
    if (compression === RGB ? least < 255 && most === 255 : most > 0) return true
  }
  return false
}

/** Extracts one channel from a pixel and scales it to 0..255. */
function channelReader(mask: number): (pixel: number) => number {
  if (mask === 0) return () => 0
  const shift = 31 - Math.clz32(mask & -mask)
  const most = mask >>> shift
  return (pixel) => Math.round((((pixel & mask) >>> shift) * 255) / most)
}

/** Limits on RLE expansion. Two bytes encode up to 255 pixels. Skipped pixels need no bytes, but a photo has hardly any. */
const MOST_PIXELS_OF_BYTE = 128
const MOST_PIXELS_OF_NOTHING = 2 ** 24

/** Decodes RLE4 and RLE8: pairs of (count, color), and escapes for end of row, end of bitmap, a jump, or literal pixels. */
function fromRunLengths(header: Header, codes: Buffer): Pixels {
  const { width, height } = header
  if (width * height > Math.max(MOST_PIXELS_OF_NOTHING, codes.length * MOST_PIXELS_OF_BYTE))
    throw damagedFile('rowsBreakOff')
  const colors = fullPalette(header)
  const data = new Uint8Array(width * height * 3)
  // Give skipped pixels the palette's first color.
  if (colors[0] || colors[1] || colors[2]) Buffer.from(data.buffer).fill(colors.subarray(0, 3))
  const nibbles = header.compression === RLE4
  let x = 0
  let y = 0
  let at = 0
  let ended = false
  const put = (index: number) => {
    const to = ((header.topDown ? y : height - 1 - y) * width + x) * 3
    for (let channel = 0; channel < 3; channel++) data[to + channel] = colors[index * 3 + channel] ?? 0
    x++
  }
  const next = () => {
    const byte = codes[at++]
    if (byte === undefined) throw damagedFile('rowsBreakOff')
    return byte
  }
  /** Puts several pixels. Skips those beyond the end of the row in one step, because two bytes can encode hundreds of them. */
  const putRun = (count: number, byteAt: (index: number) => number) => {
    const end = x + count
    const visible = Math.min(count, width - x)
    for (let index = 0; index < visible; index++) {
      const byte = byteAt(nibbles ? index >> 1 : index)
      put(nibbles ? (index % 2 === 0 ? byte >> 4 : byte & 15) : byte)
    }
    x = end
  }
  // Some files omit the end marker after a complete last row.
  const isWhole = () => at >= codes.length && y === height - 1 && x >= width
  while (!ended && y < height && !isWhole()) {
    const count = next()
    const value = next()
    if (count > 0) {
      putRun(count, () => value)
    } else if (value === 0) {
      x = 0
      y++
    } else if (value === 1) {
      ended = true
    } else if (value === 2) {
      x += next()
      y += next()
    } else {
      const length = nibbles ? (value + 1) >> 1 : value
      const start = at
      if (start + length > codes.length) throw damagedFile('rowsBreakOff')
      putRun(value, (index) => codes[start + index] ?? 0)
      // Literal pixels are padded to an even number of bytes.
      at = start + length + (length % 2)
    }
  }
  return { pixels: data, width, height, channels: 3 }
}
