import { describe, expect, it } from 'vitest'
import { sameFormat } from '../../../src/media/video/lossless.ts'
import { DEFAULT_PRESETS } from '../../../src/shared/preset/default-presets.ts'
import { Preset } from '../../../src/shared/preset/preset.ts'
import { decodedDigests } from './decoded-digests.ts'
import { type Clip, evenTimes } from './make-clip.ts'
import { clip, runJob, useClipFolder } from './run-job.ts'

useClipFolder()

const ARCHIVE = Preset.parse(DEFAULT_PRESETS.find(({ name }) => name === 'Archive lossless')).video

const small: Partial<Clip> = { width: 64, height: 48, times: evenTimes(5, 25), codec: 'ffv1' }

async function archived(changes: Partial<Clip>) {
  const original = await clip({ ...small, ...changes }, 'mkv')
  const { temporaryPath, losses } = await runJob(original, { ...ARCHIVE })
  return { before: await decodedDigests(original), after: await decodedDigests(temporaryPath), losses }
}

describe('Archive lossless', () => {
  it.each<[string, Partial<Clip>]>([
    ['RGB', { pixelFormat: 'bgr0' }],
    ['12 bits without reduced colors', { pixelFormat: 'yuv444p12le' }],
    ['10 bits, as professional cameras save', { pixelFormat: 'yuv422p10le' }],
    ['transparency', { pixelFormat: 'yuva444p10le' }],
    ['16 bits of gray', { pixelFormat: 'gray16le' }],
    ['odd sides with reduced colors', { width: 63, height: 47 }],
    ['fields', { picture: 'interlace=scan=tff:lowpass=0', times: evenTimes(5, 25) }],
  ])('keeps every pixel of a video with %s', async (_, changes) => {
    const { before, after, losses } = await archived(changes)
    expect([after, losses]).toEqual([before, []])
  })

  it.each(['pcm_s16be', 'pcm_s24be', 'pcm_f32be'] as const)(
    'keeps every sample of %s',
    async (soundCodec) => {
      const original = await clip({ ...small, codec: 'h264', sound: 0.2, soundCodec }, 'mov')
      const { temporaryPath, losses } = await runJob(original, { ...ARCHIVE })
      const [before, after] = [await decodedDigests(original), await decodedDigests(temporaryPath)]
      expect([after, losses]).toEqual([before, []])
    },
  )
})

const copied = async (changes: Partial<Clip>) =>
  runJob(await clip({ ...small, codec: 'h264', sound: 0.2, ...changes }, 'mkv'), { codec: 'copy' })

describe('A copy of ProRes', () => {
  it.each(['mov', 'mkv'] as const)('has as many bits as the original in %s', async (container) => {
    const original = await clip({ ...small, codec: 'prores', pixelFormat: 'yuv444p10le' }, 'mov')
    const { temporaryPath, losses } = await runJob(original, { codec: 'copy', container })
    const [before, after] = [await decodedDigests(original), await decodedDigests(temporaryPath)]
    expect([after, losses]).toEqual([before, []])
  })
})

describe('A copy in MP4', () => {
  it('keeps samples of 8 bits', async () => {
    expect((await copied({ soundCodec: 'pcm_u8' })).losses).toEqual([])
  })

  it('names lossless audio whose channels no lossless codec of MP4 holds', async () => {
    const { losses } = await copied({ soundCodec: 'pcm_s16be', channels: 3 })
    expect(losses.map(({ code }) => code)).toEqual(['audioChannels', 'losslessAudio'])
  })
})

it('A picture without colors loses none in a format with colors', async () => {
  const original = await clip({ ...small, pixelFormat: 'gray' }, 'mkv')
  expect((await runJob(original, { crf: 0 })).losses).toEqual([])
})

it.each([
  ['yuv411p', 'chroma'],
  ['gray16le', 'bitDepth'],
] as const)('What MP4 can’t hold of %s is named', async (pixelFormat, lost) => {
  const original = await clip({ ...small, pixelFormat }, 'mkv')
  expect((await runJob(original, { crf: 0 })).losses.map(({ code }) => code)).toEqual([lost])
})

describe('A format that holds every value', () => {
  it('may store the channels in another order', () => {
    expect(sameFormat('uyvy422', ['yuv420p', 'yuv422p'])).toBe('yuv422p')
    expect(sameFormat('rgb24', ['yuv444p', 'bgr0'])).toBe('bgr0')
    expect(sameFormat('yuv444p12be', ['yuv444p10le', 'yuv444p12le'])).toBe('yuv444p12le')
  })

  it('never has less depth, less color, or another range', () => {
    expect(sameFormat('yuv444p12le', ['yuv444p', 'yuv444p10le', 'yuv422p12le'])).toBeUndefined()
    expect(sameFormat('yuvj420p', ['yuv420p'])).toBeUndefined()
  })
})
