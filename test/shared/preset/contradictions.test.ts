import { describe, expect, it } from 'vitest'
import { chooseContainer } from '../../../src/media/video/container.ts'
import { VideoRecipe } from '../../../src/shared/preset/preset.ts'
import { readPreset } from '../../../src/shared/preset/read-preset.ts'

const problemsOf = (video: object) => readPreset(JSON.stringify({ name: 'Mine', video })).problems ?? []

/** What is refused for a field, with these words. */
const refused = (field: string, words: string) => [{ field, message: expect.stringContaining(words) }]
const PICTURE_CHANGES = [
  { height: 720 },
  { fps: 25 },
  { crop: { aspect: 1 } },
  { rotate: 90 },
  { grayscale: true },
  { maxBytes: 8_000_000 },
  { look: 80 },
  { hdr: 'tone-map' },
]

const photoProblems = (image: object) => readPreset(JSON.stringify({ name: 'Mine', image })).problems ?? []

describe('10 bits for photos', () => {
  it.each(['same', 'jpeg', 'png', 'webp', 'jxl', 'tiff'])(
    'are refused for %s, which only has 8',
    (format) => {
      expect(photoProblems({ format, bitDepth: 10 })).toEqual(refused('image.bitDepth', '"avif"'))
    },
  )

  it('are accepted for AVIF', () => {
    expect(photoProblems({ format: 'avif', bitDepth: 10 })).toEqual([])
  })
})

describe('a photo with a maximum file size', () => {
  it('can’t have an explicit quality, and is the only one that may shrink', () => {
    expect(photoProblems({ maxBytes: 100_000, quality: 82 }).map(({ field }) => field)).toEqual([
      'image.maxBytes',
    ])
    expect(photoProblems({ mayShrink: true }).map(({ field }) => field)).toEqual(['image.mayShrink'])
    expect(photoProblems({ maxBytes: 100_000, mayShrink: true })).toEqual([])
  })
})

describe('a visual quality target', () => {
  it.each([30, 100, 'identical', 'low'])('may be %s', (look) => {
    expect(photoProblems({ look })).toEqual([])
  })

  it('can’t be combined with a quality, a maximum file size or lossless compression', () => {
    expect(photoProblems({ look: 'high', quality: 82, maxBytes: 1000 }).map(({ field }) => field)).toEqual([
      'image.look',
      'image.maxBytes',
    ])
    expect(photoProblems({ look: 'high', lossless: true }).map(({ field }) => field)).toEqual(['image.look'])
    for (const look of [29, 101, 'best']) expect(photoProblems({ look })).toHaveLength(1)
  })
})

describe('a preset that copies frames', () => {
  it.each(PICTURE_CHANGES)('is refused if it also requests %o', (change) => {
    const [field = ''] = Object.keys(change)
    expect(problemsOf({ codec: 'copy', ...change })).toEqual(refused(`video.${field}`, '"codec": "copy"'))
    expect(problemsOf({ codec: 'h264', ...change })).toEqual([])
  })

  it('reports all contradictory requests at once', () => {
    const problems = problemsOf({ codec: 'copy', height: 720, fps: 25, rotate: 180 })
    expect(problems.map(({ field }) => field)).toEqual(['video.height', 'video.fps', 'video.rotate'])
  })

  it('accepts any container, because the codec depends on the file', () => {
    for (const container of VideoRecipe.shape.container.unwrap().options)
      expect(problemsOf({ codec: 'copy', container, rotate: 0, grayscale: false })).toEqual([])
  })
})

describe.each([
  ['webp', { crf: 30 }],
  ['gif', { height: 320 }],
])('an animation in %s', (format, allowed) => {
  it.each([{ look: 'high' }, { maxBytes: 100_000 }, { bitrate: 900_000 }, { bitDepth: 10 }])(
    'has its own container, and doesn’t support %o',
    (request) => {
      const animation = { codec: format, container: format, fps: 12 }
      const [field = ''] = Object.keys(request)
      expect(problemsOf({ ...animation, ...allowed })).toEqual([])
      expect(problemsOf({ ...animation, ...request })).toEqual(refused(`video.${field}`, `"${format}"`))
    },
  )
})

describe('audio only', () => {
  it('accepts any audio, its bit rate and metadata', () => {
    for (const audio of ['keep', 'aac', 'opus'])
      expect(problemsOf({ codec: 'none', audio, audioBitrate: 96_000, metadata: 'strip' })).toEqual([])
    expect(problemsOf({ codec: 'none', container: 'same', crf: 20 })).toEqual([])
  })

  it.each([...PICTURE_CHANGES, { bitDepth: 10 }, { container: 'webm' }, { audio: 'none' }])(
    'is refused with %o',
    (change) => {
      const [field = ''] = Object.keys(change)
      expect(problemsOf({ codec: 'none', ...change })).toEqual(refused(`video.${field}`, '"codec": "none"'))
    },
  )
})

describe('10 bits for videos', () => {
  it.each(['hevc', 'vp9', 'av1'])('are accepted for %s', (codec) => {
    expect(problemsOf({ codec, container: 'mkv', bitDepth: 10 })).toEqual([])
  })

  it.each(['h264', 'copy'])('are refused for %s', (codec) => {
    expect(problemsOf({ codec, bitDepth: 10 })).toEqual(refused('video.bitDepth', `"${codec}"`))
  })
})

describe('a quality setting', () => {
  it.each([
    [{ crf: 20, bitrate: 900_000 }, 'bitrate', 'crf'],
    [{ crf: 20, maxBytes: 8_000_000 }, 'maxBytes', 'crf'],
    [{ crf: 20, look: 'high' }, 'look', 'crf'],
    [{ look: 80, maxBytes: 8_000_000 }, 'maxBytes', 'look'],
    [{ bitrate: 900_000, maxBytes: 8_000_000 }, 'maxBytes', 'bitrate'],
  ])('excludes any other: %o', (video, field, other) => {
    const message = `can't be combined with "${other}"`
    expect(problemsOf(video)).toEqual([{ field: `video.${field}`, message }])
  })

  it('may reduce dimensions only to meet a maximum file size', () => {
    expect(problemsOf({ mayShrink: true, maxBytes: 8_000_000 })).toEqual([])
    expect(problemsOf({ mayShrink: true })).toEqual(refused('video.mayShrink', '"maxBytes"'))
  })
})

describe('a container and a codec', () => {
  const pairs = VideoRecipe.shape.container.unwrap().options.flatMap((container) =>
    VideoRecipe.shape.codec
      .unwrap()
      .options.filter((codec) => codec !== 'copy' && codec !== 'none')
      .map((codec) => ({ container, codec })),
  )

  it.each(pairs)(
    'are refused if and only if no such file could be written: $container with $codec',
    (pair) => {
      expect(problemsOf(pair).map(({ field }) => field)).toEqual(
        canBeWritten(pair) ? [] : ['video.container'],
      )
    },
  )

  it('that don’t match are refused, with a list of the supported codecs', () => {
    expect(problemsOf({ container: 'webm', codec: 'h264' })).toEqual([
      { field: 'video.container', message: `"webm" doesn't support "h264" video, only "vp9", "av1"` },
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
