import { copyFileSync, readFileSync, writeFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { mayReplace } from '../../../src/media/inventory/may-replace.ts'
import { ImageRecipe, VideoRecipe } from '../../../src/shared/preset/preset.ts'
import {
  photoFile,
  type PhotoRecipe,
  processPhoto,
  samplePhoto,
  usePhotoFolder,
} from '../image/process-photo.ts'
import { evenTimes } from '../video/make-clip.ts'
import { clip, inClipFolder, runJob, useClipFolder } from '../video/run-job.ts'
import { firstOf, itInLongSuite } from '../../faults/long-suite.ts'

usePhotoFolder()
useClipFolder()

const { signal } = new AbortController()

/** Cuts a file in the middle, as a crash does. */
function cut(path: string): string {
  const content = readFileSync(path)
  writeFileSync(path, content.subarray(0, content.length / 2))
  return path
}

function isGoodPhoto(original: string, result: string, asked: PhotoRecipe | null) {
  const recipe = asked && ({ kind: 'image', image: ImageRecipe.parse(asked) } as const)
  return mayReplace({ original, result, kind: 'image', recipe }, signal)
}

function isGoodVideo(original: string, result: string, asked: Partial<VideoRecipe> | null) {
  const recipe = asked && ({ kind: 'video', video: VideoRecipe.parse(asked) } as const)
  return mayReplace({ original, result, kind: 'video', recipe }, signal)
}

describe('a photo’s result', () => {
  it.each<PhotoRecipe>(
    firstOf(
      [
        {},
        { format: 'webp', size: { width: 100 } },
        { format: 'avif', size: { width: 90, height: 90, fit: 'cover' } },
        { format: 'jxl', rotate: 90 },
        { format: 'jpeg', size: { width: 100, height: 100, fit: 'contain' } },
        { format: 'jpeg', maxBytes: 2_000, mayShrink: true },
      ],
      2,
    ),
  )('is good if it is what %o promises', async (recipe) => {
    const original = await photoFile('photo.jpg', samplePhoto().jpeg())
    const { output } = await processPhoto(original, recipe)
    await expect(isGoodPhoto(original, output, recipe)).resolves.toBe(true)
    await expect(isGoodPhoto(original, output, null)).resolves.toBe(true)
  })

  it('isn’t good if it is cut off', async () => {
    const original = await photoFile('photo.jpg', samplePhoto().jpeg())
    const { output } = await processPhoto(original)
    await expect(isGoodPhoto(original, cut(output), {})).resolves.toBe(false)
    await expect(isGoodPhoto(original, output, null)).resolves.toBe(false)
  })

  it('isn’t good if only its last pixels are damaged', async () => {
    const original = await photoFile('large.jpg', samplePhoto(640, 481).jpeg())
    const { output } = await processPhoto(original)
    const damaged = readFileSync(output)
    damaged.subarray(-60, -50).fill(0xa5)
    writeFileSync(output, damaged)
    await expect(isGoodPhoto(original, output, null)).resolves.toBe(false)
  })

  it('isn’t good with other dimensions or in another format', async () => {
    const original = await photoFile('photo.jpg', samplePhoto().jpeg())
    const { output } = await processPhoto(original, { size: { width: 100 } })
    await expect(isGoodPhoto(original, output, {})).resolves.toBe(false)
    await expect(isGoodPhoto(original, output, { size: { width: 100 }, format: 'webp' })).resolves.toBe(false)
  })

  it('isn’t good if an animation has lost its frames', async () => {
    const frames = await Promise.all(
      [1, 2, 3].map((n) =>
        samplePhoto(40 * n, 40)
          .resize(40, 40, { fit: 'fill' })
          .png()
          .toBuffer(),
      ),
    )
    const { default: sharp } = await import('sharp')
    const original = await photoFile('moving.webp', sharp(frames, { join: { animated: true } }).webp())
    const still = await processPhoto(original, { format: 'webp', animation: 'first-frame' })
    const moving = await processPhoto(original, { format: 'webp' })
    await expect(isGoodPhoto(original, still.output, { format: 'webp' })).resolves.toBe(false)
    await expect(isGoodPhoto(original, moving.output, { format: 'webp' })).resolves.toBe(true)
  })

  it('isn’t good if it has lost what its recipe keeps', async () => {
    const original = await photoFile(
      'titled.jpg',
      samplePhoto()
        .jpeg()
        .withExif({ IFD0: { Artist: 'Jo' } }),
    )
    const { output } = await processPhoto(original, { metadata: 'strip' })
    await expect(isGoodPhoto(original, output, { metadata: 'strip' })).resolves.toBe(true)
    await expect(isGoodPhoto(original, output, { metadata: 'keep' })).resolves.toBe(false)
  })
})

describe('a video’s result', () => {
  it.each<Partial<VideoRecipe>>(firstOf([{}, { height: 60 }, { fps: 5 }, { rotate: 90 }, { codec: 'copy' }]))(
    'is good if it is what %o promises',
    async (recipe) => {
      const original = await clip({ times: evenTimes(50, 25) })
      const { temporaryPath } = await runJob(original, recipe)
      await expect(isGoodVideo(original, temporaryPath, recipe)).resolves.toBe(true)
      await expect(isGoodVideo(original, temporaryPath, null)).resolves.toBe(true)
    },
  )

  itInLongSuite('is good if it has all frames that a maximum rate leaves of a variable one', async () => {
    const original = await clip({ times: [...evenTimes(50, 50), ...evenTimes(4, 1).map((ms) => ms + 1000)] })
    const { temporaryPath } = await runJob(original, { fps: 10 })
    await expect(isGoodVideo(original, temporaryPath, { fps: 10 })).resolves.toBe(true)
    await expect(isGoodVideo(original, temporaryPath, { fps: 20 })).resolves.toBe(false)
  })

  it('isn’t good if it ends too early', async () => {
    const original = await clip({ times: evenTimes(100, 25) })
    const shorter = await clip({ times: evenTimes(60, 25) })
    await expect(isGoodVideo(original, shorter, {})).resolves.toBe(false)
    await expect(isGoodVideo(original, shorter, null)).resolves.toBe(false)
  })

  it('isn’t good if it has lost frames', async () => {
    const original = await clip({ times: evenTimes(100, 25) })
    const { temporaryPath } = await runJob(original, { fps: 5 })
    await expect(isGoodVideo(original, temporaryPath, {})).resolves.toBe(false)
  })

  it('isn’t good if it has lost the audio', async () => {
    const original = await clip({ times: evenTimes(50, 25), sound: 2 })
    const { temporaryPath } = await runJob(original, { audio: 'none' })
    await expect(isGoodVideo(original, temporaryPath, { audio: 'none' })).resolves.toBe(true)
    await expect(isGoodVideo(original, temporaryPath, {})).resolves.toBe(false)
  })

  itInLongSuite('isn’t good if it is only the audio', async () => {
    const original = await clip({ times: evenTimes(50, 25), sound: 2 })
    const recipe = { codec: 'none', crf: undefined } as const
    const { temporaryPath } = await runJob(original, recipe)
    await expect(isGoodVideo(original, temporaryPath, recipe)).resolves.toBe(false)
    await expect(isGoodVideo(original, temporaryPath, null)).resolves.toBe(false)
  })

  it('isn’t good if it can’t be decoded', async () => {
    const original = await clip({ times: evenTimes(50, 25) })
    const damaged = inClipFolder('damaged.mp4')
    copyFileSync(original, damaged)
    await expect(isGoodVideo(original, cut(damaged), null)).resolves.toBe(false)
  })

  itInLongSuite('isn’t good if it is larger than promised', async () => {
    const original = await clip({ times: evenTimes(50, 25) })
    const { temporaryPath } = await runJob(original)
    await expect(isGoodVideo(original, temporaryPath, { height: 60 })).resolves.toBe(false)
  })
})
