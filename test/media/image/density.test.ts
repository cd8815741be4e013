import sharp from 'sharp'
import { describe, expect, it } from 'vitest'
import { chunksOf, pngChunk } from '../../../src/media/image/png-chunks.ts'
import { MARKERS, segment, withSegments } from '../../../src/media/image/jpeg-segments.ts'
import { openImage } from '../../../src/media/image/source-image.ts'
import { box, makeHeic, turned } from './make-heic.ts'
import { photoFile, processPhoto, samplePhoto, usePhotoFolder } from './process-photo.ts'
import { firstOf, itInLongSuite } from '../../faults/long-suite.ts'

usePhotoFolder()

const photo = () => samplePhoto(40, 30)
const FORMATS = ['jpeg', 'png', 'tiff'] as const

/** 300 pixels per inch: the second number of the header. */
function bitmap(perMeter: number, down = perMeter): Buffer {
  const file = Buffer.alloc(54 + 40 * 30 * 3)
  file.write('BM')
  for (const [at, value] of [
    [10, 54],
    [14, 40],
    [18, 40],
    [22, 30],
    [38, perMeter],
    [42, down],
  ] as const)
    file.writeUInt32LE(value, at)
  file.writeUInt16LE(1, 26)
  file.writeUInt16LE(24, 28)
  return file
}

const HEIC = { tile: { width: 64, height: 64 }, width: 64, height: 64 }
const WIDE = box('pasp', Buffer.from([0, 0, 0, 2, 0, 0, 0, 1]))

/** @param shape unit, and how many pixels it has in each direction */
async function withHeader(shape: readonly number[]): Promise<Buffer> {
  const header = segment(MARKERS.APP0, 'JFIF\0', Buffer.from([1, 1, ...shape, 0, 0]))
  return withSegments(await photo().jpeg().toBuffer(), [header])
}

function withShape(png: Buffer, [across, down, unit]: readonly [number, number, number]): Buffer {
  const { end = 0 } = [...chunksOf(png)][0] ?? {}
  const shape = pngChunk('pHYs', Buffer.from([0, 0, 0, across, 0, 0, 0, down, unit]))
  return Buffer.concat([png.subarray(0, end), shape, png.subarray(end)])
}

const aspectsIn = async (path: string) => (await openImage(path)).pixelAspect ?? 1

describe('the pixels per inch of a photo', () => {
  it.each(
    firstOf([
      ['a.jpg', () => photo().withMetadata({ density: 300 }).jpeg().toBuffer()],
      ['a.png', () => photo().withMetadata({ density: 300 }).png().toBuffer()],
      [
        'a.tif',
        () =>
          photo()
            .tiff({ xres: 300 / 25.4, yres: 300 / 25.4 })
            .toBuffer(),
      ],
      ['a.bmp', () => bitmap(11_811)],
      ['a.webp', () => photo().withMetadata({ density: 300 }).webp().toBuffer()],
      ['a.avif', () => photo().withMetadata({ density: 300 }).avif().toBuffer()],
    ] as const),
  )('stay in formats with a place for them: %s', async (name, make) => {
    const path = await photoFile(name, await make())
    for (const format of FORMATS)
      for (const recipe of [
        {},
        { colour: 'keep', metadata: 'keep' },
        { size: { width: 20 } },
        { maxBytes: 90_000 },
      ] as const) {
        const { bytes } = await processPhoto(path, { format, ...recipe })
        const { density } = await sharp(bytes).metadata()
        expect(density, `${format} ${JSON.stringify(recipe)}`).toBe(300)
      }
  })

  itInLongSuite.each<[string, () => Promise<Buffer>, number]>([
    [
      'a fax',
      () =>
        photo()
          .tiff({ xres: 204 / 25.4, yres: 98 / 25.4 })
          .toBuffer(),
      98 / 204,
    ],
    ['a JPEG', () => withHeader([1, 0, 204, 0, 98]), 98 / 204],
    ['a JPEG without a unit', () => withHeader([0, 0, 2, 0, 1]), 1 / 2],
    ['a PNG without a unit', async () => withShape(await photo().png().toBuffer(), [2, 1, 0]), 1 / 2],
    ['a bitmap', () => Promise.resolve(bitmap(8_000, 4_000)), 1 / 2],
    ['an upright HEIC', () => Promise.resolve(makeHeic({ ...HEIC, properties: [WIDE] })), 2],
    ['a turned HEIC', () => Promise.resolve(makeHeic({ ...HEIC, properties: [WIDE, turned(1)] })), 1 / 2],
    ['a turned fax', () => photo().withMetadata({ orientation: 6 }).tiff({ xres: 8, yres: 4 }).toBuffer(), 2],
  ])('may differ per side, in %s', async (_, make, aspect) => {
    const path = await photoFile('a', await make())
    expect(await aspectsIn(path)).toBeCloseTo(aspect, 3)
    for (const format of FORMATS)
      for (const recipe of [{}, { metadata: 'keep' }, { rotate: 90 }] as const) {
        const { output, losses } = await processPhoto(path, { format, ...recipe })
        expect(losses, format).toEqual([])
        const expected = 'rotate' in recipe ? 1 / aspect : aspect
        expect((await aspectsIn(output)) / expected, format).toBeCloseTo(1, 1)
      }
    for (const format of ['webp', 'avif'] as const) {
      const { losses } = await processPhoto(path, { format })
      expect(
        losses.map(({ code }) => code),
        format,
      ).toEqual(['pixelAspect'])
    }
  })

  itInLongSuite('match the upright picture', async () => {
    const fax = await photo().withMetadata({ orientation: 6 }).tiff({ xres: 8, yres: 4 }).toBuffer()
    const path = await photoFile('a', fax)
    for (const format of FORMATS) {
      const { output } = await processPhoto(path, { format, metadata: 'keep' })
      expect(((await openImage(output)).density ?? 0) / 102, format).toBeCloseTo(1, 1)
    }
  })

  itInLongSuite('don’t stop a photo that states more or less than a file can hold', async () => {
    const png = await photo().png().toBuffer()
    const most = pngChunk('pHYs', Buffer.from('ffffffffffffffff01', 'hex'))
    const { end = 0 } = [...chunksOf(png)][0] ?? {}
    const paths = [
      await photoFile('most.png', Buffer.concat([png.subarray(0, end), most, png.subarray(end)])),
      await photoFile('least.bmp', bitmap(1)),
    ]
    for (const path of paths)
      for (const format of FORMATS) expect(await processPhoto(path, { format })).toMatchObject({ width: 40 })
  })

  it('aren’t invented', async () => {
    const path = await photoFile('plain.bmp', bitmap(0))
    const jpeg = await processPhoto(path, { format: 'jpeg', colour: 'keep' })
    expect(jpeg.bytes.includes('JFIF')).toBe(false)
    const { bytes } = await processPhoto(path, { format: 'png' })
    const chunk = [...chunksOf(bytes)].find(({ type }) => type === 'pHYs')
    // The unit is unknown.
    expect(chunk && bytes[chunk.end - 5]).toBe(0)
  })
})
