import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  AVCOL_SPC_BT2020_NCL,
  AVCOL_SPC_BT709,
  AVCOL_TRC_ARIB_STD_B67,
  AVCOL_TRC_BT709,
  AVCOL_TRC_SMPTE2084,
} from 'node-av/constants'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { VideoRecipe } from '../../../src/shared/preset/preset.ts'
import { corpusFile } from '../../media-corpus.ts'
import { type Clip, evenTimes, LIGHT, makeClip, SCREEN } from './make-clip.ts'
import { readClip } from './read-clip.ts'
import { runJob } from './run-job.ts'

let folder = ''
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mediatray-hdr-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

let clips = 0

async function converted(clip: Partial<Clip>, recipe: Partial<VideoRecipe>) {
  clips += 1
  const path = join(folder, `film-${clips}.mp4`)
  await makeClip(path, {
    width: 160,
    height: 96,
    times: evenTimes(8, 25),
    pixelFormat: 'yuv420p10le',
    ...clip,
  })
  return result(path, recipe)
}

async function result(path: string, recipe: Partial<VideoRecipe>) {
  const finished = await runJob(path, folder, recipe)
  return { ...(await readClip(finished.temporaryPath)), notes: finished.notes }
}

const PQ = [AVCOL_TRC_SMPTE2084, AVCOL_SPC_BT2020_NCL]
const HLG = [AVCOL_TRC_ARIB_STD_B67, AVCOL_SPC_BT2020_NCL]
const ORDINARY = [AVCOL_TRC_BT709, AVCOL_SPC_BT709]

describe('a high dynamic range', () => {
  it.each(['hevc', 'av1'] as const)('stays in %s, with what is said of its screen', async (codec) => {
    const made = await converted({ transfer: 'pq' }, { codec, height: 80 })
    expect([made.pixelFormat, made.colours, made.notes]).toEqual(['yuv420p10le', PQ, []])
    expect(made.hdr.container).toEqual({ screen: SCREEN, light: LIGHT })
    expect(lightOf(made.hdr.picture.light)).toEqual([1000, 400])
    expect(screenOf(made.hdr.picture.screen)).toEqual(screenOf(SCREEN))
  })

  it.each(['hevc', 'av1'] as const)('stays in Matroska with %s too, and as HLG', async (codec) => {
    const made = await converted({ transfer: 'hlg' }, { codec, container: 'mkv' })
    expect([made.pixelFormat, made.colours]).toEqual(['yuv420p10le', HLG])
    expect(made.hdr.container).toEqual({ screen: null, light: null })
  })

  it.each<[string, Partial<VideoRecipe>]>([
    ['in H.264', { codec: 'h264' }],
    ['in VP9', { codec: 'vp9' }],
    ['on request in HEVC', { codec: 'hevc', hdr: 'tone-map' }],
    ['on request in AV1', { codec: 'av1', hdr: 'tone-map' }],
  ])('is tone-mapped %s, and the job says so', async (_, recipe) => {
    const made = await converted({ transfer: 'pq' }, recipe)
    expect([made.pixelFormat, made.colours, made.notes]).toEqual(['yuv420p', ORDINARY, ['tone-mapped']])
    expect(made.hdr.container).toEqual({ screen: null, light: null })
  })

  it.each(['hevc', 'av1'] as const)('is judged as it is where %s is to have a look', async (codec) => {
    const made = await converted({ transfer: 'pq' }, { codec, look: 'low', crf: undefined })
    expect([made.pixelFormat, made.colours]).toEqual(['yuv420p10le', PQ])
  })

  it('is copied where the film is within all limits', async () => {
    const path = join(folder, 'limits.mp4')
    await makeClip(path, {
      width: 160,
      height: 96,
      times: evenTimes(8, 25),
      transfer: 'pq',
      pixelFormat: 'yuv420p10le',
    })
    const kept = await runJob(path, folder, { codec: 'hevc' })
    const again = await runJob(kept.temporaryPath, folder, { codec: 'hevc', crf: undefined })
    expect(again.notes).toEqual(['pictures-copied'])
    const mapped = await runJob(kept.temporaryPath, folder, {
      codec: 'hevc',
      crf: undefined,
      hdr: 'tone-map',
    })
    expect(mapped.notes).toEqual(['tone-mapped'])
  })

  it.each(corpusFile('dolbyVision-hdr.MOV'))('of $file stays, upright', async ({ path }) => {
    const kept = await result(path, { codec: 'hevc', height: 360 })
    expect([kept.pixelFormat, kept.colours, kept.width, kept.height]).toEqual(['yuv420p10le', HLG, 360, 640])
    expect((await result(path, { height: 360 })).notes).toEqual(['tone-mapped'])
  })
})

describe('ten bits', () => {
  it.each(['hevc', 'vp9', 'av1'] as const)('are written in %s', async (codec) => {
    const ten = await converted({}, { codec, bitDepth: 10, container: 'mkv' })
    const eight = await converted({}, { codec, container: 'mkv' })
    expect([ten.pixelFormat, eight.pixelFormat]).toEqual(['yuv420p10le', 'yuv420p'])
  })
})

/** In the steps in which codecs write it: chromaticity by 0.00002, light by 0.01. */
function screenOf(bytes: Buffer | null): number[] {
  const numbers = new Int32Array(new Uint8Array(bytes ?? []).buffer)
  const value = (index: number): number => (numbers[index * 2] ?? 0) / (numbers[index * 2 + 1] ?? 1)
  return Array.from({ length: 10 }, (_, index) => Math.round(value(index) * (index < 8 ? 1_000 : 100)))
}

const lightOf = (bytes: Buffer | null): number[] => [...new Uint32Array(new Uint8Array(bytes ?? []).buffer)]
