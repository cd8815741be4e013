import sharp, { type Sharp } from 'sharp'
import { describe, expect, it } from 'vitest'
import { imageSize } from '../../../src/node/media-header/image-size.ts'
import { type PhotoCoding, photoCoding, UNKNOWN_CODING } from '../../../src/node/media-header/photo-coding.ts'
import { createWindow } from '../../../src/node/media-header/window.ts'
import { encodeApng } from '../../../src/media/image/encode-frames.ts'
import { encodeJpegXl, encodeJpegXlFrames } from '../../../src/media/image/jpeg-xl.ts'
import { TRANSFERS } from '../../../src/media/image/hdr-colors.ts'
import { makeBox } from '../../../src/media/make-box.ts'
import { pngChunk } from '../../../src/media/image/png-chunks.ts'
import { AUXILIARY, colors, cut, makeHeic, PICTURE, turned } from '../../media/image/make-heic.ts'
import { entryAt, makePages, makeTiff, type TiffShape } from '../../media/image/make-tiff.ts'
import { openTiff } from '../../../src/media/image/tiff/open-tiff.ts'
import { photoFile, usePhotoFolder } from '../../media/image/process-photo.ts'
import { rawImageOf } from '../../../src/media/image/raw-image.ts'
import { firstOf } from '../../faults/long-suite.ts'

usePhotoFolder()

const windowOn = (file: Buffer) =>
  createWindow((at, length) => Promise.resolve(file.subarray(at, at + length))).part

const codingOf = (format: string, file: Buffer): Promise<PhotoCoding> =>
  photoCoding(format, windowOn(file), file.length)

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

const LOSSLESS = { distance: 0 }

/** Makes an animation of frames with different brightness. */
async function animatedJpegXl(
  make: () => Sharp,
  settings: { readonly distance?: number } = {},
  delays: readonly number[] = [100, 100, 100],
): Promise<Buffer> {
  const images = await Promise.all(
    delays.map((_, index) =>
      rawImageOf(
        make()
          .linear(1 - index / 10)
          .keepIccProfile(),
      ),
    ),
  )
  return encodeJpegXlFrames(images, { distance: 1, effort: 1, ...settings }, delays)
}

const gradient = { width: 64, height: 48, sample: (x: number) => x }

const GRAY_ALPHA: Partial<TiffShape> = { photometric: 1, samples: 2, extraSamples: [2] }
const THUMBNAIL: Partial<TiffShape> = { width: 6, height: 5, tags: { 254: [1] } }

/** Returns a TIFF without the number of rows in a strip. */
function withoutRows(file: Buffer): Buffer {
  file.writeUInt16LE(65_000, entryAt(file, 278))
  return file
}

/** Returns a JPEG whose first scan contains only one of its channels. */
function inSeparateScans(file: Buffer): Buffer {
  file.writeUInt8(1, file.indexOf(Buffer.from([0xff, 0xda])) + 4)
  return file
}

describe('how pixels are coded', () => {
  it.each<[string, () => Promise<Buffer>, Partial<PhotoCoding>]>([
    ['jpg', () => photo().jpeg().toBuffer(), { pixelBytes: 1.5, isWhole: false }],
    ['jpg', () => photo().jpeg({ chromaSubsampling: '4:4:4' }).toBuffer(), { pixelBytes: 3, isWhole: false }],
    ['jpg', () => photo().jpeg({ progressive: true }).toBuffer(), { pixelBytes: 1.5, isWhole: true }],
    ['jpg', async () => inSeparateScans(await photo().jpeg().toBuffer()), { pixelBytes: 1.5, isWhole: true }],
    ['jpg', () => photo().toColourspace('b-w').jpeg().toBuffer(), { pixelBytes: 1, isWhole: false }],
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
      () => Promise.resolve(makeTiff({ ...gradient, samples: 3, bits: 16, isBig: true })),
      { pixelBytes: 6, isDeep: true },
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
    ['png', () => deep().png().toBuffer(), { hasProfile: false }],
    ['png', () => deep().withIccProfile('p3').png().toBuffer(), { hasProfile: true }],
    ['tiff', () => photo().tiff().toBuffer(), { hasProfile: false }],
    ['tiff', () => photo().withIccProfile('p3').tiff().toBuffer(), { hasProfile: true }],
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

  it.each([0, 1])(
    'of a GIF says which canvas its frames need, despite a header of %d pixels',
    async (side) => {
      const gif = await (await frames(3)).gif().toBuffer()
      gif.writeUInt16LE(side, 6)
      gif.writeUInt16LE(side, 8)
      const size = { width: 64, height: 48 }
      expect(await codingOf('gif', gif)).toMatchObject({ frames: 3, needed: size })
      const { width, pageHeight: height } = await sharp(gif, { animated: true }).metadata()
      expect({ width, height }).toEqual(size)
    },
  )

  it.each([
    ['jpg', 'ffd8ffda0000'],
    ['heic', '0000000866747970'],
    ['jxl', '0000000c4a584c200d0a870a'],
  ])('of a %s without a header is unknown', async (format, bytes) => {
    expect(await codingOf(format, Buffer.from(bytes, 'hex'))).toEqual(UNKNOWN_CODING)
  })

  it('of an animated PNG says how many frames it has', async () => {
    const strip = await rawImageOf(photo().resize(64, 96))
    const { bytes } = await encodeApng(strip, { delays: [100, 100, 100], loop: 0 }, 'fast')
    expect(await codingOf('png', bytes)).toMatchObject({ pixelBytes: 3, frames: 3 })
    bytes.writeUInt32BE(1, bytes.indexOf('acTL') + 4)
    expect(await codingOf('png', bytes)).toMatchObject({ frames: 3 })
  })

  it.each<[string, Partial<TiffShape>, boolean]>(
    firstOf(
      [
        ['whole numbers', {}, false],
        ['floating-point numbers', { bits: 32, sampleFormat: 3 }, true],
        ['Lab', { photometric: 8 }, true],
        ['an unusual depth', { bits: 12 }, true],
        ['4 bits of each color', { bits: 4 }, true],
        ['4 bits of gray', { bits: 4, photometric: 1, samples: 1 }, false],
        ['another compression', { compression: 'zstd' }, true],
        ['separate strips', { isPlanar: true }, false],
        ['separate tiles', { isPlanar: true, tile: [16, 16] }, true],
        ['separate strips of gray and transparency', { ...GRAY_ALPHA, isPlanar: true }, true],
        ['gray and transparency', GRAY_ALPHA, false],
        ['transparency', { samples: 4, extraSamples: [2] }, false],
        ['premultiplied transparency', { samples: 4, extraSamples: [1] }, false],
        ['a channel of unspecified purpose', { samples: 4, extraSamples: [0] }, true],
        ['a channel without a purpose', { samples: 4 }, true],
        ['two more channels', { samples: 5, extraSamples: [2, 0] }, true],
        ['CMYK', { photometric: 5, samples: 4 }, false],
        ['CMYK and transparency', { photometric: 5, samples: 5, extraSamples: [2] }, true],
        ['unknown colors', { photometric: 999 }, false],
      ],
      4,
    ),
  )('of a TIFF with %s says whether it is rewritten', async (_, shape, isRewritten) => {
    const file = makeTiff({ ...gradient, samples: 3, photometric: 2, ...shape })
    expect(await codingOf('tiff', file)).toMatchObject({ isRewritten, isHeld: false })
    expect((await openTiff(await photoFile('a.tif', file))) !== undefined).toBe(isRewritten)
  })

  it.each<[string, Partial<TiffShape>, Partial<TiffShape>, Partial<PhotoCoding>]>(
    firstOf([
      ['the first image', {}, THUMBNAIL, { isRewritten: false, isHeld: false }],
      ['after a thumbnail', THUMBNAIL, {}, { isRewritten: false, isHeld: true }],
      ['after a thumbnail, and rewritten', THUMBNAIL, { bits: 12 }, { isRewritten: true, isHeld: false }],
    ]),
  )('of a TIFF says whether its whole file is read: %s', async (_, one, other, expected) => {
    const shape = { ...gradient, samples: 3, photometric: 2 }
    const file = makePages([
      { ...shape, ...one },
      { ...shape, ...other },
    ])
    expect(await codingOf('tiff', file)).toMatchObject(expected)
  })

  it.each([
    [16, true],
    [18, true],
    [13, false],
  ])('of a PNG says whether it is HDR: curve %d', async (curve, isHdr) => {
    const file = await deep().png().toBuffer()
    const chunk = pngChunk('cICP', Buffer.from([9, curve, 0, 1]))
    const changed = Buffer.concat([file.subarray(0, 33), chunk, file.subarray(33)])
    expect(await codingOf('png', changed)).toMatchObject({ isHdr })
  })

  it.each(
    firstOf([
      ['pq', true],
      [undefined, false],
    ] as const),
  )('of a JPEG XL and a HEIC says whether it is HDR: %s', async (curve, isHdr) => {
    const raw = await rawImageOf(deep())
    const hdr = curve && { primaries: 9, curve }
    const file = await encodeJpegXl({ ...raw, hdr }, { distance: 1, effort: 1 })
    expect(await codingOf('jxl', file)).toMatchObject({ isHdr })
    const size = { width: 64, height: 48 }
    const properties = [colors(9, false, 9, curve === undefined ? 1 : TRANSFERS[curve])]
    const heic = makeHeic({ ...size, tile: size, pixelFormat: 'yuv420p10le', properties })
    expect(await codingOf('heic', heic)).toMatchObject({ isDeep: true, isHdr, isWhole: true })
    const tiled = makeHeic({ ...size, tile: { width: 64, height: 64 }, columns: 2, rows: 1, width: 100 })
    expect(await codingOf('heic', tiled)).toMatchObject({ isHdr: false, isWhole: false })
  })

  it('of a HEIC is HDR if its image or the tiles are, but not if only the image made with its gain map is', async () => {
    const tile = { width: 64, height: 64 }
    const pq = colors(9, true, 9, TRANSFERS.pq)
    const reference = { type: 'dimg', to: [PICTURE, AUXILIARY] } as const
    const more = [{ type: 'tmap', data: Buffer.alloc(16), reference, properties: [pq] }] as const
    const auxiliary = 'urn:com:apple:photo:2020:aux:hdrgainmap'
    const described = makeHeic({ tile, width: 64, height: 64, auxiliary, more })
    expect(described.includes(pq)).toBe(true)
    expect(await codingOf('heic', described)).toMatchObject({ isHdr: false })
    const tiled = { tile, columns: 2, rows: 1, width: 100, height: 64 }
    expect(await codingOf('heic', makeHeic({ ...tiled, tileProperties: [pq] }))).toMatchObject({
      isHdr: true,
    })
    expect(await codingOf('heic', makeHeic({ ...tiled, properties: [pq] }))).toMatchObject({ isHdr: true })
  })

  it('of a HEIC says that the whole image is needed, even if only a part of it is displayed', async () => {
    const size = { width: 96, height: 64 }
    const heic = makeHeic({ ...size, tile: size, properties: [cut(20, 10, 0, 0), turned(1)] })
    const shown = await imageSize('heic', windowOn(heic))
    expect(shown).toEqual({ width: 10, height: 20 })
    expect(await codingOf('heic', heic)).toMatchObject({ needed: { width: 64, height: 96 } })
  })

  it('of a deep JPEG XL is 16 bits', async () => {
    const file = await encodeJpegXl(await rawImageOf(deep()), { distance: 1, effort: 1 })
    expect(await codingOf('jxl', file)).toMatchObject({ pixelBytes: 6, frames: 1 })
  })

  it.each<[string, Parameters<typeof animatedJpegXl>, number]>([
    ['colors', [photo], 3],
    ['several groups', [() => photo().resize(600, 500)], 3],
    ['transparency', [() => photo(4)], 3],
    ['transparency, lossless', [() => photo(4), LOSSLESS], 3],
    ['16 bits', [deep], 3],
    ['gray', [() => photo().grayscale().toColourspace('b-w')], 3],
    ['a last frame that is stored twice', [photo, {}, [100, 100, 200]], 4],
  ])('of an animated JPEG XL says how many frames it has: %s', async (_, shape, count) => {
    const file = await animatedJpegXl(...shape)
    expect((await codingOf('jxl', file)).frames).toBe(count)
    const middle = Math.ceil(file.length / 3)
    const divided = [file.subarray(0, middle), file.subarray(middle)].map((part, index) =>
      makeBox('jxlp', Buffer.concat([Buffer.from([0, 0, 0, index]), part])),
    )
    const signature = makeBox('JXL ', Buffer.from('\r\n\x87\n', 'latin1'))
    expect((await codingOf('jxl', Buffer.concat([signature, ...divided]))).frames).toBe(count)
  })

  it.each<[string, Parameters<typeof animatedJpegXl>, number]>([
    ['last frame is missing', [photo], -1],
    ['profile has an unknown length', [() => photo().withIccProfile('p3'), LOSSLESS], Infinity],
    ['sections are in another order', [() => photo().resize(2_060, 16)], Infinity],
  ])('doesn’t know how many frames a JPEG XL has whose %s', async (_, shape, end) => {
    const file = await animatedJpegXl(...shape)
    expect((await codingOf('jxl', file.subarray(0, end))).frames).toBeUndefined()
  })

  it('assumes as many frames per byte in the rest of a large JPEG XL', async () => {
    const file = await animatedJpegXl(() => photo().resize(600, 500), LOSSLESS, Array(8).fill(100))
    const window = createWindow((at, length) => Promise.resolve(file.subarray(at, at + length)), {
      parts: 16,
      bytes: 2 ** 20,
    })
    expect((await photoCoding('jxl', window.part, file.length)).frames).toBeCloseTo(8, -1)
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
