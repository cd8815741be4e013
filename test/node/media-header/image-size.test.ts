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

it.each<[string, Buffer]>([
  ['many fill bytes', Buffer.alloc(20_000, 0xff)],
  ['many other bytes', Buffer.alloc(20_000, 0x11)],
  ['some of both', Buffer.from('ffff001122ffff00', 'hex')],
])('a JPEG with %s before a marker has dimensions', async (_, fill) => {
  const start = Buffer.from([0xff, 0xd8])
  const frame = Buffer.from('ffc000110800f0014003012200021101031101', 'hex')
  for (const end of [0, 10_000])
    expect(await sizeOf('jpg', Buffer.concat([start, fill, frame, Buffer.alloc(end)]))).toEqual({
      width: 320,
      height: 240,
    })
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

it.each([
  ['TIFF', {}],
  ['BigTIFF', { isBig: true }],
  ['big-endian TIFF', { isBigEndian: true }],
  ['big-endian BigTIFF', { isBig: true, isBigEndian: true }],
])('a %s has the dimensions of its main image, even if it begins with a thumbnail', async (_, order) => {
  const main = { width: 40, height: 30, samples: 3, sample: () => 0, ...order }
  const thumbnail = { ...main, width: 4, height: 3, tags: { 254: [1] } }
  const size = { width: 40, height: 30 }
  expect(await sizeOf('tiff', makePages([main]))).toEqual(size)
  expect(await sizeOf('tiff', makePages([thumbnail, main]))).toEqual(size)
  expect(await sizeOf('tiff', makePages([thumbnail]))).toEqual({ width: 4, height: 3 })
})

it.each([1, 2])(
  'a TIFF may have its main image inside the directory of a thumbnail: %d inside',
  async (count) => {
    const main = { width: 40, height: 30, sample: () => 0 }
    const inner = makePages([main])
    const at = inner.readUInt32LE(4)
    const tags = { 254: [1], 330: count === 1 ? [at + 65_536] : [at + 65_536, at + 65_536] }
    const outer = makePages([{ ...main, width: 4, height: 3, tags }])
    const file = Buffer.concat([outer, Buffer.alloc(65_536 - outer.length), inner])
    expect(await sizeOf('tiff', file)).toEqual({ width: 40, height: 30 })
  },
)

it('a TIFF whose bit depths are beyond its end has dimensions', async () => {
  const file = makePages([{ width: 40, height: 30, samples: 3, sample: () => 0 }])
  file.writeUInt32LE(file.length, entryAt(file, 258) + 8)
  expect(await sizeOf('tiff', file)).toEqual({ width: 40, height: 30 })
})

it.each([
  ['no next directory', 0],
  ['too many entries in the next directory', 65_536],
])(
  'a TIFF with only a thumbnail has its dimensions, not those that pixels look like: %s',
  async (_, next) => {
    const thumbnail = makePages([{ width: 4, height: 3, sample: () => 0, tags: { 254: [1] } }])
    const file = Buffer.concat([thumbnail, Buffer.alloc(300_000)])
    const directory = file.readUInt32LE(4)
    file.writeUInt32LE(next, directory + 2 + 12 * file.readUInt16LE(directory))
    // At an offset of zero, the mark of the byte order is the number of entries.
    if (next > 0) file.writeUInt16LE(5_000, next)
    for (let at = next + 2 + 12 * 100; at + 12 <= file.length; at += 12)
      for (const [index, value] of [256, 4, 1, 0, 9_000, 0].entries())
        file.writeUInt16LE(at % 24 === (next + 2) % 24 && index === 0 ? 257 : value, at + index * 2)
    expect(await sizeOf('tiff', file)).toEqual({ width: 4, height: 3 })
  },
)
