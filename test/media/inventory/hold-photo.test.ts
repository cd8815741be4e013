import sharp from 'sharp'
import { describe, expect, it } from 'vitest'
import { isSamePicture } from '../../../src/media/inventory/same-picture.ts'
import { createTranslation } from '../../../src/shared/i18n/i18n.ts'
import { describeLoss } from '../../../src/shared/i18n/losses.ts'
import { inEnglish } from '../../../src/shared/i18n/in-english.ts'
import { FailureError } from '../../../src/shared/failure/failure-error.ts'
import {
  photoFile,
  type PhotoRecipe,
  processPhoto,
  samplePhoto,
  usePhotoFolder,
} from '../image/process-photo.ts'

usePhotoFolder()
const t = createTranslation('en-US')

async function lostIn(path: string, recipe: PhotoRecipe = {}): Promise<readonly string[]> {
  const { losses } = await processPhoto(path, recipe)
  return losses.map((one) => describeLoss(one, t))
}

/** Stores floats from 0 to 1, as image editors do. */
function floatTiff(): Buffer {
  const [width, height] = [48, 32]
  const pixels = Buffer.alloc(width * height * 4)
  for (let index = 0; index < width * height; index++) pixels.writeFloatLE((index % width) / width, index * 4)
  const tags = [
    [256, 4, width],
    [257, 4, height],
    [258, 3, 32],
    [259, 3, 1],
    [262, 3, 1],
    [273, 4, 8],
    [277, 3, 1],
    [278, 4, height],
    [279, 4, pixels.length],
    [339, 3, 3],
  ]
  const head = Buffer.from('II*\0\0\0\0\0', 'latin1')
  head.writeUInt32LE(8 + pixels.length, 4)
  const directory = Buffer.alloc(2 + tags.length * 12 + 4)
  directory.writeUInt16LE(tags.length, 0)
  for (const [index, [tag = 0, type = 0, value = 0]] of tags.entries()) {
    const at = 2 + index * 12
    directory.writeUInt16LE(tag, at)
    directory.writeUInt16LE(type, at + 2)
    directory.writeUInt32LE(1, at + 4)
    directory.writeUInt32LE(value, at + 8)
  }
  return Buffer.concat([head, pixels, directory])
}

/** Returns an RGBA PNG that is opaque apart from one pixel. */
const withHole = (alpha: number) =>
  sharp({ create: { width: 40, height: 30, channels: 4, background: { r: 9, g: 99, b: 199, alpha: 1 } } })
    .composite([
      {
        input: Buffer.from([0, 0, 0, alpha]),
        raw: { width: 1, height: 1, channels: 4 },
        left: 3,
        top: 3,
        blend: 'dest-out',
      },
    ])
    .png()

describe('a finished photo', () => {
  it('lost nothing if the format holds everything', async () => {
    const path = await photoFile('photo.jpg', samplePhoto().jpeg())
    for (const format of ['jpeg', 'png', 'webp', 'avif', 'jxl', 'tiff'] as const)
      expect(await lostIn(path, { format, size: { width: 60 } })).toEqual([])
  })

  it('lost the pages of a TIFF, and the frames of an animation', async () => {
    const frames = await Promise.all(
      ['red', 'lime', 'blue'].map((background) =>
        sharp({ create: { width: 20, height: 20, channels: 3, background } })
          .png()
          .toBuffer(),
      ),
    )
    const animation = sharp(frames, { join: { animated: true } })
    const webp = await photoFile('a.webp', animation.webp({ delay: [50, 50, 50] }))
    expect(await lostIn(webp, { format: 'jpeg' })).toEqual([
      '2 frames of the animation. JPEG holds one frame.',
    ])
    expect(await lostIn(webp, { format: 'webp' })).toEqual([])
    expect(await lostIn(webp, { format: 'jpeg', animation: 'first-frame' })).toEqual([])
    const tiff = await photoFile('a.tif', sharp(frames, { join: { animated: true } }).tiff())
    expect(await lostIn(tiff, { format: 'jpeg' })).toEqual(['Pages 2 to 3. JPEG holds one page.'])
  })

  it('lost transparency only if something was transparent', async () => {
    expect(await lostIn(await photoFile('hole.png', withHole(255)), { format: 'jpeg' })).toEqual([
      'Transparency. JPEG can’t hold it.',
    ])
    expect(await lostIn(await photoFile('full.png', withHole(0)), { format: 'jpeg' })).toEqual([])
  })

  it('lost bits per channel only if another format wasn’t asked for', async () => {
    const deep = await photoFile('deep.png', samplePhoto().toColourspace('rgb16').png())
    expect(await lostIn(deep, { format: 'webp' })).toEqual([])
    expect(await lostIn(deep)).toEqual([])
  })

  it('isn’t a result if it is black and the original isn’t', async () => {
    const path = await photoFile('float.tif', floatTiff())
    // Either the samples are read as numbers from 0 to 1, or the result is refused.
    try {
      const { output } = await processPhoto(path, { format: 'png' })
      expect((await sharp(output).stats()).channels[0]?.mean).toBeGreaterThan(60)
    } catch (error) {
      if (!(error instanceof FailureError)) throw error
      expect(inEnglish(error.failure)).toMatch(/^The result doesn’t look like the original/)
    }
  })
})

const picture = (value: (x: number, y: number) => number) =>
  Uint8Array.from({ length: 1024 }, (_, index) => value(index % 32, Math.floor(index / 32)))

describe('two pictures at 32 × 32', () => {
  const slope = picture((x, y) => 4 * x + 3 * y)
  const noise = picture((x, y) => (x * 7919 + y * 104_729 + x * y * 31) % 251)

  it('are the same if light and dark are where they were', () => {
    expect(isSamePicture(slope, slope)).toBe(true)
    expect(
      isSamePicture(
        slope,
        picture((x, y) => 30 + 2 * x + y),
      ),
    ).toBe(true)
    expect(
      isSamePicture(
        picture(() => 200),
        picture(() => 190),
      ),
    ).toBe(true)
  })

  it('differ if the result is black, garbled, or another plain color', () => {
    expect(
      isSamePicture(
        slope,
        picture(() => 0),
      ),
    ).toBe(false)
    expect(isSamePicture(slope, noise)).toBe(false)
    expect(
      isSamePicture(
        picture(() => 240),
        picture(() => 3),
      ),
    ).toBe(false)
  })

  it('don’t differ if it is the other decoder that gives noise or a plain area', () => {
    expect(isSamePicture(noise, slope)).toBe(true)
    expect(
      isSamePicture(
        picture(() => 0),
        slope,
      ),
    ).toBe(true)
  })
})
