import type { Extent } from '../../../src/shared/extent.ts'
import { copyFile, readdir, readFile, readlink, writeFile } from 'node:fs/promises'
import { basename } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { Failure } from '../../../src/shared/failure/failure.ts'
import { describeInLongSuite, firstOf, itInLongSuite } from '../../faults/long-suite.ts'
import { inEnglish } from '../../../src/shared/i18n/in-english.ts'
import { FailureError } from '../../../src/shared/failure/failure-error.ts'
import type { ProcessingProgress } from '../../../src/media/protocol.ts'
import type { VideoRecipe } from '../../../src/shared/preset/preset.ts'
import { type Clip, evenTimes, MARKED_CORNER } from './make-clip.ts'
import { readClip, type ReadClip } from './read-clip.ts'
import { clip, inClipFolder, resultOf, runJob, useClipFolder } from './run-job.ts'

useClipFolder()

async function refusal(name: string, content: string | Buffer): Promise<unknown> {
  const path = inClipFolder(name)
  await writeFile(path, content)
  return runJob(path).catch((error: unknown) => error)
}

async function openFiles(): Promise<string[]> {
  if (process.platform !== 'linux') return []
  const numbers = await readdir('/proc/self/fd')
  const links = await Promise.all(
    numbers.map((number) => readlink(`/proc/self/fd/${number}`).catch(() => '')),
  )
  return links.filter((link) => link.startsWith(inClipFolder('')))
}

const sizeOf = ({ width, height }: ReadClip): string => `${width}x${height}`
const BRIGHT = 160
const brightQuarters = ({ quarters }: ReadClip): boolean[] => quarters.map((luma) => luma > BRIGHT)

describe('size', () => {
  it.each<[string, Partial<Clip>, Partial<VideoRecipe>, string, string?]>([
    ['is reduced so that the short side fits', { width: 322, height: 182 }, { height: 90 }, '160x90'],
    ['is reduced in portrait orientation too', { width: 182, height: 322 }, { height: 90 }, '90x160'],
    ['is never enlarged', {}, { height: 1080 }, '160x90'],
    ['loses an odd row and column', { width: 161, height: 121, codec: 'vp9' }, {}, '160x120', 'mkv'],
    ['is stretched if pixels aren’t square', { height: 120, pixelAspect: [4, 3] }, {}, '214x120'],
    ['is cropped to an aspect ratio around the center', {}, { crop: { aspect: 1 } }, '90x90'],
  ])('%s', async (_, changes, recipe, size, extension) => {
    expect(sizeOf(await resultOf(await clip(changes, extension), recipe))).toBe(size)
  })

  itInLongSuite('of a single pixel gives a valid video, with every codec', async () => {
    const dot = await clip({ width: 1, height: 1, pixelFormat: 'yuv444p' })
    for (const codec of ['h264', 'hevc', 'vp9', 'av1'] as const) {
      const made = await resultOf(dot, { codec })
      expect([codec, made.times.length, made.pixelFormat]).toEqual([codec, 12, 'yuv420p'])
    }
  })

  it('is the same for all variations', async () => {
    const colors = { brightness: 1.1, saturation: 0.9, hue: 4 }
    const shares = { cropLeft: 0.05, cropTop: 0.01, cropRight: 0.02, cropBottom: 0.04 }
    const variation = { ...colors, ...shares, rotation: 2, mirror: true }
    const path = await clip({ picture: MARKED_CORNER })
    const varied = await resultOf(path, {}, { variation })
    expect(sizeOf(varied)).toBe('160x90')
    expect(brightQuarters(varied)).toEqual([false, true, false, false])
  })
})

describeInLongSuite('pixels that aren’t square', () => {
  const unturned = [
    [1, 0, 0, 1],
    [-1, 0, 0, -1],
    [-1, 0, 0, 1],
    [1, 0, 0, -1],
  ] as const
  const turned = unturned.map(([a, , , d]) => [0, a, d, 0] as const)
  it.each(
    firstOf<[readonly [number, number], Partial<VideoRecipe>, Extent]>(
      [
        [[4, 3], {}, { width: 214, height: 90 }],
        [[1, 2], {}, { width: 80, height: 90 }],
        [[2, 1], { height: 60 }, { width: 214, height: 60 }],
        [[1, 2], { height: 60 }, { width: 60, height: 68 }],
        [[4, 3], { crop: { aspect: 1 } }, { width: 90, height: 90 }],
      ],
      2,
    ),
  )('of %o with %o give the same size in every orientation', async (pixelAspect, recipe, upright) => {
    for (const matrix of [...unturned, ...turned]) {
      const { width, height, losses } = await runJob(await clip({ pixelAspect, matrix }), recipe)
      const isTurned = matrix[0] === 0
      const shown = isTurned ? { width: height, height: width } : { width, height }
      expect([matrix, shown, losses]).toEqual([matrix, upright, []])
    }
  })
})

describe('orientation', () => {
  const upperLeft = [true, false, false, false]
  const upperRight = [false, true, false, false]
  const lowerLeft = [false, false, true, false]
  const lowerRight = [false, false, false, true]
  it.each(
    firstOf(
      [
        ['none', [1, 0, 0, 1], upperLeft, '160x90'],
        ['a rotation by 90° clockwise', [0, 1, -1, 0], upperRight, '90x160'],
        ['a rotation by 180°', [-1, 0, 0, -1], lowerRight, '160x90'],
        ['a rotation by 90° counterclockwise', [0, -1, 1, 0], lowerLeft, '90x160'],
        ['a mirror', [-1, 0, 0, 1], upperRight, '160x90'],
        ['a vertical flip', [1, 0, 0, -1], lowerLeft, '160x90'],
        ['a transposition', [0, 1, 1, 0], upperLeft, '90x160'],
        ['the other transpose', [0, -1, -1, 0], lowerRight, '90x160'],
      ] as const,
      4,
    ),
  )('%s is applied exactly once and leaves no tag', async (_, matrix, corners, size) => {
    const made = await resultOf(await clip({ matrix, picture: MARKED_CORNER }))
    expect(brightQuarters(made)).toEqual(corners)
    expect(sizeOf(made)).toBe(size)
    expect(made.hasDisplayMatrix).toBe(false)
  })

  it('is applied before the recipe’s rotation', async () => {
    const path = await clip({ matrix: [0, 1, -1, 0], picture: MARKED_CORNER })
    const made = await resultOf(path, { rotate: 90 })
    expect(brightQuarters(made)).toEqual(lowerRight)
    expect(sizeOf(made)).toBe('160x90')
  })

  it('keeps its tag if frames are copied', async () => {
    const path = await clip({ matrix: [0, 1, -1, 0] })
    expect((await resultOf(path, { codec: 'copy' })).hasDisplayMatrix).toBe(true)
  })

  itInLongSuite.each([
    ['scaled', [0, 2, -1, 0]],
    ['scaled and turned by 180°', [-2, 0, 0, -1]],
    ['scaled and mirrored', [-1, 0, 0, 2]],
    ['scaled and transposed', [0, 1, 2, 0]],
    ['rounded', [0.00002, 1, -0.99998, 0]],
    ['sheared', [0.02, 1, -1, 0.03]],
  ] as const)('stays if frames are copied to Matroska, although the matrix is %s', async (_, matrix) => {
    const path = await clip({ matrix, picture: MARKED_CORNER })
    const copied = await runJob(path, { codec: 'copy', container: 'mkv' })
    const shown = await resultOf(copied.temporaryPath, { container: 'mp4' })
    const original = await resultOf(path, { container: 'mp4' })
    expect(brightQuarters(shown)).toEqual(brightQuarters(original))
    expect([sizeOf(shown), copied.losses]).toEqual([sizeOf(original), []])
  })
})

describe('video processing', () => {
  const UNEVEN = [0, 40, 1000, 1033, 1500, 1540, 2900]

  it('keeps every frame of a variable frame rate at its time', async () => {
    const made = await resultOf(await clip({ times: UNEVEN }))
    expect(made.times.map((time) => Math.round(time * 1000))).toEqual(UNEVEN)
  })

  it('drops frames above a frame rate limit, and duplicates none', async () => {
    const path = await clip({ times: evenTimes(50, 50) })
    expect((await resultOf(path, { fps: 25 })).times).toHaveLength(25)
    const uneven = await clip({ times: UNEVEN })
    const { times } = await resultOf(uneven, { fps: 10 })
    expect(times.map((time) => Math.round(time * 1000))).toEqual([0, 1000, 1500, 2900])
  })

  itInLongSuite('creates a video from a single frame, with every codec', async () => {
    const path = await clip({ times: [0] })
    for (const codec of ['h264', 'hevc', 'vp9', 'av1', 'copy'] as const) {
      expect([codec, (await resultOf(path, { codec })).times.length]).toEqual([codec, 1])
    }
  })

  it('reports progress from 0 to 1 that never decreases', async () => {
    const told: ProcessingProgress[] = []
    await resultOf(await clip(), {}, { onProgress: (progress) => told.push(progress) })
    const shares = told.map(({ share }) => share)
    expect(shares.length).toBeGreaterThan(1)
    expect(shares).toEqual(shares.toSorted((one, other) => one - other))
    expect(told.at(-1)?.phase).toBe('Finishing')
    expect(Math.max(...shares)).toBeLessThanOrEqual(1)
  })
})

describe('a conversion', () => {
  it.each<[string, Partial<VideoRecipe>, readonly string[]]>([
    ['copies audio that the container supports', {}, ['h264', 'aac']],
    ['re-encodes audio otherwise', { container: 'webm', codec: 'vp9' }, ['vp9', 'opus']],
    ['drops audio on request', { audio: 'none' }, ['h264']],
  ])('%s', async (_, recipe, codecs) => {
    const made = await resultOf(await clip({ sound: 0.5 }), recipe)
    expect(made.codecs).toEqual(codecs)
    expect(made.duration).toBeCloseTo(0.5, 1)
  })

  it.each(firstOf(['copy', 'h264'] as const))(
    'removes only the location, as phones write it: %s',
    async (codec) => {
      const path = await clip({ title: 'Holiday', tags: { location: '+48.1371+011.5754/' } }, 'mov')
      expect(await readFile(path, 'latin1')).toContain('+48.1371')
      for (const container of ['mov', 'mp4', 'mkv'] as const) {
        const made = await resultOf(path, { codec, container, metadata: 'strip-location' })
        expect([container, made.title]).toEqual([container, 'Holiday'])
        expect(await readFile(made.temporaryPath, 'latin1')).not.toContain('48.1371')
      }
      const { temporaryPath } = await runJob(path, { codec, container: 'mov', metadata: 'keep' })
      expect(await readFile(temporaryPath, 'latin1')).toContain('+48.1371')
    },
  )

  it('never takes an original with a location, even if its own result is larger', async () => {
    const path = await clip({ tags: { location: '+48.1371+011.5754/' } }, 'mov')
    const recipe = { container: 'mov', codec: 'copy', metadata: 'strip-location' } as const
    const made = await resultOf(path, recipe, { neverLarger: true })
    expect(made.notes).not.toContain('original-kept')
    expect(await readFile(made.temporaryPath, 'latin1')).not.toContain('48.1371')
  })

  it('keeps transparency in WebM and replaces it with black elsewhere', async () => {
    const picture = 'format=yuva420p,lutyuv=a=0'
    const path = await clip({ codec: 'vp9', pixelFormat: 'yuva420p', picture }, 'webm')
    const { marks } = await resultOf(path, { container: 'webm', codec: 'vp9' })
    expect(marks).toMatchObject({ alpha_mode: '1' })
    const flat = await resultOf(path)
    expect(flat.quarters.every((luma) => luma < 24)).toBe(true)
  })

  it('removes color on request', async () => {
    const path = await clip()
    expect((await resultOf(path)).chroma).toBeGreaterThan(50)
    expect((await resultOf(path, { grayscale: true })).chroma).toBeLessThan(4)
  })

  it('puts the index before the media data', async () => {
    const { temporaryPath } = await resultOf(await clip())
    const bytes = await readFile(temporaryPath)
    expect(bytes.indexOf('moov')).toBeGreaterThan(0)
    expect(bytes.indexOf('moov')).toBeLessThan(bytes.indexOf('mdat'))
  })
})

describe('a format conversion', () => {
  it.each([
    ['h264', 'mp4', 'h264'],
    ['hevc', 'mp4', 'hevc'],
    ['av1', 'mkv', 'av1'],
    ['vp9', 'webm', 'vp9'],
    ['h264', 'mov', 'h264'],
  ] as const)('writes %s into %s', async (codec, container, written) => {
    const made = await resultOf(await clip(), { codec, container, height: 64 })
    expect([made.codecs[0], made.extension, made.times.length]).toEqual([written, container, 12])
  })

  it('keeps the container on request if the codec fits it, and otherwise writes MP4', async () => {
    for (const [codec, extension, written] of [
      ['h264', 'mkv', 'mkv'],
      ['vp9', 'webm', 'mp4'],
      ['mpeg4', 'avi', 'mp4'],
    ] as const)
      expect((await resultOf(await clip({ codec }, extension), { container: 'same' })).extension).toBe(
        written,
      )
  })

  it.each<[string, Partial<VideoRecipe>, string]>([
    [
      'to write a codec that the container lacks',
      { container: 'webm' },
      'WebM files can’t contain H264 video.',
    ],
    ['to change frames that it is to copy', { codec: 'copy', height: 60 }, 'The preset uses passthrough'],
  ])('refuses %s', async (_, recipe, reason) => {
    await expect(runJob(await clip(), recipe)).rejects.toThrow(reason)
  })

  it('keeps the pixel format when lossless', async () => {
    const made = await resultOf(await clip({ pixelFormat: 'yuv444p' }), { crf: 0 })
    expect(made.pixelFormat).toBe('yuv444p')
  })
})

describe('FFmpeg', () => {
  it.each(
    firstOf(['-dash.mp4', 'per%03dcent.mp4', 'co:lon.mp4', 'file:x.mp4', 'quo\'te "x" [1] \\ 花.mp4'], 2),
  )('opens a file called %s', async (name) => {
    const path = inClipFolder(name)
    await copyFile(await clip(), path)
    expect((await resultOf(path)).times).toHaveLength(12)
  })
})

describe('an unusable file', () => {
  it('is refused with a plain reason', async () => {
    const whole = await readFile(await clip())
    const cases = {
      'The file is empty.': '',
      'This file isn’t a video, despite its name.': 'just some words '.repeat(500),
      'The file is damaged or incomplete: its index is missing.': whole.subarray(0, 40),
    }
    for (const [reason, content] of Object.entries(cases)) {
      const error = await refusal('bad.mp4', content)
      expect(error).toBeInstanceOf(FailureError)
      expect(error).toHaveProperty('message', reason)
    }
  })

  it('may be a playlist that would read other files or the network', async () => {
    const target = await clip()
    for (const list of [`#EXTM3U\n#EXTINF:1,\n${target}\n`, `ffconcat version 1.0\nfile '${target}'\n`]) {
      const error = await refusal('playlist.mp4', list)
      expect(error).toHaveProperty('message', 'This file isn’t a video, despite its name.')
    }
  })

  it('may contain only audio', async () => {
    const path = await clip({ times: [], sound: 0.5 })
    await expect(runJob(path)).rejects.toThrow('This file has no video track')
  })

  itInLongSuite(
    'may be a video that is mostly missing, while one with a few bad frames is processed',
    async () => {
      const whole = await readFile(await clip({ times: evenTimes(50, 25) }))
      const media = whole.indexOf('mdat') + 4
      const index = whole.indexOf('moov') - 4
      const mostlyGone = Buffer.from(whole)
      mostlyGone.fill(0xff, media + 200, index)
      expect(await refusal('gone.mp4', mostlyGone)).toBeInstanceOf(FailureError)
      const scratched = Buffer.from(whole)
      scratched.fill(0xff, Math.floor((media + index) / 2), Math.floor((media + index) / 2) + 60)
      const { temporaryPath: inFront } = await runJob(await clip({ times: evenTimes(100, 25) }))
      const half = await readFile(inFront)
      const error = await refusal('broken-off.mp4', half.subarray(0, Math.floor(half.length / 4)))
      expect(String(error)).toContain('The file is damaged or incomplete')
      const path = inClipFolder('scratched.mp4')
      await writeFile(path, scratched)
      expect((await resultOf(path)).times.length).toBeGreaterThan(25)
    },
  )
})

const TWENTY_SECONDS = evenTimes(200, 10)
const COPY = { codec: 'copy', crf: undefined } as const
/** Returns the English description of what a result lacks; undefined if it lacks nothing. */
const problemOf = ({ problem }: { readonly problem?: Failure | undefined }) =>
  problem === undefined ? undefined : inEnglish(problem)
const missing = (seconds: RegExp) =>
  expect.stringMatching(new RegExp(`: ${seconds.source} of 20 seconds are missing, the first at 0:1[2-6]`))

/** Creates a complete video. `.mp4` has its index in front, as in a download. */
async function wholeOf(extension: string): Promise<string> {
  const codec = extension === 'avi' ? 'mpeg4' : extension === 'webm' ? 'vp9' : 'h264'
  // The clips' audio is AAC, which WebM doesn't support.
  const sound = extension === 'webm' ? {} : { sound: 20 }
  const made = await clip({ times: TWENTY_SECONDS, codec, ...sound }, extension)
  return extension === 'mp4' ? (await runJob(made, COPY)).temporaryPath : made
}

async function cutOf(path: string, share: number): Promise<string> {
  const bytes = await readFile(path)
  const cut = inClipFolder(`cut-${share}-${basename(path)}`)
  await writeFile(cut, bytes.subarray(0, Math.floor(bytes.length * share)))
  return cut
}

describe('a truncated video', () => {
  it.each(firstOf(['mp4', 'mkv', 'webm', 'avi']))(
    'leaves a result with a note about what is missing: %s',
    async (extension) => {
      const whole = await wholeOf(extension)
      expect(problemOf(await runJob(whole))).toBeUndefined()
      const cut = await runJob(await cutOf(whole, 0.7))
      const { duration } = await readClip(cut.temporaryPath)
      // How many seconds the missing bytes had depends on the encoder.
      expect([duration > 10, duration < 18]).toEqual([true, true])
      const [, seconds] = /: ([\d.]+) of 20 seconds are missing/.exec(problemOf(cut) ?? '') ?? []
      expect(Number(seconds)).toBeCloseTo(20 - duration, 0)
      await expect(runJob(await cutOf(whole, 0.2))).rejects.toThrow('The file is damaged or incomplete')
    },
  )

  itInLongSuite(
    'is reported for copied frames, with a frame rate limit, and when the result must not be larger than the original',
    async () => {
      const cut = await cutOf(await wholeOf('mkv'), 0.7)
      expect(problemOf(await runJob(cut, COPY))).toEqual(missing(/[4-7](?:\.\d)?/))
      expect(problemOf(await runJob(cut, { fps: 2, audio: 'none' }))).toEqual(missing(/[4-7](?:\.\d)?/))
      const kept = await runJob(cut, { crf: 1, container: 'mkv' }, { neverLarger: true })
      expect(problemOf(kept)).toEqual(missing(/[4-7](?:\.\d)?/))
    },
  )

  itInLongSuite(
    'may be a download that ends in zeros: it has its index, but not all its frames',
    async () => {
      const bytes = await readFile(await wholeOf('mp4'))
      const path = inClipFolder('empty-end.mp4')
      await writeFile(path, bytes.fill(0, Math.floor(bytes.length * 0.7)))
      expect(problemOf(await runJob(path))).toEqual(missing(/[4-7](?:\.\d)?/))
    },
  )

  itInLongSuite(
    'is not mistaken for one with more audio than video, few frames or irregular timestamps',
    async () => {
      const odd = [0, 40, 80, 5000, 5040, 11_000, 19_000]
      for (const extension of ['mp4', 'mkv']) {
        const files = [
          await clip({ times: evenTimes(20, 10), sound: 6 }, extension),
          await clip({ times: odd }, extension),
          await clip({ times: evenTimes(5, 0.25), sound: 20 }, extension),
        ]
        for (const file of files)
          for (const recipe of [{}, { fps: 1 }, COPY])
            expect((await runJob(file, recipe)).problem).toBeUndefined()
      }
    },
  )
})

describe('a job', () => {
  it('stopped midway rejects with the reason, and leaves no file open', async () => {
    const path = await clip({ times: evenTimes(300, 25), sound: 2 })
    const reason = new Error('the person changed their mind')
    const controller = new AbortController()
    let reports = 0
    const onProgress = (): void => {
      reports += 1
      controller.abort(reason)
    }
    const job = runJob(path, { speed: 'slow' }, { signal: controller.signal, onProgress })
    await expect(job).rejects.toBe(reason)
    expect(reports).toBe(1)
    expect(await openFiles()).toEqual([])
  })

  it('stopped before it starts rejects with the reason', async () => {
    const path = await clip()
    await expect(runJob(path, {}, { signal: AbortSignal.abort('stopped') })).rejects.toBe('stopped')
  })

  itInLongSuite('that succeeds or fails leaves no file open', async () => {
    await runJob(await clip())
    await runJob(await clip(), { container: 'webm' }).catch(() => undefined)
    expect(await openFiles()).toEqual([])
  })
})
