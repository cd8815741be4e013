/**
 * Windows bitmaps, which sharp can't read: 1, 2, 4, 8, 16, 24 and 32 bits a pixel, RLE4 and RLE8, bit fields, rows from
 * the top or from the bottom, and the headers from OS/2 1.x to BITMAPV5. Every offset in such a file may be a lie: reads
 * beyond the end are errors, and the size is checked before memory is taken.
 */
import { readFile } from 'node:fs/promises'
import { ProcessingError } from '../protocol.ts'
import { damagedPicture, MAX_PIXELS_IN_MEMORY, refuseTooManyPixels } from './picture-failure.ts'

export type Bitmap = {
  /** Rows from the top, without gaps: R, G, B and, with 4 channels, A. */
  readonly data: Uint8Array
  readonly width: number
  readonly height: number
  readonly channels: 3 | 4
}

export const looksLikeBmp = (head: Uint8Array) => head[0] === 0x42 && head[1] === 0x4d

export async function decodeBmp(filePath: string): Promise<Bitmap> {
  return parseBmp(await readFile(filePath))
}

const RGB = 0
const RLE8 = 1
const RLE4 = 2
const BITFIELDS = 3
const ALPHA_BITFIELDS = 6

type Header = {
  readonly width: number
  readonly height: number
  readonly topDown: boolean
  readonly bits: number
  readonly compression: number
  readonly pixelOffset: number
  readonly palette: readonly Colour[]
  readonly masks: Masks
}
type Colour = readonly [red: number, green: number, blue: number]
type Masks = { readonly red: number; readonly green: number; readonly blue: number; readonly alpha: number }

/** @throws ProcessingError with the reason, for every file that is not a whole bitmap */
export function parseBmp(file: Buffer): Bitmap {
  const header = readHeader(file)
  const pixels = file.subarray(header.pixelOffset)
  const { compression, bits } = header
  if (compression === RLE8 || compression === RLE4) return fromRunLengths(header, pixels)
  requireRows(header, pixels)
  if (bits <= 8) return fromIndices(header, pixels)
  if (bits === 24) return fromTriples(header, pixels)
  return fromMasks(header, pixels)
}

function readHeader(file: Buffer): Header {
  if (file.length < 26 || !looksLikeBmp(file)) throw damagedPicture('the header is cut off')
  const headerSize = file.readUInt32LE(14)
  const isCore = headerSize === 12
  if (!isCore && (headerSize < 16 || headerSize > 4_096))
    throw damagedPicture('its header has an unknown size')
  if (14 + headerSize > file.length) throw damagedPicture('the header is cut off')
  // OS/2 2.x headers may stop early; the fields that are missing are zero.
  const field = (offset: number) => (offset + 4 <= headerSize ? file.readUInt32LE(14 + offset) : 0)

  const width = isCore ? file.readUInt16LE(18) : file.readInt32LE(18)
  const signedHeight = isCore ? file.readUInt16LE(20) : file.readInt32LE(22)
  const bits = isCore ? file.readUInt16LE(24) : file.readUInt16LE(28)
  const compression = isCore ? RGB : field(16)
  const height = Math.abs(signedHeight)
  if (width <= 0 || height === 0) throw damagedPicture('it has no width or height')
  refuseTooManyPixels(width, height, 1, MAX_PIXELS_IN_MEMORY)
  requireKnown(bits, compression)
  // Against the letter of the format, some compressed bitmaps are stored from the top; everybody shows them so.
  const topDown = signedHeight < 0

  const masksBehindHeader =
    headerSize === 40 ? (compression === ALPHA_BITFIELDS ? 16 : compression === BITFIELDS ? 12 : 0) : 0
  const paletteOffset = 14 + headerSize + masksBehindHeader
  const pixelOffset = file.readUInt32LE(10)
  if (pixelOffset > file.length || pixelOffset < 14 + headerSize)
    throw damagedPicture('the pixels are missing')
  return {
    width,
    height,
    topDown,
    bits,
    compression,
    pixelOffset,
    palette:
      bits <= 8
        ? readPalette(file, {
            from: paletteOffset,
            to: Math.max(paletteOffset, pixelOffset),
            entrySize: isCore ? 3 : 4,
            count: field(32),
            bits,
          })
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
  if (!known)
    throw new ProcessingError(
      `The file is a bitmap of a kind that can't be read here (${bits} bits, compression ${compression}).`,
    )
}

function readPalette(
  file: Buffer,
  place: { from: number; to: number; entrySize: number; count: number; bits: number },
): Colour[] {
  const { from, to, entrySize, bits } = place
  const most = 2 ** bits
  const count = place.count === 0 ? most : Math.min(place.count, most)
  const there = Math.floor((Math.min(to, file.length) - from) / entrySize)
  const palette: Colour[] = []
  for (let index = 0; index < Math.min(count, there); index++) {
    const at = from + index * entrySize
    palette.push([file.readUInt8(at + 2), file.readUInt8(at + 1), file.readUInt8(at)])
  }
  if (palette.length === 0) throw damagedPicture('the palette is missing')
  return palette
}

function readMasks(file: Buffer, header: { headerSize: number; bits: number; compression: number }): Masks {
  const { headerSize, bits, compression } = header
  if (compression === BITFIELDS || compression === ALPHA_BITFIELDS) {
    const count = headerSize >= 56 || compression === ALPHA_BITFIELDS ? 4 : 3
    if (54 + count * 4 > file.length) throw damagedPicture('the bit fields are cut off')
    const [red, green, blue] = [file.readUInt32LE(54), file.readUInt32LE(58), file.readUInt32LE(62)]
    return { red, green, blue, alpha: count === 4 ? file.readUInt32LE(66) : 0 }
  }
  if (bits === 16) return { red: 0x7c00, green: 0x03e0, blue: 0x001f, alpha: 0 }
  return { red: 0xff0000, green: 0xff00, blue: 0xff, alpha: bits === 32 ? 0xff000000 : 0 }
}

const strideOf = ({ width, bits }: Header) => Math.floor((width * bits + 31) / 32) * 4

function requireRows(header: Header, pixels: Buffer): void {
  // The padding behind the last row is often left out.
  const needed = strideOf(header) * (header.height - 1) + Math.ceil((header.width * header.bits) / 8)
  if (pixels.length < needed) throw damagedPicture('the last rows are missing')
}

const rowStart = (header: Header, y: number) =>
  strideOf(header) * (header.topDown ? y : header.height - 1 - y)

function fromIndices(header: Header, pixels: Buffer): Bitmap {
  const { width, height, bits } = header
  const data = new Uint8Array(width * height * 3)
  const perByte = 8 / bits
  const mask = 2 ** bits - 1
  const colours = fullPalette(header)
  let to = 0
  for (let y = 0; y < height; y++) {
    const row = rowStart(header, y)
    for (let x = 0; x < width; x++) {
      const byte = pixels[row + Math.floor(x / perByte)] ?? 0
      const from = ((byte >> (8 - bits * ((x % perByte) + 1))) & mask) * 3
      data[to++] = colours[from] ?? 0
      data[to++] = colours[from + 1] ?? 0
      data[to++] = colours[from + 2] ?? 0
    }
  }
  return { data, width, height, channels: 3 }
}

/** Indices beyond a short palette are black, as everywhere else. */
function fullPalette({ palette, bits }: Header): Uint8Array {
  const colours = new Uint8Array(2 ** bits * 3)
  colours.set(palette.flat())
  return colours
}

function fromTriples(header: Header, pixels: Buffer): Bitmap {
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
  return { data, width, height, channels: 3 }
}

function fromMasks(header: Header, pixels: Buffer): Bitmap {
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
  return { data, width, height, channels }
}

/**
 * Many programs write nothing into the fourth channel, and without bit fields anything may stand there: it counts where it is not
 * empty, and without bit fields only where it looks as transparency does, which varies and is full somewhere.
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

/** Takes one channel out of a pixel and stretches it to 0..255. */
function channelReader(mask: number): (pixel: number) => number {
  if (mask === 0) return () => 0
  const shift = 31 - Math.clz32(mask & -mask)
  const most = mask >>> shift
  return (pixel) => Math.round((((pixel & mask) >>> shift) * 255) / most)
}

/** RLE4 and RLE8: pairs of (count, colour), and escapes for the end of a row, the end, a jump, or plain pixels. */
function fromRunLengths(header: Header, codes: Buffer): Bitmap {
  const { width, height } = header
  // What is jumped over shows the first colour.
  const indices = new Uint8Array(width * height)
  const nibbles = header.compression === RLE4
  let x = 0
  let y = 0
  let at = 0
  let ended = false
  const put = (index: number) => {
    if (x < width && y < height) indices[(header.topDown ? y : height - 1 - y) * width + x] = index
    x++
  }
  const next = () => {
    const byte = codes[at++]
    if (byte === undefined) throw damagedPicture('the rows break off')
    return byte
  }
  const putRun = (count: number, byteAt: (index: number) => number) => {
    for (let index = 0; index < count; index++) {
      const byte = byteAt(nibbles ? index >> 1 : index)
      put(nibbles ? (index % 2 === 0 ? byte >> 4 : byte & 15) : byte)
    }
  }
  // The mark of the end may be missing behind a last row that is whole.
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
      if (start + length > codes.length) throw damagedPicture('the rows break off')
      putRun(value, (index) => codes[start + index] ?? 0)
      // Plain pixels are filled up to an even number of bytes.
      at = start + length + (length % 2)
    }
  }
  return fromIndices({ ...header, bits: 8, topDown: true, width, height }, padRows(indices, width, height))
}

function padRows(indices: Uint8Array, width: number, height: number): Buffer {
  const stride = Math.ceil(width / 4) * 4
  if (stride === width) return Buffer.from(indices.buffer)
  const padded = Buffer.alloc(stride * height)
  for (let y = 0; y < height; y++) padded.set(indices.subarray(y * width, (y + 1) * width), y * stride)
  return padded
}
