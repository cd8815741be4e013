import type { Extent } from '../../../src/shared/extent.ts'
import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { FormatContext } from 'node-av/lib'
import sharp from 'sharp'
import { describe, expect, it } from 'vitest'
import { openPlainHeic, openRareHeic } from '../../../src/media/image/heic.ts'
import { bare } from '../../../src/media/image/bare/bare.ts'
import { describedBy, endsTooEarly, itemsOf, readHevcImage } from '../../../src/media/image/heif-file.ts'
import { decodeHeif } from '../../../src/media/image/heif-pixels.ts'
import { heifImages } from '../../../src/media/inventory/heif-images.ts'
import { orientationExif } from '../../../src/media/metadata/describe-exif.ts'
import { jpegMetadata } from '../../../src/media/metadata/jpeg-metadata.ts'
import { readMetadata } from '../../../src/media/metadata/read-metadata.ts'
import { openImage } from '../../../src/media/image/source-image.ts'
import { uint32 } from '../../../src/media/big-endian.ts'
import { boxesIn } from '../../../src/node/media-header/heif-boxes.ts'
import { describeInLongSuite, firstOf, isLongSuite, itInLongSuite } from '../../faults/long-suite.ts'
import { mediaCorpus } from '../../media-corpus.ts'
import {
  box,
  colors,
  cut,
  FIRST_MORE,
  type HeicItem,
  type HeicOptions,
  longBox,
  makeHeic,
  mirrored,
  PICTURE,
  turned,
} from './make-heic.ts'
import {
  meanDifference,
  photoFile,
  processContent,
  rawOf,
  REMOVING,
  usePhotoFolder,
} from './process-photo.ts'
import { codesOf } from '../loss-sentences.ts'

usePhotoFolder()

/** Returns whether FFmpeg, which is strict about boxes, opens the file. FFmpeg's programs on many computers are too old for HEIC. */
async function isReadByFfmpeg(path: string): Promise<boolean> {
  const file = new FormatContext()
  try {
    return (await file.openInput(`file:${path}`, null, null)) >= 0
  } finally {
    await file.closeInput()
  }
}

type Shown = Extent & { readonly pixels: Buffer }

/** RGB pixels from the other decoder. */
async function byLibheif(file: Buffer): Promise<Shown> {
  const opened = await openRareHeic(await photoFile('a.heic', file), {})
  const { data, info } = await rawOf(sharp(await opened.pixels()))
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
const tiles = { tile: { width: 64, height: 64 }, columns: 3, rows: 2 }
const grid = { ...tiles, width: 192, height: 128 } satisfies HeicOptions

describe('a generated HEIC has the same pixels as with libheif', () => {
  it.each<[string, HeicOptions]>(
    firstOf(
      [
        ['alone', single],
        ['in a grid', grid],
        ['in a grid whose tiles extend beyond it, with odd dimensions', { ...grid, width: 171, height: 101 }],
        ['rotated by 90°', { ...grid, properties: [turned(1)] }],
        ['in one row', { ...grid, rows: 1, height: 64 }],
        ['rotated by 180°', { ...grid, properties: [turned(2)] }],
        ['rotated by 270°, with odd sides', { ...grid, width: 131, height: 99, properties: [turned(3)] }],
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
      ],
      3,
    ),
  )('%s', async (_, made) => {
    const file = makeHeic(made)
    expectSame(await decoded(file), await byLibheif(file))
  })
})

const corpus = mediaCorpus().filter(
  ({ path, expect: fate }) => path.endsWith('.heic') && fate === 'processable',
)

/** Decoding them takes as long as all others. */
const LARGE = new Set(['arrow-iPhone8Plus-rotated.heic', 'multi-image-collection.heic'])

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
  it.each<[string, HeicOptions]>(
    firstOf([
      ['an image cropped after rotation', { ...single, properties: [turned(1), cut(90, 120, 0, 0)] }],
      ['an unknown property', { ...single, properties: [box('what', Buffer.alloc(4))] }],
      ['a grid with individually rotated tiles', { ...grid, tileProperties: [turned(1)] }],
      ['a tile with an unknown property', { ...grid, tileProperties: [box('what', Buffer.alloc(4))] }],
      ['a size that a single tile would cover', { ...grid, width: 60, height: 60 }],
      ['colors without a matrix', { ...grid, tileProperties: [colors(0, true)] }],
      ['a size that its tiles do not cover', { ...grid, width: 300 }],
    ]),
  )('%s', async (_, made) => {
    expect(await decoded(makeHeic(made))).toBe(undefined)
  })

  it('a tile with bytes that aren’t HEVC', async () => {
    const file = makeHeic(grid)
    file.fill(0xff, file.length >> 1)
    expect(await decoded(file)).toBe(undefined)
  })
})

it('an image with too many pixels is refused, even if only a small part of it is displayed', async () => {
  const file = makeHeic({ ...single, properties: [cut(100, 80, 0, 0)] })
  const sides = file.indexOf('ispe') + 8
  for (const at of [sides, sides + 4]) file.writeUInt32BE(20_000, at)
  await expect(openPlainHeic(await photoFile('cut.heic', file))).rejects.toThrow(/400 megapixels/)
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

  itInLongSuite('fails only with a RangeError', () => {
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

describeInLongSuite.skipIf(!existsSync(phone))('an image of 200 megapixels in 768 tiles', () => {
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

/** Returns the content of a group of items. */
const groupOf = (...items: readonly number[]) =>
  Buffer.from([0, 0, 0, 0, 0, 0, 0, 7, 0, 0, 0, items.length, ...items.flatMap((item) => [0, 0, 0, item])])

const inGroup = (type: string, ...content: readonly Buffer[]) => box('grpl', box(type, ...content))

describe('removing metadata copies the pixels of', () => {
  const SECRET = 'in a quiet cove'
  const secret = Buffer.from(SECRET)
  const sender = Buffer.from('0123456789abcdef')
  const description = box('udes', Buffer.from(`\0\0\0\0${SECRET}`))
  const message = (length: number) =>
    Buffer.concat([sender, Buffer.from(SECRET.padEnd(length - sender.length, '.'))])
  /** A HEVC unit with a message, preceded by its length. */
  function hevcUnit(type: number, length = 60): Buffer {
    const lengths = Buffer.from([...Array<number>(Math.floor(length / 255)).fill(255), length % 255])
    const head = Buffer.from([type << 1, 1, 5])
    const content = Buffer.concat([head, lengths, message(length), Buffer.from([0x80])])
    return Buffer.concat([uint32(content.length), content])
  }
  const av1Unit = (type: number) =>
    Buffer.concat([Buffer.from([(type << 3) | 2, 62, 9]), message(60), Buffer.from([0x80])])
  const [UNIT, AV1] = [single, { ...single, coding: 'av1' }] as const
  /** Adds a unit to the parameters of HEVC, in a list of units of its type. */
  const withHevcUnit = (parameters: Buffer): Buffer => {
    const unit = hevcUnit(39).subarray(2)
    const changed = Buffer.concat([parameters, Buffer.from([39, 0, 1]), unit])
    changed.writeUInt8(changed.readUInt8(22) + 1, 22)
    return changed
  }
  const tile = readHevcImage(makeHeic(single))?.tiles[0].data ?? Buffer.alloc(0)

  it.each<[string, HeicOptions]>(
    firstOf(
      [
        ['an image with a name', { ...UNIT, name: SECRET }],
        ['tiles with names', { ...grid, name: SECRET }],
        ['an image with a description', { ...UNIT, properties: [description] }],
        ['an image with data of a program', { ...UNIT, boxes: [box('uuid', sender, secret)] }],
        ['an image with a long description', { ...UNIT, properties: [longBox('udes', secret)] }],
        ['an image with long data of a program', { ...UNIT, beforeData: [longBox('uuid', secret)] }],
        ['an image whose description of items is long', { ...UNIT, name: SECRET, isLong: true }],
        ['an image in a group with a missing one', { ...UNIT, boxes: [inGroup('altr', groupOf(1, 99))] }],
        [
          'an image in groups with other data',
          { ...UNIT, boxes: ['altr', 'abcd'].map((type) => inGroup(type, groupOf(1), secret)) },
        ],
        ...[60, 254, 255, 256, 257, 258, 259, 600].map((length): [string, HeicOptions] => [
          `an image with a message of ${length} bytes`,
          { ...UNIT, afterPixels: hevcUnit(40, length) },
        ]),
        ['an image whose parameters have a message', { ...UNIT, configure: withHevcUnit }],
        ['an image with its data in two places', { ...UNIT, isSplit: true, afterPixels: hevcUnit(40) }],
        ['tiles with messages', { ...grid, afterPixels: hevcUnit(39) }],
        ['an image with text as filler', { ...UNIT, afterPixels: hevcUnit(38) }],
        ['an AVIF with metadata among its pixels', { ...AV1, afterPixels: av1Unit(5) }],
        ['an AVIF with units of a reserved type', { ...AV1, afterPixels: av1Unit(12) }],
        [
          'an AVIF whose parameters have metadata',
          { ...AV1, configure: (parameters) => Buffer.concat([parameters, av1Unit(5)]) },
        ],
        ['an AVIF with a description', { ...AV1, properties: [description] }],
        ['an AVIF with padding', { ...AV1, afterPixels: av1Unit(15) }],
      ],
      4,
    ),
  )('%s', async (_, options) => {
    const [original, plain] = [options, { ...options, afterPixels: Buffer.alloc(0), isSplit: false }].map(
      makeHeic,
    )
    const name = options.coding === 'av1' ? 'a.avif' : 'a.heic'
    const made = await processContent(name, original ?? Buffer.alloc(0), REMOVING)
    expect([`a.${made.extension}`, made.quality, made.notes, made.losses]).toEqual([name, 'lossless', [], []])
    expect(made.bytes.includes(SECRET)).toBe(false)
    // FFmpeg doesn't support data in several places.
    expect(await isReadByFfmpeg(made.output)).toBe(options.isSplit !== true)
    expect(boxesIn(made.bytes, 0, made.bytes.length).at(-1)?.end).toBe(made.bytes.length)
    const after = await processContent(name, made.bytes, { format: 'png' })
    const before = await processContent(name, plain ?? Buffer.alloc(0), { format: 'png' })
    expect(after.bytes).toEqual(before.bytes)
  })

  it('a file whose description of items has a long length, and keeps other metadata', async () => {
    const exif = Buffer.concat([Buffer.alloc(4), orientationExif(1)])
    const reference = { type: 'cdsc', to: [PICTURE] } as const
    const original = makeHeic({ ...single, isLong: true, more: [{ type: 'Exif', data: exif, reference }] })
    const made = await processContent('a.heic', original, { ...REMOVING, metadata: 'strip-location' })
    expect([made.quality, made.notes, made.losses]).toEqual(['lossless', [], []])
    expect(await isReadByFfmpeg(made.output)).toBe(true)
    expectSame(
      await decoded(made.bytes),
      (await decoded(original)) ?? { width: 0, height: 0, pixels: exif },
      1e-9,
    )
    expect((await readMetadata(made.output, 'heic')).exif).toEqual(orientationExif(1))
  })

  it('all images of a file with several', async () => {
    // Turns the tile's copy into an image of equal rank: without a reference.
    const several = makeHeic({ ...single, auxiliary: 'urn:a' })
    several.write('free', several.indexOf('iref'), 'latin1')
    const made = await processContent('a.heic', several, REMOVING)
    expect([made.extension, made.losses]).toEqual(['heic', []])
    expect(heifImages(made.bytes).pages).toBe(2)
  })

  itInLongSuite(
    'each image of a file with several, and keeps their metadata without the location',
    async () => {
      const described = sharp({ create: { width: 8, height: 8, channels: 3, background: '#123' } })
        .jpeg()
        .withExif({ IFD0: { Make: 'Acme' }, IFD3: { GPSAreaInformation: SECRET } })
      const { exif = Buffer.alloc(0) } = jpegMetadata(await described.toBuffer())
      const about = { type: 'cdsc', to: [FIRST_MORE] } as const
      const more: readonly HeicItem[] = [
        { type: 'hvc1', data: tile },
        { type: 'Exif', data: Buffer.concat([Buffer.alloc(4), exif]), reference: about },
      ]
      for (const metadata of ['strip', 'strip-location'] as const) {
        const made = await processContent('a.heic', makeHeic({ ...single, more }), { ...REMOVING, metadata })
        expect([made.quality, made.notes, made.losses]).toEqual(['lossless', [], []])
        expect(heifImages(made.bytes).pages).toBe(2)
        const items = itemsOf(made.bytes)
        expect(items?.primary).toBe(PICTURE)
        expect(items && describedBy(items, PICTURE)).toEqual({})
        const kept = items && describedBy(items, FIRST_MORE).exif?.toString('latin1').includes('Acme')
        expect(kept).toBe(metadata === 'strip' ? undefined : true)
        expect(made.bytes.includes(SECRET)).toBe(false)
      }
    },
  )

  itInLongSuite('the main image alone if another one is cut', async () => {
    const xmp = Buffer.from(`<x:xmpmeta xmlns:x="adobe:ns:meta/">${SECRET}</x:xmpmeta>`)
    const more: readonly HeicItem[] = [
      { type: 'hvc1', data: tile.subarray(0, 2) },
      { type: 'hvc1', data: tile, reference: { type: 'auxl', to: [FIRST_MORE] } },
      { type: 'mime', data: xmp, reference: { type: 'cdsc', to: [FIRST_MORE + 1] } },
    ]
    const made = await processContent('a.heic', makeHeic({ ...single, more }), REMOVING)
    expect([made.extension, made.quality, made.notes]).toEqual(['heic', 'lossless', []])
    expect(codesOf(made.losses)).toEqual(['pages'])
    expect(made.bytes.includes(SECRET)).toBe(false)
  })

  itInLongSuite('an image that is another one, turned', async () => {
    const reference = { type: 'dimg', to: [PICTURE] } as const
    const more = [{ type: 'iden', reference }] as const
    const file = makeHeic({ ...single, name: SECRET, properties: [turned(1)], more })
    file.writeUInt16BE(FIRST_MORE, file.indexOf('pitm') + 8)
    const made = await processContent('a.heic', file, REMOVING)
    expect([made.extension, made.quality, made.notes, made.losses]).toEqual(['heic', 'lossless', [], []])
    expect(made.bytes.includes(SECRET)).toBe(false)
    expectSame(await byLibheif(made.bytes), await byLibheif(file), 1e-9)
  })

  itInLongSuite('nothing if another image is damaged', async () => {
    let last = 0
    for (let at = 0; at < tile.length; at += 4 + tile.readUInt32BE(at)) last = at
    // Lacks the unit with the pixels.
    const more = [{ type: 'hvc1', data: tile.subarray(0, last) }] as const
    const made = await processContent('a.heic', makeHeic({ ...single, more }), REMOVING)
    expect([made.notes, codesOf(made.losses)]).toEqual([['encoded-instead'], ['pages']])
  })

  itInLongSuite('nothing that is protected, lacks properties, or needs one that isn’t known', async () => {
    const file = makeHeic({ ...single, properties: [box('what', Buffer.alloc(4))] })
    expect(await bare(file, 'heic')).not.toBe(undefined)
    // The last property of the only image.
    const last = file.indexOf('ipma') + 4 + 4 + 4 + 2 + 3
    expect(file[last]).toBe(3)
    file.writeUInt8(0x80 | 3, last)
    expect(await bare(file, 'heic')).toBe(undefined)
    const bad = makeHeic(single)
    bad.write('free', bad.indexOf('ipco'), 'latin1')
    expect(await bare(bad, 'heic')).toBe(undefined)
    expect(await bare(makeHeic({ ...single, boxes: [box('ipro', Buffer.alloc(6))] }), 'heic')).toBe(undefined)
  })

  itInLongSuite.each([50, 24, 12, 36])(
    'nothing that an image can’t do without: HEVC units of type %i',
    async (type) => {
      const unknown = makeHeic({ ...single, afterPixels: hevcUnit(type) })
      const made = await processContent('a.heic', unknown, REMOVING)
      expect([made.extension, made.notes]).toEqual(['jpg', ['encoded-instead']])
      expect(made.quality).not.toBe('lossless')
    },
  )
})
