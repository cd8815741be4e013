import sharp, { type Sharp } from 'sharp'
import { describe, expect, it } from 'vitest'
import { type PhotoCoding, photoCoding } from '../../../src/node/media-header/photo-coding.ts'
import { createWindow } from '../../../src/node/media-header/window.ts'
import { encodeApng } from '../../../src/media/image/encode-frames.ts'
import { encodeJpegXl } from '../../../src/media/image/jpeg-xl.ts'
import { entryAt, makeTiff } from '../../media/image/make-tiff.ts'
import { rawImageOf } from '../../../src/media/image/raw-image.ts'

const codingOf = (format: string, file: Buffer): Promise<PhotoCoding> =>
  photoCoding(
    format,
    createWindow((at, length) => Promise.resolve(file.subarray(at, at + length))).part,
    file.length,
  )

const photo = (channels: 3 | 4 = 3): Sharp =>
  sharp({ create: { width: 64, height: 48, channels, background: { r: 200, g: 90, b: 20, alpha: 0.5 } } })
const deep = (): Sharp => photo().toColourspace('rgb16')
const frames = (count: number): Promise<Sharp> =>
  Promise.all(
    Array.from({ length: count }, (_, index) =>
      photo()
        .modulate({ brightness: 1 - index / 10 })
        .png()
        .toBuffer(),
    ),
  ).then((parts) => sharp(parts, { join: { animated: true } }))

const gradient = { width: 64, height: 48, sample: (x: number) => x }

/** Returns a TIFF without the number of rows in a strip. */
function withoutRows(file: Buffer): Buffer {
  file.writeUInt16LE(65_000, entryAt(file, 278))
  return file
}

describe('how pixels are coded', () => {
  it.each<[string, () => Promise<Buffer>, Partial<PhotoCoding>]>([
    ['jpg', () => photo().jpeg().toBuffer(), { pixelBytes: 1.5, isWhole: false }],
    ['jpg', () => photo().jpeg({ chromaSubsampling: '4:4:4' }).toBuffer(), { pixelBytes: 3, isWhole: false }],
    ['jpg', () => photo().jpeg({ progressive: true }).toBuffer(), { pixelBytes: 1.5, isWhole: true }],
    ['png', () => photo(4).png().toBuffer(), { pixelBytes: 4, isWhole: false, frames: 1 }],
    ['png', () => photo().png({ palette: true }).toBuffer(), { pixelBytes: 1 }],
    [
      'png',
      () => deep().png({ progressive: true }).toBuffer(),
      { pixelBytes: 6, isDeep: true, isWhole: true },
    ],
    ['png', () => photo().toColourspace('grey16').png().toBuffer(), { pixelBytes: 2, isDeep: true }],
    ['tiff', () => deep().tiff({ compression: 'lzw' }).toBuffer(), { pixelBytes: 6, isDeep: true }],
    [
      'tiff',
      () => Promise.resolve(makeTiff({ ...gradient, samples: 3, bits: 32, sampleFormat: 3 })),
      { pixelBytes: 12, isDeep: true },
    ],
    [
      'tiff',
      () => photo().grayscale().toColourspace('b-w').tiff().toBuffer(),
      { pixelBytes: 1, isDeep: false },
    ],
    ['tiff', () => photo().resize(64, 480).tiff().toBuffer(), { isWhole: false }],
    ['tiff', async () => withoutRows(await photo().resize(64, 480).tiff().toBuffer()), { isWhole: true }],
    ['tiff', () => photo().resize(64, 480).tiff({ tile: true }).toBuffer(), { isWhole: false }],
    ['tiff', () => photo().tiff({ tile: true }).toBuffer(), { isWhole: true }],
    ['webp', () => photo(4).webp().toBuffer(), { pixelBytes: 4, frames: 1 }],
    ['webp', () => photo().webp({ lossless: true }).toBuffer(), { pixelBytes: 3, frames: 1 }],
    ['webp', async () => (await frames(5)).webp().toBuffer(), { frames: 5 }],
    ['gif', async () => (await frames(7)).gif().toBuffer(), { pixelBytes: 1, frames: 7 }],
    ['avif', () => photo().avif({ effort: 0 }).toBuffer(), { pixelBytes: 3, frames: 1 }],
    ['avif', () => photo(4).avif({ effort: 0, bitdepth: 10 }).toBuffer(), { pixelBytes: 8 }],
    ['bmp', () => Promise.resolve(Buffer.alloc(100)), { pixelBytes: 3, frames: 1 }],
  ])('%s: case %#', async (format, make, expected) => {
    expect(await codingOf(format, await make())).toMatchObject(expected)
  })

  it('of an animated PNG says how many frames it has', async () => {
    const strip = await rawImageOf(photo().resize(64, 96))
    const { bytes } = await encodeApng(strip, { delays: [100, 100, 100], loop: 0 }, 'fast')
    expect(await codingOf('png', bytes)).toMatchObject({ pixelBytes: 3, frames: 3 })
  })

  it('of a deep JPEG XL is 16 bits', async () => {
    const file = await encodeJpegXl(await rawImageOf(deep()), { distance: 1, effort: 1 })
    expect(await codingOf('jxl', file)).toMatchObject({ pixelBytes: 6, frames: 1 })
  })

  it('doesn’t know how many frames an animation has whose first frame is larger than a header may be', async () => {
    const gif = await (await frames(4)).gif().toBuffer()
    const window = createWindow((at, length) => Promise.resolve(gif.subarray(at, at + length)), {
      parts: 5,
      bytes: 2 ** 20,
    })
    expect((await photoCoding('gif', window.part, gif.length)).frames).toBeUndefined()
  })

  it('assumes as many frames per byte in the rest of a large animation', async () => {
    const gif = await (await frames(4)).gif().toBuffer()
    const reads: number[] = []
    const window = createWindow(
      (at, length) => {
        reads.push(at)
        return Promise.resolve(gif.subarray(at, at + length))
      },
      { parts: 30, bytes: 2 ** 20 },
    )
    const coding = await photoCoding('gif', window.part, gif.length)
    expect(coding.frames).toBeGreaterThan(1)
    expect(reads.length).toBeLessThan(5)
  })
})
