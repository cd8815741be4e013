import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import sharp from 'sharp'
import { describe, expect, it } from 'vitest'
import { firstOf } from '../../faults/long-suite.ts'
import { processPhoto, usePhotoFolder } from './process-photo.ts'

usePhotoFolder()

/** Optional files of other programs next to the project. */
const fileOf = (name: string) =>
  fileURLToPath(new URL(`../../../../shared/faults/photo/${name}`, import.meta.url))

/** Pixel (60, 56) and the channels of files that all show the same picture, and the levels of two others. */
const EXPECTED = [
  ['tiff-float32-rgb-icc.tif', [161, 226, 187]],
  ['tiff-uint32-rgb.tif', [161, 226, 187]],
  ['tiff-rgb-plus-mask-unspecified.tif', [161, 226, 187]],
  ['bmp5-icc.bmp', [161, 226, 187]],
  ['tiff-float16-gray.tif', [161]],
  ['tiff-gray-12bit.tif', [161]],
  ['tiff-lab-8bit.tif', [14, 3, 227]],
] as const

describe('a photo that another program has stored in an unusual way', () => {
  it.each(
    firstOf(
      EXPECTED.filter(([name]) => existsSync(fileOf(name))),
      3,
    ),
  )('looks like the original: %s', async (name, expected) => {
    const { bytes } = await processPhoto(fileOf(name), { format: 'png', colour: 'keep' })
    const { data, info } = await sharp(bytes, { ignoreIcc: true })
      .toColourspace(expected.length === 1 ? 'b-w' : 'srgb')
      .extract({ left: 60, top: 56, width: 1, height: 1 })
      .raw()
      .toBuffer({ resolveWithObject: true })
    expect(info.channels).toBe(expected.length)
    for (const [channel, value] of expected.entries())
      expect(Math.abs((data[channel] ?? 0) - value), [...data].join()).toBeLessThanOrEqual(2)
  })

  it('is a JPEG XL made from a JPEG', async ({ skip }) => {
    const path = fileOf('jxl-jpeg-transcoded.jxl')
    if (!existsSync(path)) return skip()
    const { width, height, bytes } = await processPhoto(path, { format: 'png' })
    expect({ width, height }).toEqual({ width: 300, height: 200 })
    const { channels } = await sharp(bytes).stats()
    const [red = 0, green = 0, blue = 0] = channels.map(({ mean }) => mean)
    expect([red, green, blue].map((mean) => Math.round(mean))).toEqual([133, 126, 122])
  })
})
