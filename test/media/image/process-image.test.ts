import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import sharp, { type Sharp } from 'sharp'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type * as z from 'zod'
import { ImageRecipe } from '../../../src/shared/preset/preset.ts'
import { openPicture } from '../../../src/media/image/picture.ts'
import { processImage } from '../../../src/media/image/process-image.ts'
import { ProcessingError } from '../../../src/media/protocol.ts'
import type { VariationValues } from '../../../src/shared/preset/variation.ts'

let folder: string
let made = 0
beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'mediatray-image-'))
})
afterEach(() => rm(folder, { recursive: true, force: true }))

type Recipe = z.input<typeof ImageRecipe>

async function file(name: string, content: Sharp | Buffer): Promise<string> {
  const target = path.join(folder, name)
  await writeFile(target, Buffer.isBuffer(content) ? content : await content.toBuffer())
  return target
}

async function processed(inputPath: string, recipe: Recipe = {}, variation?: VariationValues) {
  const before = await readFile(inputPath)
  const { temporaryPath, extension, width, height, notes } = await processImage({
    inputPath,
    recipe: ImageRecipe.parse(recipe),
    variation,
    neverLarger: false,
    temporaryPath: (extension) => path.join(folder, `.out-${++made}.${extension}`),
    onProgress: () => {},
    signal: new AbortController().signal,
  })
  expect(await readFile(inputPath)).toEqual(before)
  const metadata = await sharp(temporaryPath).metadata()
  expect({ width, height }).toEqual({ width: metadata.width, height: metadata.pageHeight ?? metadata.height })
  return { output: temporaryPath, extension, metadata, notes }
}

async function pixel(output: string, left: number, top: number): Promise<number[]> {
  const { data } = await sharp(output)
    .extract({ left, top, width: 1, height: 1 })
    .raw()
    .toBuffer({ resolveWithObject: true })
  return [...data]
}

function expectNear(actual: number[], expected: number[], tolerance = 6): void {
  const apart = expected.map((value, index) => Math.abs(value - (actual[index] ?? Number.NaN)))
  expect(Math.max(...apart), `${actual.join()} is not near ${expected.join()}`).toBeLessThanOrEqual(tolerance)
}

const bytes = (source: string) => sharp(source).removeAlpha().raw().toBuffer()

const reasonFor = async (name: string, content: Buffer) => {
  const failure = await processed(await file(name, content)).catch((error: unknown) => error)
  expect(failure).toBeInstanceOf(ProcessingError)
  return String(failure)
}

const RED = [255, 0, 0]
const GREEN = [0, 255, 0]
const BLUE = [0, 0, 255]
const WHITE = [255, 255, 255]

/** Four quarters: red and green above, blue and white below. */
function quarters(width = 64, height = 48): Sharp {
  const quarter = (colour: number[], left: number, top: number) => ({
    input: {
      create: {
        width: width / 2,
        height: height / 2,
        channels: 3 as const,
        background: { r: colour[0] ?? 0, g: colour[1] ?? 0, b: colour[2] ?? 0 },
      },
    },
    left,
    top,
  })
  return sharp({ create: { width, height, channels: 3, background: '#000' } })
    .composite([
      quarter(RED, 0, 0),
      quarter(GREEN, width / 2, 0),
      quarter(BLUE, 0, height / 2),
      quarter(WHITE, width / 2, height / 2),
    ])
    .removeAlpha()
}

/** The colours in the middles of the four quarters, row by row. */
async function corners(output: string): Promise<number[][]> {
  const { width, height } = await sharp(output).metadata()
  const [left, right] = [width >> 2, (width * 3) >> 2]
  const [top, bottom] = [height >> 2, (height * 3) >> 2]
  const places = [
    [left, top],
    [right, top],
    [left, bottom],
    [right, bottom],
  ] as const
  return Promise.all(places.map(([x, y]) => pixel(output, x, y).then((colour) => colour.slice(0, 3))))
}

async function expectCorners(output: string, expected: number[][]): Promise<void> {
  const actual = await corners(output)
  for (const [index, colour] of expected.entries()) expectNear(actual[index] ?? [], colour, 12)
}

const still: VariationValues = {
  brightness: 1,
  saturation: 1,
  hue: 0,
  rotation: 0,
  cropLeft: 0,
  cropTop: 0,
  cropRight: 0,
  cropBottom: 0,
  mirror: false,
}

describe('the orientation that a file asks for', () => {
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
  it.each([1, 2, 3, 4, 5, 6, 7, 8])(
    '%i is followed once, at full size, scaled, cut and varied',
    async (orientation) => {
      const input = await file(
        'a.jpg',
        quarters().withMetadata({ orientation }).jpeg({ chromaSubsampling: '4:4:4' }),
      )
      const expected = seenAs[orientation] ?? []
      const turned = orientation >= 5
      const kept = await processed(input, { metadata: 'keep', quality: 95 })
      expect(kept.metadata.orientation ?? 1).toBe(1)
      expect([kept.metadata.width, kept.metadata.height]).toEqual(turned ? [48, 64] : [64, 48])
      await expectCorners(kept.output, expected)
      await expectCorners((await processed(input, { size: { width: 24 }, quality: 95 })).output, expected)
      await expectCorners((await processed(input, { crop: { aspect: 1 }, quality: 95 })).output, expected)
      await expectCorners(
        (await processed(input, { quality: 95 }, { ...still, rotation: 2 })).output,
        expected,
      )
    },
  )
})

describe('size', () => {
  it.each<[string, Recipe, [number, number]]>([
    ['inside keeps everything', { size: { width: 32, height: 32 } }, [32, 24]],
    ['inside never enlarges by itself', { size: { width: 640, height: 640 } }, [64, 48]],
    ['inside enlarges when told', { size: { width: 640, enlarge: true } }, [640, 480]],
    ['one side is enough', { size: { height: 12 } }, [16, 12]],
    ['cover fills the box', { size: { width: 20, height: 30, fit: 'cover' } }, [20, 30]],
    [
      'cover of a small picture keeps the shape of the box',
      { size: { width: 960, height: 960, fit: 'cover' } },
      [48, 48],
    ],
    ['contain fills up with background', { size: { width: 40, height: 40, fit: 'contain' } }, [40, 40]],
    [
      'contain puts a small picture into the whole box',
      { size: { width: 99, height: 99, fit: 'contain' } },
      [99, 99],
    ],
    ['crop comes first', { crop: { aspect: 1 }, size: { width: 24, height: 24 } }, [24, 24]],
    ['turning swaps the sides', { rotate: 90, size: { width: 24, height: 100 } }, [24, 32]],
    [
      'turning and cutting go together',
      { rotate: 270, size: { width: 30, height: 20, fit: 'cover' } },
      [30, 20],
    ],
  ])('%s', async (_name, recipe, [width, height]) => {
    const { metadata } = await processed(await file('a.png', quarters().png()), recipe)
    expect([metadata.width, metadata.height]).toEqual([width, height])
  })

  it('contain centres the picture on the background', async () => {
    const input = await file('a.png', quarters().png())
    const { output } = await processed(input, {
      background: '#102030',
      size: { width: 64, height: 64, fit: 'contain' },
    })
    expectNear(await pixel(output, 3, 3), [0x10, 0x20, 0x30])
    expectNear(await pixel(output, 3, 12), RED)
  })

  it('turns clockwise', async () => {
    const { output } = await processed(await file('a.png', quarters().png()), { rotate: 90 })
    await expectCorners(output, [BLUE, RED, WHITE, GREEN])
  })
})

describe('colour', () => {
  it('transparency stays in PNG and WebP, and gets the background in JPEG', async () => {
    const clear = sharp({ create: { width: 8, height: 8, channels: 4, background: '#ff000000' } })
    const input = await file('a.png', clear.png())
    expect((await pixel((await processed(input)).output, 4, 4))[3]).toBe(0)
    expect((await pixel((await processed(input, { format: 'webp', lossless: true })).output, 4, 4))[3]).toBe(
      0,
    )
    const flat = await processed(input, { format: 'jpeg', background: '#0000ff', quality: 95 })
    expectNear(await pixel(flat.output, 4, 4), BLUE)
  })

  it('gray stays gray, with one channel', async () => {
    const gray = sharp({ create: { width: 8, height: 8, channels: 3, background: '#777777' } })
    const { output, metadata } = await processed(await file('a.jpg', gray.toColourspace('b-w').jpeg()))
    expect(metadata.channels).toBe(1)
    expectNear(await pixel(output, 4, 4), [0x77])
    const made = await processed(await file('b.png', quarters().png()), { grayscale: true })
    expect(made.metadata.channels).toBe(1)
  })

  it.each(['png', 'tiff'] as const)('16 bits stay 16 bits in %s, and become 8 elsewhere', async (format) => {
    const input = await file(
      `a.${format}`,
      quarters().toColourspace('rgb16').toFormat(format, { compression: 'lzw' }),
    )
    const deep = await processed(input, { size: { width: 32 } })
    expect(deep.metadata.depth).toBe('ushort')
    expect((await processed(input, { format: 'webp' })).metadata.depth).toBe('uchar')
  })

  it('a wide profile is converted for sRGB, or stays with its numbers', async () => {
    const input = await file('a.png', quarters().withIccProfile('p3').png())
    const kept = await processed(input, { colour: 'keep' })
    expect(kept.metadata.icc).toBeDefined()
    expectNear(
      await pixel(await file('bare.png', sharp(kept.output, { ignoreIcc: true }).png()), 3, 3),
      [234, 51, 35],
    )
    const converted = await processed(input, { colour: 'srgb' })
    expect(converted.metadata.icc).toBeUndefined()
    expectNear(await pixel(converted.output, 3, 3), RED)
  })

  it('CMYK becomes sRGB in every case', async () => {
    const input = await file('a.jpg', quarters().toColourspace('cmyk').jpeg())
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

  it('is stripped or kept as the preset says', async () => {
    const input = await file('a.jpg', quarters().withExif(exif).jpeg())
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
      [RED, GREEN, BLUE].map(([r = 0, g = 0, b = 0]) =>
        sharp({ create: { width: 20, height: 10, channels: 3, background: { r, g, b } } })
          .png()
          .toBuffer(),
      ),
    )
    return file(
      'a.webp',
      sharp(frames, { join: { animated: true } }).webp({ delay, loop: 2, lossless: true }),
    )
  }

  it.each<[string, Recipe, [number, number]]>([
    ['as it is', {}, [20, 10]],
    ['scaled', { size: { width: 10 } }, [10, 5]],
    ['cut', { crop: { aspect: 1 } }, [10, 10]],
    ['framed', { size: { width: 20, height: 20, fit: 'contain' } }, [20, 20]],
    ['turned', { rotate: 90 }, [10, 20]],
  ])('keeps its frames and their times: %s', async (_name, recipe, [width, height]) => {
    const { output, metadata } = await processed(await animation(), { lossless: true, ...recipe })
    expect([metadata.width, metadata.height]).toEqual([width, height])
    expect({ pages: metadata.pages, delay: metadata.delay, loop: metadata.loop }).toEqual({
      pages: 3,
      delay,
      loop: 2,
    })
    const second = await file('second.png', sharp(output, { page: 1 }).png())
    expectNear((await pixel(second, width >> 1, height >> 1)).slice(0, 3), GREEN)
  })

  it('is its first frame where the format or the preset wants that', async () => {
    const input = await animation()
    const jpeg = await processed(input, { format: 'jpeg', quality: 95 })
    expectNear(await pixel(jpeg.output, 5, 5), RED)
    expect((await processed(input, { animation: 'first-frame' })).metadata.pages ?? 1).toBe(1)
  })
})

describe('the format', () => {
  it.each(['jpeg', 'png', 'webp', 'tiff', 'avif'] as const)(
    '%s stays itself and can be asked for',
    async (format) => {
      const kind = format === 'avif' ? 'heif' : format
      const input = await file('a.png', quarters().toFormat(format))
      expect((await processed(input)).metadata.format).toBe(kind)
      expect((await processed(await file('b.jpg', quarters().jpeg()), { format })).metadata.format).toBe(kind)
    },
  )

  it('is told by the content: a JPEG called .png stays a JPEG and is called one', async () => {
    const { extension } = await processed(await file('photo.png', quarters().jpeg()))
    expect(extension).toBe('jpg')
  })

  it('lossless WebP has the very same pixels', async () => {
    const input = await file('a.png', quarters().png())
    const { output } = await processed(input, { format: 'webp', lossless: true })
    expect((await bytes(output)).equals(await bytes(input))).toBe(true)
  })
})

describe('a variation', () => {
  const lively = {
    ...still,
    brightness: 1.1,
    saturation: 0.9,
    hue: 5,
    rotation: 8,
    cropLeft: 0.1,
    cropBottom: 0.05,
  }

  it('shows no empty corner, whatever it is turned by', async () => {
    const white = sharp({ create: { width: 301, height: 77, channels: 3, background: '#ffffff' } })
    const input = await file('a.png', white.png())
    for (const rotation of [-10, -0.3, 0.7, 4, 10])
      for (const recipe of [
        {},
        { rotate: 90 as const },
        { size: { width: 50, height: 50, fit: 'cover' as const } },
      ]) {
        const { output, metadata } = await processed(input, recipe, {
          ...still,
          rotation,
          cropLeft: 0.1,
          mirror: true,
        })
        const { channels } = await sharp(output).stats()
        expect(Math.min(...channels.map(({ min }) => min)), `${rotation}°`).toBeGreaterThan(240)
        expect(metadata.hasAlpha).toBe(false)
      }
  })

  it('fills the box of its preset exactly', async () => {
    const input = await file('a.jpg', quarters(640, 480).jpeg())
    const { metadata } = await processed(input, { size: { width: 200, height: 200, fit: 'cover' } }, lively)
    expect([metadata.width, metadata.height]).toEqual([200, 200])
  })

  it('mirrors left to right', async () => {
    const input = await file('a.png', quarters().png())
    const { output } = await processed(input, {}, { ...still, mirror: true })
    await expectCorners(output, [GREEN, RED, WHITE, BLUE])
  })

  it('gives the same bytes for the same values', async () => {
    const input = await file('a.jpg', quarters().jpeg())
    const [one, two] = [await processed(input, {}, lively), await processed(input, {}, lively)]
    expect(await readFile(one.output)).toEqual(await readFile(two.output))
  })

  it('of an animation keeps it moving', async () => {
    const frames = [await quarters().png().toBuffer(), await quarters().negate().png().toBuffer()]
    const input = await file('a.webp', sharp(frames, { join: { animated: true } }).webp())
    expect((await processed(input, {}, lively)).metadata.pages).toBe(2)
  })
})

describe('a file that can not be processed has a plain reason', () => {
  it.each(['jpeg', 'png', 'webp', 'tiff'] as const)('when a %s is cut off', async (format) => {
    const whole = await quarters(640, 480).toFormat(format, { compression: 'none' }).toBuffer()
    expect(await reasonFor('a.png', whole.subarray(0, Math.floor(whole.length * 0.6)))).toMatch(
      /damaged|not a picture/,
    )
  })

  it('when it is empty, a text, or a vector drawing in disguise', async () => {
    expect(await reasonFor('a.png', Buffer.alloc(0))).toMatch(/empty/)
    expect(await reasonFor('a.png', Buffer.from('just words'))).toMatch(/not a picture/)
    const drawing = '<svg xmlns="http://www.w3.org/2000/svg" width="8" height="8"></svg>'
    expect(await reasonFor('a.png', Buffer.from(drawing))).toMatch(/not a picture/)
  })

  it.each([
    ['a vector drawing', '<svg xmlns="http://www.w3.org/2000/svg" width="8" height="8"></svg>'],
    ['a portable pixmap', 'P6\n1 1\n255\n\0\0\0'],
    ['a table of numbers', '1,2,3\n4,5,6\n'],
    ['a matrix', '2 1\n1 2\n'],
    ['a radiance map', '#?RADIANCE\nFORMAT=32-bit_rle_rgbe\n\n-Y 1 +X 1\n\0\0\0\0'],
    ['a document', '%PDF-1.4\n'],
  ])('%s reaches no decoder', async (_what, content) => {
    const disguised = path.join(folder, 'disguised.png')
    await writeFile(disguised, content)
    // The first thing that opening a picture does is to read its metadata, which each decoder does itself.
    await expect(openPicture(disguised)).rejects.toThrow('unsupported image format')
  })

  it('when it is not there', async () => {
    const missing = path.join(folder, 'missing.jpg')
    const job = {
      inputPath: missing,
      recipe: ImageRecipe.parse({}),
      variation: undefined,
      neverLarger: false,
      temporaryPath: () => path.join(folder, 'x'),
      onProgress: () => {},
      signal: new AbortController().signal,
    }
    await expect(processImage(job)).rejects.toThrow('not there any more')
  })
})
