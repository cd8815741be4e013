import { expect, it } from 'vitest'
import { imageSize } from '../../../src/node/media-header/image-size.ts'

const sizeOf = (format: string, file: Buffer) =>
  imageSize(format, (at, length) => Promise.resolve(file.subarray(at, at + length)))

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
