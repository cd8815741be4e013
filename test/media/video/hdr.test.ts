import {
  AVCOL_SPC_BT2020_NCL,
  AVCOL_SPC_BT709,
  AVCOL_TRC_ARIB_STD_B67,
  AVCOL_TRC_BT709,
  AVCOL_TRC_SMPTE2084,
} from 'node-av/constants'
import { describe, expect, it } from 'vitest'
import type { VideoRecipe } from '../../../src/shared/preset/preset.ts'
import { corpusFile } from '../../media-corpus.ts'
import { type Clip, evenTimes, LIGHT, SCREEN } from './make-clip.ts'
import { clip, resultOf, runJob, useClipFolder } from './run-job.ts'
import { firstOf, itInLongSuite } from '../../faults/long-suite.ts'

useClipFolder()

const tenBits = (changes: Partial<Clip>) =>
  clip({ height: 96, times: evenTimes(8, 25), pixelFormat: 'yuv420p10le', ...changes })

const converted = async (changes: Partial<Clip>, recipe: Partial<VideoRecipe>) =>
  resultOf(await tenBits(changes), recipe)

const PQ = [AVCOL_TRC_SMPTE2084, AVCOL_SPC_BT2020_NCL]
const HLG = [AVCOL_TRC_ARIB_STD_B67, AVCOL_SPC_BT2020_NCL]
const ORDINARY = [AVCOL_TRC_BT709, AVCOL_SPC_BT709]

describe('HDR', () => {
  it.each(['hevc', 'av1'] as const)('is kept in %s, with its mastering display', async (codec) => {
    const made = await converted({ transfer: 'pq' }, { codec, height: 80 })
    expect([made.pixelFormat, made.colors, made.notes]).toEqual(['yuv420p10le', PQ, []])
    expect(made.hdr.container).toEqual({ screen: SCREEN, light: LIGHT })
    expect(lightOf(made.hdr.picture.light)).toEqual([1000, 400])
    expect(screenOf(made.hdr.picture.screen)).toEqual(screenOf(SCREEN))
  })

  it.each(firstOf(['hevc', 'av1'] as const))('is kept as HLG in Matroska with %s', async (codec) => {
    const made = await converted({ transfer: 'hlg' }, { codec, container: 'mkv' })
    expect([made.pixelFormat, made.colors]).toEqual(['yuv420p10le', HLG])
    expect(made.hdr.container).toEqual({ screen: null, light: null })
  })

  it.each<[string, Partial<VideoRecipe>]>(
    firstOf(
      [
        ['in H.264', { codec: 'h264' }],
        ['on request in HEVC', { codec: 'hevc', hdr: 'tone-map' }],
        ['in VP9', { codec: 'vp9' }],
        ['on request in AV1', { codec: 'av1', hdr: 'tone-map' }],
      ],
      2,
    ),
  )('is tone-mapped %s, and the job reports it', async (_, recipe) => {
    const made = await converted({ transfer: 'pq' }, recipe)
    expect([made.pixelFormat, made.colors, made.notes]).toEqual(['yuv420p', ORDINARY, ['tone-mapped']])
    expect(made.hdr.container).toEqual({ screen: null, light: null })
  })

  it.each(firstOf(['hevc', 'av1'] as const))(
    'is scored without tone mapping for a visual quality target in %s',
    async (codec) => {
      const made = await converted({ transfer: 'pq' }, { codec, look: 'low', crf: undefined })
      expect([made.pixelFormat, made.colors]).toEqual(['yuv420p10le', PQ])
    },
  )

  it('is copied if the video is within all limits', async () => {
    const { temporaryPath } = await runJob(await tenBits({ transfer: 'pq' }), { codec: 'hevc' })
    const limits = { codec: 'hevc', crf: undefined } as const
    expect((await runJob(temporaryPath, limits)).notes).toEqual(['pictures-copied'])
    expect((await runJob(temporaryPath, { ...limits, hdr: 'tone-map' })).notes).toEqual(['tone-mapped'])
  })

  itInLongSuite.each(corpusFile('dolbyVision-hdr.MOV'))('of $file is kept, upright', async ({ path }) => {
    const kept = await resultOf(path, { codec: 'hevc', height: 360 })
    expect([kept.pixelFormat, kept.colors, kept.width, kept.height]).toEqual(['yuv420p10le', HLG, 360, 640])
    expect((await resultOf(path, { height: 360 })).notes).toEqual(['tone-mapped'])
  })
})

describe('ten bits', () => {
  it.each(firstOf(['hevc', 'vp9', 'av1'] as const))('are written in %s on request', async (codec) => {
    const ten = await converted({}, { codec, bitDepth: 10, container: 'mkv' })
    const eight = await converted({}, { codec, container: 'mkv' })
    expect([ten.pixelFormat, eight.pixelFormat]).toEqual(['yuv420p10le', 'yuv420p'])
  })
})

/** Returns the chromaticities in units of 0.001, and the luminances in units of 0.01 cd/m². */
function screenOf(bytes: Buffer | null): number[] {
  const numbers = new Int32Array(new Uint8Array(bytes ?? []).buffer)
  const value = (index: number): number => (numbers[index * 2] ?? 0) / (numbers[index * 2 + 1] ?? 1)
  return Array.from({ length: 10 }, (_, index) => Math.round(value(index) * (index < 8 ? 1_000 : 100)))
}

const lightOf = (bytes: Buffer | null): number[] => [...new Uint32Array(new Uint8Array(bytes ?? []).buffer)]
