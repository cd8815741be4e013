import { crc32 } from 'node:zlib'
import sharp from 'sharp'
import { describe, expect, it } from 'vitest'
import { lightOfHeif } from '../../../src/media/image/heif-file.ts'
import { decodeJpegXl } from '../../../src/media/image/jpeg-xl.ts'
import { openPicture } from '../../../src/media/image/picture.ts'
import { makeThumbnail } from '../../../src/media/thumbnail.ts'
import { box, makeHeic } from './made-heic.ts'
import { photoFile, processPhoto, usePhotoFolder } from './process-photo.ts'

usePhotoFolder()

const BT2020 = 9
const TRANSFERS = { pq: 16, hlg: 18 } as const
type Curve = keyof typeof TRANSFERS

const WIDTH = 96
const HEIGHT = 64

/** Grey from black to 10 000 candela, or whatever the curve makes of all numbers, each as 16 bits. */
async function ramp(curve: Curve, channels: 3 | 4 = 3): Promise<Buffer> {
  const pixels = Uint16Array.from({ length: WIDTH * HEIGHT * channels }, (_, at) =>
    Math.round(((Math.floor(at / channels) % WIDTH) / (WIDTH - 1)) * 65_535),
  )
  const png = await sharp(pixels, { raw: { width: WIDTH, height: HEIGHT, channels } })
    .toColourspace('rgb16')
    .png()
    .toBuffer()
  return withColours(png, curve)
}

/** Says so in front of the pixels, as PNG does since its third edition. */
function withColours(png: Buffer, curve: Curve): Buffer {
  const named = Buffer.from([0, 0, 0, 4, ...Buffer.from('cICP'), BT2020, TRANSFERS[curve], 0, 1, 0, 0, 0, 0])
  named.writeUInt32BE(crc32(named.subarray(4, 12)), 12)
  const behindHeader = 8 + 25
  return Buffer.concat([png.subarray(0, behindHeader), named, png.subarray(behindHeader)])
}

/** Of the middle row, as shares of all that a channel can hold. */
async function shades(input: string | Buffer, at: readonly number[]): Promise<number[]> {
  const { data, info } = await sharp(input, { ignoreIcc: true })
    .removeAlpha()
    .toColourspace('rgb16')
    .raw({ depth: 'ushort' })
    .toBuffer({ resolveWithObject: true })
  const row = Math.floor(info.height / 2) * info.width
  return at.map((share) => {
    const pixel = row + Math.min(info.width - 1, Math.round(share * (info.width - 1)))
    return data.readUInt16LE(pixel * info.channels * 2) / 65_535
  })
}

const PLACES = [0.1, 0.3, 0.5, 0.7, 0.9]

function expectClose(found: readonly number[], wanted: readonly number[], digits: number): void {
  for (const [index, value] of wanted.entries()) expect(found[index]).toBeCloseTo(value, digits)
}

describe.each(['pq', 'hlg'] as const)('a photo in %s', (curve) => {
  it.each([
    {},
    { lossless: true },
    { look: 'identical' },
    { size: { width: 48 } },
    { metadata: 'keep' },
  ] as const)('stays so in AVIF, with 10 bits: %o', async (recipe) => {
    const file = await photoFile('a.png', await ramp(curve))
    const { bytes, output, notes } = await processPhoto(file, { format: 'avif', quality: 95, ...recipe })
    expect(notes).toEqual([])
    expect(lightOfHeif(bytes).hdr).toEqual({ primaries: BT2020, curve })
    expect((await sharp(bytes).metadata()).bitsPerSample).toBe(10)
    expectClose(await shades(output, PLACES), PLACES, 1)
  })

  it('stays so in AVIF with transparency and Exif, whose data lies further behind then', async () => {
    const png = await sharp(await ramp(curve, 4))
      .withExif({ IFD0: { Copyright: 'Somebody' } })
      .toBuffer()
    const file = await photoFile('a.png', withColours(png, curve))
    const { bytes } = await processPhoto(file, { format: 'avif', quality: 95, metadata: 'keep' })
    const { hasAlpha, exif } = await sharp(bytes).metadata()
    expect([hasAlpha, exif?.includes('Somebody')]).toEqual([true, true])
    expectClose(await shades(bytes, PLACES), PLACES, 1)
  })

  it('stays so in JPEG XL, and from there and AVIF on', async () => {
    const file = await photoFile('a.png', await ramp(curve))
    const jxl = await processPhoto(file, { format: 'jxl', quality: 95 })
    expect(await decodeJpegXl(jxl.output)).toMatchObject({ depth: 16, hdr: { primaries: BT2020, curve } })
    const avif = await processPhoto(jxl.output, { format: 'avif', quality: 95 })
    const again = await processPhoto(avif.output, { format: 'jxl', quality: 95 })
    expect([jxl.notes, avif.notes, again.notes]).toEqual([[], [], []])
    const { input } = await (await openPicture(again.output)).source()
    expectClose(await shades(Buffer.isBuffer(input) ? input : '', PLACES), PLACES, 1)
  })

  it.each(['jpeg', 'png', 'webp', 'tiff'] as const)(
    'is tone-mapped in %s, and the job says so',
    async (format) => {
      const file = await photoFile('a.png', await ramp(curve))
      const { bytes, notes } = await processPhoto(file, { format })
      expect(notes).toEqual(['tone-mapped'])
      const found = await shades(bytes, PLACES)
      expect(found).toEqual(found.toSorted((one, other) => one - other))
      // What ordinary white is in the original is no dark gray afterwards, and what is brighter not all white.
      expect(found[curve === 'pq' ? 2 : 3]).toBeGreaterThan(0.55)
      expect(found[0]).toBeLessThan(0.2)
    },
  )

  it.each(['avif', 'jxl'] as const)('is tone-mapped in %s on request', async (format) => {
    const file = await photoFile('a.png', await ramp(curve, 4))
    const { output, notes } = await processPhoto(file, { format, hdr: 'tone-map' })
    expect(notes).toEqual(['tone-mapped'])
    const opened = await openPicture(output)
    expect([opened.hdr, opened.hasAlpha]).toEqual([undefined, true])
  })

  it('as HEIC keeps its ten bits', async () => {
    const heic = makeHeic({
      tile: { width: 128, height: 96 },
      width: 128,
      height: 96,
      pixelFormat: 'yuv420p10le',
      properties: [box('colr', Buffer.from('nclx'), Buffer.from([0, 9, 0, TRANSFERS[curve], 0, 9, 0]))],
    })
    const file = await photoFile('a.heic', heic)
    const avif = await processPhoto(file, { format: 'avif' })
    expect(lightOfHeif(avif.bytes).hdr).toEqual({ primaries: BT2020, curve })
    expect([avif.notes, (await processPhoto(file)).notes]).toEqual([[], ['tone-mapped']])
  })

  it('has a small picture in ordinary light', async () => {
    const path = await photoFile('a.png', await ramp(curve))
    const small = await makeThumbnail({ path, pixels: 32 })
    const [dark = 1, , middle = 0] = await shades(Buffer.from(small), PLACES)
    expect(middle).toBeGreaterThan(0.4)
    expect(dark).toBeLessThan(0.2)
  })
})

describe('a HEIC with a gain map', () => {
  it.each([
    ['urn:com:apple:photo:2020:aux:hdrgainmap', ['tone-mapped']],
    ['urn:mpeg:hevc:2015:auxid:2', []],
  ])('loses it, and the job says so: %s', async (auxiliary, expected) => {
    const heic = makeHeic({ tile: { width: 64, height: 64 }, width: 64, height: 64, auxiliary })
    const { notes } = await processPhoto(await photoFile('a.heic', heic))
    expect(notes).toEqual(expected)
  })
})
