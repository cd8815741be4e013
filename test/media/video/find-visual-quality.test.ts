import { stat } from 'node:fs/promises'
import { beforeAll, describe, expect, it } from 'vitest'
import { decibelsOf, search } from '../../../src/media/video/find-visual-quality.ts'
import { Look, type VideoRecipe } from '../../../src/shared/preset/preset.ts'
import { firstOf, isLongSuite, itInLongSuite } from '../../faults/long-suite.ts'
import { corpusFile } from '../../media-corpus.ts'
import { evenTimes } from './make-clip.ts'
import { clip, resultOf, useClipFolder } from './run-job.ts'
import { scoreOfFile } from './score-file.ts'

useClipFolder()
let video = ''
beforeAll(async () => {
  const picture = 'noise=alls=3:allf=t,gblur=sigma=0.8'
  video = await clip({ width: 256, height: 144, times: evenTimes(25, 25), picture }, 'mkv')
})

async function withLook(recipe: Partial<VideoRecipe>, path = video) {
  const made = await resultOf(path, { crf: undefined, container: 'mkv', ...recipe })
  const decibels = await scoreOfFile(path, made.temporaryPath, { height: recipe.height })
  return { ...made, decibels, bytes: (await stat(made.temporaryPath)).size }
}

describe('a visual quality target', () => {
  it.each(firstOf(['h264', 'hevc', 'vp9', 'av1'] as const))('is met in %s', async (codec) => {
    const { decibels, codecs } = await withLook({ codec, look: 'high' })
    expect(Math.abs(decibels - decibelsOf('high'))).toBeLessThan(1)
    expect(codecs).toEqual([codec])
  })

  itInLongSuite('needs fewer bytes when it is lower', async () => {
    const bytes: number[] = []
    for (const look of ['identical', 'high', 'medium', 'low'] as const)
      bytes.push((await withLook({ look, speed: 'veryfast' })).bytes)
    expect(bytes).toEqual(bytes.toSorted((one, other) => other - one))
    expect(new Set(bytes).size).toBe(4)
  })

  it('is measured at the size of the result', async () => {
    const { decibels } = await withLook({ height: 96, look: 75 })
    expect(Math.abs(decibels - decibelsOf(75))).toBeLessThan(1.5)
  })

  itInLongSuite('works for videos that are smaller than the blocks of the comparison', async () => {
    const path = await clip({ width: 2, height: 2, times: evenTimes(2, 25) }, 'mkv')
    const { decibels, codecs } = await withLook({ look: 'high' }, path)
    expect(codecs).toEqual(['h264'])
    expect(decibels).toBeGreaterThan(20)
  })

  it.each(isLongSuite ? corpusFile('rotate-buck-bunny.mp4') : [])(
    'is met for $file with every codec',
    async ({ path }) => {
      for (const codec of ['h264', 'av1'] as const) {
        const { decibels } = await withLook({ codec, look: 'high', height: 240, audio: 'none' }, path)
        expect(Math.abs(decibels - decibelsOf('high'))).toBeLessThan(1.5)
      }
    },
  )

  itInLongSuite('is met for MPEG-TS with a single keyframe', async () => {
    const times = evenTimes(200, 25)
    const path = await clip({ times, isPredicted: true, keyframeDistance: 200 }, 'ts')
    const made = await withLook({ look: 'high', speed: 'ultrafast' }, path)
    expect(made.times).toHaveLength(times.length)
  })

  it('has four named levels on the numeric scale', () => {
    expect([decibelsOf('identical'), decibelsOf('high'), decibelsOf('medium'), decibelsOf('low')]).toEqual(
      [90, 80, 65, 45].map((number) => decibelsOf(number)),
    )
    expect(Look.safeParse(29).success).toBe(false)
    expect(Look.safeParse('best').success).toBe(false)
  })
})

describe('the search for a quality setting', () => {
  it.each([
    ['falls evenly', (crf: number) => 56 - 0.6 * crf],
    ['falls increasingly fast', (crf: number) => 48 - 0.012 * crf * crf],
    ['hardly falls at first', (crf: number) => (crf < 30 ? 44 - 0.1 * crf : 41 - 1.2 * (crf - 30))],
  ])('ends near the target if the score %s', async (_, scoreAt) => {
    let trials = 0
    const crf = await search('h264', 38.75, async (at) => {
      trials += 1
      return scoreAt(at)
    })
    expect(Math.abs(scoreAt(crf) - 38.75)).toBeLessThan(0.3)
    expect(trials).toBeLessThanOrEqual(6)
  })

  it('ends at the encoder’s best quality if nothing is good enough', async () => {
    expect(await search('vp9', 47.5, async () => 20)).toBe(1)
  })
})
