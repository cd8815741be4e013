import { join } from 'node:path'
import sharp, { type Sharp } from 'sharp'
import { describe, expect, it } from 'vitest'
import { MARKERS, segment, withSegments } from '../../../src/media/image/jpeg-segments.ts'
import { openImage, type SourceImage } from '../../../src/media/image/source-image.ts'
import { holdPhoto } from '../../../src/media/inventory/hold-photo.ts'
import { otherDecode } from '../../../src/media/inventory/other-decoder.ts'
import { photoInventory } from '../../../src/media/inventory/photo-inventory.ts'
import {
  isSamePicture,
  isWorthComparing,
  looksLikeOriginal,
} from '../../../src/media/inventory/same-picture.ts'
import { ImageRecipe } from '../../../src/shared/preset/preset.ts'
import { describeInLongSuite, firstOf, itInLongSuite } from '../../faults/long-suite.ts'
import { temporaryFolder } from '../../temporary-folder.ts'
import { makeTiff, writeLongStrip } from '../image/make-tiff.ts'
import { heifImages } from '../../../src/media/inventory/heif-images.ts'
import { colors, makeHeic } from '../image/make-heic.ts'
import {
  photoFile,
  photoJob,
  type PhotoRecipe,
  processPhoto,
  samplePhoto,
  usePhotoFolder,
} from '../image/process-photo.ts'
import { lostIn, sentencesOf } from '../loss-sentences.ts'

usePhotoFolder()

const SQUARE = { tile: { width: 64, height: 64 }, width: 64, height: 64 }
const DOT = { width: 1, height: 1, channels: 4 } as const

/** Returns an RGBA PNG that is opaque apart from one pixel. */
const withHole = (alpha: number) =>
  sharp({ create: { width: 40, height: 30, channels: 4, background: { r: 9, g: 99, b: 199, alpha: 1 } } })
    .composite([{ input: Buffer.from([0, 0, 0, alpha]), raw: DOT, left: 3, top: 3, blend: 'dest-out' }])
    .png()

describe('a finished photo', () => {
  it('lost nothing if the format holds everything', async () => {
    const path = await photoFile('photo.jpg', samplePhoto().jpeg())
    for (const format of ['jpeg', 'png', 'webp', 'avif', 'jxl', 'tiff'] as const)
      expect(await lostIn(path, { format, size: { width: 60 } })).toEqual([])
  })

  it('may be a white page in tiles, which FFmpeg decodes as black', async () => {
    const page = sharp({ create: { width: 300, height: 300, channels: 3, background: 'white' } })
    const path = await photoFile('white.tif', page.tiff({ tile: true, tileWidth: 128, tileHeight: 128 }))
    expect(await lostIn(path, { format: 'jpeg' })).toEqual([])
  })

  it('lost transparency only if something was transparent', async () => {
    expect(await lostIn(await photoFile('hole.png', withHole(255)), { format: 'jpeg' })).toEqual([
      'Transparency. JPEG can’t hold it.',
    ])
    expect(await lostIn(await photoFile('full.png', withHole(0)), { format: 'jpeg' })).toEqual([])
  })

  itInLongSuite('lost a depth map and other images of a HEIC, unless all metadata is removed', async () => {
    const depth = makeHeic({ ...SQUARE, auxiliary: 'urn:mpeg:hevc:2015:auxid:2' })
    const matte = makeHeic({ ...SQUARE, auxiliary: 'urn:example:matte' })
    const files = [await photoFile('depth.heic', depth), await photoFile('matte.heic', matte)]
    const lost = await Promise.all(files.map((file) => lostIn(file, { format: 'jpeg', metadata: 'keep' })))
    expect(lost).toEqual([
      ['Depth map. JPEG can’t hold it.'],
      ['1 embedded image. Mediatray can’t write this in any format.'],
    ])
    for (const file of files) expect(await lostIn(file, { format: 'jpeg' })).toEqual([])
  })

  it('lost the further images of a HEIC, but not its tiles', async () => {
    const grid = makeHeic({ tile: { width: 64, height: 64 }, columns: 2, width: 128, height: 64 })
    expect(heifImages(grid)).toEqual({ pages: 1, depthMap: false, embeddedImages: 0 })
    const apart = Buffer.from(grid)
    apart.write('cdsc', apart.indexOf('dimg'), 'latin1')
    // The flag after the type and the version hides an item.
    for (let at = apart.indexOf('infe'); at >= 0; at = apart.indexOf('infe', at + 4))
      apart.writeUInt8(0, at + 7)
    expect(heifImages(apart).pages).toBe(3)
  })

  it('lost bits per channel only if another format wasn’t asked for', async () => {
    const deep = await photoFile('deep.png', samplePhoto().toColourspace('rgb16').png())
    expect(await lostIn(deep, { format: 'webp' })).toEqual([])
    expect(await lostIn(deep)).toEqual([])
  })

  it.each(
    firstOf([
      ['16-bit floating-point samples', { bits: 16, sampleFormat: 3 }],
      ['32-bit integers', { bits: 32, photometric: 2, samples: 3 }],
      ['signed 32-bit integers', { bits: 32, sampleFormat: 2 }],
    ] as const),
  )('must show what the numbers of the original say: %s', async (_, shape) => {
    // The lowest bits are random, as in any photo.
    const most = shape.bits === 32 ? 2 ** 31 : 1
    const sample = (x: number, y: number, channel: number) =>
      ((x + y * (channel + 1)) / 144) * most + (shape.bits === 32 ? (x * 7919 + y * 104_729) % 251 : 0)
    const path = await photoFile('numbers.tif', makeTiff({ ...shape, sample }))
    const recipe = ImageRecipe.parse({ format: 'png' })
    const photo = await openImage(path)
    const { output } = await processPhoto(path, { format: 'png' })
    expect(await looksLikeOriginal(path, photo, output, recipe)).toBe(true)
    // A decoder that takes the numbers for plain samples reports success.
    const naive: SourceImage = { ...photo, source: () => Promise.resolve({ input: path, options: {} }) }
    const garbled = await photoFile('garbled.png', await sharp(path).png().toBuffer())
    expect(isWorthComparing(naive)).toBe(true)
    expect(await looksLikeOriginal(path, naive, garbled, recipe)).toBe(false)
  })

  itInLongSuite(
    'is compared with the numbers of the original even if they are in one strip of more than 50 MB',
    async () => {
      const [path, side] = [join(temporaryFolder(), 'strip.tiff'), 1_200]
      const numbers = Float32Array.from({ length: side ** 2 }, (_, at) => at / side ** 2)
      await writeLongStrip(path, side, Buffer.from(numbers.buffer), { 258: [32], 339: [3] })
      expect(await otherDecode(path, await openImage(path))).toMatchObject({ isRelative: true })
    },
  )

  it.each(['png', 'tiff'] as const)('isn’t decoded twice if it is a large %s of 16 bits', async (format) => {
    const deep = samplePhoto(480, 320).toColourspace('rgb16').toFormat(format)
    expect(isWorthComparing(await openImage(await photoFile(`deep.${format}`, deep)))).toBe(false)
  })
})

const inP3 = () => samplePhoto(64, 48).withIccProfile('p3')
const deep = (image: Sharp) => image.toColourspace('rgb16').withIccProfile('p3').png()
const heic = (pixelFormat: string) =>
  makeHeic({ ...SQUARE, pixelFormat, properties: [colors(6, true, 12, 13)] })
const asJpegXl = async (content: Sharp, lossless: boolean) =>
  (await processPhoto(await photoFile('a.png', content), { format: 'jxl', colour: 'keep', lossless })).bytes

it.each(['jpeg', 'png', 'webp', 'avif'] as const)(
  'takes the inventory of a %s from one reading',
  async (format) => {
    const content = await samplePhoto(64, 48)
      .withExif({ IFD0: { Artist: 'Ada' } })
      .toFormat(format)
      .toBuffer()
    const photo = await openImage(await photoFile('a', content))
    expect(await photoInventory('no such file', { ...photo, content })).toMatchObject({
      tags: { author: true },
    })
  },
)

describe('the colors and the depth of a photo', () => {
  it.each<readonly [string, number, () => Promise<Buffer> | Sharp | Buffer]>(
    firstOf(
      [
        ['deep.png', 16, () => deep(samplePhoto(64, 48))],
        ['profile.jxl', 8, () => asJpegXl(inP3().png(), true)],
        ['numbers.jxl', 16, () => asJpegXl(deep(samplePhoto(64, 48)), false)],
        ['numbers.heic', 8, () => heic('yuv420p')],
        ['deep.heic', 10, () => heic('yuv420p10le')],
        ['deep.avif', 10, () => inP3().avif({ bitdepth: 10 })],
        ['deeper.avif', 12, () => inP3().avif({ bitdepth: 12 })],
      ],
      2,
    ),
  )('are known and kept, or named with what the format lacks: %s', async (name, bits, make) => {
    const path = await photoFile(name, await make())
    expect(await photoInventory(path, await openImage(path))).toMatchObject({ color: 'own', bitDepth: bits })
    for (const format of ['same', 'png', 'jxl', 'tiff'] as const) {
      const lost = bits > 8 && format === 'same' && name.endsWith('heic')
      expect(await lostIn(path, { format, colour: 'keep' }), format).toEqual(
        lost ? [`${bits} bits per channel. JPEG holds 8 bits.`] : [],
      )
    }
    const { output } = await processPhoto(path, { format: 'png', colour: 'keep' })
    expect((await sharp(output).metadata()).bitsPerSample).toBe(bits > 8 ? 16 : 8)
  })

  itInLongSuite('are lost if a JPEG XL lacks them', async () => {
    const inputPath = await photoFile('deep.avif', inP3().avif({ bitdepth: 10 }))
    const job = photoJob(inputPath, { format: 'jxl', colour: 'keep' })
    const plain = await processPhoto(inputPath, { format: 'jpeg' })
    const poor = await processPhoto(plain.output, { format: 'jxl' })
    const { losses } = await holdPhoto(job, { photo: await openImage(inputPath) }, { ...poor, losses: [] })
    expect(sentencesOf(losses)).toEqual([
      '10 bits per channel. The result doesn’t contain it.',
      'Color profile. The result doesn’t contain it.',
    ])
  })

  itInLongSuite('are lost with a profile that is incomplete', async () => {
    const { icc = Buffer.alloc(0) } = await sharp(await inP3().jpeg().toBuffer()).metadata()
    const name = 'ICC_PROFILE\0'
    const cut = segment(MARKERS.APP2, `${name}\x01\x01`, icc.subarray(0, icc.length - 8))
    const path = await photoFile('cut.jpg', withSegments(await samplePhoto(64, 48).jpeg().toBuffer(), [cut]))
    for (const format of ['same', 'png', 'jxl'] as const) {
      const lost = await lostIn(path, { format, colour: 'keep' })
      expect(lost, format).toEqual(['Color profile. The result doesn’t contain it.'])
    }
  })

  itInLongSuite('become sRGB if they are CMYK, which is a loss only if the preset keeps colors', async () => {
    const cmyk = samplePhoto(64, 48).toColourspace('cmyk').withIccProfile('cmyk')
    const inks = await photoFile('inks.jpg', cmyk.jpeg())
    const lost = ['CMYK colors. Mediatray can’t write this in any format.']
    for (const format of ['jpeg', 'png', 'jxl', 'tiff'] as const) {
      expect(await lostIn(inks, { format, colour: 'keep' }), format).toEqual(lost)
      expect(await lostIn(inks, { format }), format).toEqual([])
    }
  })
})

describeInLongSuite('fine patterns', () => {
  const PATTERNS: Readonly<Record<string, (x: number, y: number) => string>> = {
    'upright stripes of 3 pixels': (x) => (Math.floor(x / 3) % 2 === 0 ? 'white' : 'black'),
    'upright stripes of 5 pixels': (x) => (Math.floor(x / 5) % 2 === 0 ? 'white' : 'black'),
    'level stripes of a pixel': (_x, y) => (y % 2 === 0 ? 'white' : 'black'),
    'a checkerboard': (x, y) => ((Math.floor(x / 7) + Math.floor(y / 7)) % 2 === 0 ? 'white' : 'black'),
    'red and green stripes': (x, y) => (Math.floor((x + y) / 2) % 2 === 0 ? 'red' : 'green'),
    'red and blue stripes': (x) => (Math.floor(x / 5) % 2 === 0 ? 'red' : 'blue'),
    'single lines': (x) => (x % 24 === 3 ? 'black' : 'white'),
  }
  const COLORS: Readonly<Record<string, readonly number[]>> = {
    white: [255, 255, 255],
    black: [0, 0, 0],
    red: [255, 0, 0],
    green: [0, 200, 0],
    blue: [0, 0, 255],
  }
  const SIZES = [
    [601, 160],
    [301, 300],
    [97, 33],
  ] as const
  const RECIPES: readonly PhotoRecipe[] = [
    { format: 'jpeg' },
    { format: 'jpeg', grayscale: true },
    { format: 'jpeg', quality: 20, size: { width: 160 } },
    { format: 'webp', size: { width: 100 } },
    { format: 'avif', size: { width: 64, height: 64, fit: 'cover' } },
  ]

  it.each(firstOf(Object.entries(PATTERNS), 3))(
    'never make a result look like another picture: %s',
    async (name, colorOf) => {
      for (const [width, height] of SIZES) {
        const colors = Array.from(
          { length: width * height },
          (_, index) => COLORS[colorOf(index % width, Math.floor(index / width))] ?? [],
        )
        const image = sharp(Buffer.from(colors.flat()), { raw: { width, height, channels: 3 } })
        const path = await photoFile(`${name}-${width}.png`, image.png())
        for (const recipe of RECIPES) await processPhoto(path, recipe)
      }
    },
  )
})

const picture = (value: (x: number, y: number) => number) =>
  Uint8Array.from({ length: 1024 }, (_, index) => value(index % 32, Math.floor(index / 32)))
const flat = (value: number) => picture(() => value)

describe('two pictures at 32 × 32', () => {
  const slope = picture((x, y) => 4 * x + 3 * y)
  const gentleSlope = picture((x, y) => 30 + 2 * x + y)
  const noise = picture((x, y) => (x * 7919 + y * 104_729 + x * y * 31) % 251)

  it('are the same if light and dark are where they were', () => {
    expect(isSamePicture(slope, slope)).toBe(true)
    expect(isSamePicture(slope, gentleSlope)).toBe(true)
    expect(isSamePicture(flat(200), flat(190))).toBe(true)
  })

  it('differ if the result is black, garbled, or another plain color', () => {
    expect(isSamePicture(slope, flat(0))).toBe(false)
    expect(isSamePicture(slope, noise)).toBe(false)
    expect(isSamePicture(flat(240), flat(3))).toBe(false)
  })

  it('don’t differ if it is the other decoder that gives noise or a plain area', () => {
    expect(isSamePicture(noise, slope)).toBe(true)
    expect(isSamePicture(flat(0), slope)).toBe(true)
  })
})
