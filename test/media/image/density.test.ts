import sharp from 'sharp'
import { describe, expect, it } from 'vitest'
import { chunksOf, pngChunk } from '../../../src/media/image/png-chunks.ts'
import { photoFile, processPhoto, samplePhoto, usePhotoFolder } from './process-photo.ts'

usePhotoFolder()

const photo = () => samplePhoto(40, 30)
const FORMATS = ['jpeg', 'png', 'tiff'] as const

/** 300 pixels per inch: the second number of the header. */
function bitmap(perMeter: number): Buffer {
  const file = Buffer.alloc(54 + 40 * 30 * 3)
  file.write('BM')
  for (const [at, value] of [
    [10, 54],
    [14, 40],
    [18, 40],
    [22, 30],
    [38, perMeter],
    [42, perMeter],
  ] as const)
    file.writeUInt32LE(value, at)
  file.writeUInt16LE(1, 26)
  file.writeUInt16LE(24, 28)
  return file
}

describe('the pixels per inch of a photo', () => {
  it.each([
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
  ] as const)('stay in formats with a place for them: %s', async (name, make) => {
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

  it('don’t stop a photo that states more or less than a file can hold', async () => {
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
