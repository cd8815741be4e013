import sharp, { type Sharp } from 'sharp'
import { describe, expect, it } from 'vitest'
import { chunksOf, pngChunk } from '../../../src/media/image/png-chunks.ts'
import { MARKERS, segment, withSegments } from '../../../src/media/image/jpeg-segments.ts'
import { openImage } from '../../../src/media/image/source-image.ts'
import { box, makeHeic, turned } from './make-heic.ts'
import {
  photoFile,
  processContent,
  processPhoto,
  samplePhoto,
  usePhotoFolder,
  withChunks,
  writeLongs,
} from './process-photo.ts'
import { codesOf } from '../loss-sentences.ts'
import { firstOf, itInLongSuite } from '../../faults/long-suite.ts'

usePhotoFolder()

const photo = () => samplePhoto(40, 30)
const FORMATS = ['jpeg', 'png', 'tiff'] as const

/** 300 pixels per inch: the second number of the header. */
function bitmap(perMeter: number, down = perMeter): Buffer {
  const file = Buffer.alloc(54 + 40 * 30 * 3)
  file.write('BM')
  writeLongs(file, { 10: 54, 14: 40, 18: 40, 22: 30, 38: perMeter, 42: down })
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

/** @param shape how many pixels it has in each direction, in four bytes each, and their unit */
const withShape = async (...shape: readonly number[]): Promise<Buffer> =>
  withChunks(await photo().png().toBuffer(), pngChunk('pHYs', Buffer.from(shape)))

const aspectsIn = async (path: string) => (await openImage(path)).pixelAspect ?? 1

describe('the pixels per inch of a photo', () => {
  it.each(
    firstOf([
      ['a.jpg', () => photo().withMetadata({ density: 300 }).jpeg()],
      ['a.png', () => photo().withMetadata({ density: 300 }).png()],
      ['a.tif', () => photo().tiff({ xres: 300 / 25.4, yres: 300 / 25.4 })],
      ['a.bmp', () => bitmap(11_811)],
      ['a.webp', () => photo().withMetadata({ density: 300 }).webp()],
      ['a.avif', () => photo().withMetadata({ density: 300 }).avif()],
    ] as const),
  )('stay in formats with a place for them: %s', async (name, make) => {
    const path = await photoFile(name, make())
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

  itInLongSuite.each<[string, () => Promise<Buffer> | Buffer | Sharp, number]>([
    ['a fax', () => photo().tiff({ xres: 204 / 25.4, yres: 98 / 25.4 }), 98 / 204],
    ['a JPEG', () => withHeader([1, 0, 204, 0, 98]), 98 / 204],
    ['a JPEG without a unit', () => withHeader([0, 0, 2, 0, 1]), 1 / 2],
    ['a PNG without a unit', () => withShape(0, 0, 0, 2, 0, 0, 0, 1, 0), 1 / 2],
    ['a bitmap', () => bitmap(8_000, 4_000), 1 / 2],
    ['an upright HEIC', () => makeHeic({ ...HEIC, properties: [WIDE] }), 2],
    ['a turned HEIC', () => makeHeic({ ...HEIC, properties: [WIDE, turned(1)] }), 1 / 2],
    ['a turned fax', () => photo().withMetadata({ orientation: 6 }).tiff({ xres: 8, yres: 4 }), 2],
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
      expect(codesOf(losses), format).toEqual(['pixelAspect'])
    }
  })

  itInLongSuite('match the upright picture', async () => {
    const path = await photoFile('a', photo().withMetadata({ orientation: 6 }).tiff({ xres: 8, yres: 4 }))
    for (const format of FORMATS) {
      const { output } = await processPhoto(path, { format, metadata: 'keep' })
      expect(((await openImage(output)).density ?? 0) / 102, format).toBeCloseTo(1, 1)
    }
  })

  itInLongSuite('don’t stop a photo that states more or less than a file can hold', async () => {
    const most = await withShape(...Array<number>(8).fill(0xff), 1)
    const paths = [await photoFile('most.png', most), await photoFile('least.bmp', bitmap(1))]
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
    // The usual number of TIFF.
    const tiff = await processContent('plain.webp', photo().webp(), { format: 'tiff' })
    expect((await sharp(tiff.bytes).metadata()).density).toBe(72)
  })
})
