import { brotliCompressSync } from 'node:zlib'
import sharp, { type Sharp } from 'sharp'
import { describe, expect, it } from 'vitest'
import { decodeJpegXl, encodeJpegXl } from '../../../src/media/image/jpeg-xl.ts'
import { codestreamOf, readMetadata, headerOf, withMetadata } from '../../../src/media/image/jpeg-xl-file.ts'
import { rawImageOf, readRaw } from '../../../src/media/image/raw-image.ts'
import { makeBox } from '../../../src/media/make-box.ts'
import { makeThumbnail } from '../../../src/media/thumbnail.ts'
import {
  inserted,
  meanDifference,
  photoFile,
  processContent,
  processPhoto,
  samplePhoto,
  usePhotoFolder,
} from './process-photo.ts'
import { xmpPacket } from '../xmp-packet.ts'
import { firstOf, itInLongSuite } from '../../faults/long-suite.ts'

usePhotoFolder()

const XMP = xmpPacket('')
const EXIF = { IFD0: { Copyright: 'Somebody' } }

/** A Brotli-compressed box. */
const squeezed = (type: string, content: Buffer) =>
  makeBox('brob', Buffer.from(type), brotliCompressSync(content))

const deep = () => samplePhoto(64, 48).resize(61, 47).toColourspace('rgb16')
const faint = () => sharp({ create: { width: 64, height: 48, channels: 4, background: '#80808055' } })

/** Converts an image to JPEG XL and back to PNG. Both are lossless by default. */
async function roundTrip(image: Sharp, recipe: Parameters<typeof processPhoto>[1] = {}) {
  const input = await photoFile('a.png', image.png())
  const jxl = await processPhoto(input, { format: 'jxl', lossless: true, ...recipe })
  expect(jxl.extension).toBe('jxl')
  const back = await processPhoto(jxl.output, { format: 'png', colour: 'keep', metadata: 'keep' })
  return { input, jxl, back, metadata: await sharp(back.bytes).metadata() }
}

describe('a photo as JPEG XL', () => {
  it('looks the same and is smaller than as JPEG', async () => {
    const input = await photoFile('a.png', samplePhoto().png())
    const jpeg = await processPhoto(input, { format: 'jpeg', quality: 90 })
    const jxl = await processPhoto(input, { format: 'jxl', quality: 90 })
    expect(jxl.bytes.length).toBeLessThan(jpeg.bytes.length)
    const original = await rawImageOf(samplePhoto())
    expect(meanDifference((await decodeJpegXl(jxl.bytes)).pixels, original.pixels)).toBeLessThan(4)
  })

  it.each<[string, Sharp, number, string]>(
    firstOf(
      [
        ['colour', samplePhoto(64, 48), 3, 'uchar'],
        ['gray', samplePhoto(64, 48).toColourspace('b-w'), 1, 'uchar'],
        ['color with alpha', samplePhoto(64, 48).ensureAlpha(0.3), 4, 'uchar'],
        ['gray with alpha', faint().toColourspace('b-w'), 2, 'uchar'],
        ['color of 16 bits', deep(), 3, 'ushort'],
        ['gray of 16 bits', samplePhoto(64, 48).resize(61, 47).toColourspace('grey16'), 1, 'ushort'],
        ['color of 16 bits with alpha', deep().ensureAlpha(0.3), 4, 'ushort'],
      ],
      3,
    ),
  )('%s: in lossless mode, every value is the same', async (_what, image, channels, depth) => {
    const { input, back, metadata } = await roundTrip(image)
    expect([metadata.channels, metadata.depth]).toEqual([channels, depth])
    const [before, after] = await Promise.all(
      [input, back.output].map(async (file) => readRaw(await sharp(file).png().toBuffer())),
    )
    expect(after?.pixels).toEqual(before?.pixels)
  })

  it('keeps a wide profile, with correct colors in lossy and lossless coding', async () => {
    const red = sharp({ create: { width: 64, height: 64, channels: 3, background: '#ff2010' } })
    const wide = () => red.clone().withIccProfile('p3')
    for (const lossless of [true, false]) {
      const { metadata, back } = await roundTrip(wide(), { colour: 'keep', lossless, quality: 95 })
      expect(metadata.icc).toBeDefined()
      const data = await sharp(back.bytes).raw().toBuffer()
      expect(meanDifference(data.subarray(0, 3), Buffer.from([255, 32, 16]))).toBeLessThan(5)
    }
    expect((await roundTrip(wide(), { colour: 'srgb' })).metadata.icc).toBeUndefined()
  })

  it('keeps Exif and XMP only if the preset requires it', async () => {
    const described = samplePhoto(64, 48).withExif(EXIF).withXmp(XMP.toString())
    const { metadata } = await roundTrip(described, { metadata: 'keep' })
    expect(metadata.exif?.toString('latin1')).toContain('Somebody')
    expect(metadata.xmp?.toString()).toContain('x:xmpmeta')
    const bare = await roundTrip(described, { metadata: 'strip' })
    expect(readMetadata(bare.jxl.bytes)).toEqual({})
  })

  itInLongSuite('also keeps Exif with 16 bits, for which the encoder writes its own container', async () => {
    const { metadata, jxl } = await roundTrip(deep().withExif(EXIF), { metadata: 'keep' })
    expect(metadata.depth).toBe('ushort')
    expect(metadata.exif?.toString('latin1')).toContain('Somebody')
    expect(headerOf(codestreamOf(jxl.bytes) ?? Buffer.alloc(0))).toMatchObject({ width: 61, height: 47 })
  })

  it('remains JPEG XL if the preset keeps the format, and has a thumbnail', async () => {
    const { jxl } = await roundTrip(samplePhoto())
    expect((await processPhoto(jxl.output, { size: { width: 120 } })).extension).toBe('jxl')
    const small = await makeThumbnail({ path: jxl.output, pixels: 40 })
    expect((await sharp(small).metadata()).width).toBe(40)
  })
})

describe('a JPEG XL file', () => {
  it.each(
    firstOf([
      [8, 8],
      [256, 256],
      [640, 480],
      [500, 281],
      [1920, 1080],
      [9000, 3],
      [17, 40],
    ]),
  )('reports %i × %i before anything is decoded', async (width, height) => {
    const blank = sharp({ create: { width, height, channels: 3, background: '#808080' } })
    const file = await encodeJpegXl(await rawImageOf(blank), { distance: 1, effort: 1 })
    expect(headerOf(codestreamOf(file) ?? Buffer.alloc(0))).toMatchObject({ width, height })
  })

  it('may have compressed metadata, as other programs write it', async () => {
    const exif = (await sharp(await samplePhoto(8, 8).withExif(EXIF).jpeg().toBuffer()).metadata()).exif
    const tiff = exif?.subarray(6) ?? Buffer.alloc(0)
    const file = Buffer.concat([
      Buffer.from('\0\0\0\x0cJXL \r\n\x87\n', 'latin1'),
      squeezed('Exif', Buffer.concat([Buffer.alloc(4), tiff])),
      squeezed('xml ', XMP),
      squeezed('jumb', Buffer.from('something else')),
    ])
    expect(readMetadata(file)).toEqual({ exif: tiff, xmp: XMP })
  })

  itInLongSuite('with boxes that expand to terabytes is decoded from its codestream alone', async () => {
    const image = await rawImageOf(samplePhoto(64, 48))
    const coded = await encodeJpegXl(image, { distance: 0, effort: 1 })
    const file = withMetadata(coded, { xmp: XMP })
    const bomb = squeezed('Exif', Buffer.alloc(64 * 1024 * 1024))
    const bombs = inserted(file, 32, ...Array<Buffer>(20_000).fill(bomb))
    expect(codestreamOf(bombs)?.equals(coded)).toBe(true)
    const decoded = await decodeJpegXl(bombs)
    expect(Buffer.from(decoded.pixels).equals(Buffer.from(image.pixels))).toBe(true)
    expect(readMetadata(bombs).xmp).toEqual(XMP)
  })

  itInLongSuite(
    'that is truncated, or claims more pixels than memory can hold, is refused in plain words',
    async () => {
      const whole = await encodeJpegXl(await rawImageOf(samplePhoto()), { distance: 1, effort: 3 })
      for (const share of [0.02, 0.3, 0.7]) {
        const cut = whole.subarray(0, Math.floor(whole.length * share))
        await expect(processContent('cut.jxl', cut)).rejects.toThrow(/damaged or incomplete/)
      }
      // Both sides are 30-bit values of all ones; no codestream follows.
      const bomb = Buffer.from('ff0afeffffffc7ffffffff0000000000', 'hex')
      await expect(processContent('bomb.jxl', bomb)).rejects.toThrow(/too large/)
    },
  )
})
