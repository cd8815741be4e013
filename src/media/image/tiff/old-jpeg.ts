/** Reads images with old-style JPEG compression (TIFF 6.0, section 22), which programs of the nineties wrote in different ways. */
import { damagedFile } from '../../damaged-file.ts'
import { segment } from '../jpeg-segments.ts'
import { type Directory, TAG } from './directory.ts'

const [START, END, FRAME, HUFFMAN, QUANTIZATION, RESTARTS, SCAN, FIRST_RESTART] = [
  0xd8, 0xd9, 0xc0, 0xc4, 0xdb, 0xdd, 0xda, 0xd0,
]

/**
 * Returns a complete JPEG.
 * @throws FailureError if the directory refers neither to a complete JPEG nor to strips
 */
export function fromOldJpeg(file: Buffer, directory: Directory): Buffer {
  const start = directory.number(TAG.oldJpegOffset, 0)
  const end = start + (directory.number(TAG.oldJpegBytes, 0) || file.length)
  const stored = file.subarray(start, end)
  const offsets = directory.numbers(TAG.stripOffsets)
  const hasScan = stored.includes(Buffer.from([0xff, SCAN]))
  if (start > 0 && isJpeg(stored) && hasScan && offsets.every((offset) => offset >= start && offset < end))
    return stored
  const strips = stripsOf(file, directory)
  const [first] = strips
  if (first === undefined) throw damagedFile('pixelsMissing')
  // Some programs store a complete JPEG as the only strip.
  if (isJpeg(first)) return first
  const head = start > 0 && isJpeg(stored) && hasScan ? stored : headOf(file, directory, strips.length)
  // Each strip is coded as if it followed a restart marker.
  const scan = strips.flatMap((strip, index) => [
    ...(index === 0 ? [] : [Buffer.from([0xff, FIRST_RESTART + ((index - 1) % 8)])]),
    strip,
  ])
  return Buffer.concat([head, ...scan, Buffer.from([0xff, END])])
}

const isJpeg = (bytes: Buffer): boolean => bytes[0] === 0xff && bytes[1] === START

function stripsOf(file: Buffer, { numbers }: Directory): readonly Buffer[] {
  const [offsets, lengths] = [numbers(TAG.stripOffsets), numbers(TAG.stripBytes)]
  return offsets.map((offset, index) => file.subarray(offset, offset + (lengths[index] ?? file.length)))
}

const segmentOf = (marker: number, content: readonly number[]): Buffer =>
  segment(marker, '', Buffer.from(content))

/** Writes everything before the coded pixels from the tables that the directory refers to. */
function headOf(file: Buffer, { number, numbers }: Directory, strips: number): Buffer {
  const [width, height, samples] = [number(TAG.width, 0), number(TAG.height, 0), number(TAG.samples, 1)]
  const quantization = numbers(TAG.oldJpegQuantization)
  const [dc, ac] = [numbers(TAG.oldJpegDcTables), numbers(TAG.oldJpegAcTables)]
  const [across = 2, down = 2] = samples === 1 ? [1, 1] : numbers(TAG.ycbcrSubsampling)
  const channels = Array.from({ length: samples }, (_, channel) => channel)
  const tables = (offsets: readonly number[], of: (index: number, offset: number) => Buffer) =>
    channels.map((channel) => of(channel, offsets[channel] ?? offsets[0] ?? file.length))
  const huffman = (kind: number) => (index: number, offset: number) => {
    const counts = file.subarray(offset, offset + 16)
    const values = counts.reduce((sum, count) => sum + count, 0)
    return segmentOf(HUFFMAN, [kind * 16 + index, ...file.subarray(offset, offset + 16 + values)])
  }
  const unitsPerStrip =
    Math.ceil(width / (across * 8)) * Math.ceil(number(TAG.rowsPerStrip, height) / (down * 8))
  const restarts = number(TAG.oldJpegRestarts, 0) || (strips > 1 ? unitsPerStrip : 0)
  const size = [8, height >> 8, height & 0xff, width >> 8, width & 0xff, samples]
  const shapes = channels.flatMap((channel) => [
    channel + 1,
    channel === 0 ? across * 16 + down : 0x11,
    channel,
  ])
  return Buffer.concat([
    Buffer.from([0xff, START]),
    ...tables(quantization, (index, offset) =>
      segmentOf(QUANTIZATION, [index, ...file.subarray(offset, offset + 64)]),
    ),
    ...tables(dc, huffman(0)),
    ...tables(ac, huffman(1)),
    segmentOf(FRAME, [...size, ...shapes]),
    ...(restarts > 0 ? [segmentOf(RESTARTS, [restarts >> 8, restarts & 0xff])] : []),
    segmentOf(SCAN, [samples, ...channels.flatMap((channel) => [channel + 1, channel * 17]), 0, 63, 0]),
  ])
}
