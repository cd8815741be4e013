/** Creates small files that every service must be able to read: PNG images and an uncompressed AVI video. Doesn't need a codec. */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { crc32, deflateSync } from 'node:zlib'

const u32 = (value: number): Buffer => {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(value >>> 0)
  return bytes
}

const pngChunk = (type: string, data: Buffer): Buffer => {
  const content = Buffer.concat([Buffer.from(type, 'latin1'), data])
  return Buffer.concat([u32(data.length), content, u32(crc32(content))])
}

/** Returns an RGB image with a gradient. */
export function pngBytes(width: number, height: number): Buffer {
  const row = 1 + width * 3
  const pixels = Buffer.alloc(row * height)
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const at = y * row + 1 + x * 3
      pixels[at] = (x * 255) / width
      pixels[at + 1] = (y * 255) / height
      pixels[at + 2] = (x + y) % 256
    }
  }
  const rgb8 = Buffer.from([8, 2, 0, 0, 0])
  return Buffer.concat([
    Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
    pngChunk('IHDR', Buffer.concat([u32(width), u32(height), rgb8])),
    pngChunk('IDAT', deflateSync(pixels, { level: 1 })),
    pngChunk('IEND', Buffer.alloc(0)),
  ])
}

/** Numbers as consecutive 32-bit little-endian values. */
const words = (...values: readonly number[]): Buffer => {
  const bytes = Buffer.alloc(values.length * 4)
  values.forEach((value, index) => bytes.writeUInt32LE(value, index * 4))
  return bytes
}

const riffChunk = (type: string, ...parts: readonly Buffer[]): Buffer => {
  const data = Buffer.concat(parts)
  return Buffer.concat([Buffer.from(type, 'latin1'), words(data.length), data, Buffer.alloc(data.length % 2)])
}

const riffList = (type: string, ...parts: readonly Buffer[]): Buffer =>
  riffChunk('LIST', Buffer.from(type, 'latin1'), ...parts)

const VIDEO = { width: 64, height: 48, rate: 10, frames: 10 }

/** Returns a one-second video. */
export function aviBytes(): Buffer {
  const { width, height, rate, frames } = VIDEO
  const frameBytes = width * height * 3
  const hasIndex = 0x10
  const keyFrame = 0x10
  const header = words(1e6 / rate, frameBytes * rate, 0, hasIndex, frames, 0, 1, frameBytes, width, height)
  const stream = Buffer.concat([
    Buffer.from('vidsDIB ', 'latin1'),
    words(0, 0, 0, 1, rate, 0, frames, frameBytes, 0xffffffff, 0, 0, width | (height << 16)),
  ])
  // One plane with 24 bits per pixel.
  const format = words(40, width, height, 1 | (24 << 16), 0, frameBytes, 0, 0, 0, 0)
  const pictures = Array.from({ length: frames }, (_, index) =>
    riffChunk('00db', Buffer.alloc(frameBytes, 20 * index)),
  )
  const index = pictures.map((picture, at) =>
    Buffer.concat([Buffer.from('00db', 'latin1'), words(keyFrame, 4 + at * picture.length, frameBytes)]),
  )
  return riffChunk(
    'RIFF',
    Buffer.from('AVI ', 'latin1'),
    riffList(
      'hdrl',
      riffChunk('avih', header, Buffer.alloc(16)),
      riffList('strl', riffChunk('strh', stream), riffChunk('strf', format)),
    ),
    riffList('movi', ...pictures),
    riffChunk('idx1', ...index),
  )
}

export type SampleFiles = {
  readonly photo: string
  readonly second: string
  /** Returns the path of a photo that takes longer to process. Writes the file when a check first needs it. */
  readonly large: () => Promise<string>
  /** A truncated photo. */
  readonly damaged: string
  readonly video: string
  readonly text: string
  readonly missing: string
}

export async function writeSamples(folder: string): Promise<SampleFiles> {
  const small = pngBytes(32, 24)
  const write = async (name: string, bytes: Uint8Array | string): Promise<string> => {
    const path = join(folder, name)
    await writeFile(path, bytes)
    return path
  }
  let large: Promise<string> | undefined
  return {
    photo: await write('photo.png', small),
    second: await write('second ü 花.png', pngBytes(24, 32)),
    large: () => (large ??= write('large.png', pngBytes(1600, 1200))),
    damaged: await write('damaged.png', small.subarray(0, 60)),
    video: await write('video.avi', aviBytes()),
    text: await write('notes.txt', 'Not a photo.'),
    missing: join(folder, 'missing.png'),
  }
}
