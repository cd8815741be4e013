import { readFile } from 'node:fs/promises'
import sharp from 'sharp'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { makeFile } from '../../src/media/make-file.ts'
import type { RequestContext } from '../../src/media/parent-process.ts'
import type { FinishedFile, Recipe, WorkerTask } from '../../src/media/protocol.ts'
import { rateResult } from '../../src/media/rate-result.ts'
import { createPauseGate } from '../../src/node/pause-gate.ts'
import { drawVariation } from '../../src/shared/preset/variation.ts'
import { ImageRecipe, VariationRanges, VideoRecipe } from '../../src/shared/preset/preset.ts'
import { corpusFile } from '../media-corpus.ts'
import { photoFile, samplePhoto, usePhotoFolder } from './image/process-photo.ts'
import { evenTimes } from './video/make-clip.ts'
import { clip, useClipFolder } from './video/run-job.ts'
import { scoreOfFile } from './video/score-file.ts'
import { temporaryFolder } from '../temporary-folder.ts'
import { firstOf, itInLongSuite } from '../faults/long-suite.ts'

usePhotoFolder()
useClipFolder()
let folder: string
beforeAll(() => allowMeasuring())
beforeEach(() => {
  folder = temporaryFolder()
})

/** Allows many measurements, as after a long time of processing. A variation isn't measured itself. */
async function allowMeasuring(milliseconds = 1e9): Promise<void> {
  const made = { inputPath: '', milliseconds, signal: new AbortController().signal }
  const file = { temporaryPath: '', notes: [] } as unknown as FinishedFile
  const variation = drawVariation(VariationRanges.parse({}), 'sample', 1)
  await rateResult(file, { isRated: true, variation } as WorkerTask, made)
}

function make(
  inputPath: string,
  recipe: Recipe,
  more: Partial<WorkerTask> = {},
  pause: RequestContext['pause'] = createPauseGate(),
) {
  const task: WorkerTask = {
    inputPath,
    folder,
    temporaryPrefix: 'result',
    recipe,
    variation: undefined,
    neverLarger: false,
    isRated: true,
    ...more,
  }
  return makeFile(task, {
    signal: new AbortController().signal,
    pause,
    onProgress: () => undefined,
  })
}

const photo = (recipe: object): Recipe => ({ kind: 'image', image: ImageRecipe.parse(recipe) })
const video = (recipe: object): Recipe => ({ kind: 'video', video: VideoRecipe.parse(recipe) })

async function qualityOf(path: string, recipe: Recipe) {
  const { quality, temporaryPath } = await make(path, recipe)
  if (quality === undefined || quality === 'lossless') throw new Error(`No score: ${String(quality)}`)
  return { ...quality, temporaryPath }
}
const scoreOf = async (path: string, recipe: Recipe) => (await qualityOf(path, recipe)).score

it('is skipped if measuring a photo would take more than a fortieth of the time for processing so far', async () => {
  // A separate module, whose measurements don't count for the other tests.
  const fresh = new URL('../../src/media/rate-result.ts?fresh', import.meta.url).href
  const { rateResult: rate }: { rateResult: typeof rateResult } = await import(fresh)
  const path = await photoFile('further.png', samplePhoto(640, 480).png())
  const recipe = photo({ format: 'jpeg', quality: 60 })
  const file = await make(path, recipe, { isRated: false })
  const { signal } = new AbortController()
  const rated = async (milliseconds: number) =>
    (await rate(file, { isRated: true, recipe } as WorkerTask, { inputPath: path, milliseconds, signal }))
      .quality !== undefined
  expect([await rated(100), await rated(5_000), await rated(5_000)]).toEqual([false, false, true])
  let further = 0
  while (await rated(0)) further += 1
  expect(further).toBeLessThan(400)
})

it('doesn’t count pauses as time for processing a video', async () => {
  const path = await clip({ times: evenTimes(10, 25) })
  const recipe = video({ codec: 'h264', rotate: 90 })
  const paused = 1e12
  const held = [0, paused].values()
  const pause = { pass: () => undefined, heldMs: () => held.next().value ?? paused }
  expect((await make(path, recipe, {}, pause)).quality).toBe(undefined)
  await allowMeasuring(paused)
  expect((await make(path, recipe)).quality).toBeDefined()
})

describe('the rating of a photo', () => {
  it('follows the quality setting, and ignores size, crop, rotation and color that the preset asks for', async () => {
    const path = await photoFile('sample.png', samplePhoto(320, 240).png())
    const asked = { crop: { aspect: 1 }, rotate: 90, grayscale: true, size: { width: 150 } }
    const [coarse, fine, changed] = [
      await scoreOf(path, photo({ format: 'jpeg', quality: 20 })),
      await scoreOf(path, photo({ format: 'jpeg', quality: 95 })),
      await scoreOf(path, photo({ format: 'jpeg', quality: 95, ...asked })),
    ]
    expect(coarse).toBeLessThan(60)
    expect(Math.min(fine, changed)).toBeGreaterThan(85)
  })

  itInLongSuite('is what the search for a visual quality has measured', async () => {
    const path = await photoFile('search.png', samplePhoto(320, 240).png())
    const recipe = photo({ format: 'jpeg', look: 70 })
    expect(Math.abs((await scoreOf(path, recipe)) - 70)).toBeLessThanOrEqual(2)
    // The search measures anyway.
    expect((await make(path, recipe, { isRated: false })).quality).toBeDefined()
  })

  it('is “lossless” for lossless formats, unchanged pixels and kept originals', async () => {
    const png = await photoFile('lossless.png', samplePhoto().png())
    const described = samplePhoto().withExif({ IFD0: { Artist: 'Ida' } })
    const jpeg = await photoFile('kept.jpg', described.jpeg({ quality: 30 }))
    const made = [
      await make(png, photo({ format: 'png' })),
      await make(jpeg, photo({ metadata: 'strip', quality: 92 })),
      await make(jpeg, photo({ quality: 100, metadata: 'keep' }), { neverLarger: true }),
    ]
    expect(made.map(({ quality }) => quality)).toEqual(['lossless', 'lossless', 'lossless'])
  })

  it('never makes a job fail, and is missing if it can’t be measured', async () => {
    const image = sharp({ create: { width: 1, height: 1, channels: 4, background: '#ff000080' } })
    const dot = await photoFile('dot.png', image.png())
    expect((await make(dot, photo({ format: 'webp' }))).quality).toBeUndefined()
    const variation = drawVariation(VariationRanges.parse({}), 'varied.png', 1)
    const path = await photoFile('varied.png', samplePhoto().png())
    expect((await make(path, photo({ format: 'jpeg' }), { variation })).quality).toBeUndefined()
  })

  it.each(
    firstOf([
      ['alpha', () => samplePhoto(64, 48).ensureAlpha(0.5), 'webp'],
      ['alpha that the format lacks', () => samplePhoto(64, 48).ensureAlpha(0.5), 'jpeg'],
      ['gray', () => samplePhoto(64, 48).grayscale(), 'webp'],
      ['16 bits', () => samplePhoto(64, 48).toColourspace('rgb16'), 'avif'],
      ['an extreme shape', () => samplePhoto(2_000, 9), 'jpeg'],
    ] as const),
  )('works with %s', async (name, image, format) => {
    const path = await photoFile(`${name}.png`, image().png())
    expect(await scoreOf(path, photo({ format, quality: 95 }))).toBeGreaterThan(70)
  })

  itInLongSuite.each(
    [
      'rotating-squares.webp',
      'colors-with-alpha.heic',
      'cmyk-with-adobe-marker.jpg',
      'hopper_orientation_6.webp',
      'fogra-cmyk.tiff',
    ].flatMap((name) => corpusFile(name)),
  )('works with $file', async ({ path }) => {
    const { quality } = await make(path, photo({ format: 'jpeg', quality: 95 }))
    expect(quality).toEqual({ score: expect.closeTo(85, -1.5), isSampled: expect.any(Boolean) })
  })
})

describe('the rating of a video', () => {
  itInLongSuite('is close to that of all frames, and follows the quality setting', async () => {
    const path = await clip({ width: 320, height: 180, times: evenTimes(60, 30) })
    const scores: number[] = []
    for (const crf of [20, 40]) {
      const { score, isSampled, temporaryPath } = await qualityOf(path, video({ codec: 'h264', crf }))
      expect(isSampled).toBe(true)
      const whole = 4 * ((await scoreOfFile(path, temporaryPath)) - 22.5)
      expect(Math.abs(score - Math.min(100, Math.max(0, whole)))).toBeLessThan(8)
      scores.push(score)
    }
    expect(scores[0]).toBeGreaterThan(scores[1] ?? 100)
  })

  it('is “lossless” for a copied track', async () => {
    expect((await make(await clip(), video({ codec: 'copy' }))).quality).toBe('lossless')
  })
})

const pixels = (file: string) => sharp(file).raw().toBuffer()

describe('a result whose quality is below the limit', () => {
  const coarse = { format: 'webp', quality: 5, size: { width: 200 } } as const

  it('is replaced with a copy of the original, in its own format and dimensions', async () => {
    const path = await photoFile('kept.jpeg', samplePhoto(320, 240).jpeg({ quality: 90 }))
    const made = await make(path, photo({ ...coarse, metadata: 'keep' }), { keepBelowQuality: 95 })
    const notes = ['quality-too-low']
    expect(made).toMatchObject({ extension: 'jpeg', width: 320, height: 240, notes, isCopy: true })
    expect(made.quality).toEqual({ score: expect.any(Number), isSampled: false, below: 95 })
    expect(await readFile(made.temporaryPath)).toEqual(await readFile(path))
  })

  itInLongSuite(
    'is replaced with the original’s pixels without the metadata that the preset removes',
    async () => {
      const described = samplePhoto(320, 240).withExif({ IFD0: { Artist: 'Ida' } })
      const path = await photoFile('described.jpg', described.jpeg({ quality: 90 }))
      const made = await make(path, photo({ ...coarse, metadata: 'strip' }), { keepBelowQuality: 95 })
      expect(made).toMatchObject({ extension: 'jpg', width: 320, notes: ['quality-too-low'] })
      expect([made.isCopy, (await readFile(made.temporaryPath)).includes('Ida')]).toEqual([undefined, false])
      expect(await pixels(made.temporaryPath)).toEqual(await pixels(path))
    },
  )

  itInLongSuite(
    'is replaced with a copy that has the extension of its content if the original has an alias',
    async () => {
      const path = await photoFile('alias.heic', samplePhoto(320, 240).jpeg({ quality: 90 }))
      const made = await make(path, photo({ ...coarse, metadata: 'keep' }), { keepBelowQuality: 95 })
      expect([made.extension, made.notes]).toEqual(['jpg', ['quality-too-low']])
      expect(await readFile(made.temporaryPath)).toEqual(await readFile(path))
    },
  )

  it('stays if its quality reaches the limit, or can’t be measured', async () => {
    const path = await photoFile('fine.png', samplePhoto(320, 240).png())
    const fine = await make(path, photo({ format: 'jpeg', quality: 98 }), { keepBelowQuality: 60 })
    const image = sharp({ create: { width: 1, height: 1, channels: 3, background: '#ff0000' } })
    const dot = await photoFile('tiny.png', image.png())
    const tiny = await make(dot, photo({ format: 'jpeg' }), { keepBelowQuality: 95 })
    expect([fine.extension, tiny.extension, fine.notes, tiny.notes]).toEqual(['jpg', 'jpg', [], []])
  })

  it('is replaced with a copy of a video', async () => {
    const path = await clip({ height: 120, times: evenTimes(20, 25) })
    const made = await make(path, video({ container: 'mkv', crf: 51, height: 60 }), { keepBelowQuality: 95 })
    expect(made).toMatchObject({ extension: 'mp4', width: 160, height: 120, notes: ['quality-too-low'] })
    expect(await readFile(made.temporaryPath)).toEqual(await readFile(path))
  })
})

itInLongSuite('a result isn’t called lossless if colors were lost before it was encoded', async () => {
  const path = await photoFile('inks.tiff', samplePhoto(64, 48).toColourspace('cmyk').tiff({ bigtiff: true }))
  const made = await make(path, photo({ format: 'same', quality: 92, colour: 'keep', metadata: 'strip' }))
  expect(made.losses.map(({ code }) => code)).toContain('inks')
  expect(made.quality).toBeUndefined()
})
