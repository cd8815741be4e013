/** Reads the strips or tiles of a TIFF image, in any order and for any channels, into pixels. */
import type { Area, Extent } from '../../../shared/extent.ts'
import sharp from 'sharp'
import { damagedFile } from '../../damaged-file.ts'
import { decodeStrictly } from '../decoder-warnings.ts'
import type { Canvas } from './colors.ts'
import { COMPRESSION, decompressorFor } from './decompress.ts'
import { TAG, type TiffReader } from './directory.ts'
import { isLabColor, type Layout } from './layout.ts'
import { bytesPerRow, floatsOf, isDeep, type SampleLayout, type Samples, samplesOf } from './samples.ts'
import { createRangeFinder, type FoundRange } from './value-range.ts'

/** One of the image's planes, or all channels of an image with a single plane. */
type Plane = {
  readonly index: number
  readonly step: number
  /** Maps channels of a block to channels of the result. */
  readonly channels: readonly { readonly from: number; readonly to: number }[]
  /** Number of image pixels per sample of this plane: more than 1 with chroma subsampling. */
  readonly across: number
  readonly down: number
}

/** @throws FailureError if part of the image is missing or damaged */
export async function readPixels(reader: TiffReader, layout: Layout) {
  const { width, height, kept, format } = layout
  requireBlocks(layout)
  const { range, hasHighlights } = await rangeOf(reader, layout)
  const length = width * height * kept.length
  const samples = isDeep(layout) || format === 'float' ? new Uint16Array(length) : new Uint8Array(length)
  const canvas = { samples, channels: kept.length }
  await readBlocks(reader, layout, (...block) => drawBlock(canvas, { ...layout, range }, ...block))
  return { ...canvas, hasHighlights }
}

/** Finds the range of floating-point samples in an additional pass. Integers and Lab use their full range. */
async function rangeOf(reader: TiffReader, layout: Layout): Promise<FoundRange> {
  const { format, photometric, directory, kept, alpha } = layout
  const range = [0, 1] as const
  if (format !== 'float' || isLabColor(photometric)) return { range, hasHighlights: false }
  // GDAL writes the missing value as text.
  const finder = createRangeFinder(
    Number.parseFloat(directory.bytes(TAG.missingValue)?.toString('latin1') ?? ''),
  )
  const colors = kept.length - (alpha === 'none' ? 0 : 1)
  await readBlocks(reader, layout, (plane, area, stored) => {
    const from = plane.channels.filter(({ to }) => to < colors).map((channel) => channel.from)
    const sampleLayout = sampleLayoutOf({ ...layout, range }, plane, area.width)
    for (const { bytes } of partsOf(layout, sampleLayout, area, stored)) {
      const numbers = floatsOf(bytes, sampleLayout)
      for (let at = 0; at < numbers.length; at += plane.step)
        for (const channel of from) finder.add(numbers[at + channel] ?? 0)
    }
    return Promise.resolve()
  })
  const [least, most] = [directory.numbers(TAG.leastSample), directory.numbers(TAG.mostSample)]
  const isStated = least.length > 0 && most.length > 0
  return finder.found(isStated ? [Math.min(...least), Math.max(...most)] : undefined)
}

type VisitBlock = (plane: Plane, area: Area, stored: StoredBlock) => Promise<void>
type StoredBlock = { readonly block: Buffer; readonly rows: number }

async function readBlocks(reader: TiffReader, layout: Layout, visit: VisitBlock): Promise<void> {
  for (const plane of planesOf(layout)) {
    const { blockWidth, blockHeight, columns, rows } = gridOf(layout, plane)
    for (let row = 0; row < rows; row++)
      for (let column = 0; column < columns; column++) {
        const block = await readBlock(reader, layout, (plane.index * rows + row) * columns + column)
        const top = row * blockHeight
        const shown = Math.min(blockHeight, Math.ceil(layout.height / plane.down) - top)
        const area = { left: column * blockWidth, top, width: blockWidth, height: shown }
        await visit(plane, area, { block, rows: layout.isTiled ? blockHeight : shown })
      }
  }
}

function planesOf({ isPlanar, samples, kept, shared }: Layout): readonly Plane[] {
  const whole = { across: 1, down: 1 }
  if (!isPlanar)
    return [{ index: 0, step: samples, channels: kept.map((from, to) => ({ from, to })), ...whole }]
  const [across, down] = shared
  return kept.map((index, to) => ({
    index,
    step: 1,
    channels: [{ from: 0, to }],
    ...(to === 1 || to === 2 ? { across, down } : whole),
  }))
}

function gridOf({ width, height, ...layout }: Layout, { across, down }: Pick<Plane, 'across' | 'down'>) {
  const blockWidth = Math.ceil(layout.blockWidth / across)
  const blockHeight = Math.ceil(layout.blockHeight / down)
  return {
    blockWidth,
    blockHeight,
    columns: Math.ceil(Math.ceil(width / across) / blockWidth),
    rows: Math.ceil(Math.ceil(height / down) / blockHeight),
  }
}

/** Maximum ratio of pixel data to compressed data. Blank strips compress to a thousandth of their size or less. */
const MOST_EXPANSION = 4_096
/** Bytes of pixel data up to which compressed images aren't checked, because they may compress to almost nothing. */
const LITTLE = 2 ** 22
/** Maximum size of a block compared with the image. Small images may have tiles of the usual size. */
const [MOST_OF_IMAGE, USUAL_PIXELS] = [4, 2 ** 22]
const SHARED: readonly number[] = [1, 2, 4]

/**
 * Rejects a small file that claims to be huge before memory is allocated for it.
 * @throws FailureError if the dimensions or the offsets are missing, if the layout is implausible, or if the compressed data is too short
 * for the pixels
 */
function requireBlocks({ width, height, bits, kept, ...layout }: Layout): void {
  const { blockWidth, blockHeight, offsets, lengths, compression } = layout
  if (width === 0 || height === 0 || blockWidth === 0 || blockHeight === 0) throw damagedFile('noDimensions')
  if (offsets.length === 0) throw damagedFile('pixelsMissing')
  const isTooLarge = blockWidth * blockHeight > Math.max(USUAL_PIXELS, width * height * MOST_OF_IMAGE)
  if (isTooLarge || !layout.shared.every((count) => SHARED.includes(count)))
    throw damagedFile('partsContradict')
  if (compression === COMPRESSION.none) return
  const stored = lengths.reduce((sum, length) => sum + length, 0)
  const claimed = (width * height * kept.length * bits) / 8
  if (claimed > Math.max(LITTLE, stored * MOST_EXPANSION)) throw damagedFile('imagePartMissing')
}

async function readBlock(reader: TiffReader, layout: Layout, index: number): Promise<Buffer> {
  const { offsets, lengths, blockWidth, blockHeight, bits, samples, compression } = layout
  const offset = offsets[index]
  // Some programs don't store the length of uncompressed strips.
  const most = blockHeight * Math.ceil((blockWidth * bits * samples) / 8)
  // Compressed data is hardly ever longer than the pixels. The rest of a block that claims more isn't needed.
  const stated = lengths[index] ?? (compression === COMPRESSION.none ? most : 0)
  const length = Math.min(stated, 2 * most + LITTLE)
  if (offset === undefined || offset === 0 || length === 0) throw damagedFile('imagePartMissing')
  const block = await reader.read(offset, length)
  if (block.length < length && compression !== COMPRESSION.none) throw damagedFile('imagePartMissing')
  const isReversed = layout.directory.number(TAG.fillOrder, 1) === 2 && compression !== COMPRESSION.jpeg
  return isReversed ? Buffer.from(block.map(reverseBits)) : block
}

const REVERSED = Uint8Array.from({ length: 256 }, (_, byte) => {
  let reversed = 0
  for (let bit = 0; bit < 8; bit++) reversed |= ((byte >> bit) & 1) << (7 - bit)
  return reversed
})
const reverseBits = (byte: number): number => REVERSED[byte] ?? 0

/** Number of samples converted at a time. */
const MANY = 2 ** 20

async function drawBlock(
  canvas: Canvas,
  layout: RangedLayout,
  plane: Plane,
  area: Area,
  stored: StoredBlock,
): Promise<void> {
  const { block, rows } = stored
  if (layout.compression === COMPRESSION.jpeg) {
    const samples = await decodeJpeg(block, layout, { width: area.width, height: rows })
    return drawSamples(canvas, layout, plane, area, samples)
  }
  const [across, down] = layout.shared
  if (!layout.isPlanar && across * down > 1) return drawUnits(canvas, layout, area, stored)
  const sampleLayout = sampleLayoutOf(layout, plane, area.width)
  for (const { bytes, top, height } of partsOf(layout, sampleLayout, area, stored))
    drawSamples(canvas, layout, plane, { ...area, top, height }, samplesOf(bytes, sampleLayout))
}

/** Decompresses a block and yields some of its rows at a time. */
function* partsOf(layout: Layout, sampleLayout: SampleLayout, area: Area, { block, rows }: StoredBlock) {
  const stride = bytesPerRow(sampleLayout)
  const bytes = decompress(block, layout, stride * rows)
  if (bytes.length < stride * area.height) throw damagedFile('imagePartMissing')
  const together = Math.max(1, Math.floor(MANY / sampleLayout.perRow))
  for (let row = 0; row < area.height; row += together) {
    const height = Math.min(together, area.height - row)
    yield { bytes: bytes.subarray(row * stride, (row + height) * stride), top: area.top + row, height }
  }
}

type RangedLayout = Layout & Pick<FoundRange, 'range'>

const decompress = (block: Buffer, { compression }: Layout, most: number): Buffer =>
  decompressorFor(compression)?.(block, most) ?? block

function sampleLayoutOf(layout: RangedLayout, { step, channels }: Plane, width: number): SampleLayout {
  const { bits, format, littleEndian, predictor, photometric, range } = layout
  if (format === 'complex') throw new Error('Complex samples aren’t supported.')
  const ranges = Array.from({ length: step }, (_, channel) => {
    const color = channels.find(({ from }) => from === channel)?.to
    // Floating-point L* is from 0 to 100, and a* and b* are from -128 to 127.
    if (isLabColor(photometric) && color === 0) return [0, 100] as const
    return isLabColor(photometric) && (color === 1 || color === 2) ? ([-128, 127] as const) : range
  })
  return { bits, format, littleEndian, predictor, perRow: width * step, step, ranges }
}

function drawSamples(
  { samples: canvas, channels: count }: Canvas,
  { width, height }: Layout,
  { step, channels, across, down }: Plane,
  area: Area,
  samples: Samples,
): void {
  const right = Math.min(width, (area.left + area.width) * across)
  const bottom = Math.min(height, (area.top + area.height) * down)
  for (const { from, to } of channels)
    for (let y = area.top * down; y < bottom; y++) {
      const row = (Math.floor(y / down) - area.top) * area.width
      for (let x = area.left * across; x < right; x++) {
        const at = row + Math.floor(x / across) - area.left
        canvas[(y * width + x) * count + to] = samples[at * step + from] ?? 0
      }
    }
}

/**
 * Draws chroma-subsampled pixels: each data unit has the luma of all its pixels, followed by their shared chroma (TIFF 6.0, section 21).
 */
function drawUnits(
  { samples: canvas, channels: count }: Canvas,
  layout: Layout,
  { left, top, width }: Area,
  { block, rows }: StoredBlock,
): void {
  const [across, down] = layout.shared
  const unit = across * down + 2
  const stride = Math.ceil(width / across) * unit
  const bytes = decompress(block, layout, stride * Math.ceil(rows / down))
  for (let y = 0; y < rows && top + y < layout.height; y++) {
    if (bytes.length < stride * (Math.floor(y / down) + 1)) throw damagedFile('imagePartMissing')
    for (let x = 0; x < width && left + x < layout.width; x++) {
      const from = Math.floor(y / down) * stride + Math.floor(x / across) * unit
      const to = ((top + y) * layout.width + left + x) * count
      canvas[to] = bytes[from + (y % down) * across + (x % across)] ?? 0
      canvas[to + 1] = bytes[from + unit - 2] ?? 0
      canvas[to + 2] = bytes[from + unit - 1] ?? 0
    }
  }
}

/**
 * Decodes JPEG tiles only to find damage, because libvips ignores the decoder's warnings.
 * @throws FailureError if one is missing; the decoder's own error if one is damaged
 */
export async function refuseDamagedTiles(reader: TiffReader, layout: Layout): Promise<void> {
  if (layout.compression !== COMPRESSION.jpeg || !layout.isTiled) return
  const { columns, rows } = gridOf(layout, { across: 1, down: 1 })
  for (let index = 0; index < columns * rows; index++)
    await decodeStrictly(sharp(jpegOf(await readBlock(reader, layout, index), layout)))
}

/** Returns a block as a complete JPEG. Its tables may be stored once for all blocks. */
function jpegOf(block: Buffer, { directory }: Layout): Buffer {
  const tables = directory.bytes(TAG.jpegTables)
  // Leave out the end marker of the tables and the start marker of the block.
  return tables === undefined ? block : Buffer.concat([tables.subarray(0, -2), block.subarray(2)])
}

/** Decodes a block that is a gray JPEG. */
async function decodeJpeg(block: Buffer, layout: Layout, { width, height }: Extent): Promise<Samples> {
  const { data, info } = await decodeStrictly(sharp(jpegOf(block, layout)).toColourspace('b-w'))
  if (info.width !== width || info.height < height || info.channels !== 1)
    throw damagedFile('partsContradict')
  return data
}
