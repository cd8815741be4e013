import { copyFile, mkdtemp, readdir, readFile, readlink, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ProcessingError, type ProcessingProgress } from '../../../src/media/protocol.ts'
import { type Clip, evenTimes, makeClip, MARKED_CORNER } from './make-clip.ts'
import { readClip, type ReadClip } from './read-clip.ts'
import { runJob } from './run-job.ts'

let folder = ''
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mediatray-video-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

const SMALL: Clip = { width: 160, height: 90, times: evenTimes(12, 25) }

async function clip(name: string, changes: Partial<Clip> = {}): Promise<string> {
  const path = join(folder, name)
  await makeClip(path, { ...SMALL, ...changes })
  return path
}

async function result(
  path: string,
  ...rest: Parameters<typeof runJob> extends [string, string, ...infer R] ? R : never
) {
  const finished = await runJob(path, folder, ...rest)
  const read = await readClip(finished.temporaryPath)
  const { width, height } = read.hasDisplayMatrix ? { width: read.height, height: read.width } : read
  expect([finished.width, finished.height]).toEqual([width, height])
  return { ...finished, ...read }
}

async function refusal(name: string, content: string | Buffer): Promise<unknown> {
  const path = join(folder, name)
  await writeFile(path, content)
  return runJob(path, folder).catch((error: unknown) => error)
}

async function openFiles(): Promise<string[]> {
  if (process.platform !== 'linux') return []
  const numbers = await readdir('/proc/self/fd')
  const links = await Promise.all(
    numbers.map((number) => readlink(`/proc/self/fd/${number}`).catch(() => '')),
  )
  return links.filter((link) => link.startsWith(folder))
}

const sizeOf = ({ width, height }: ReadClip): string => `${width}x${height}`
const BRIGHT = 160
const brightQuarters = ({ quarters }: ReadClip): boolean[] => quarters.map((luma) => luma > BRIGHT)

describe('size', () => {
  it('shrinks so that the short side fits, upright or not, and keeps even sides', async () => {
    const wide = await clip('wide.mp4', { width: 322, height: 182 })
    const tall = await clip('tall.mp4', { width: 182, height: 322 })
    expect(sizeOf(await result(wide, { height: 90 }))).toBe('160x90')
    expect(sizeOf(await result(tall, { height: 90 }))).toBe('90x160')
  })

  it('never enlarges', async () => {
    expect(sizeOf(await result(await clip('small.mp4'), { height: 1080 }))).toBe('160x90')
  })

  it('cuts an odd row and column off', async () => {
    const odd = await clip('odd.mkv', { width: 161, height: 121, codec: 'vp9' })
    expect(sizeOf(await result(odd))).toBe('160x120')
  })

  it('makes a valid video of a single pixel, with every codec', async () => {
    const dot = await clip('dot.mp4', { width: 1, height: 1, pixelFormat: 'yuv444p' })
    for (const codec of ['h264', 'hevc', 'vp9', 'av1'] as const) {
      const made = await result(dot, { codec })
      expect([codec, made.times.length, made.pixelFormat]).toEqual([codec, 12, 'yuv420p'])
    }
  })

  it('stretches pixels that are not square', async () => {
    const anamorphic = await clip('anamorphic.mp4', { width: 160, height: 120, pixelAspect: [4, 3] })
    expect(sizeOf(await result(anamorphic))).toBe('214x120')
  })

  it('cuts to an aspect around the centre', async () => {
    expect(sizeOf(await result(await clip('square.mp4'), { crop: { aspect: 1 } }))).toBe('90x90')
  })

  it('gives every variation the size of its siblings', async () => {
    const variation = {
      brightness: 1.1,
      saturation: 0.9,
      hue: 4,
      rotation: 2,
      mirror: true,
      cropLeft: 0.05,
      cropTop: 0.01,
      cropRight: 0.02,
      cropBottom: 0.04,
    }
    const path = await clip('vary.mp4', { picture: MARKED_CORNER })
    const varied = await result(path, {}, { variation })
    expect(sizeOf(varied)).toBe('160x90')
    expect(brightQuarters(varied)).toEqual([false, true, false, false])
  })
})

describe('orientation', () => {
  const upperLeft = [true, false, false, false]
  const upperRight = [false, true, false, false]
  const lowerLeft = [false, false, true, false]
  const lowerRight = [false, false, false, true]
  it.each([
    ['none', [1, 0, 0, 1], upperLeft, '160x90'],
    ['a quarter turn clockwise', [0, 1, -1, 0], upperRight, '90x160'],
    ['a half turn', [-1, 0, 0, -1], lowerRight, '160x90'],
    ['a quarter turn anticlockwise', [0, -1, 1, 0], lowerLeft, '90x160'],
    ['a mirror', [-1, 0, 0, 1], upperRight, '160x90'],
    ['an upside-down mirror', [1, 0, 0, -1], lowerLeft, '160x90'],
    ['a transposition', [0, 1, 1, 0], upperLeft, '90x160'],
    ['the other transposition', [0, -1, -1, 0], lowerRight, '90x160'],
  ] as const)('honours %s exactly once and leaves no tag', async (name, matrix, corners, size) => {
    const made = await result(await clip(`${name}.mp4`, { matrix, picture: MARKED_CORNER }))
    expect(brightQuarters(made)).toEqual(corners)
    expect(sizeOf(made)).toBe(size)
    expect(made.hasDisplayMatrix).toBe(false)
  })

  it('turns as the recipe says after that', async () => {
    const path = await clip('turn.mp4', { matrix: [0, 1, -1, 0], picture: MARKED_CORNER })
    const made = await result(path, { rotate: 90 })
    expect(brightQuarters(made)).toEqual(lowerRight)
    expect(sizeOf(made)).toBe('160x90')
  })

  it('keeps the tag where the pictures are copied', async () => {
    const path = await clip('copied-turn.mp4', { matrix: [0, 1, -1, 0] })
    expect((await result(path, { codec: 'copy' })).hasDisplayMatrix).toBe(true)
  })
})

describe('time', () => {
  const UNEVEN = [0, 40, 1000, 1033, 1500, 1540, 2900]

  it('keeps every picture of a variable rate at its own time', async () => {
    const made = await result(await clip('uneven.mp4', { times: UNEVEN }))
    expect(made.times.map((time) => Math.round(time * 1000))).toEqual(UNEVEN)
  })

  it('leaves pictures out over a limit, and doubles none', async () => {
    const path = await clip('fast.mp4', { times: evenTimes(50, 50) })
    expect((await result(path, { fps: 25 })).times).toHaveLength(25)
    const uneven = await clip('uneven-limit.mp4', { times: UNEVEN })
    expect((await result(uneven, { fps: 10 })).times.map((time) => Math.round(time * 1000))).toEqual([
      0, 1000, 1500, 2900,
    ])
  })

  it('makes a video of a single picture, with every codec', async () => {
    const path = await clip('one.mp4', { times: [0] })
    for (const codec of ['h264', 'hevc', 'vp9', 'av1', 'copy'] as const) {
      expect([codec, (await result(path, { codec })).times.length]).toEqual([codec, 1])
    }
  })

  it('tells progress from 0 to 1 without going back', async () => {
    const told: ProcessingProgress[] = []
    await result(await clip('told.mp4'), {}, { onProgress: (progress) => told.push(progress) })
    const shares = told.map(({ share }) => share)
    expect(shares.length).toBeGreaterThan(1)
    expect(shares).toEqual(shares.toSorted((one, other) => one - other))
    expect(told.at(-1)?.phase).toBe('Finishing')
    expect(Math.max(...shares)).toBeLessThanOrEqual(1)
  })
})

describe('tracks', () => {
  it('copies sound that the container can hold', async () => {
    const made = await result(await clip('sound.mp4', { sound: 0.5 }))
    expect(made.codecs).toEqual(['h264', 'aac'])
  })

  it('encodes sound anew that the container cannot hold', async () => {
    const made = await result(await clip('sound2.mp4', { sound: 0.5 }), { container: 'webm', codec: 'vp9' })
    expect(made.codecs).toEqual(['vp9', 'opus'])
    expect(made.duration).toBeCloseTo(0.5, 1)
  })

  it('leaves sound out on request', async () => {
    expect((await result(await clip('sound3.mp4', { sound: 0.5 }), { audio: 'none' })).codecs).toEqual([
      'h264',
    ])
  })

  it('keeps or strips the title', async () => {
    const path = await clip('titled.mp4', { title: 'Holiday' })
    expect((await result(path, { metadata: 'keep' })).title).toBe('Holiday')
    expect((await result(path, { metadata: 'strip' })).title).toBeNull()
  })

  it('keeps transparency in WebM and puts it on black elsewhere', async () => {
    const path = await clip('alpha.webm', {
      codec: 'vp9',
      pixelFormat: 'yuva420p',
      picture: 'format=yuva420p,lutyuv=a=0',
    })
    expect((await result(path, { container: 'webm', codec: 'vp9' })).marks).toMatchObject({ alpha_mode: '1' })
    const flat = await result(path)
    expect(flat.quarters.every((luma) => luma < 24)).toBe(true)
  })

  it('takes the colour away', async () => {
    const path = await clip('grey.mp4')
    expect((await result(path)).chroma).toBeGreaterThan(50)
    expect((await result(path, { grayscale: true })).chroma).toBeLessThan(4)
  })

  it('puts the index in front', async () => {
    const { temporaryPath } = await result(await clip('index.mp4'))
    const bytes = await readFile(temporaryPath)
    expect(bytes.indexOf('moov')).toBeGreaterThan(0)
    expect(bytes.indexOf('moov')).toBeLessThan(bytes.indexOf('mdat'))
  })
})

describe('containers and codecs', () => {
  it.each([
    ['h264', 'mp4', 'h264'],
    ['hevc', 'mp4', 'hevc'],
    ['av1', 'mkv', 'av1'],
    ['vp9', 'webm', 'vp9'],
    ['h264', 'mov', 'h264'],
  ] as const)('writes %s into %s', async (codec, container, written) => {
    const made = await result(await clip(`${codec}-${container}.mp4`), { codec, container, height: 64 })
    expect([made.codecs[0], made.extension, made.times.length]).toEqual([written, container, 12])
  })

  it('keeps the container on request where the codec fits it, otherwise writes MP4', async () => {
    expect((await result(await clip('same.mkv'), { container: 'same' })).extension).toBe('mkv')
    expect((await result(await clip('same.webm', { codec: 'vp9' }), { container: 'same' })).extension).toBe(
      'mp4',
    )
    expect((await result(await clip('same.avi', { codec: 'mpeg4' }), { container: 'same' })).extension).toBe(
      'mp4',
    )
  })

  it('says which container cannot hold which codec', async () => {
    const path = await clip('refused.mp4')
    await expect(runJob(path, folder, { container: 'webm' })).rejects.toThrow(
      "WebM files can't hold H264 video.",
    )
  })

  it('refuses to change pictures that it is to copy', async () => {
    const path = await clip('copy-change.mp4')
    await expect(runJob(path, folder, { codec: 'copy', height: 60 })).rejects.toThrow(
      'copies the pictures as they are',
    )
  })

  it('keeps the pictures exactly when lossless', async () => {
    const made = await result(await clip('exact.mp4', { pixelFormat: 'yuv444p' }), { crf: 0 })
    expect(made.pixelFormat).toBe('yuv444p')
  })
})

describe('names', () => {
  it.each(['-dash.mp4', 'per%03dcent.mp4', 'co:lon.mp4', 'file:x.mp4', 'quo\'te "x" [1] \\ 花.mp4'])(
    'opens a file called %s',
    async (name) => {
      const path = join(folder, name)
      await copyFile(await clip('plain.mp4'), path)
      expect((await result(path)).times).toHaveLength(12)
    },
  )
})

describe('what is no video', () => {
  it('is refused with a plain reason', async () => {
    const whole = await readFile(await clip('whole.mp4'))
    const cases = {
      'The file is empty.': '',
      'This is not a video, whatever its name says.': 'just some words '.repeat(500),
      'The file is damaged or incomplete: its index is missing.': whole.subarray(0, 40),
    }
    for (const [reason, content] of Object.entries(cases)) {
      const error = await refusal('bad.mp4', content)
      expect(error).toBeInstanceOf(ProcessingError)
      expect(error).toHaveProperty('message', reason)
    }
  })

  it('includes playlists that would read other files or the network', async () => {
    const target = await clip('target.mp4')
    for (const list of [`#EXTM3U\n#EXTINF:1,\n${target}\n`, `ffconcat version 1.0\nfile '${target}'\n`]) {
      expect(await refusal('playlist.mp4', list)).toHaveProperty(
        'message',
        'This is not a video, whatever its name says.',
      )
    }
  })

  it('includes sound alone', async () => {
    const path = await clip('sound-alone.mp4', { times: [], sound: 0.5 })
    await expect(runJob(path, folder)).rejects.toThrow('There is no video track in this file.')
  })

  it('includes a video that is mostly missing, while one with a few bad pictures goes on', async () => {
    const whole = await readFile(await clip('damage.mp4', { times: evenTimes(50, 25) }))
    const media = whole.indexOf('mdat') + 4
    const index = whole.indexOf('moov') - 4
    const mostlyGone = Buffer.from(whole)
    mostlyGone.fill(0xff, media + 200, index)
    expect(await refusal('gone.mp4', mostlyGone)).toBeInstanceOf(ProcessingError)
    const scratched = Buffer.from(whole)
    scratched.fill(0xff, Math.floor((media + index) / 2), Math.floor((media + index) / 2) + 60)
    const { temporaryPath: inFront } = await runJob(
      await clip('front.mp4', { times: evenTimes(100, 25) }),
      folder,
    )
    const half = await readFile(inFront)
    expect(await refusal('broken-off.mp4', half.subarray(0, Math.floor(half.length / 4)))).toHaveProperty(
      'message',
      expect.stringContaining('The file is incomplete'),
    )
    const path = join(folder, 'scratched.mp4')
    await writeFile(path, scratched)
    expect((await result(path)).times.length).toBeGreaterThan(25)
  })
})

describe('stopping', () => {
  it('rejects with the reason in the middle, and leaves nothing open', async () => {
    const path = await clip('long.mp4', { times: evenTimes(3000, 25), sound: 2 })
    const reason = new Error('the person changed their mind')
    const controller = new AbortController()
    let reports = 0
    const onProgress = (): void => {
      reports += 1
      controller.abort(reason)
    }
    const job = runJob(path, folder, { speed: 'slow' }, { signal: controller.signal, onProgress })
    await expect(job).rejects.toBe(reason)
    expect(reports).toBe(1)
    expect(await openFiles()).toEqual([])
  })

  it('does not even begin when stopped before', async () => {
    const path = await clip('never.mp4')
    await expect(runJob(path, folder, {}, { signal: AbortSignal.abort('stopped') })).rejects.toBe('stopped')
  })

  it('leaves nothing open after a failure or a success either', async () => {
    await runJob(await clip('closed.mp4'), folder)
    await runJob(await clip('closed2.mp4'), folder, { container: 'webm' }).catch(() => undefined)
    expect(await openFiles()).toEqual([])
  })
})
