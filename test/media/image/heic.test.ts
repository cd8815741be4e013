import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import sharp from 'sharp'
import { afterAll, describe, expect, it } from 'vitest'
import type { Extent } from '../../../src/media/image/geometry.ts'
import { endsTooEarly, readHevcPicture } from '../../../src/media/image/heif-file.ts'
import { decodeHeif } from '../../../src/media/image/heif-pixels.ts'
import { openPicture } from '../../../src/media/image/picture.ts'
import { mediaCorpus } from '../../media-corpus.ts'
import { box, colours, cut, type MadeHeic, makeHeic, mirrored, turned } from './made-heic.ts'

type Shown = Extent & { readonly pixels: Uint8ClampedArray }
type HeifImage = {
  get_width(): number
  get_height(): number
  is_primary(): boolean
  display(
    target: { data: Uint8ClampedArray; width: number; height: number },
    done: (target: object | null) => void,
  ): void
}
const libheif = createRequire(import.meta.url)('libheif-js/wasm-bundle.js') as {
  HeifDecoder: new () => { decode(file: Uint8Array): HeifImage[] }
}

/** What the other decoder makes of it, as RGBA. */
async function byLibheif(file: Buffer): Promise<Shown> {
  const image = new libheif.HeifDecoder().decode(file).find((one) => one.is_primary())
  if (image === undefined) throw new Error('libheif finds no picture')
  const [width, height] = [image.get_width(), image.get_height()]
  const data = new Uint8ClampedArray(width * height * 4)
  await new Promise((resolve) => image.display({ data, width, height }, resolve))
  return { width, height, pixels: data }
}

/** Mean difference of all channels, 0..1. */
function difference(pixels: Buffer, other: Shown): number {
  let sum = 0
  for (let pixel = 0; pixel < other.width * other.height; pixel++) {
    for (let channel = 0; channel < 3; channel++) {
      sum += Math.abs((pixels[pixel * 3 + channel] ?? 0) - (other.pixels[pixel * 4 + channel] ?? 0))
    }
  }
  return sum / (other.width * other.height * 3 * 255)
}

async function decoded(file: Buffer, scaled?: Extent) {
  const picture = readHevcPicture(file)
  return picture && (await decodeHeif(picture, scaled))
}

const single = { tile: { width: 128, height: 96 }, width: 128, height: 96 } satisfies MadeHeic
const grid = {
  tile: { width: 64, height: 64 },
  columns: 3,
  rows: 2,
  width: 192,
  height: 128,
} satisfies MadeHeic

describe('a made HEIC has the pixels that libheif gives it', () => {
  it.each<[string, MadeHeic]>([
    ['alone', single],
    ['in a grid', grid],
    ['in a grid whose tiles reach beyond it, with odd sides', { ...grid, width: 171, height: 101 }],
    ['in one row', { ...grid, rows: 1, height: 64 }],
    ['turned by a quarter', { ...grid, properties: [turned(1)] }],
    ['turned by two', { ...grid, properties: [turned(2)] }],
    ['turned by three, and odd', { ...grid, width: 131, height: 99, properties: [turned(3)] }],
    ['mirrored up and down', { ...grid, properties: [mirrored(0)] }],
    ['mirrored left and right', { ...grid, properties: [mirrored(1)] }],
    ['turned and then mirrored', { ...grid, properties: [turned(1), mirrored(0)] }],
    ['mirrored and then turned', { ...grid, properties: [mirrored(0), turned(1)] }],
    ['cut at the right and below', { ...single, properties: [cut(127, 95, -1, -1)] }],
    ['cut in the middle, then turned', { ...single, properties: [cut(120, 88, 0, 0), turned(1)] }],
    ['with the full range', { ...grid, range: 'pc' }],
    ['whose box says the range', { ...grid, tileProperties: [colours(6, true)] }],
    ['of BT.709', { ...grid, tileProperties: [colours(1, false)] }],
    ['with 10 bits', { ...grid, pixelFormat: 'yuv420p10le' }],
    ['with 12 bits', { ...grid, pixelFormat: 'yuv420p12le' }],
    ['with all of its colours', { ...grid, pixelFormat: 'yuv444p' }],
    ['with half of its colours', { ...grid, pixelFormat: 'yuv422p' }],
    ['in gray', { ...grid, pixelFormat: 'gray' }],
  ])('%s', async (_, made) => {
    const file = makeHeic(made)
    const [ours, theirs] = [await decoded(file), await byLibheif(file)]
    expect({ width: ours?.width, height: ours?.height }).toEqual({
      width: theirs.width,
      height: theirs.height,
    })
    expect(difference(ours?.pixels ?? Buffer.alloc(0), theirs)).toBeLessThan(0.01)
  })
})

const corpus = mediaCorpus().filter(
  ({ path, expect: fate }) => path.endsWith('.heic') && fate === 'processable',
)

describe.skipIf(corpus.length === 0)('a HEIC of a real device has the pixels that libheif gives it', () => {
  it.each(corpus)('$file', async ({ path }) => {
    const file = readFileSync(path)
    const ours = await decoded(file)
    // What FFmpeg is not given, libheif decodes.
    if (ours === undefined) return expect(readHevcPicture(file)).toBe(undefined)
    const theirs = await byLibheif(file)
    expect({ width: ours.width, height: ours.height }).toEqual({ width: theirs.width, height: theirs.height })
    expect(difference(ours.pixels, theirs)).toBeLessThan(0.01)
  })
})

describe('a size that is wanted', () => {
  it('is that of the upright picture', async () => {
    const file = makeHeic({ ...grid, properties: [turned(1)] })
    expect(await decoded(file, { width: 32, height: 48 })).toMatchObject({ width: 32, height: 48 })
  })

  it('shows what scaling afterwards would show', async () => {
    const file = makeHeic({ ...grid, width: 190, height: 126 })
    const [small, whole] = [await decoded(file, { width: 95, height: 63 }), await decoded(file)]
    const raw = { width: 190, height: 126, channels: 3 } as const
    const scaled = await sharp(whole?.pixels, { raw }).resize(95, 63, { fit: 'fill' }).raw().toBuffer()
    const rgba = new Uint8ClampedArray(
      await sharp(scaled, { raw: { ...raw, width: 95, height: 63 } })
        .ensureAlpha()
        .raw()
        .toBuffer(),
    )
    expect(
      difference(small?.pixels ?? Buffer.alloc(0), { width: 95, height: 63, pixels: rgba }),
    ).toBeLessThan(0.02)
  })
})

describe('left to libheif is', () => {
  it.each<[string, MadeHeic]>([
    ['what is cut after it was turned', { ...single, properties: [turned(1), cut(90, 120, 0, 0)] }],
    ['what is cut between two pixels of colour', { ...single, properties: [cut(126, 94, 0, 0)] }],
    ['a property that nobody knows', { ...single, properties: [box('what', Buffer.alloc(4))] }],
    ['a grid whose tiles are turned by themselves', { ...grid, tileProperties: [turned(1)] }],
    ['a tile with a property that nobody knows', { ...grid, tileProperties: [box('what', Buffer.alloc(4))] }],
    ['a size for which one tile would do', { ...grid, width: 60, height: 60 }],
    ['colours without a matrix', { ...grid, tileProperties: [colours(0, true)] }],
    ['a size that its tiles do not fill', { ...grid, width: 300 }],
  ])('%s', async (_, made) => {
    expect(await decoded(makeHeic(made))).toBe(undefined)
  })

  it('a tile with bytes that are none of HEVC', async () => {
    const file = makeHeic(grid)
    file.fill(0xff, file.length >> 1)
    expect(await decoded(file)).toBe(undefined)
  })
})

describe('a file that was cut short', () => {
  const file = makeHeic(grid)

  it('is known by its end', () => {
    expect(endsTooEarly(file)).toBe(false)
    for (const length of [file.length - 1, file.length >> 1, 200, 40]) {
      expect(endsTooEarly(file.subarray(0, length)), String(length)).toBe(true)
    }
  })

  it('is also one of nothing but heads of boxes, which would fill the memory', () => {
    const heads = Buffer.alloc(8 * 100_001)
    for (let at = 0; at < heads.length; at += 8) heads.writeUInt32BE(8, at)
    expect(endsTooEarly(heads)).toBe(true)
  })

  it('never makes reading it fail in another way than by its range', () => {
    for (let length = 0; length < file.length; length += 7) {
      try {
        readHevcPicture(file.subarray(0, length))
      } catch (error) {
        expect(error).toBeInstanceOf(RangeError)
      }
    }
  })
})

describe('an opened HEIC', () => {
  const folder = mkdtempSync(join(tmpdir(), 'mediatray-heic-'))
  afterAll(() => rmSync(folder, { recursive: true }))

  it('says its upright size before anything is decoded', async () => {
    const path = join(folder, 'turned.heic')
    writeFileSync(path, makeHeic({ ...grid, width: 180, height: 120, properties: [turned(1)] }))
    const picture = await openPicture(path)
    expect(picture).toMatchObject({ format: 'heic', width: 120, height: 180, hasAlpha: false })
    const { input } = await picture.source({ width: 60, height: 90 })
    expect(await sharp(input as Buffer).metadata()).toMatchObject({ width: 60, height: 90, channels: 3 })
  })
})

const phone = fileURLToPath(
  new URL('../../../../shared/media-odd/phone-200-megapixels.heic', import.meta.url),
)
const iphone = corpus.find(({ file }) => file.startsWith('arrow-iPhone'))

describe.skipIf(!existsSync(phone))('a picture of 200 megapixels in 768 tiles', () => {
  it('is made smaller without ever being whole as RGB', async () => {
    const picture = await openPicture(phone)
    expect(picture).toMatchObject({ format: 'heic', width: 12_240, height: 16_320 })
    const { input } = await picture.source({ width: 1_536, height: 2_048 })
    expect((input as Buffer).length).toBeLessThan(1_536 * 2_048 * 3 * 1.1)
    expect(await sharp(input as Buffer).metadata()).toMatchObject({ width: 1_536, height: 2_048 })
  })
})

describe.skipIf(iphone === undefined)('what goes with the pixels of a phone', () => {
  it('is the profile of its tiles, the place and the time', async () => {
    const picture = await openPicture(iphone?.path ?? '')
    expect(picture.hasProfile).toBe(true)
    const { input } = await picture.source({ width: 300, height: 400 })
    const { icc, exif, orientation } = await sharp(input as Buffer).metadata()
    expect(icc?.toString('latin1')).toContain('P3')
    expect(exif?.toString('latin1')).toContain('iPhone 8 Plus')
    expect(orientation ?? 1).toBe(1)
  })
})
