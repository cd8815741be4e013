import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import { brotliCompressSync } from 'node:zlib'
import sharp, { type Sharp } from 'sharp'
import { describe, expect, it } from 'vitest'
import { decodeJpegXl, encodeJpegXl } from '../../../src/media/image/jpeg-xl.ts'
import { readMetadata, sizeOf } from '../../../src/media/image/jpeg-xl-file.ts'
import { rawPictureOf, readRaw } from '../../../src/media/image/raw-picture.ts'
import { makeThumbnail } from '../../../src/media/thumbnail.ts'
import { madePhoto, photoFile, processPhoto, usePhotoFolder } from './process-photo.ts'

usePhotoFolder()

const XMP =
  '<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"/></x:xmpmeta>'
const EXIF = { IFD0: { Copyright: 'Somebody' } }

/** A box squeezed by Brotli. */
const squeezed = (type: string, content: Buffer) => {
  const body = Buffer.concat([Buffer.from(`brob${type}`, 'latin1'), brotliCompressSync(content)])
  const length = Buffer.alloc(4)
  length.writeUInt32BE(body.length + 4)
  return Buffer.concat([length, body])
}

const meanDifference = (one: ArrayLike<number>, other: ArrayLike<number>) => {
  expect(one.length).toBe(other.length)
  return (
    Array.from(one).reduce((sum, value, index) => sum + Math.abs(value - (other[index] ?? 0)), 0) / one.length
  )
}

const faint = () => sharp({ create: { width: 64, height: 48, channels: 4, background: '#80808055' } })

/** Through JPEG XL and back to PNG, both without loss. */
async function thereAndBack(image: Sharp, recipe: Parameters<typeof processPhoto>[1] = {}) {
  const input = await photoFile('a.png', image.png())
  const jxl = await processPhoto(input, { format: 'jxl', lossless: true, ...recipe })
  expect(jxl.extension).toBe('jxl')
  const back = await processPhoto(jxl.output, { format: 'png', colour: 'keep', metadata: 'keep' })
  return { input, jxl, back, metadata: await sharp(back.bytes).metadata() }
}

describe('a photo as JPEG XL', () => {
  it('looks the same and is smaller than as JPEG', async () => {
    const input = await photoFile('a.png', madePhoto().png())
    const jpeg = await processPhoto(input, { format: 'jpeg', quality: 90 })
    const jxl = await processPhoto(input, { format: 'jxl', quality: 90 })
    expect(jxl.bytes.length).toBeLessThan(jpeg.bytes.length)
    const original = await rawPictureOf(madePhoto())
    expect(meanDifference((await decodeJpegXl(jxl.output)).pixels, original.pixels)).toBeLessThan(4)
  })

  it.each<[string, Sharp, number, string]>([
    ['colour', madePhoto(64, 48), 3, 'uchar'],
    ['gray', madePhoto(64, 48).toColourspace('b-w'), 1, 'uchar'],
    ['colour with alpha', madePhoto(64, 48).ensureAlpha(0.3), 4, 'uchar'],
    ['gray with alpha', faint().toColourspace('b-w'), 2, 'uchar'],
    ['colour of 16 bits', madePhoto(64, 48).resize(61, 47).toColourspace('rgb16'), 3, 'ushort'],
    ['gray of 16 bits', madePhoto(64, 48).resize(61, 47).toColourspace('grey16'), 1, 'ushort'],
    [
      'colour of 16 bits with alpha',
      madePhoto(64, 48).ensureAlpha(0.3).resize(61, 47).toColourspace('rgb16'),
      4,
      'ushort',
    ],
  ])('%s: without loss, every number is the same', async (_what, image, channels, depth) => {
    const { input, back, metadata } = await thereAndBack(image)
    expect([metadata.channels, metadata.depth]).toEqual([channels, depth])
    const [before, after] = await Promise.all(
      [input, back.output].map(async (file) => readRaw(await sharp(file).png().toBuffer())),
    )
    expect(after?.pixels).toEqual(before?.pixels)
  })

  it('keeps a wide profile, whose colours are then read right whether coded with loss or without', async () => {
    const red = sharp({ create: { width: 64, height: 64, channels: 3, background: '#ff2010' } })
    const wide = () => red.clone().withIccProfile('p3')
    for (const lossless of [true, false]) {
      const { metadata, back } = await thereAndBack(wide(), { colour: 'keep', lossless, quality: 95 })
      expect(metadata.icc).toBeDefined()
      const { data } = await sharp(back.bytes).raw().toBuffer({ resolveWithObject: true })
      expect(meanDifference(data.subarray(0, 3), Buffer.from([255, 32, 16]))).toBeLessThan(5)
    }
    expect((await thereAndBack(wide(), { colour: 'srgb' })).metadata.icc).toBeUndefined()
  })

  it('keeps Exif and XMP where the preset says so, and only there', async () => {
    const described = madePhoto(64, 48).withExif(EXIF).withXmp(XMP)
    const { metadata } = await thereAndBack(described, { metadata: 'keep' })
    expect(metadata.exif?.toString('latin1')).toContain('Somebody')
    expect(metadata.xmp?.toString()).toContain('x:xmpmeta')
    const bare = await thereAndBack(described, { metadata: 'strip' })
    expect(readMetadata(bare.jxl.bytes)).toEqual({})
  })

  it('keeps them beside 16 bits too, which the encoder puts into a container of its own', async () => {
    const deep = madePhoto(64, 48).resize(61, 47).toColourspace('rgb16').withExif(EXIF)
    const { metadata, jxl } = await thereAndBack(deep, { metadata: 'keep' })
    expect(metadata.depth).toBe('ushort')
    expect(metadata.exif?.toString('latin1')).toContain('Somebody')
    expect(sizeOf(jxl.bytes)).toEqual({ width: 61, height: 47 })
  })

  it('stays JPEG XL where the format stays the same, and has a thumbnail', async () => {
    const { jxl } = await thereAndBack(madePhoto())
    expect((await processPhoto(jxl.output, { size: { width: 120 } })).extension).toBe('jxl')
    const small = await makeThumbnail({ path: jxl.output, pixels: 40 })
    expect((await sharp(small).metadata()).width).toBe(40)
  })
})

describe('a JPEG XL file', () => {
  it.each([
    [8, 8],
    [256, 256],
    [640, 480],
    [500, 281],
    [1920, 1080],
    [9000, 3],
    [17, 40],
  ])('says that it is %i × %i before anything is decoded', async (width, height) => {
    const blank = sharp({ create: { width, height, channels: 3, background: '#808080' } })
    const file = await encodeJpegXl(await rawPictureOf(blank), { distance: 1, effort: 1 })
    expect(sizeOf(file)).toEqual({ width, height })
  })

  it('with squeezed metadata is read as other programs write it', async () => {
    const exif = (await sharp(await madePhoto(8, 8).withExif(EXIF).jpeg().toBuffer()).metadata()).exif
    const tiff = exif?.subarray(6) ?? Buffer.alloc(0)
    const file = Buffer.concat([
      Buffer.from('\0\0\0\x0cJXL \r\n\x87\n', 'latin1'),
      squeezed('Exif', Buffer.concat([Buffer.alloc(4), tiff])),
      squeezed('xml ', Buffer.from(XMP)),
      squeezed('jumb', Buffer.from('something else')),
    ])
    expect(readMetadata(file)).toEqual({ exif: tiff, xmp: Buffer.from(XMP) })
  })

  it('that is cut off, or a claim of more pixels than memory has, is refused in plain words', async () => {
    const whole = await encodeJpegXl(await rawPictureOf(madePhoto()), { distance: 1, effort: 3 })
    for (const share of [0.02, 0.3, 0.7]) {
      const cut = await photoFile('cut.jxl', whole.subarray(0, Math.floor(whole.length * share)))
      await expect(processPhoto(cut)).rejects.toThrow(/damaged or incomplete/)
    }
    // A side of 30 bits, all of them ones, for both sides; no code follows.
    const bomb = path.join(path.dirname(await photoFile('x', Buffer.alloc(1))), 'bomb.jxl')
    await writeFile(bomb, Buffer.from('ff0afeffffffc7ffffffff0000000000', 'hex'))
    await expect(processPhoto(bomb)).rejects.toThrow(/too large/)
  })
})
