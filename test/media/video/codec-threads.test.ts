import { afterEach, describe, expect, it } from 'vitest'
import { decoderThreads, useCores, usualCores, withThreads } from '../../../src/media/video/codec-threads.ts'
import { encoderSettings } from '../../../src/media/video/encoder-settings.ts'
import { VideoRecipe } from '../../../src/shared/preset/preset.ts'
import { clip, resultOf, useClipFolder } from './run-job.ts'
import { itInLongSuite } from '../../faults/long-suite.ts'

useClipFolder()
afterEach(() => useCores(undefined))

const CODECS = ['h264', 'hevc', 'vp9', 'av1'] as const
const optionsFor = (codec: (typeof CODECS)[number], crf = 30) =>
  withThreads(encoderSettings(codec, VideoRecipe.parse({ crf }), false))

describe('the threads of a video', () => {
  it.skipIf(usualCores() !== undefined)(
    'are left to the decoder and the encoder if all cores may be used',
    () => {
      expect(decoderThreads()).toBe(0)
      for (const codec of CODECS) expect(optionsFor(codec)).not.toHaveProperty('threads')
    },
  )

  it('are those of the cores that a container may use, because codecs count those of the computer', () => {
    expect(usualCores(2, 64)).toBe(2)
    expect(usualCores(64, 64)).toBeUndefined()
  })

  it('are limited for each encoder in its own way, next to its other options', () => {
    useCores(4)
    expect(decoderThreads()).toBe(5)
    expect(optionsFor('h264')).toMatchObject({ threads: '6' })
    expect(optionsFor('hevc', 0)).toMatchObject({
      threads: '2',
      'x265-params': 'log-level=none:lossless=1:pools=4',
    })
    expect(optionsFor('vp9')).toMatchObject({ threads: '4' })
    expect(optionsFor('av1')).toMatchObject({ 'svtav1-params': 'lp=3' })
    expect(optionsFor('av1', 0)).toMatchObject({ 'svtav1-params': 'lossless=1:lp=3' })
    useCores(3)
    expect(optionsFor('h264')).toMatchObject({ threads: '4' })
  })

  itInLongSuite.each([1, 3, 64])('may be those of %d cores with every encoder', async (cores) => {
    const input = await clip()
    useCores(cores)
    for (const codec of CODECS) {
      const container = codec === 'vp9' ? 'webm' : 'mp4'
      const { times } = await resultOf(input, { codec, container })
      expect(times).toHaveLength(12)
    }
  })
})
