import { type AVPixelFormat } from 'node-av/constants'
import { avGetPixFmtName, avImageGetBufferSize } from 'node-av/lib'
import { describe, expect, it } from 'vitest'
import { describeFormat, isCoarser, plainFormat } from '../../../src/media/ffmpeg/pixel-format.ts'

/** Those in the memory of graphics chips have no size. */
const hasSize = (id: number): boolean => avImageGetBufferSize(id as AVPixelFormat, 16, 16, 1) > 0
const all = Array.from({ length: 400 }, (_, id) => avGetPixFmtName(id as AVPixelFormat))
const known = all.flatMap((name, id) => (name === null || !hasSize(id) ? [] : [{ name, id }]))

describe('A pixel format', () => {
  it('is described if FFmpeg knows it', () => {
    expect(known.length).toBeGreaterThan(200)
    expect(known.filter(({ name }) => describeFormat(name) === undefined)).toEqual([])
  })

  it('has the channels and colors that FFmpeg allocates', () => {
    for (const { name, id } of known.filter((one) => /p\d*(?:[lb]e)?$|^(?:nv|p[0-4]1)/.test(one.name))) {
      const { chroma = '', bitDepth = 0, hasAlpha } = describeFormat(name) ?? {}
      const shared = { '4:4:4': 256, '4:4:0': 128, '4:2:2': 128, '4:2:0': 64, '4:1:1': 64, '4:1:0': 16 }
      const samples = (hasAlpha === true ? 512 : 256) + 2 * (shared[chroma as keyof typeof shared] ?? 0)
      const bytes = samples * (bitDepth > 16 ? 4 : bitDepth > 8 ? 2 : 1)
      // These are packed without gaps.
      if (name !== 'nv15' && name !== 'nv20le' && name !== 'nv20be' && name !== 'nv20')
        expect([name, avImageGetBufferSize(id as AVPixelFormat, 16, 16, 1)]).toEqual([name, bytes])
    }
  })

  it.each([
    ['yuv411p', 'yuv', '4:1:1', 8, false],
    ['yuvj440p', 'yuv', '4:4:0', 8, false],
    ['yuv410p', 'yuv', '4:1:0', 8, false],
    ['yuv444p14be', 'yuv', '4:4:4', 14, false],
    ['nv12', 'yuv', '4:2:0', 8, false],
    ['uyyvyy411', 'yuv', '4:1:1', 8, false],
    ['p010le', 'yuv', '4:2:0', 10, false],
    ['y212le', 'yuv', '4:2:2', 12, false],
    ['ayuv64le', 'yuv', '4:4:4', 16, true],
    ['vuya', 'yuv', '4:4:4', 8, true],
    ['gray16le', 'gray', '4:0:0', 16, false],
    ['gray', 'gray', '4:0:0', 8, false],
    ['ya8', 'gray', '4:0:0', 8, true],
    ['ya16be', 'gray', '4:0:0', 16, true],
    ['rgb48le', 'rgb', '4:4:4', 16, false],
    ['rgba64be', 'rgb', '4:4:4', 16, true],
    ['x2rgb10le', 'rgb', '4:4:4', 10, false],
    ['gbrapf32le', 'rgb', '4:4:4', 32, true],
    ['rgb565le', 'rgb', '4:4:4', 6, false],
    ['bayer_rggb16le', 'rgb', '4:4:4', 16, false],
  ])('%s is %s, %s with %i bits', (name, model, chroma, bitDepth, hasAlpha) => {
    expect(describeFormat(name)).toEqual({ model, chroma, bitDepth, hasAlpha })
  })

  it('stands for a planar one in any byte order', () => {
    expect(['bgra64le', 'bgra64be', 'yuvj420p'].map(plainFormat)).toEqual(['gbrap16', 'gbrap16', 'yuvj420p'])
  })
})

it('Colors are coarser if they have fewer rows or fewer columns', () => {
  expect(isCoarser('4:2:0', '4:1:1')).toBe(true)
  expect(isCoarser('4:1:1', '4:2:0')).toBe(true)
  expect(isCoarser('4:2:0', '4:2:2')).toBe(true)
  expect(isCoarser('4:4:4', '4:2:0')).toBe(false)
  expect(isCoarser('4:2:0', '4:0:0')).toBe(false)
})
