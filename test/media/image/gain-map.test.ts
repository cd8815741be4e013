/** Reads results with libultrahdr, as other programs do. */
import sharp, { type Sharp } from 'sharp'
import { describe, expect, it } from 'vitest'
import { GAIN_MAP_NAME, MARKERS, segment, withSegments } from '../../../src/media/image/jpeg-segments.ts'
import { drawGainMap } from '../../../src/media/image/draw-gain-map.ts'
import { planDrawing } from '../../../src/media/image/draw-image.ts'
import { openImage } from '../../../src/media/image/source-image.ts'
import { ImageRecipe } from '../../../src/shared/preset/preset.ts'
import { readGainMap } from '../../../src/media/image/gain-map.ts'
import { joinGainMap, xmpWithGainMap } from '../../../src/media/image/ultra-hdr.ts'
import { lightOfUltraHdr } from './light.ts'
import {
  meanDifference,
  photoFile,
  processContent,
  processPhoto,
  REMOVING,
  usePhotoFolder,
} from './process-photo.ts'
import { DUBLIN_CORE, xmpPacket } from '../xmp-packet.ts'
import { firstOf, itInLongSuite } from '../../faults/long-suite.ts'

usePhotoFolder()

const WIDTH = 256
const HEIGHT = 192

/** @param shade returns 0..255 for a position given as fractions (0..1) of width and height */
function grey(width: number, height: number, shade: (across: number, down: number) => number): Sharp {
  const pixels = Buffer.from(
    Array.from({ length: width * height }, (_, at) =>
      Math.round(shade((at % width) / width, Math.floor(at / width) / height)),
    ),
  )
  return sharp(pixels, { raw: { width, height, channels: 1 } })
}

const numbers = (...values: readonly number[]) => Buffer.from(new Uint32Array(values).buffer).swap32()

/** Gain map metadata: one channel in the image's colors, a headroom and gain of 1 to 4 times, a gamma and two offsets. */
const DESCRIPTION = Buffer.concat([
  Buffer.from([0, 0, 0, 0, 0x40]),
  numbers(0, 1, 2, 1, 0, 1, 2, 1, 1, 1, 1, 64, 1, 64),
])

const withDescription = (map: Buffer) =>
  withSegments(map, [segment(MARKERS.APP2, GAIN_MAP_NAME, DESCRIPTION)])

const picture = (exif = 1) =>
  grey(WIDTH, HEIGHT, (across) => 20 + across * 200)
    .toColourspace('srgb')
    .withMetadata({ orientation: exif })
    .jpeg({ quality: 95 })
    .toBuffer()

/** Returns a gain map that makes the upper right quarter four times as bright. */
async function gainMap(
  shade = (across: number, down: number): number => (across >= 0.5 && down < 0.5 ? 255 : 0),
): Promise<Buffer> {
  const map = grey(WIDTH / 2, HEIGHT / 2, shade)
  return withDescription(await map.toColourspace('b-w').jpeg({ quality: 95 }).toBuffer())
}

const ultraHdr = async (orientation = 1) => joinGainMap(await picture(orientation), await gainMap())

/** Brightness of the center of each quarter, 1 for white: upper left, upper right, lower left, lower right. */
async function light(jpeg: Buffer): Promise<number[]> {
  const { values, width, height } = await lightOfUltraHdr(jpeg)
  const at = (across: number, down: number) =>
    values[Math.floor(height * down) * width + Math.floor(width * across)] ?? 0
  return [at(0.25, 0.25), at(0.75, 0.25), at(0.25, 0.75), at(0.75, 0.75)]
}

/** Returns which quarters are brighter than any would be without the gain map. */
const brightest = (quarters: readonly number[]) => quarters.map((each) => each > 0.7)

describe('a gain map', () => {
  it('is kept in JPEG, at full size and smaller', async () => {
    const original = await ultraHdr()
    const file = await photoFile('a.jpg', original)
    expect(brightest(await light(original))).toEqual([false, true, false, false])
    for (const size of [undefined, { width: 100 }]) {
      const { bytes, notes } = await processPhoto(file, { format: 'jpeg', size })
      const quarters = await light(bytes)
      for (const [index, each] of (await light(original)).entries())
        expect(quarters[index]).toBeCloseTo(each, 0)
      expect(notes).toEqual([])
    }
  })

  itInLongSuite('keeps intermediate gains, in one channel', async () => {
    const original = joinGainMap(await picture(), await gainMap((across) => across * 255))
    const { bytes } = await processContent('a.jpg', original, { format: 'jpeg' })
    const [before, after] = [await lightOfUltraHdr(original), await lightOfUltraHdr(bytes)]
    expect(meanDifference(before.values, after.values)).toBeLessThan(0.02)
  })

  it.each(
    firstOf([
      [{ rotate: 90 }, [false, false, false, true]],
      [{ rotate: 180 }, [false, false, true, false]],
      [{ crop: { aspect: 0.5 } }, [false, true, false, false]],
      [{ size: { width: 64, height: 64, fit: 'cover' } }, [false, true, false, false]],
      [{ size: { width: 128, height: 128, fit: 'contain' } }, [false, true, false, false]],
      [{ effort: 'small', look: 'high' }, [false, true, false, false]],
      [{ maxBytes: 10_000 }, [false, true, false, false]],
    ] as const),
  )('is transformed like its image: %o', async (recipe, expected) => {
    const { bytes } = await processContent('a.jpg', await ultraHdr(), { format: 'jpeg', ...recipe })
    expect(brightest(await light(bytes))).toEqual(expected)
    if ('maxBytes' in recipe) expect(bytes.length).toBeLessThanOrEqual(recipe.maxBytes)
  })

  it('is rotated according to the file’s orientation', async () => {
    const recipe = { format: 'jpeg', size: { width: 96 } } as const
    const { bytes } = await processContent('a.jpg', await ultraHdr(6), recipe)
    expect(brightest(await light(bytes))).toEqual([false, false, false, true])
  })

  it('is listed with its offset and length', async () => {
    const { bytes } = await processContent('a.jpg', await ultraHdr(), { format: 'jpeg' })
    const found = await readGainMap(bytes, 1)
    expect(found).toMatchObject({ width: WIDTH / 2, height: HEIGHT / 2 })
    expect(bytes.indexOf(found?.jpeg ?? '') + (found?.jpeg.length ?? 0)).toBe(bytes.length)
    expect(bytes.toString('latin1')).toContain(`Item:Length="${found?.jpeg.length}"`)
  })

  itInLongSuite('is found even if large segments precede the pixels', async () => {
    const other = segment(0xed, 'Photoshop 3.0\0', Buffer.alloc(60_000))
    const long = withSegments(await ultraHdr(), Array<Buffer>(6).fill(other))
    const { bytes } = await processContent('a.jpg', long, { format: 'jpeg' })
    expect(brightest(await light(bytes))).toEqual([false, true, false, false])
  })

  itInLongSuite('is found without being listed if it directly follows the image', async () => {
    const version = segment(MARKERS.APP2, GAIN_MAP_NAME, Buffer.alloc(4))
    const unlisted = Buffer.concat([withSegments(await picture(), [version]), await gainMap()])
    const { bytes } = await processContent('a.jpg', unlisted, { format: 'jpeg' })
    expect(brightest(await light(bytes))).toEqual([false, true, false, false])
  })

  it.each(firstOf(['webp', 'png', 'avif', 'jxl', 'tiff'] as const))(
    'is lost in %s, and the job reports it',
    async (format) => {
      const { notes } = await processContent('a.jpg', await ultraHdr(), { format })
      expect(notes).toEqual(['tone-mapped'])
    },
  )

  it('is dropped on request, for gray images, and if it would use too much of the maximum file size', async () => {
    const file = await photoFile('a.jpg', await ultraHdr())
    for (const recipe of [{ hdr: 'tone-map' }, { grayscale: true }, { maxBytes: 5000 }] as const) {
      const { notes, bytes } = await processPhoto(file, { format: 'jpeg', ...recipe })
      expect(notes).toEqual(['tone-mapped'])
      expect(await readGainMap(bytes, 1)).toBeUndefined()
    }
  })

  it('is dropped without its image if it can’t be decoded', async () => {
    const opened = await openImage(await photoFile('a.jpg', await picture()))
    const jpeg = Buffer.from('No picture')
    const map = { jpeg, isGray: true, width: 64, height: 48, orientation: 1 }
    const damaged = { ...opened, gainMap: () => Promise.resolve(map) }
    const recipe = ImageRecipe.parse({ format: 'jpeg' })
    const drawing = await planDrawing(damaged, 'jpeg', { recipe, variation: undefined })
    expect(await drawGainMap(drawing)).toBe('lost')
  })

  itInLongSuite('has no effect if it is truncated', async () => {
    const whole = await ultraHdr()
    const map = (await gainMap()).length
    for (const missing of [map - 10, map / 2]) {
      const broken = whole.subarray(0, whole.length - missing)
      const { bytes } = await processContent('a.jpg', broken, { format: 'jpeg' })
      expect((await sharp(bytes).metadata()).width).toBe(WIDTH)
    }
  })
})

const packet = (elements: string) =>
  xmpPacket(
    `${DUBLIN_CORE} xmlns:GContainer="http://ns.google.com/photos/1.0/container/"`,
    elements,
  ).toString()

describe('the user’s metadata', () => {
  const told = packet(
    '<dc:subject>Sea</dc:subject><GContainer:Directory><rdf:Seq><rdf:li>MotionPhoto</rdf:li></rdf:Seq></GContainer:Directory>',
  )

  itInLongSuite('is kept when the gain map’s directory replaces an older one', async () => {
    const described = sharp(await picture()).withXmp(told)
    const photo = joinGainMap(await described.toBuffer(), await gainMap())
    const { bytes } = await processContent('a.jpg', photo, { metadata: 'keep' })
    const xmp = (await sharp(bytes).metadata()).xmpAsString
    expect(xmp).toContain('<dc:subject>Sea</dc:subject>')
    expect(xmp).toContain('Item:Semantic="GainMap"')
    expect(xmp).not.toContain('MotionPhoto')
  })

  it('is kept unchanged if the directory can’t be added', () => {
    const odd = Buffer.from('<odd/>')
    expect(xmpWithGainMap(odd, 77).toString()).toBe('<odd/>')
    expect(xmpWithGainMap(undefined, 77).toString()).toContain('Item:Length="77"')
  })

  itInLongSuite('doesn’t follow the gain map, which has its own copy', async () => {
    const map = sharp(await gainMap()).withXmp(packet('<dc:subject>Hidden Cove</dc:subject>'))
    const photo = joinGainMap(await picture(), withDescription(await map.jpeg().toBuffer()))
    expect(photo.includes('Hidden Cove')).toBe(true)
    const { bytes } = await processContent('a.jpg', photo, { metadata: 'strip' })
    expect(bytes.includes(GAIN_MAP_NAME)).toBe(true)
    expect(bytes.includes('Hidden Cove')).toBe(false)
  })
})

const pixelsOf = (jpeg: Buffer) => sharp(jpeg).raw().toBuffer()

describe('a gain map when only the location or all metadata is removed', () => {
  it.each(firstOf(['strip', 'strip-location'] as const))('stays as it is coded: %s', async (metadata) => {
    const map = await gainMap()
    const described = await sharp(await picture())
      .withExif({ IFD0: { Artist: 'Ada' }, IFD3: { GPSLatitudeRef: 'N', GPSLatitude: '52/1 30/1 0/1' } })
      .jpeg({ quality: 95 })
      .toBuffer()
    const original = joinGainMap(described, map)
    const recipe = { ...REMOVING, colour: 'keep', metadata } as const
    const { bytes, losses } = await processContent('a.jpg', original, recipe)
    expect(brightest(await light(bytes))).toEqual([false, true, false, false])
    const found = await readGainMap(bytes, 1)
    expect((await pixelsOf(found?.jpeg ?? map)).equals(await pixelsOf(map))).toBe(true)
    expect((await pixelsOf(bytes)).equals(await pixelsOf(original))).toBe(true)
    expect([bytes.includes('Ada'), bytes.includes('GPS')]).toEqual([metadata !== 'strip', false])
    expect(losses).toEqual([])
  })
})
