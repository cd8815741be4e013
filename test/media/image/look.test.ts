import sharp from 'sharp'
import { describe, expect, it } from 'vitest'
import { asSeen, openEncoded } from '../../../src/media/image/as-seen.ts'
import { qualityFor, type TriedQualities } from '../../../src/media/image/find-quality.ts'
import { encodeWithLook } from '../../../src/media/image/look.ts'
import { chooseParts, joinParts, PARTS_TO_TRY } from '../../../src/media/image/look-parts.ts'
import { readyPicture } from '../../../src/media/image/ready-picture.ts'
import { createScorer, type RgbPicture } from '../../../src/media/image/ssimulacra2.ts'
import { lookNumber } from '../../../src/shared/preset/look.ts'
import { ImageRecipe } from '../../../src/shared/preset/preset.ts'
import { mediaCorpus } from '../../media-corpus.ts'
import { madePhoto, photoFile, processPhoto, usePhotoFolder } from './process-photo.ts'

usePhotoFolder()

const picture = () => asSeen(madePhoto())

describe('the score', () => {
  it('of a picture against itself is 100', async () => {
    const original = await picture()
    expect(createScorer(original)(original)).toBe(100)
  })

  it('falls with every step of quality, and is about what is published for them', async () => {
    const score = createScorer(await picture())
    const scores: number[] = []
    for (const quality of [98, 90, 75, 50, 25, 10]) {
      const jpeg = madePhoto().jpeg({ quality, chromaSubsampling: '4:4:4' })
      scores.push(score(await asSeen(sharp(await jpeg.toBuffer()))))
    }
    expect(scores).toEqual(scores.toSorted((one, other) => other - one))
    const [best = 0, , , , , worst = 100] = scores
    expect(best).toBeGreaterThan(90)
    expect(worst).toBeLessThan(50)
  })

  it('finds blur, blocks and a shift of colour, each by itself', async () => {
    const score = createScorer(await picture())
    const changed = [
      madePhoto().blur(2),
      madePhoto().modulate({ hue: 60 }),
      sharp(await madePhoto().resize(120, 80, { kernel: 'nearest' }).png().toBuffer()).resize(480, 320, {
        kernel: 'nearest',
      }),
    ]
    for (const image of changed) expect(score(await asSeen(image))).toBeLessThan(lookNumber('identical') - 5)
  })

  it('takes pictures of one size only, however small', async () => {
    const small = await asSeen(madePhoto(9, 11))
    expect(createScorer(small)(small)).toBe(100)
    expect(() => createScorer(small)({ ...small, width: 11, height: 9 })).toThrow(RangeError)
  })

  it('is the same for the same pixels, gray or see-through as they may be', async () => {
    const gray = madePhoto(64, 64).toColourspace('b-w')
    expect((await asSeen(gray)).pixels.length).toBe(64 * 64 * 3)
    const faint = sharp({ create: { width: 9, height: 9, channels: 4, background: '#ffffff00' } })
    expect((await asSeen(faint)).pixels[0]).toBe(128)
  })
})

/** Left half flat, right half full of grain. */
const half = (): RgbPicture => {
  const [width, height] = [1280, 768]
  const pixels = new Uint8Array(width * height * 3).fill(90)
  for (let at = 0; at < pixels.length; at++)
    if (Math.floor(at / 3) % width >= width / 2) pixels[at] = (at * 7919) % 251
  return { pixels, width, height }
}

describe('the parts', () => {
  it('hold as much of the detail as the whole, and never the same square twice', () => {
    const areas = chooseParts(half(), PARTS_TO_TRY) ?? []
    expect(areas).toHaveLength(16)
    expect(new Set(areas.map(({ left, top }) => `${left},${top}`)).size).toBe(16)
    expect(areas.filter(({ left }) => left >= 640)).toHaveLength(8)
  })

  it('are the pixels of the picture, side by side', () => {
    const whole = half()
    const areas = chooseParts(whole, PARTS_TO_TRY)
    const joined = joinParts(whole, areas, PARTS_TO_TRY)
    expect([joined.width, joined.height, joined.pixels.length]).toEqual([512, 512, 512 * 512 * 3])
    const last = areas?.[15]
    const from = (((last?.top ?? 0) + 127) * whole.width + (last?.left ?? 0) + 127) * 3
    expect(joined.pixels.slice(-3)).toEqual(whole.pixels.slice(from, from + 3))
  })

  it('of a small picture are the picture', async () => {
    const small = await picture()
    expect(chooseParts(small, PARTS_TO_TRY)).toBeUndefined()
    expect(joinParts(small, undefined, PARTS_TO_TRY)).toBe(small)
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

/** Whose scores jump, and do not always climb. */
function plainSurface(quality: number) {
  if (quality < 20) return { score: 62, bytes: 100 }
  return quality < 60 ? { score: 95, bytes: 300 } : { score: 90, bytes: 200 }
}

describe('the search for a quality', () => {
  it('takes a few tries, for pictures that are easy or hard', async () => {
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

  it('ends at the best there is where more is wanted', async () => {
    expect(
      await qualityFor(
        95,
        scoring((quality) => quality * 0.8),
        90,
      ),
    ).toBe(100)
  })

  it('tries each step of a coarse encoder once, and goes on to the nearest', async () => {
    const tried: number[] = []
    // Soft skies climb like this: here and there a finer step looks worse.
    const scoreAt = (quality: number) => {
      tried.push(thirdOf(quality))
      return 45 + thirdOf(quality) * 1.9 - (thirdOf(quality) % 4 === 1 ? 6 : 0)
    }
    const found = await qualityFor(64, scoring(scoreAt, thirdOf), 80)
    expect(new Set(tried).size).toBe(tried.length)
    expect(Math.abs(scoreAt(found) - 64)).toBeLessThanOrEqual(1)
  })

  it('finds what looks worse than the coarsest step, a step or two above it', async () => {
    const scores = [74, 74, 67, 82]
    const scoreAt = (quality: number) => scores[Math.floor(quality / 10)] ?? 85
    const found = await qualityFor(
      65,
      scoring(scoreAt, (quality) => Math.floor(quality / 10)),
      40,
    )
    expect(scoreAt(found)).toBe(67)
  })

  it('takes the smallest of what looks better where nothing comes near', async () => {
    const tryAt = (quality: number) => Promise.resolve(plainSurface(quality))
    const found = await qualityFor(80, { tryAt, stepOf: Math.round }, 80)
    expect(plainSurface(found).score).toBe(90)
  })
})

/** AVIF takes ten times as long as the others. */
const sizeIn = (format: string) =>
  format === 'avif' ? { width: 192, height: 192 } : { width: 320, height: 320 }

describe('a look', () => {
  const real = mediaCorpus().find(({ file }) => file.startsWith('Landscape_3'))
  it.each([
    ['high', 'jpeg'],
    ['high', 'webp'],
    ['high', 'avif'],
    ['high', 'jxl'],
    ['identical', 'jpeg'],
    ['medium', 'webp'],
    ['low', 'jxl'],
    [55, 'jpeg'],
  ] as const)('of %s is what it says, within two points, in %s', async (look, format) => {
    const input = real?.path ?? (await photoFile('a.png', madePhoto().png()))
    const size = sizeIn(format)
    const original = await asSeen(sharp((await processPhoto(input, { format: 'png', size })).bytes))
    const { bytes } = await processPhoto(input, { format, size, look })
    const reached = createScorer(original)(await asSeen(await openEncoded(bytes, format)))
    expect(Math.abs(reached - lookNumber(look))).toBeLessThanOrEqual(2)
  })

  it('holds for a picture that is judged by its parts', async () => {
    const input = await photoFile('large.png', madePhoto(640, 640).png())
    const original = await asSeen(sharp(input))
    expect(chooseParts(original, PARTS_TO_TRY)).toBeDefined()
    const score = createScorer(original)
    const { bytes } = await processPhoto(input, { format: 'jpeg', look: 'high' })
    expect(Math.abs(score(await asSeen(sharp(bytes))) - lookNumber('high'))).toBeLessThanOrEqual(2)
  })

  it.each([64, 640])('is never worse than wanted on a plain surface of %d pixels', async (side) => {
    const create = { width: side, height: side, channels: 3 as const, background: '#e30714' }
    const input = await photoFile(`plain-${side}.png`, sharp({ create }).png())
    const score = createScorer(await asSeen(sharp(input)))
    const { bytes } = await processPhoto(input, { format: 'jpeg', look: 'high' })
    expect(score(await asSeen(sharp(bytes)))).toBeGreaterThan(lookNumber('high') - 2)
  })

  it('is met again where the parts that were tried are easier than the rest', async () => {
    // All squares seem alike to the choice of parts, which compares pairs of pixels; it takes two of three.
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
    const ready = await readyPicture(sharp(pixels, { raw }), false)
    const made: number[] = []
    const score = createScorer(await ready.asSeen())
    const { bytes } = await encodeWithLook({
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
    expect(Math.abs(score(await asSeen(sharp(bytes))) - 70)).toBeLessThanOrEqual(5)
  })

  it('asks nothing of what never loses anything', async () => {
    const input = await photoFile('a.png', madePhoto().png())
    const plain = await processPhoto(input, { format: 'png' })
    expect((await processPhoto(input, { format: 'png', look: 'low' })).bytes).toEqual(plain.bytes)
  })
})
