/** AVIF and HEIC that are cropped and turned as libavif writes it. */
import sharp from 'sharp'
import { describe, expect, it } from 'vitest'
import { openRareHeic } from '../../../src/media/image/heic.ts'
import { cut, type HeicOptions, makeHeic, mirrored, turned } from './make-heic.ts'
import { meanDifference, photoFile, processContent, rawOf, usePhotoFolder } from './process-photo.ts'
import { firstOf, itInLongSuite } from '../../faults/long-suite.ts'

usePhotoFolder()

const properties = [cut(100, 50, -8, 6), turned(1), mirrored(0)]
const area = { left: 42, top: 42, width: 100, height: 50 }
const tile = { width: 64, height: 64 }
const grid: HeicOptions = { coding: 'av1', tile, columns: 3, rows: 2, width: 192, height: 128 }
const size = { tile: { width: 192, height: 128 }, width: 192, height: 128 }
const single: HeicOptions = { ...size, coding: 'av1' }

const PLAIN = { alphaIsPlain: true }

const shown = async (made: HeicOptions) =>
  (await processContent('a.avif', makeHeic(made), { format: 'png' })).bytes

describe('a photo is cropped and turned', () => {
  it.each(
    firstOf([
      ['as HEIC', { ...size, isSeeThrough: true }, PLAIN],
      ['as a grid', grid, {}],
      ['as a grid whose tiles have these properties too', grid, { tileProperties: properties }],
      ['with transparency that lacks these properties', { ...single, isSeeThrough: true }, PLAIN],
      ['as HEIC in 10 bits', { ...size, isSeeThrough: true, pixelFormat: 'yuv444p10le' }, PLAIN],
      ['in 10 bits', { ...single, isSeeThrough: true, pixelFormat: 'yuv444p10le' }, PLAIN],
    ] as const),
  )('%s', async (_, plain: HeicOptions, more: Partial<HeicOptions>) => {
    const part = await sharp(await shown(plain))
      .extract(area)
      .png()
      .toBuffer()
    const upright = await sharp(part).rotate(270).png().toBuffer()
    const expected = await sharp(upright).flip().raw().toBuffer()
    const { data, info } = await rawOf(sharp(await shown({ ...plain, ...more, properties })))
    expect([info.width, info.height]).toEqual([area.height, area.width])
    expect(meanDifference(data, expected)).toBeLessThan(1)
  })
})

itInLongSuite('a HEIC with transparency in 10 bits keeps all of them', async () => {
  const made = makeHeic({ ...size, isSeeThrough: true, pixelFormat: 'yuv420p10le', range: 'pc' })
  const tiff = await processContent('a.heic', made, { format: 'tiff' })
  const { data, info } = await sharp(tiff.bytes)
    .toColourspace('rgb16')
    .raw({ depth: 'ushort' })
    .toBuffer({ resolveWithObject: true })
  const samples = new Uint16Array(data.buffer, data.byteOffset, data.length / 2)
  const levels = [0, 3].map((channel) => new Set(samples.filter((_, at) => at % 4 === channel)).size)
  expect([info.channels, tiff.losses]).toEqual([4, []])
  expect(Math.min(...levels)).toBeGreaterThan(256)
  const byLibheif = await (await openRareHeic(await photoFile('a.heic', made), {})).pixels()
  const eight = await sharp(byLibheif).extractChannel(3).raw().toBuffer()
  const deep = Buffer.from(samples.filter((_, at) => at % 4 === 3).map((value) => value >> 8))
  expect(meanDifference(deep, eight)).toBeLessThan(1)
})
