import { expect, it } from 'vitest'
import { imageSize } from '../../../src/node/media-header/image-size.ts'
import { createWindow } from '../../../src/node/media-header/window.ts'
import { entryAt, makePages } from '../../media/image/make-tiff.ts'

const sizeOf = (format: string, file: Buffer) =>
  imageSize(format, createWindow((at, length) => Promise.resolve(file.subarray(at, at + length))).part)

function bitmap(width: number, height: number): Buffer {
  const file = Buffer.alloc(54)
  file.writeUInt32LE(40, 14)
  file.writeInt32LE(width, 18)
  file.writeInt32LE(height, 22)
  return file
}

function png(width: number, height: number): Buffer {
  const file = Buffer.alloc(24)
  file.writeUInt32BE(width, 16)
  file.writeUInt32BE(height, 20)
  return file
}

it('a bitmap whose rows are stored from top to bottom has a positive height', async () => {
  expect(await sizeOf('bmp', bitmap(640, -480))).toEqual({ width: 640, height: 480 })
})

it.each([
  [-640, 480],
  [-(2 ** 31), 480],
  [0, 480],
  [640, 0],
])('a bitmap of %s × %s has unknown dimensions', async (width, height) => {
  expect(await sizeOf('bmp', bitmap(width, height))).toBeUndefined()
})

it.each([
  [0, 1],
  [1, 0],
])('no format has dimensions of zero: %s × %s', async (width, height) => {
  expect(await sizeOf('png', png(width, height))).toBeUndefined()
})

/** A codestream of 300 × 200 pixels: both sides are stored in 13 bits. */
const CODESTREAM = Buffer.from('ff0a3141240000018000000000000000000000', 'hex')

function boxOf(type: string, content: Buffer): Buffer {
  const head = Buffer.alloc(8)
  head.writeUInt32BE(content.length + 8)
  head.write(type, 4, 'latin1')
  return Buffer.concat([head, content])
}

it.each([2, 3, 5, 9, 18])(
  'the dimensions of a JPEG XL may continue in a later part: %i bytes in the first one',
  async (length) => {
    const part = (index: number, content: Buffer) =>
      boxOf('jxlp', Buffer.concat([Buffer.from([0, 0, 0, index]), content]))
    const file = Buffer.concat([
      Buffer.from('\0\0\0\x0cJXL \r\n\x87\n', 'latin1'),
      part(0, CODESTREAM.subarray(0, length)),
      boxOf('jbrd', Buffer.alloc(40, 0x7f)),
      part(1, CODESTREAM.subarray(length)),
    ])
    expect(await sizeOf('jxl', file)).toEqual({ width: 300, height: 200 })
  },
)

it('a TIFF that begins with a thumbnail has unknown dimensions', async () => {
  const main = { width: 40, height: 30, sample: () => 0 }
  const thumbnail = { ...main, width: 4, height: 3, tags: { 254: [1] } }
  expect(await sizeOf('tiff', makePages([main]))).toEqual({ width: 40, height: 30 })
  expect(await sizeOf('tiff', makePages([thumbnail, main]))).toBeUndefined()
})

it('a TIFF whose bit depths are beyond its end has dimensions', async () => {
  const file = makePages([{ width: 40, height: 30, samples: 3, sample: () => 0 }])
  file.writeUInt32LE(file.length, entryAt(file, 258) + 8)
  expect(await sizeOf('tiff', file)).toEqual({ width: 40, height: 30 })
})
