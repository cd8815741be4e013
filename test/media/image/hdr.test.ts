import { crc32 } from 'node:zlib'
import sharp from 'sharp'
import { describe, expect, it } from 'vitest'
import { hdrFactsOfHeif } from '../../../src/media/image/heif-file.ts'
import { decodeJpegXl } from '../../../src/media/image/jpeg-xl.ts'
import { openImage } from '../../../src/media/image/source-image.ts'
import { makeThumbnail } from '../../../src/media/thumbnail.ts'
import { box, makeHeic } from './make-heic.ts'
import { firstOf, itInLongSuite } from '../../faults/long-suite.ts'
import { photoFile, processContent, processPhoto, usePhotoFolder } from './process-photo.ts'

usePhotoFolder()

const BT2020 = 9
const TRANSFERS = { pq: 16, hlg: 18 } as const
type Curve = keyof typeof TRANSFERS

const WIDTH = 96
const HEIGHT = 64

/** Returns a 16-bit gray ramp over the whole range of the curve, which for PQ is black to 10,000 cd/m². */
async function ramp(curve: Curve, channels: 3 | 4 = 3): Promise<Buffer> {
  const pixels = Uint16Array.from({ length: WIDTH * HEIGHT * channels }, (_, at) =>
    Math.round(((Math.floor(at / channels) % WIDTH) / (WIDTH - 1)) * 65_535),
  )
  const png = await sharp(pixels, { raw: { width: WIDTH, height: HEIGHT, channels } })
    .toColourspace('rgb16')
    .png()
    .toBuffer()
  return withColors(png, curve)
}

/** Adds a cICP chunk before the pixels, as in PNG's third edition. */
function withColors(png: Buffer, curve: Curve): Buffer {
  const named = Buffer.from([0, 0, 0, 4, ...Buffer.from('cICP'), BT2020, TRANSFERS[curve], 0, 1, 0, 0, 0, 0])
  named.writeUInt32BE(crc32(named.subarray(4, 12)), 12)
  const behindHeader = 8 + 25
  return Buffer.concat([png.subarray(0, behindHeader), named, png.subarray(behindHeader)])
}

/** Values in the middle row, as fractions (0..1) of the channel's maximum. */
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

describe.each(firstOf(['pq', 'hlg'] as const))('a photo in %s', (curve) => {
  it.each(
    firstOf([
      {},
      { lossless: true },
      { look: 'identical' },
      { size: { width: 48 } },
      { metadata: 'keep' },
    ] as const),
  )('keeps it in AVIF, with 10 bits: %o', async (recipe) => {
    const avif = { format: 'avif', quality: 95, ...recipe } as const
    const { bytes, output, notes } = await processContent('a.png', await ramp(curve), avif)
    expect(notes).toEqual([])
    expect(hdrFactsOfHeif(bytes).hdr).toEqual({ primaries: BT2020, curve })
    expect((await sharp(bytes).metadata()).bitsPerSample).toBe(10)
    expectClose(await shades(output, PLACES), PLACES, 1)
  })

  itInLongSuite(
    'keeps its HDR, transparency and Exif in AVIF, although adding the colors moves the data',
    async () => {
      const png = await sharp(await ramp(curve, 4))
        .withExif({ IFD0: { Copyright: 'Somebody' } })
        .toBuffer()
      const file = await photoFile('a.png', withColors(png, curve))
      const { bytes } = await processPhoto(file, { format: 'avif', quality: 95, metadata: 'keep' })
      const { hasAlpha, exif } = await sharp(bytes).metadata()
      expect([hasAlpha, exif?.includes('Somebody')]).toEqual([true, true])
      expectClose(await shades(bytes, PLACES), PLACES, 1)
    },
  )

  it('keeps its HDR in JPEG XL, and in further conversions from JPEG XL and AVIF', async () => {
    const file = await photoFile('a.png', await ramp(curve))
    const jxl = await processPhoto(file, { format: 'jxl', quality: 95 })
    expect(await decodeJpegXl(jxl.bytes)).toMatchObject({ depth: 16, hdr: { primaries: BT2020, curve } })
    const avif = await processPhoto(jxl.output, { format: 'avif', quality: 95 })
    const again = await processPhoto(avif.output, { format: 'jxl', quality: 95 })
    expect([jxl.notes, avif.notes, again.notes]).toEqual([[], [], []])
    const { input } = await (await openImage(again.output)).source()
    expectClose(await shades(Buffer.isBuffer(input) ? input : '', PLACES), PLACES, 1)
  })

  it.each(firstOf(['jpeg', 'png', 'webp', 'tiff'] as const))(
    'is tone-mapped in %s, and the job reports it',
    async (format) => {
      const { bytes, notes } = await processContent('a.png', await ramp(curve), { format })
      expect(notes).toEqual(['tone-mapped'])
      const found = await shades(bytes, PLACES)
      expect(found).toEqual(found.toSorted((one, other) => one - other))
      // Reference white must not become dark gray, and brighter values must not all become white.
      expect(found[curve === 'pq' ? 2 : 3]).toBeGreaterThan(0.55)
      expect(found[0]).toBeLessThan(0.2)
    },
  )

  it.each(firstOf(['avif', 'jxl'] as const))('is tone-mapped in %s on request', async (format) => {
    const recipe = { format, hdr: 'tone-map' } as const
    const { output, notes } = await processContent('a.png', await ramp(curve, 4), recipe)
    expect(notes).toEqual(['tone-mapped'])
    const opened = await openImage(output)
    expect([opened.hdr, opened.hasAlpha]).toEqual([undefined, true])
  })

  it('from a 10-bit HEIC stays HDR as AVIF', async () => {
    const heic = makeHeic({
      tile: { width: 128, height: 96 },
      width: 128,
      height: 96,
      pixelFormat: 'yuv420p10le',
      properties: [box('colr', Buffer.from('nclx'), Buffer.from([0, 9, 0, TRANSFERS[curve], 0, 9, 0]))],
    })
    const file = await photoFile('a.heic', heic)
    const avif = await processPhoto(file, { format: 'avif' })
    expect(hdrFactsOfHeif(avif.bytes).hdr).toEqual({ primaries: BT2020, curve })
    expect([avif.notes, (await processPhoto(file)).notes]).toEqual([[], ['tone-mapped']])
  })

  it('has an SDR thumbnail', async () => {
    const path = await photoFile('a.png', await ramp(curve))
    const small = await makeThumbnail({ path, pixels: 32 })
    const [dark = 1, , middle = 0] = await shades(Buffer.from(small), PLACES)
    expect(middle).toBeGreaterThan(0.4)
    expect(dark).toBeLessThan(0.2)
  })
})
