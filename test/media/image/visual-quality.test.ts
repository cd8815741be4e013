import sharp from 'sharp'
import { describe, expect, it } from 'vitest'
import { displayedPixels, openEncoded } from '../../../src/media/image/displayed-pixels.ts'
import { qualityFor, type TriedQualities } from '../../../src/media/image/find-quality.ts'
import { encodeToVisualQuality } from '../../../src/media/image/visual-quality.ts'
import { chooseParts, joinParts, AREAS_TO_TRY } from '../../../src/media/image/sample-areas.ts'
import { renderImage } from '../../../src/media/image/rendered-image.ts'
import { photoQuality } from '../../../src/media/image/photo-quality.ts'
import { bandOf } from '../../../src/shared/quality/quality.ts'
import { createScorer, type RgbImage } from '../../../src/media/image/ssimulacra2.ts'
import { lookNumber } from '../../../src/shared/preset/look.ts'
import { ImageRecipe } from '../../../src/shared/preset/preset.ts'
import { firstOf, isLongSuite, itInLongSuite } from '../../faults/long-suite.ts'
import { mediaCorpus } from '../../media-corpus.ts'
import { samplePhoto, photoFile, processPhoto, usePhotoFolder } from './process-photo.ts'

usePhotoFolder()

const small = () => samplePhoto(240, 160)
const picture = () => displayedPixels(small())

describe('the score', () => {
  it('of an image against itself is 100', async () => {
    const original = await picture()
    expect(createScorer(original)(original)).toBe(100)
  })

  it('decreases with each reduction in quality, and is close to the published values', async () => {
    const score = createScorer(await picture())
    const scores: number[] = []
    for (const quality of [98, 90, 75, 50, 25, 10]) {
      const jpeg = small().jpeg({ quality, chromaSubsampling: '4:4:4' })
      scores.push(score(await displayedPixels(sharp(await jpeg.toBuffer()))))
    }
    expect(scores).toEqual(scores.toSorted((one, other) => other - one))
    const [best = 0, , , , , worst = 100] = scores
    expect(best).toBeGreaterThan(90)
    expect(worst).toBeLessThan(50)
  })

  itInLongSuite('drops for blur, blocks or a color shift alone', async () => {
    const score = createScorer(await picture())
    const changed = [
      small().blur(2),
      small().modulate({ hue: 60 }),
      sharp(await small().resize(60, 40, { kernel: 'nearest' }).png().toBuffer()).resize(240, 160, {
        kernel: 'nearest',
      }),
    ]
    for (const image of changed)
      expect(score(await displayedPixels(image))).toBeLessThan(lookNumber('identical') - 5)
  })

  it('requires images of the same size, which may be tiny', async () => {
    const small = await displayedPixels(samplePhoto(9, 11))
    expect(createScorer(small)(small)).toBe(100)
    expect(() => createScorer(small)({ ...small, width: 11, height: 9 })).toThrow(RangeError)
  })

  it('uses RGB for gray images, and a gray background for transparent ones', async () => {
    const gray = samplePhoto(64, 64).toColourspace('b-w')
    expect((await displayedPixels(gray)).pixels.length).toBe(64 * 64 * 3)
    const faint = sharp({ create: { width: 9, height: 9, channels: 4, background: '#ffffff00' } })
    expect((await displayedPixels(faint)).pixels[0]).toBe(128)
  })
})

describe('the quality of a result', () => {
  it('is a whole number, at least 0', async () => {
    const original = await picture()
    const [same, ruined] = [
      photoQuality(original, original),
      photoQuality(original, await displayedPixels(sharp(await small().jpeg({ quality: 1 }).toBuffer()))),
    ]
    expect(same).toEqual({ score: 100, isSampled: false })
    expect(ruined).toEqual({ score: 0, isSampled: false })
  })

  itInLongSuite('of a large photo is measured in areas, and close to that of the whole photo', async () => {
    const original = await displayedPixels(samplePhoto(1_536, 1_024))
    const jpeg = await samplePhoto(1_536, 1_024).jpeg({ quality: 80 }).toBuffer()
    const result = await displayedPixels(sharp(jpeg))
    const quality = photoQuality(original, result)
    if (quality === undefined || quality === 'lossless') throw new Error('It wasn’t measured.')
    expect(quality.isSampled).toBe(true)
    expect(Math.abs(quality.score - createScorer(original)(result))).toBeLessThan(4)
  })

  it('is unknown for tiny images and for images of different sizes', async () => {
    const [small, dot] = [await displayedPixels(samplePhoto(9, 11)), await displayedPixels(samplePhoto(1, 1))]
    expect([
      photoQuality(dot, dot),
      photoQuality(small, dot),
      photoQuality(small, { ...small, width: 11, height: 9 }),
    ]).toEqual([undefined, undefined, undefined])
  })

  it.each([
    [100, 'same'],
    [90, 'same'],
    [89, 'zoomed'],
    [80, 'zoomed'],
    [65, 'sideBySide'],
    [64, 'softer'],
    [45, 'softer'],
    [0, 'draft'],
  ])('of %d belongs to the band “%s”', (score, band) => {
    expect(bandOf(score)).toBe(band)
  })
})

/** An image whose left half is flat and whose right half is full of grain. */
const half = (): RgbImage => {
  const [width, height] = [1280, 768]
  const pixels = new Uint8Array(width * height * 3).fill(90)
  for (let at = 0; at < pixels.length; at++)
    if (Math.floor(at / 3) % width >= width / 2) pixels[at] = (at * 7919) % 251
  return { pixels, width, height }
}

describe('the samples', () => {
  it('represent the detail of the whole image, and never repeat a square', () => {
    const areas = chooseParts(half(), AREAS_TO_TRY) ?? []
    expect(areas).toHaveLength(16)
    expect(new Set(areas.map(({ left, top }) => `${left},${top}`)).size).toBe(16)
    expect(areas.filter(({ left }) => left >= 640)).toHaveLength(8)
  })

  it('are joined side by side with unchanged pixels', () => {
    const whole = half()
    const areas = chooseParts(whole, AREAS_TO_TRY)
    const joined = joinParts(whole, areas, AREAS_TO_TRY)
    expect([joined.width, joined.height, joined.pixels.length]).toEqual([512, 512, 512 * 512 * 3])
    const last = areas?.[15]
    const from = (((last?.top ?? 0) + 127) * whole.width + (last?.left ?? 0) + 127) * 3
    expect(joined.pixels.slice(-3)).toEqual(whole.pixels.slice(from, from + 3))
  })

  it('of a small image are the image itself', async () => {
    const small = await picture()
    expect(chooseParts(small, AREAS_TO_TRY)).toBeUndefined()
    expect(joinParts(small, undefined, AREAS_TO_TRY)).toBe(small)
  })
})

const scoring = (
  scoreAt: (quality: number) => number,
  stepOf = (quality: number): number => quality,
): TriedQualities => ({
  tryAt: (quality) => Promise.resolve({ score: scoreAt(quality), bytes: quality }),
  stepOf,
})

const thirdOf = (quality: number) => Math.floor(quality / 3)
const eightTenthsOf = (quality: number) => quality * 0.8
const tenthOf = (quality: number) => Math.floor(quality / 10)

/** Imitates the scores and sizes of a plain surface: they jump, and may fall as the quality rises. */
function plainSurface(quality: number) {
  if (quality < 20) return { score: 62, bytes: 100 }
  return quality < 60 ? { score: 95, bytes: 300 } : { score: 90, bytes: 200 }
}

describe('the search for a quality', () => {
  it('needs only a few attempts, whether an image is easy or hard to encode', async () => {
    for (const shift of [-20, -5, 0, 8]) {
      const tried: number[] = []
      const scoreAt = (quality: number) => {
        tried.push(quality)
        return 100 - 2 * (100 - quality) ** 0.8 + shift
      }
      const found = await qualityFor(70, scoring(scoreAt), 60)
      expect(Math.abs(scoreAt(found) - 70)).toBeLessThanOrEqual(1)
      expect(tried.length).toBeLessThanOrEqual(6)
    }
  })

  it('ends at the best quality if the requested score is out of reach', async () => {
    expect(await qualityFor(95, scoring(eightTenthsOf), 90)).toBe(100)
  })

  it('tries each step of a coarse encoder once, and continues with the nearest untried one', async () => {
    const tried: number[] = []
    // Soft skies score like this: a finer step is sometimes worse.
    const scoreAt = (quality: number) => {
      tried.push(thirdOf(quality))
      return 45 + thirdOf(quality) * 1.9 - (thirdOf(quality) % 4 === 1 ? 6 : 0)
    }
    const found = await qualityFor(64, scoring(scoreAt, thirdOf), 80)
    expect(new Set(tried).size).toBe(tried.length)
    expect(Math.abs(scoreAt(found) - 64)).toBeLessThanOrEqual(1)
  })

  it('finds a finer step that scores lower than the coarsest one', async () => {
    const scores = [74, 74, 67, 82]
    const scoreAt = (quality: number) => scores[tenthOf(quality)] ?? 85
    const found = await qualityFor(65, scoring(scoreAt, tenthOf), 40)
    expect(scoreAt(found)).toBe(67)
  })

  it('picks the smallest result above the target if none is close to it', async () => {
    const tryAt = (quality: number) => Promise.resolve(plainSurface(quality))
    const found = await qualityFor(80, { tryAt, stepOf: Math.round }, 80)
    expect(plainSurface(found).score).toBe(90)
  })
})

/** AVIF takes ten times as long as the other formats. */
const sizeIn = (format: string) =>
  format === 'avif' ? { width: 192, height: 192 } : { width: 320, height: 320 }

describe('a visual quality target', () => {
  const real = mediaCorpus().find(({ file }) => file.startsWith('Landscape_3'))
  const inHigh = firstOf(['jpeg', 'avif'] as const).map((format) => ['high', format] as const)
  const others = [
    ['high', 'webp'],
    ['high', 'jxl'],
    ['identical', 'jpeg'],
    ['medium', 'jxl'],
    ['low', 'webp'],
    [55, 'jpeg'],
  ] as const
  it.each([...inHigh, ...(isLongSuite ? others : [])])(
    'of %s is met within two points, in %s',
    async (look, format) => {
      const input = real?.path ?? (await photoFile('a.png', samplePhoto().png()))
      const size = sizeIn(format)
      const original = await displayedPixels(
        sharp((await processPhoto(input, { format: 'png', size })).bytes),
      )
      const { bytes } = await processPhoto(input, { format, size, look })
      const reached = createScorer(original)(await displayedPixels(await openEncoded(bytes, format)))
      expect(Math.abs(reached - lookNumber(look))).toBeLessThanOrEqual(2)
    },
  )

  itInLongSuite('is met for an image that is judged by samples', async () => {
    const input = await photoFile('large.png', samplePhoto(640, 640).png())
    const original = await displayedPixels(sharp(input))
    expect(chooseParts(original, AREAS_TO_TRY)).toBeDefined()
    const score = createScorer(original)
    const { bytes } = await processPhoto(input, { format: 'jpeg', look: 'high' })
    expect(Math.abs(score(await displayedPixels(sharp(bytes))) - lookNumber('high'))).toBeLessThanOrEqual(2)
  })

  it.each(isLongSuite ? [64, 640] : [64])(
    'is met or exceeded on a plain surface %d pixels wide',
    async (side) => {
      const create = { width: side, height: side, channels: 3 as const, background: '#e30714' }
      const input = await photoFile(`plain-${side}.png`, sharp({ create }).png())
      const score = createScorer(await displayedPixels(sharp(input)))
      const { bytes } = await processPhoto(input, { format: 'jpeg', look: 'high' })
      expect(score(await displayedPixels(sharp(bytes)))).toBeGreaterThan(lookNumber('high') - 2)
    },
  )

  itInLongSuite('is met by a second attempt if the samples were easier to encode than the rest', async () => {
    // The sampler compares only pairs of pixels, so it can't tell the squares apart. It picks 16 of the 25.
    const [side, across] = [128, 5]
    const tried = new Set(
      Array.from({ length: 16 }, (_, group) => Math.floor(((group + 0.5) * across ** 2) / 16)),
    )
    const pixels = Buffer.alloc((side * across) ** 2 * 3)
    for (let y = 0; y < side * across; y++)
      for (let x = 0; x < side * across; x++) {
        const square = Math.floor(y / side) * across + Math.floor(x / side)
        const shade = tried.has(square) ? y / 4 : 128 + 90 * Math.sin((x >> 1) ** 2 * (y + 1))
        pixels.fill(shade, (y * side * across + x) * 3, (y * side * across + x + 1) * 3)
      }
    const raw = { width: side * across, height: side * across, channels: 3 } as const
    const ready = await renderImage(sharp(pixels, { raw }), undefined)
    const made: number[] = []
    const score = createScorer(await ready.displayedPixels())
    const { bytes } = await encodeToVisualQuality({
      ready: {
        ...ready,
        open() {
          made.push(made.length)
          return ready.open()
        },
      },
      format: 'jpeg',
      settings: ImageRecipe.parse({ format: 'jpeg' }),
      score: 70,
      beforeEach: () => undefined,
    })
    expect(made).toHaveLength(2)
    expect(Math.abs(score(await displayedPixels(sharp(bytes))) - 70)).toBeLessThanOrEqual(5)
  })

  it('doesn’t affect lossless formats', async () => {
    const input = await photoFile('a.png', samplePhoto().png())
    const plain = await processPhoto(input, { format: 'png' })
    expect((await processPhoto(input, { format: 'png', look: 'low' })).bytes).toEqual(plain.bytes)
  })
})
