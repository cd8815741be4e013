import {
  AV_CHANNEL_LAYOUT_5POINT1,
  AV_CHANNEL_LAYOUT_5POINT1_BACK,
  AV_CHANNEL_LAYOUT_6POINT0,
  AV_CHANNEL_LAYOUT_7POINT1,
} from 'node-av/constants'
import { readFile, writeFile } from 'node:fs/promises'
import { avChannelLayoutDescribe, type ChannelLayout } from 'node-av/lib'
import { describe, expect, it } from 'vitest'
import { sameFormat } from '../../../src/media/video/lossless.ts'
import { DEFAULT_PRESETS } from '../../../src/shared/preset/default-presets.ts'
import { Preset, type VideoRecipe } from '../../../src/shared/preset/preset.ts'
import { firstOf, itInLongSuite } from '../../faults/long-suite.ts'
import { decodedDigests } from './decoded-digests.ts'
import { edit, withEdits } from './edit-list.ts'
import { type Clip, evenTimes } from './make-clip.ts'
import { joinClips } from './join-clips.ts'
import { clip, inClipFolder, runJob, useClipFolder } from './run-job.ts'

useClipFolder()

const ARCHIVE = Preset.parse(DEFAULT_PRESETS.find(({ name }) => name === 'Archive lossless')).video

const small: Partial<Clip> = { width: 64, height: 48, times: evenTimes(5, 25), codec: 'ffv1' }

/** Expects a result with the same pixels and samples. Returns their digests. */
async function expectSame(original: string, recipe: Partial<VideoRecipe>) {
  const { temporaryPath, losses } = await runJob(original, recipe)
  const [before, after] = [await decodedDigests(original), await decodedDigests(temporaryPath)]
  expect([after, losses]).toEqual([before, []])
  return before
}

const archived = async (changes: Partial<Clip>, recipe: Partial<VideoRecipe> = {}) =>
  expectSame(await clip({ ...small, ...changes }, 'mkv'), { ...ARCHIVE, ...recipe })

const fields = (order: string) =>
  `gblur=2,scroll=h=0.01:v=0.01,tinterlace=interleave_${order},setfield=${order === 'top' ? 'tff' : 'bff'}`

describe('Archive lossless', () => {
  const formats = firstOf([
    '420p',
    '444p12le',
    '422p10le',
    'a420p',
    '422p',
    '444p',
    '420p10le',
    '444p10le',
    '411p',
  ])
  const pictures = {
    'whole frames': 'null',
    'the top field first': fields('top'),
    'the bottom field first': fields('bottom'),
    'the full range': 'scale=out_range=full,setrange=full',
  }
  it.each(formats.flatMap((format) => Object.entries(pictures).map((picture) => [format, ...picture])))(
    'keeps every pixel of yuv%s with %s',
    async (format, _, picture) => {
      const large = { width: 192, height: 128, pixelFormat: `yuv${format}`, times: evenTimes(12, 25) }
      const [track] = await archived({ ...large, picture }, { speed: 'slow' })
      expect(track?.fields.size).toBe(picture.includes('setfield') ? 1 : 0)
    },
  )

  itInLongSuite('keeps every pixel of a video whose fields change their order', async () => {
    const [large, joined] = [
      { ...small, width: 192, height: 128, times: evenTimes(12, 25) },
      inClipFolder('orders.mkv'),
    ]
    const parts = await Promise.all(
      ['bottom', 'top'].map((order) => clip({ ...large, picture: fields(order) }, 'mkv')),
    )
    await joinClips(parts, joined, (index) => index * 0.48)
    const { temporaryPath } = await runJob(joined, { ...ARCHIVE, speed: 'slow' })
    const [[before], [after]] = [await decodedDigests(joined), await decodedDigests(temporaryPath)]
    expect(before?.fields.size).toBe(2)
    expect(after?.digest).toBe(before?.digest)
  })

  it.each<[string, Partial<Clip>]>([
    ['RGB', { pixelFormat: 'bgr0' }],
    ['12 bits without reduced colors', { pixelFormat: 'yuv444p12le' }],
    ['10 bits, as professional cameras save', { pixelFormat: 'yuv422p10le' }],
    ['transparency', { pixelFormat: 'yuva444p10le' }],
    ['16 bits of gray', { pixelFormat: 'gray16le' }],
    ['odd sides with reduced colors', { width: 63, height: 47 }],
  ])('keeps every pixel of a video with %s', async (_, changes) => {
    await archived(changes)
  })

  it.each(['pcm_s16be', 'pcm_s24be', 'pcm_f32be'] as const)(
    'keeps every sample of %s',
    async (soundCodec) => {
      const original = await clip({ ...small, codec: 'h264', sound: 0.2, soundCodec }, 'mov')
      await expectSame(original, { ...ARCHIVE })
    },
  )
})

const copied = async (changes: Partial<Clip>) =>
  runJob(await clip({ ...small, codec: 'h264', sound: 0.2, ...changes }, 'mkv'), { codec: 'copy' })

describe('A copy of ProRes', () => {
  it.each(['mov', 'mkv'] as const)('has as many bits as the original in %s', async (container) => {
    const original = await clip({ ...small, codec: 'prores', pixelFormat: 'yuv444p10le' }, 'mov')
    await expectSame(original, { codec: 'copy', container })
  })
})

const converted = async (layout: ChannelLayout, recipe: Partial<VideoRecipe>) => {
  const sound = { sound: 0.2, soundCodec: 'pcm_s16be', layout } as const
  return (await runJob(await clip({ ...small, codec: 'h264', ...sound }, 'mov'), recipe)).losses
}

describe('Channels', () => {
  const unusual = [
    AV_CHANNEL_LAYOUT_6POINT0,
    // Hexagonal
    { ...AV_CHANNEL_LAYOUT_5POINT1, mask: 0x137n },
    // 7.1 (wide)
    { ...AV_CHANNEL_LAYOUT_7POINT1, mask: 0x6cfn },
  ]

  it.each(firstOf(unusual))('at places that AAC and PCM in Matroska lack are named: %o', async (layout) => {
    const detail = avChannelLayoutDescribe(layout)
    for (const recipe of [{ audio: 'aac' }, { container: 'mkv' }] as const)
      expect(await converted(layout, recipe)).toMatchObject([{ code: 'audioChannels', values: { detail } }])
    expect(await converted(layout, { codec: 'copy', container: 'mov' })).toEqual([])
  })

  const usual = [AV_CHANNEL_LAYOUT_5POINT1, AV_CHANNEL_LAYOUT_5POINT1_BACK, AV_CHANNEL_LAYOUT_7POINT1]
  it.each(firstOf(usual))('at the usual places are kept, at the side or in the back: %o', async (layout) => {
    for (const recipe of [{ audio: 'aac' }, { container: 'mkv' }] as const)
      expect(await converted(layout, recipe)).toEqual([])
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

describe('A copy of audio that few containers hold', () => {
  const MP2 = { ...small, codec: 'h264', sound: 0.4, soundCodec: 'mp2', soundBlock: 1152 } as const

  it.each(
    firstOf([
      ['mp2', 1152, 'mov', 'mov'],
      ['adpcm_ima_qt', 64, 'mov', 'mov'],
      ['mp2', 1152, 'avi', 'mkv'],
      ['wmav2', 2048, 'avi', 'mkv'],
      ['mp2', 1152, 'ts', 'mkv'],
    ] as const),
  )('keeps every sample of %s, %d at a time, in %s', async (soundCodec, soundBlock, extension, expected) => {
    const sound = { sound: 0.4, soundCodec, soundBlock }
    const original = await clip({ ...small, codec: 'h264', ...sound }, extension)
    const recipe = { container: 'same', codec: 'copy', metadata: 'strip-location' } as const
    const result = await runJob(original, recipe)
    const [before, after] = [await decodedDigests(original), await decodedDigests(result.temporaryPath)]
    expect([result.extension, result.losses]).toEqual([expected, []])
    expect(after.map(({ digest }) => digest)).toEqual(before.map(({ digest }) => digest))
  })

  it('names it if the preset’s container can’t hold it', async () => {
    const { losses } = await runJob(await clip(MP2, 'mkv'), { codec: 'copy', container: 'mp4' })
    expect(losses).toMatchObject([{ code: 'audioQuality', values: { track: 1, detail: 'MP2' } }])
  })

  it.each([
    ['aac', 1024, [{ code: 'audioQuality', values: { track: 1, detail: 'AAC' } }]],
    ['alac', 4096, []],
  ] as const)(
    'names %s, %d samples at a time, that is encoded again for its pauses only if that loses quality',
    async (soundCodec, soundBlock, expected) => {
      const whole = await readFile(
        await clip({ ...small, codec: 'h264', sound: 0.4, soundCodec, soundBlock }, 'mov'),
      )
      const original = inClipFolder(`paused-${soundCodec}.mov`)
      const edits = [edit(0.1, 0), edit(0.1, undefined), edit(0.2, 0.1)]
      await writeFile(original, withEdits(whole, edits, 'soun'))
      const { losses } = await runJob(original, { container: 'mp4', codec: 'copy' })
      expect(losses).toMatchObject(expected)
    },
  )

  itInLongSuite('isn’t promised by a preset that may encode', async () => {
    const recipe = { container: 'same', codec: 'h264', crf: undefined } as const
    const { extension, losses } = await runJob(await clip(MP2, 'avi'), recipe)
    expect([extension, losses]).toEqual(['mp4', []])
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
