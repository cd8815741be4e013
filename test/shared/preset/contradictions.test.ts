import { describe, expect, it } from 'vitest'
import { chooseContainer } from '../../../src/media/video/container.ts'
import { VideoRecipe } from '../../../src/shared/preset/preset.ts'
import { readPreset } from '../../../src/shared/preset/read-preset.ts'

const problemsOf = (video: object) => readPreset(JSON.stringify({ name: 'Mine', video })).problems ?? []

const photoProblems = (image: object) => readPreset(JSON.stringify({ name: 'Mine', image })).problems ?? []

describe('10 bits for photos', () => {
  it.each(['same', 'jpeg', 'png', 'webp', 'jxl', 'tiff'])('are refused for %s, which has none', (format) => {
    expect(photoProblems({ format, bitDepth: 10 })).toEqual([
      { field: 'image.bitDepth', message: expect.stringContaining('"avif"') },
    ])
  })

  it('are there for AVIF', () => {
    expect(photoProblems({ format: 'avif', bitDepth: 10 })).toEqual([])
  })
})

describe('a photo under a size', () => {
  it('has no quality of its own, and shrinks for nothing else', () => {
    expect(photoProblems({ maxBytes: 100_000, quality: 82 }).map(({ field }) => field)).toEqual([
      'image.maxBytes',
    ])
    expect(photoProblems({ mayShrink: true }).map(({ field }) => field)).toEqual(['image.mayShrink'])
    expect(photoProblems({ maxBytes: 100_000, mayShrink: true })).toEqual([])
  })
})

describe('a look', () => {
  it.each([30, 100, 'identical', 'low'])('may be %s', (look) => {
    expect(photoProblems({ look })).toEqual([])
  })

  it('has no quality, no size and no loss beside it', () => {
    expect(photoProblems({ look: 'high', quality: 82, maxBytes: 1000 }).map(({ field }) => field)).toEqual([
      'image.look',
      'image.maxBytes',
    ])
    expect(photoProblems({ look: 'high', lossless: true }).map(({ field }) => field)).toEqual(['image.look'])
    for (const look of [29, 101, 'best']) expect(photoProblems({ look })).toHaveLength(1)
  })
})

describe('a preset that copies the pictures', () => {
  it.each([
    { height: 720 },
    { fps: 25 },
    { crop: { aspect: 1 } },
    { rotate: 90 },
    { grayscale: true },
    { maxBytes: 8_000_000 },
    { look: 80 },
    { hdr: 'tone-map' },
  ])('is refused when it also wants %o', (change) => {
    const [field = ''] = Object.keys(change)
    expect(problemsOf({ codec: 'copy', ...change })).toEqual([
      { field: `video.${field}`, message: expect.stringContaining('"codec": "copy"') },
    ])
    expect(problemsOf({ codec: 'h264', ...change })).toEqual([])
  })

  it('is told of every such wish at once', () => {
    const problems = problemsOf({ codec: 'copy', height: 720, fps: 25, rotate: 180 })
    expect(problems.map(({ field }) => field)).toEqual(['video.height', 'video.fps', 'video.rotate'])
  })

  it('may choose any container, for the codec is the file’s own', () => {
    for (const container of VideoRecipe.shape.container.unwrap().options)
      expect(problemsOf({ codec: 'copy', container, rotate: 0, grayscale: false })).toEqual([])
  })
})

describe('a moving picture', () => {
  it('has its own container, and crf alone', () => {
    const webp = { codec: 'webp', container: 'webp' }
    expect(problemsOf({ ...webp, crf: 30, fps: 12 })).toEqual([])
    for (const wish of [{ look: 'high' }, { maxBytes: 100_000 }, { bitrate: 900_000 }, { bitDepth: 10 }]) {
      const [field = ''] = Object.keys(wish)
      expect(problemsOf({ ...webp, ...wish })).toEqual([
        { field: `video.${field}`, message: expect.stringContaining('"webp"') },
      ])
    }
  })
})

describe('10 bits for videos', () => {
  it.each(['hevc', 'vp9', 'av1'])('are there for %s', (codec) => {
    expect(problemsOf({ codec, container: 'mkv', bitDepth: 10 })).toEqual([])
  })

  it.each(['h264', 'copy'])('are refused for %s', (codec) => {
    expect(problemsOf({ codec, bitDepth: 10 })).toEqual([
      { field: 'video.bitDepth', message: expect.stringContaining(`"${codec}"`) },
    ])
  })
})

describe('a wish for a quality', () => {
  it.each([
    [{ crf: 20, bitrate: 900_000 }, 'takes "crf" or "bitrate", not both'],
    [{ crf: 20, maxBytes: 8_000_000 }, 'takes "crf" or "maxBytes", not both'],
    [{ crf: 20, look: 'high' }, 'takes "crf" or "look", not both'],
    [{ look: 80, maxBytes: 8_000_000 }, 'takes "look" or "maxBytes", not both'],
    [{ bitrate: 900_000, maxBytes: 8_000_000 }, 'takes "bitrate" or "maxBytes", not both'],
  ])('excludes any other: %o', (video, message) => {
    expect(problemsOf(video)).toEqual([{ field: 'video', message }])
  })

  it('may shrink the pictures only to fit a size', () => {
    expect(problemsOf({ mayShrink: true, maxBytes: 8_000_000 })).toEqual([])
    expect(problemsOf({ mayShrink: true })).toEqual([
      { field: 'video.mayShrink', message: expect.stringContaining('"maxBytes"') },
    ])
  })
})

describe('a container and a codec', () => {
  const pairs = VideoRecipe.shape.container.unwrap().options.flatMap((container) =>
    VideoRecipe.shape.codec
      .unwrap()
      .options.filter((codec) => codec !== 'copy')
      .map((codec) => ({ container, codec })),
  )

  it.each(pairs)('$container with $codec is refused exactly where no such file could be written', (pair) => {
    expect(problemsOf(pair).map(({ field }) => field)).toEqual(canBeWritten(pair) ? [] : ['video.container'])
  })

  it('names what the container could hold', () => {
    expect(problemsOf({ container: 'webm', codec: 'h264' })).toEqual([
      { field: 'video.container', message: `"webm" can't hold "h264" video, only "vp9", "av1"` },
    ])
  })
})

function canBeWritten({ container, codec }: Pick<VideoRecipe, 'container' | 'codec'>): boolean {
  try {
    chooseContainer(container, 'mp4', codec, false)
    return true
  } catch {
    return false
  }
}
