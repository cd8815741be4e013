import type { Extent } from '../../../src/shared/extent.ts'
import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import sharp from 'sharp'
import { describe, expect, it } from 'vitest'
import { openRareHeic } from '../../../src/media/image/heic.ts'
import { endsTooEarly, readHevcImage } from '../../../src/media/image/heif-file.ts'
import { decodeHeif } from '../../../src/media/image/heif-pixels.ts'
import { readMetadata } from '../../../src/media/metadata/read-metadata.ts'
import { openImage } from '../../../src/media/image/source-image.ts'
import { isLongSuite } from '../../faults/long-suite.ts'
import { mediaCorpus } from '../../media-corpus.ts'
import { box, colors, cut, type HeicOptions, makeHeic, mirrored, turned } from './make-heic.ts'
import { meanDifference, photoFile, usePhotoFolder } from './process-photo.ts'

usePhotoFolder()

type Shown = Extent & { readonly pixels: Buffer }

/** RGB pixels from the other decoder. */
async function byLibheif(file: Buffer): Promise<Shown> {
  const opened = await openRareHeic(await photoFile('a.heic', file), {})
  const { data, info } = await sharp(await opened.pixels())
    .raw()
    .toBuffer({ resolveWithObject: true })
  return { width: info.width, height: info.height, pixels: data }
}

/** Expects the same size, and hardly any difference over all channels. */
function expectSame(one: Shown | undefined, other: Shown, tolerance = 0.01): void {
  expect({ width: one?.width, height: one?.height }).toEqual({ width: other.width, height: other.height })
  expect(meanDifference(one?.pixels ?? [], other.pixels) / 255).toBeLessThan(tolerance)
}

async function decoded(file: Buffer, scaled?: Extent) {
  const picture = readHevcImage(file)
  return picture && (await decodeHeif(picture, scaled))
}

const single = { tile: { width: 128, height: 96 }, width: 128, height: 96 } satisfies HeicOptions
const grid = {
  tile: { width: 64, height: 64 },
  columns: 3,
  rows: 2,
  width: 192,
  height: 128,
} satisfies HeicOptions

describe('a generated HEIC has the same pixels as with libheif', () => {
  it.each<[string, HeicOptions]>([
    ['alone', single],
    ['in a grid', grid],
    ['in a grid whose tiles extend beyond it, with odd dimensions', { ...grid, width: 171, height: 101 }],
    ['in one row', { ...grid, rows: 1, height: 64 }],
    ['rotated by 90°', { ...grid, properties: [turned(1)] }],
    ['rotated by 180°', { ...grid, properties: [turned(2)] }],
    ['rotated by 270°, with odd dimensions', { ...grid, width: 131, height: 99, properties: [turned(3)] }],
    ['flipped vertically', { ...grid, properties: [mirrored(0)] }],
    ['flipped horizontally', { ...grid, properties: [mirrored(1)] }],
    ['rotated and then flipped', { ...grid, properties: [turned(1), mirrored(0)] }],
    ['flipped and then rotated', { ...grid, properties: [mirrored(0), turned(1)] }],
    ['cropped at the right and bottom', { ...single, properties: [cut(127, 95, -1, -1)] }],
    ['cropped between two chroma samples', { ...single, properties: [cut(126, 94, 0, 0)] }],
    ['cropped in the center, then rotated', { ...single, properties: [cut(120, 88, 0, 0), turned(1)] }],
    ['with the full range', { ...grid, range: 'pc' }],
    ['with the range in its box', { ...grid, tileProperties: [colors(6, true)] }],
    ['of BT.709', { ...grid, tileProperties: [colors(1, false)] }],
    ['with 10 bits', { ...grid, pixelFormat: 'yuv420p10le' }],
    ['with 12 bits', { ...grid, pixelFormat: 'yuv420p12le' }],
    ['with full chroma', { ...grid, pixelFormat: 'yuv444p' }],
    ['with half the chroma', { ...grid, pixelFormat: 'yuv422p' }],
    ['in gray', { ...grid, pixelFormat: 'gray' }],
  ])('%s', async (_, made) => {
    const file = makeHeic(made)
    expectSame(await decoded(file), await byLibheif(file))
  })
})

const corpus = mediaCorpus().filter(
  ({ path, expect: fate }) => path.endsWith('.heic') && fate === 'processable',
)

/** Decoding it takes as long as all others. */
const LARGE = new Set(['arrow-iPhone8Plus-rotated.heic'])

describe.skipIf(corpus.length === 0)('a HEIC of a real device has the same pixels as with libheif', () => {
  it.each(corpus.filter(({ file }) => isLongSuite || !LARGE.has(file)))('$file', async ({ path }) => {
    const file = readFileSync(path)
    const ours = await decoded(file)
    // libheif decodes images that aren't passed to FFmpeg.
    if (ours === undefined) return expect(readHevcImage(file)).toBe(undefined)
    expectSame(ours, await byLibheif(file))
  })
})

describe('a requested size', () => {
  it('refers to the upright image', async () => {
    const file = makeHeic({ ...grid, properties: [turned(1)] })
    expect(await decoded(file, { width: 32, height: 48 })).toMatchObject({ width: 32, height: 48 })
  })

  it('gives the same image as scaling after decoding', async () => {
    const file = makeHeic({ ...grid, width: 190, height: 126 })
    const [small, whole] = [await decoded(file, { width: 95, height: 63 }), await decoded(file)]
    const raw = { width: 190, height: 126, channels: 3 } as const
    const pixels = await sharp(whole?.pixels, { raw }).resize(95, 63, { fit: 'fill' }).raw().toBuffer()
    expectSame(small, { width: 95, height: 63, pixels }, 0.02)
  })
})

describe('libheif decodes', () => {
  it.each<[string, HeicOptions]>([
    ['an image cropped after rotation', { ...single, properties: [turned(1), cut(90, 120, 0, 0)] }],
    ['an unknown property', { ...single, properties: [box('what', Buffer.alloc(4))] }],
    ['a grid with individually rotated tiles', { ...grid, tileProperties: [turned(1)] }],
    ['a tile with an unknown property', { ...grid, tileProperties: [box('what', Buffer.alloc(4))] }],
    ['a size that a single tile would cover', { ...grid, width: 60, height: 60 }],
    ['colors without a matrix', { ...grid, tileProperties: [colors(0, true)] }],
    ['a size that its tiles do not cover', { ...grid, width: 300 }],
  ])('%s', async (_, made) => {
    expect(await decoded(makeHeic(made))).toBe(undefined)
  })

  it('a tile with bytes that aren’t HEVC', async () => {
    const file = makeHeic(grid)
    file.fill(0xff, file.length >> 1)
    expect(await decoded(file)).toBe(undefined)
  })
})

describe('a truncated file', () => {
  const file = makeHeic(grid)

  it('is detected from its missing end', () => {
    expect(endsTooEarly(file)).toBe(false)
    for (const length of [file.length - 1, file.length >> 1, 200, 40]) {
      expect(endsTooEarly(file.subarray(0, length)), String(length)).toBe(true)
    }
  })

  it('may consist of nothing but box headers, which would fill the memory', () => {
    const heads = Buffer.alloc(8 * 100_001)
    for (let at = 0; at < heads.length; at += 8) heads.writeUInt32BE(8, at)
    expect(endsTooEarly(heads)).toBe(true)
  })

  it('fails only with a RangeError', () => {
    for (let length = 0; length < file.length; length += 7) {
      try {
        readHevcImage(file.subarray(0, length))
      } catch (error) {
        expect(error).toBeInstanceOf(RangeError)
      }
    }
  })
})

describe('an opened HEIC', () => {
  it('reports its upright dimensions before anything is decoded', async () => {
    const turnedGrid = makeHeic({ ...grid, width: 180, height: 120, properties: [turned(1)] })
    const picture = await openImage(await photoFile('turned.heic', turnedGrid))
    expect(picture).toMatchObject({ format: 'heic', width: 120, height: 180, hasAlpha: false })
    const { input } = await picture.source({ width: 60, height: 90 })
    expect(await sharp(input as Buffer).metadata()).toMatchObject({ width: 60, height: 90, channels: 3 })
  })
})

const phone = fileURLToPath(
  new URL('../../../../shared/media-odd/phone-200-megapixels.heic', import.meta.url),
)
const iphone = corpus.find(({ file }) => file.startsWith('arrow-iPhone'))

describe.skipIf(!existsSync(phone))('an image of 200 megapixels in 768 tiles', () => {
  it('is scaled down without ever being fully in memory as RGB', async () => {
    const picture = await openImage(phone)
    expect(picture).toMatchObject({ format: 'heic', width: 12_240, height: 16_320 })
    const { input } = await picture.source({ width: 1_536, height: 2_048 })
    expect((input as Buffer).length).toBeLessThan(1_536 * 2_048 * 3 * 1.1)
    expect(await sharp(input as Buffer).metadata()).toMatchObject({ width: 1_536, height: 2_048 })
  })
})

describe.skipIf(iphone === undefined)('the metadata of a phone photo', () => {
  it('includes the profile of its tiles and the Exif data', async () => {
    const picture = await openImage(iphone?.path ?? '')
    expect(picture.hasProfile).toBe(true)
    const { input } = await picture.source({ width: 300, height: 400 })
    const { icc, orientation } = await sharp(input as Buffer).metadata()
    expect(icc?.toString('latin1')).toContain('P3')
    expect(orientation ?? 1).toBe(1)
    const { exif } = await readMetadata(iphone?.path ?? '', 'heic')
    expect(exif?.toString('latin1')).toContain('iPhone 8 Plus')
  })
})
