import sharp from 'sharp'
import { describe, expect, it } from 'vitest'
import { foreseeLosses } from '../../../src/media/inventory/foresee-losses.ts'
import { ImageRecipe, type VideoRecipe } from '../../../src/shared/preset/preset.ts'
import { makeHeic } from '../image/make-heic.ts'
import {
  photoFile,
  type PhotoRecipe,
  processPhoto,
  samplePhoto,
  usePhotoFolder,
} from '../image/process-photo.ts'
import { evenTimes } from '../video/make-clip.ts'
import { clip, runJob, useClipFolder, videoJob } from '../video/run-job.ts'
import { sentencesOf } from '../loss-sentences.ts'
import { firstOf } from '../../faults/long-suite.ts'

usePhotoFolder()
useClipFolder()
const { signal } = new AbortController()

async function foreseenInPhoto(path: string, recipe: PhotoRecipe = { format: 'jpeg' }) {
  const { losses } = await foreseeLosses(path, { kind: 'image', image: ImageRecipe.parse(recipe) }, signal)
  return sentencesOf(losses)
}

async function animated(...colors: readonly string[]) {
  const images = colors.map((background) =>
    sharp({ create: { width: 20, height: 20, channels: 3, background } })
      .png()
      .toBuffer(),
  )
  return sharp(await Promise.all(images), { join: { animated: true } })
}

const withAlpha = (alpha: number) =>
  sharp({ create: { width: 40, height: 30, channels: 4, background: { r: 9, g: 99, b: 199, alpha } } }).png()

describe('what a photo will lose', () => {
  it('is known before it is processed: pages, frames, transparency, bits and other images', async () => {
    const tiff = await photoFile('pages.tif', (await animated('red', 'lime', 'blue')).tiff())
    expect(await foreseenInPhoto(tiff)).toEqual(['Pages 2 to 3. JPEG holds one page.'])
    expect(await foreseenInPhoto(tiff, { format: 'same' })).toEqual([])
    const recipe = { kind: 'image', image: ImageRecipe.parse({ format: 'jpeg' }) } as const
    const { holds } = await foreseeLosses(tiff, recipe, signal)
    expect(holds).toEqual({ pages: 3, chapters: 0, keepsHdr: false, resultFormat: 'JPEG' })
    const frames = await animated('red', 'lime', 'blue')
    const webp = await photoFile('a.webp', frames.webp({ delay: [50, 50, 50] }))
    expect(await foreseenInPhoto(webp)).toEqual(['2 frames of the animation. JPEG holds one frame.'])
    expect(await foreseenInPhoto(webp, { format: 'jpeg', animation: 'first-frame' })).toEqual([])
    expect(await foreseenInPhoto(await photoFile('hole.png', withAlpha(0.5)))).toEqual([
      'Transparency. JPEG can’t hold it.',
    ])
    expect(await foreseenInPhoto(await photoFile('opaque.png', withAlpha(1)))).toEqual([])
    const shape = { tile: { width: 64, height: 64 }, width: 64, height: 64 }
    const heic = makeHeic({ ...shape, auxiliary: 'urn:mpeg:hevc:2015:auxid:2' })
    const depth = await photoFile('depth.heic', heic)
    expect(await foreseenInPhoto(depth, { format: 'jpeg', metadata: 'keep' })).toEqual([
      'Depth map. JPEG can’t hold it.',
    ])
    const deep = samplePhoto().toColourspace('rgb16').png()
    expect(await foreseenInPhoto(await photoFile('deep.png', deep), { format: 'webp' })).toEqual([])
    const tall = await photoFile('tall.tif', samplePhoto(40, 60).tiff({ xres: 4, yres: 8 }))
    expect(await foreseenInPhoto(tall, { format: 'same', rotate: 90, crop: { aspect: 2 } })).toEqual([])
  })

  it('is what its result has then lost, in every format', async () => {
    const described = { exif: { IFD0: { Copyright: 'Ann' } } }
    const files = [
      await photoFile('pages.tif', (await animated('red', 'lime')).tiff()),
      await photoFile('moving.gif', (await animated('red', 'lime')).gif({ delay: [50, 50] })),
      await photoFile('hole.png', withAlpha(0.5)),
      await photoFile('plain.jpg', samplePhoto().withMetadata(described).jpeg()),
      await photoFile('deep.tif', samplePhoto().toColourspace('rgb16').tiff()),
    ]
    for (const path of firstOf(files, 2))
      for (const format of ['same', 'jpeg', 'png', 'webp', 'avif', 'tiff'] as const) {
        const recipe = { format, metadata: 'keep', size: { width: 16 } } as const
        const { losses } = await processPhoto(path, recipe)
        const lost = sentencesOf(losses)
        expect([path, format, lost]).toEqual([path, format, await foreseenInPhoto(path, recipe)])
      }
  })
})

describe('what a video will lose', () => {
  it.each<[string, Partial<VideoRecipe>, readonly string[], boolean]>([
    ['HDR', { codec: 'h264' }, ['HDR. The H264 encoder can’t write it.'], false],
    ['nothing if its codec holds HDR', { codec: 'hevc' }, [], true],
    ['nothing if HDR isn’t wanted', { codec: 'hevc', hdr: 'tone-map' }, [], false],
  ])('is what its result has then lost: %s', async (_, changes, expected, keepsHdr) => {
    const hdr = { pixelFormat: 'yuv420p10le', transfer: 'pq' } as const
    const path = await clip({ height: 96, times: evenTimes(8, 25), ...hdr })
    const { recipe } = videoJob(path, changes)
    const video = { kind: 'video', video: recipe } as const
    const { losses: foreseen, holds } = await foreseeLosses(path, video, signal)
    expect(holds.keepsHdr).toBe(keepsHdr)
    expect(sentencesOf(foreseen)).toEqual(expected)
    expect((await runJob(path, changes)).losses).toEqual(foreseen)
  })
})
