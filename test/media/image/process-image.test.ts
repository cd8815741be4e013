import sharp, { type Sharp } from 'sharp'
import { describe, expect, it } from 'vitest'
import { openImage } from '../../../src/media/image/source-image.ts'
import { processImage } from '../../../src/media/image/process-image.ts'
import { FailureError } from '../../../src/shared/failure/failure-error.ts'
import type { VariationValues } from '../../../src/shared/preset/variation.ts'
import { NO_VARIATION } from '../no-variation.ts'
import { photoFile, photoJob, type PhotoRecipe, processPhoto, usePhotoFolder } from './process-photo.ts'
import { firstOf, itInLongSuite } from '../../faults/long-suite.ts'

usePhotoFolder()

async function processed(inputPath: string, recipe: PhotoRecipe = {}, variation?: VariationValues) {
  const made = await processPhoto(inputPath, recipe, { variation })
  const metadata = await sharp(made.output).metadata()
  const size = { width: metadata.width, height: metadata.pageHeight ?? metadata.height }
  expect({ width: made.width, height: made.height }).toEqual(size)
  return { ...made, metadata }
}

async function pixel(output: string, left: number, top: number): Promise<number[]> {
  return [...(await sharp(output).extract({ left, top, width: 1, height: 1 }).raw().toBuffer())]
}

function expectNear(actual: number[], expected: number[], tolerance = 6): void {
  const apart = expected.map((value, index) => Math.abs(value - (actual[index] ?? Number.NaN)))
  expect(Math.max(...apart), `${actual.join()} is not near ${expected.join()}`).toBeLessThanOrEqual(tolerance)
}

const bytes = (source: string) => sharp(source).removeAlpha().raw().toBuffer()

const reasonFor = async (name: string, content: Buffer) => {
  const failure = await processed(await photoFile(name, content)).catch((error: unknown) => error)
  expect(failure).toBeInstanceOf(FailureError)
  return String(failure)
}

const RED = [255, 0, 0]
const GREEN = [0, 255, 0]
const BLUE = [0, 0, 255]
const WHITE = [255, 255, 255]

/** Four quarters: red and green at the top, blue and white at the bottom. */
const quarters = (width = 64, height = 48): Sharp =>
  sharp(Buffer.from([RED, GREEN, BLUE, WHITE].flat()), { raw: { width: 2, height: 2, channels: 3 } }).resize(
    width,
    height,
    { fit: 'fill', kernel: 'nearest' },
  )

const solid = (background: string, channels: 3 | 4 = 3) =>
  sharp({ create: { width: 8, height: 8, channels, background } })

/** Colors at the centers of the four quarters, row by row. */
async function corners(output: string): Promise<number[][]> {
  const { width, height } = await sharp(output).metadata()
  const places = [1, 3].flatMap((y) => [1, 3].map((x) => [(width * x) >> 2, (height * y) >> 2] as const))
  return Promise.all(places.map(([x, y]) => pixel(output, x, y).then((colour) => colour.slice(0, 3))))
}

async function expectCorners(output: string, expected: number[][]): Promise<void> {
  const actual = await corners(output)
  for (const [index, colour] of expected.entries()) expectNear(actual[index] ?? [], colour, 12)
}

describe('the orientation of a file', () => {
  const seenAs: Record<number, number[][]> = {
    1: [RED, GREEN, BLUE, WHITE],
    2: [GREEN, RED, WHITE, BLUE],
    3: [WHITE, BLUE, GREEN, RED],
    4: [BLUE, WHITE, RED, GREEN],
    5: [RED, BLUE, GREEN, WHITE],
    6: [BLUE, RED, WHITE, GREEN],
    7: [WHITE, GREEN, BLUE, RED],
    8: [GREEN, WHITE, RED, BLUE],
  }
  it.each(firstOf([6, 8, 3, 1, 2, 4, 5, 7], 3))(
    '%i is applied once, at full size, scaled, cropped and varied',
    async (orientation) => {
      const content = quarters().withMetadata({ orientation }).jpeg({ chromaSubsampling: '4:4:4' })
      const input = await photoFile('a.jpg', content)
      const expected = seenAs[orientation] ?? []
      const turned = orientation >= 5
      const kept = await processed(input, { metadata: 'keep', quality: 95 })
      expect(kept.metadata.orientation ?? 1).toBe(1)
      expect([kept.metadata.width, kept.metadata.height]).toEqual(turned ? [48, 64] : [64, 48])
      await expectCorners(kept.output, expected)
      await expectCorners((await processed(input, { size: { width: 24 }, quality: 95 })).output, expected)
      await expectCorners((await processed(input, { crop: { aspect: 1 }, quality: 95 })).output, expected)
      const varied = await processed(input, { quality: 95 }, { ...NO_VARIATION, rotation: 2 })
      await expectCorners(varied.output, expected)
    },
  )
})

const box = (width: number, height: number, fit: 'cover' | 'contain') => ({ size: { width, height, fit } })

describe('size', () => {
  it.each<[string, PhotoRecipe, [number, number]]>([
    ['inside keeps everything', { size: { width: 32, height: 32 } }, [32, 24]],
    ['inside never enlarges by default', { size: { width: 640, height: 640 } }, [64, 48]],
    ['inside enlarges on request', { size: { width: 640, enlarge: true } }, [640, 480]],
    ['one side is enough', { size: { height: 12 } }, [16, 12]],
    ['cover fills the box', box(20, 30, 'cover'), [20, 30]],
    ['cover of a small image keeps the aspect ratio of the box', box(960, 960, 'cover'), [48, 48]],
    ['contain pads with the background', box(40, 40, 'contain'), [40, 40]],
    ['contain pads a small image to the whole box', box(99, 99, 'contain'), [99, 99]],
    ['crop comes first', { crop: { aspect: 1 }, size: { width: 24, height: 24 } }, [24, 24]],
    ['rotation swaps the sides', { rotate: 90, size: { width: 24, height: 100 } }, [24, 32]],
    ['rotation and crop can be combined', { rotate: 270, ...box(30, 20, 'cover') }, [30, 20]],
  ])('%s', async (_name, recipe, [width, height]) => {
    const { metadata } = await processed(await photoFile('a.png', quarters().png()), recipe)
    expect([metadata.width, metadata.height]).toEqual([width, height])
  })

  it('contain centers the image on the background', async () => {
    const input = await photoFile('a.png', quarters().png())
    const { output } = await processed(input, { background: '#102030', ...box(64, 64, 'contain') })
    expectNear(await pixel(output, 3, 3), [0x10, 0x20, 0x30])
    expectNear(await pixel(output, 3, 12), RED)
  })

  it('rotation is clockwise', async () => {
    const { output } = await processed(await photoFile('a.png', quarters().png()), { rotate: 90 })
    await expectCorners(output, [BLUE, RED, WHITE, GREEN])
  })
})

describe('color processing', () => {
  it('preserves transparency in PNG and WebP, and fills it with the background color in JPEG', async () => {
    const input = await photoFile('a.png', solid('#ff000000', 4).png())
    for (const recipe of [{}, { format: 'webp', lossless: true }] as const)
      expect((await pixel((await processed(input, recipe)).output, 4, 4))[3]).toBe(0)
    const flat = await processed(input, { format: 'jpeg', background: '#0000ff', quality: 95 })
    expectNear(await pixel(flat.output, 4, 4), BLUE)
  })

  it('keeps gray images gray, with one channel', async () => {
    const gray = solid('#777777').toColourspace('b-w').jpeg()
    const { output, metadata } = await processed(await photoFile('a.jpg', gray))
    expect(metadata.channels).toBe(1)
    expectNear(await pixel(output, 4, 4), [0x77])
    const made = await processed(await photoFile('b.png', quarters().png()), { grayscale: true })
    expect(made.metadata.channels).toBe(1)
  })

  it.each(firstOf(['png', 'tiff'] as const))(
    'preserves 16 bits in %s, and reduces them to 8 in WebP',
    async (format) => {
      const content = quarters().toColourspace('rgb16').toFormat(format, { compression: 'lzw' })
      const input = await photoFile(`a.${format}`, content)
      const deep = await processed(input, { size: { width: 32 } })
      expect(deep.metadata.depth).toBe('ushort')
      expect((await processed(input, { format: 'webp' })).metadata.depth).toBe('uchar')
    },
  )

  it('converts a wide profile to sRGB on request, and otherwise keeps the profile and its values', async () => {
    const input = await photoFile('a.png', quarters().withIccProfile('p3').png())
    const kept = await processed(input, { colour: 'keep' })
    expect(kept.metadata.icc).toBeDefined()
    const bare = await photoFile('bare.png', sharp(kept.output, { ignoreIcc: true }).png())
    expectNear(await pixel(bare, 3, 3), [234, 51, 35])
    const converted = await processed(input, { colour: 'srgb' })
    expect(converted.metadata.icc).toBeUndefined()
    expectNear(await pixel(converted.output, 3, 3), RED)
  })

  it('always converts CMYK to sRGB', async () => {
    const input = await photoFile('a.jpg', quarters().toColourspace('cmyk').jpeg())
    for (const colour of ['keep', 'srgb'] as const) {
      const { output, metadata } = await processed(input, { colour, format: 'png' })
      expect(metadata.space).toBe('srgb')
      const [red = 0, green = 0, blue = 0] = await pixel(output, 3, 3)
      expect(red).toBeGreaterThan(180)
      expect(Math.max(green, blue)).toBeLessThan(90)
    }
  })
})

describe('metadata', () => {
  const exif = { IFD0: { Copyright: 'Somebody' }, IFD3: { GPSLatitude: '51/1 30/1 0/1' } }

  it('is stripped or kept as the preset requires', async () => {
    const input = await photoFile('a.jpg', quarters().withExif(exif).jpeg())
    expect((await processed(input)).metadata.exif).toBeUndefined()
    expect((await processed(input, { metadata: 'keep' })).metadata.exif?.toString('latin1')).toContain(
      'Somebody',
    )
  })
})

describe('an animation', () => {
  const delay = [70, 80, 90]
  const animation = async () => {
    const frames = await Promise.all(
      ['#f00', '#0f0', '#00f'].map((color) => solid(color).resize(20, 10).png().toBuffer()),
    )
    const moving = sharp(frames, { join: { animated: true } }).webp({ delay, loop: 2, lossless: true })
    return photoFile('a.webp', moving)
  }

  it.each<[string, PhotoRecipe, [number, number]]>([
    ['as it is', {}, [20, 10]],
    ['scaled', { size: { width: 10 } }, [10, 5]],
    ['cut', { crop: { aspect: 1 } }, [10, 10]],
    ['framed', { size: { width: 20, height: 20, fit: 'contain' } }, [20, 20]],
    ['turned', { rotate: 90 }, [10, 20]],
  ])('keeps its frames and their durations: %s', async (_name, recipe, [width, height]) => {
    const { output, metadata } = await processed(await animation(), { lossless: true, ...recipe })
    expect(metadata).toMatchObject({ width, height, pages: 3, delay, loop: 2 })
    const second = await photoFile('second.png', sharp(output, { page: 1 }).png())
    expectNear((await pixel(second, width >> 1, height >> 1)).slice(0, 3), GREEN)
  })

  it('is reduced to its first frame if the format or the preset requires that', async () => {
    const input = await animation()
    const jpeg = await processed(input, { format: 'jpeg', quality: 95 })
    expectNear(await pixel(jpeg.output, 5, 5), RED)
    expect((await processed(input, { animation: 'first-frame' })).metadata.pages ?? 1).toBe(1)
  })
})

describe('the format', () => {
  it.each(['jpeg', 'png', 'webp', 'tiff', 'avif'] as const)(
    '%s is preserved by default, and can be requested',
    async (format) => {
      const kind = format === 'avif' ? 'heif' : format
      const input = await photoFile('a.png', quarters().toFormat(format))
      expect((await processed(input)).metadata.format).toBe(kind)
      expect((await processed(await photoFile('b.jpg', quarters().jpeg()), { format })).metadata.format).toBe(
        kind,
      )
    },
  )

  it('is detected from the content: a JPEG called .png remains a JPEG and is renamed', async () => {
    const { extension } = await processed(await photoFile('photo.png', quarters().jpeg()))
    expect(extension).toBe('jpg')
  })

  it('keeps every pixel exactly if it is lossless WebP', async () => {
    const input = await photoFile('a.png', quarters().png())
    const { output } = await processed(input, { format: 'webp', lossless: true })
    expect((await bytes(output)).equals(await bytes(input))).toBe(true)
  })

  itInLongSuite('keeps the colors of transparent pixels if it is lossless WebP', async () => {
    const clear = Buffer.alloc(16 * 16 * 4, Buffer.from([200, 100, 50, 0]))
    const image = sharp(clear, { raw: { width: 16, height: 16, channels: 4 } }).png()
    const { output } = await processed(await photoFile('a.png', image), { format: 'webp', lossless: true })
    expect(await sharp(output).raw().toBuffer()).toEqual(clear)
  })
})

describe('a variation', () => {
  const colors = { brightness: 1.1, saturation: 0.9, hue: 5 }
  const lively = { ...NO_VARIATION, ...colors, rotation: 8, cropLeft: 0.1, cropBottom: 0.05 }

  it('shows no empty corner at any rotation', async () => {
    const white = sharp({ create: { width: 301, height: 77, channels: 3, background: '#ffffff' } })
    const input = await photoFile('a.png', white.png())
    for (const rotation of [-10, -0.3, 0.7, 4, 10])
      for (const recipe of [{}, { rotate: 90 as const }, box(50, 50, 'cover')]) {
        const variation = { ...NO_VARIATION, rotation, cropLeft: 0.1, mirror: true }
        const { output, metadata } = await processed(input, recipe, variation)
        const { channels } = await sharp(output).stats()
        expect(Math.min(...channels.map(({ min }) => min)), `${rotation}°`).toBeGreaterThan(240)
        expect(metadata.hasAlpha).toBe(false)
      }
  })

  it('fills the box of its preset exactly', async () => {
    const input = await photoFile('a.jpg', quarters(640, 480).jpeg())
    const { metadata } = await processed(input, box(200, 200, 'cover'), lively)
    expect([metadata.width, metadata.height]).toEqual([200, 200])
  })

  it('can flip the image horizontally', async () => {
    const input = await photoFile('a.png', quarters().png())
    const { output } = await processed(input, {}, { ...NO_VARIATION, mirror: true })
    await expectCorners(output, [GREEN, RED, WHITE, BLUE])
  })

  it('gives the same bytes for the same values', async () => {
    const input = await photoFile('a.jpg', quarters().jpeg())
    const [one, two] = [await processed(input, {}, lively), await processed(input, {}, lively)]
    expect(one.bytes).toEqual(two.bytes)
  })
})

describe('a file that can’t be processed has a plain reason', () => {
  it.each(['jpeg', 'png', 'webp', 'tiff'] as const)('if it is a truncated %s', async (format) => {
    const whole = await quarters(640, 480).toFormat(format, { compression: 'none' }).toBuffer()
    expect(await reasonFor('a.png', whole.subarray(0, Math.floor(whole.length * 0.6)))).toMatch(
      /damaged|isn’t an image/,
    )
  })

  it('if it is empty or a text', async () => {
    expect(await reasonFor('a.png', Buffer.alloc(0))).toMatch(/empty/)
    expect(await reasonFor('a.png', Buffer.from('just words'))).toMatch(/isn’t an image/)
  })

  it.each([
    ['a vector drawing', '<svg xmlns="http://www.w3.org/2000/svg" width="8" height="8"></svg>'],
    ['a portable pixmap', 'P6\n1 1\n255\n\0\0\0'],
    ['a table of numbers', '1,2,3\n4,5,6\n'],
    ['a matrix', '2 1\n1 2\n'],
    ['a radiance map', '#?RADIANCE\nFORMAT=32-bit_rle_rgbe\n\n-Y 1 +X 1\n\0\0\0\0'],
    ['a document', '%PDF-1.4\n'],
  ])('%s reaches no decoder', async (_what, content) => {
    const disguised = await photoFile('disguised.png', Buffer.from(content))
    // Opening an image reads its metadata first, and each decoder does that itself.
    await expect(openImage(disguised)).rejects.toThrow('unsupported image format')
  })

  it('if it doesn’t exist', async () => {
    await expect(processImage(photoJob('missing.jpg'))).rejects.toThrow('it doesn’t exist')
  })
})
