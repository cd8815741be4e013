import sharp from 'sharp'
import { describe, expect, it } from 'vitest'
import { encoderValue } from '../../../src/media/image/quality-scale.ts'
import { mediaCorpus } from '../../media-corpus.ts'
import { samplePhoto, photoFile, processPhoto, usePhotoFolder } from './process-photo.ts'
import { firstOf, itInLongSuite } from '../../faults/long-suite.ts'

usePhotoFolder()

describe('more effort', () => {
  it.each(firstOf(['jpeg', 'png', 'webp', 'jxl'] as const, 2))('makes %s smaller', async (format) => {
    const input = await photoFile('a.png', samplePhoto().png())
    const [fast, small] = await Promise.all(
      (['fast', 'small'] as const).map((effort) => processPhoto(input, { format, effort, quality: 75 })),
    )
    expect(small?.bytes.length).toBeLessThan(fast?.bytes.length ?? 0)
  })

  it('makes JPEG progressive, which mozjpeg needs for its best compression', async () => {
    const input = await photoFile('a.png', samplePhoto().png())
    const { bytes } = await processPhoto(input, { format: 'jpeg', effort: 'small' })
    expect((await sharp(bytes).metadata()).isProgressive).toBe(true)
  })
})

describe('quality', () => {
  const photos = mediaCorpus().filter(({ file }) => /^(HMD|Landscape_1|flowers)/.test(file))
  const inputs = async () =>
    photos.length > 0 ? photos.map(({ path }) => path) : [await photoFile('a.png', samplePhoto().png())]

  itInLongSuite('of 82 gives smaller files in AVIF and JPEG XL than in JPEG', async () => {
    for (const input of await inputs()) {
      const size = { width: 320, height: 320 }
      const [jpeg = 0, ...others] = await Promise.all(
        (['jpeg', 'avif', 'jxl'] as const).map(
          async (format) => (await processPhoto(input, { format, size })).bytes.length,
        ),
      )
      for (const other of others) expect(other, input).toBeLessThan(jpeg)
    }
  })

  it.each(['jpeg', 'webp', 'avif', 'jxl'] as const)(
    'increases with its number in %s, up to the maximum',
    (format) => {
      const values = [1, 10, 24, 25, 26, 50, 60, 82, 89, 90, 96, 100].map((quality) =>
        encoderValue(format, quality),
      )
      const rising = format === 'jxl' ? values.map((distance) => -distance) : values
      expect(rising).toEqual(rising.toSorted((one, other) => one - other))
      expect([values[0], values.at(-1)]).toEqual(format === 'jxl' ? [15, 0.1] : [1, 100])
    },
  )

  it.each(firstOf(['jpeg', 'webp', 'avif', 'jxl'] as const))(
    'of 1 and 10 is accepted by the encoder of %s',
    async (format) => {
      const input = await photoFile('a.png', samplePhoto(64, 48).png())
      for (const quality of [1, 10])
        expect((await processPhoto(input, { format, quality })).bytes.length).toBeGreaterThan(0)
    },
  )
})

describe('AVIF', () => {
  it('can have 10 bits, and then has more than twice as many shades', async () => {
    const input = await photoFile('a.png', await deepPng())
    const shades = async (bitDepth: 8 | 10) => {
      const { bytes } = await processPhoto(input, { format: 'avif', bitDepth, quality: 95 })
      expect((await sharp(bytes).metadata()).bitsPerSample).toBe(bitDepth)
      const raw = await sharp(bytes).toColourspace('rgb16').raw({ depth: 'ushort' }).toBuffer()
      return new Set(new Uint16Array(raw.buffer, raw.byteOffset, raw.length / 2)).size
    }
    expect(await shades(10)).toBeGreaterThan(2 * (await shades(8)))
  })
})

/** Creates a 16-bit PNG with a soft gradient that 8 bits can't represent. */
function deepPng(): Promise<Buffer> {
  const [width, height] = [512, 64]
  const pixels = Uint16Array.from(
    { length: width * height * 3 },
    (_, at) => 20_000 + (Math.floor(at / 3) % width) * 20,
  )
  return sharp(pixels, { raw: { width, height, channels: 3 } })
    .toColourspace('rgb16')
    .png()
    .toBuffer()
}
