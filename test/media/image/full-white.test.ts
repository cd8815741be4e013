import sharp from 'sharp'
import { describe, expect, it } from 'vitest'
import { readRaw } from '../../../src/media/image/raw-image.ts'
import { photoFile, type PhotoRecipe, processContent, processPhoto, usePhotoFolder } from './process-photo.ts'
import { firstOf, itInLongSuite } from '../../faults/long-suite.ts'

usePhotoFolder()

/** A white image with 16 bits per channel. */
const white = (channels: 1 | 3 | 4) =>
  sharp(new Uint16Array(90 * 70 * channels).fill(0xffff), { raw: { width: 90, height: 70, channels } })
    .toColourspace(channels === 1 ? 'grey16' : 'rgb16')
    .png()

async function levelsOf(path: string, recipe: PhotoRecipe): Promise<readonly number[]> {
  const { bytes } = await processPhoto(path, recipe)
  const { pixels, depth } = await readRaw(bytes)
  expect(depth).toBe(16)
  return [...new Set(new Uint16Array(pixels.buffer, pixels.byteOffset, pixels.byteLength / 2))]
}

describe('white with 16 bits per channel', () => {
  it.each<[string, PhotoRecipe]>(
    firstOf([
      ['unchanged', {}],
      ['reduced', { size: { width: 37 } }],
      ['reduced by half', { size: { width: 45 } }],
      ['cropped and turned', { size: { width: 41, height: 29, fit: 'cover' }, rotate: 90 }],
      ['on a white background', { size: { width: 120, height: 60, fit: 'contain' } }],
      ['enlarged', { size: { width: 130, enlarge: true } }],
    ]),
  )('stays white: %s', async (_, recipe) => {
    for (const channels of [1, 3, 4] as const) {
      const path = await photoFile('white.png', white(channels))
      for (const format of ['png', 'tiff'] as const)
        expect(await levelsOf(path, { ...recipe, format })).toEqual([0xffff])
    }
  })

  itInLongSuite.each([10, 12] as const)('matches the white of an AVIF with %i bits', async (bitdepth) => {
    for (const channels of [3, 4] as const) {
      const avif = sharp(await white(channels).toBuffer())
        .toColourspace('rgb16')
        .avif({ bitdepth, lossless: true })
      const path = await photoFile('white.avif', avif)
      for (const recipe of [{}, { colour: 'keep' }, { size: { width: 37 } }] as const)
        expect(await levelsOf(path, { ...recipe, format: 'png' })).toEqual([0xffff])
      const same = await processPhoto(path, { lossless: true })
      expect(await levelsOf(same.output, { format: 'png' })).toEqual([0xffff])
    }
  })

  itInLongSuite(
    'stays white with a profile that is kept or converted, on a background in the result’s colors',
    async () => {
      const path = await photoFile('p3.png', white(3).withIccProfile('p3'))
      for (const colour of ['keep', 'srgb'] as const) {
        const size = { width: 120, height: 60, fit: 'contain' } as const
        const levels = await levelsOf(path, { colour, size, background: '#8040c0' })
        const expected = [0x40, 0x80, 0xc0, 0xff].map((level) => level * 257)
        expect(levels).toHaveLength(4)
        for (const [index, level] of levels.toSorted((a, b) => a - b).entries())
          expect(Math.abs(level - (expected[index] ?? 0))).toBeLessThan(16)
      }
    },
  )

  it('shows the same picture reduced as with 8 bits', async () => {
    const slope = Uint16Array.from({ length: 400 * 300 }, (_, at) => (at % 400) * 160 + (at % 7) * 100)
    const deep = sharp(slope, { raw: { width: 400, height: 300, channels: 1 } }).toColourspace('grey16')
    const path = await photoFile('slope.png', deep.png())
    const recipe = { format: 'png', size: { width: 93 } } as const
    const eight = await photoFile('eight.png', sharp(path).toColourspace('b-w').png())
    const shown = async (file: string) =>
      sharp((await processPhoto(file, recipe)).bytes)
        .toColourspace('b-w')
        .raw()
        .toBuffer()
    const [values, expected] = [await shown(path), await shown(eight)]
    const apart = values.map((value, at) => Math.abs(value - (expected[at] ?? 0)))
    expect(Math.max(...apart)).toBeLessThanOrEqual(2)
  })
})

it.each(firstOf(['jpeg', 'webp', 'avif'] as const))(
  'a picture with 16 bits and a profile gets the colors of sRGB with 8 bits (%s)',
  async (format) => {
    // Display P3 has other numbers for this green, so a result without a profile would look pale.
    const green = { create: { width: 60, height: 40, channels: 3, background: '#20c040' } } as const
    const deep = sharp(green).withIccProfile('p3').toColourspace('rgb16').png()
    const { bytes } = await processContent('deep.png', deep, { format, colour: 'srgb', quality: 95 })
    const { channels } = await sharp(bytes).stats()
    for (const [index, level] of [0x20, 0xc0, 0x40].entries())
      expect(Math.abs((channels[index]?.mean ?? 0) - level)).toBeLessThan(6)
  },
)
