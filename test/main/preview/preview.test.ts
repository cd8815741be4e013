import { failure, reason } from '../../../src/shared/failure/failure.ts'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { constants, getPriority, tmpdir } from 'node:os'
import { join } from 'node:path'
import sharp from 'sharp'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { createTrials } from '../../../src/main/estimate/trials.ts'
import { createPreviews, type Previews } from '../../../src/main/preview/preview.ts'
import { startWorker, type WorkerProcess } from '../../../src/media/start-worker.ts'
import { PERMISSIONS } from '../../../src/node/confinement.ts'
import { systemTiming } from '../../../src/node/timing.ts'
import type { PreviewPixels, PreviewRequest } from '../../../src/shared/model/preview.ts'
import { firstOf, itInLongSuite } from '../../faults/long-suite.ts'
import { childrenOf } from '../../child-processes.ts'
import { WORKER } from '../../entries.ts'
import { makeHeic } from '../../media/image/make-heic.ts'
import { samplePhoto, processPhoto, usePhotoFolder } from '../../media/image/process-photo.ts'
import { evenTimes, makeClip } from '../../media/video/make-clip.ts'
import { runJob } from '../../media/video/run-job.ts'

let root: string
let photo: string
let previews: Previews
let viewers: WorkerProcess[]
let trialWorkers: WorkerProcess[]
let prefixes: string[]
let isWorking = false

usePhotoFolder()
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'mediatray-preview-'))
  photo = join(root, 'photo.jpg')
  await samplePhoto(1_200, 900).jpeg({ quality: 95 }).toFile(photo)
})
afterAll(() => rm(root, { recursive: true, force: true }))

/** Starts previews once per group or per test. Most groups share one instance, because starting its processes takes seconds. */
function usePreviews(
  before: typeof beforeAll | typeof beforeEach,
  after: typeof afterAll | typeof afterEach,
) {
  before(() => {
    viewers = []
    trialWorkers = []
    prefixes = []
    previews = openPreviews(join(root, 'made'))
  })
  after(() => previews.close())
}

function openPreviews(folder: string): Previews {
  const worker = { path: WORKER, node: process.execPath, confinement: PERMISSIONS }
  return createPreviews({
    startViewer() {
      const started = startWorker('previews', worker)
      viewers.push(started)
      return started
    },
    trials: createTrials({
      start() {
        const started = startWorker('trials', { ...worker, folders: [folder] })
        trialWorkers.push(started)
        return {
          ...started,
          send(message) {
            if (message.kind === 'ask' && message.name === 'make')
              prefixes.push(message.input.temporaryPrefix)
            started.send(message)
          },
        }
      },
      folder,
      timing: systemTiming,
    }),
    isWorking: () => isWorking,
  })
}

const request = (image: object, more: Partial<PreviewRequest> = {}): PreviewRequest => ({
  path: photo,
  preset: { name: 'Mine', image },
  part: 'image',
  view: { width: 300, height: 200, middle: { x: 0.5, y: 0.5 } },
  start: null,
  ...more,
})

async function raw(key: string) {
  const picture = previews.pixels(key)
  if (picture === undefined) throw new Error('These pixels are not in the cache.')
  return sharp(picture.bytes).removeAlpha().raw().toBuffer({ resolveWithObject: true })
}

/** Returns the maximum and mean difference between two images of the same size. */
function difference(one: Buffer, other: Buffer) {
  expect(one.length).toBe(other.length)
  let most = 0
  let sum = 0
  for (let at = 0; at < one.length; at += 1) {
    const apart = Math.abs((one[at] ?? 0) - (other[at] ?? 0))
    most = Math.max(most, apart)
    sum += apart
  }
  return { most, mean: sum / one.length }
}

async function partOf(image: object, more?: Partial<PreviewRequest>) {
  const answer = await previews.part(request(image, more))
  if (answer.kind !== 'part') throw new Error(`No part arrived: ${JSON.stringify(answer)}`)
  return answer
}

async function wholeOf(image: object, more?: Partial<PreviewRequest>) {
  const answer = await previews.whole(request(image, more))
  if (answer.kind !== 'whole') throw new Error(`No whole file arrived: ${JSON.stringify(answer)}`)
  return answer
}

async function qualityOf(image: object, more?: Partial<PreviewRequest>) {
  await wholeOf(image, more)
  const answer = await previews.quality()
  return answer.kind === 'measured' ? answer.quality : answer
}

describe('with shared processes', () => {
  usePreviews(beforeAll, afterAll)

  describe('the visible part', () => {
    it.each(firstOf(['jpeg', 'webp', 'avif', 'jxl']))(
      'is compressed in %s as much as in the whole result',
      async (format) => {
        const { pixels } = await partOf({ format, quality: 40 })
        // The view plus its margin, expanded to block boundaries: multiples of 64 pixels at the start, of 16 at the end.
        expect(pixels.area.width).toBeLessThanOrEqual(300 + 2 * 16 + 63 + 15)
        expect(pixels.area.height).toBeLessThanOrEqual(200 + 2 * 16 + 63 + 15)
        const { pixels: whole } = await wholeOf({ format, quality: 40 })
        expect(whole.area).toEqual({ left: 0, top: 0, width: 1_200, height: 900 })
        const part = await raw(pixels.after)
        const same = await sharp(previews.pixels(whole.after)?.bytes)
          .extract(pixels.area)
          .removeAlpha()
          .raw()
          .toBuffer()
        const before = await raw(pixels.before)
        const { mean: lostInPart } = difference(part.data, before.data)
        const { mean: lostInWhole } = difference(same, before.data)
        expect(lostInPart).toBeGreaterThan(1)
        expect(lostInPart / lostInWhole).toBeGreaterThan(0.9)
        expect(lostInPart / lostInWhole).toBeLessThan(1.1)
      },
    )

    it('is identical to that part of the whole JPEG result, because JPEG blocks are independent', async () => {
      const image = { format: 'jpeg', quality: 92 }
      const { pixels } = await partOf(image)
      const { pixels: whole } = await wholeOf(image)
      const part = await raw(pixels.after)
      const same = await sharp(previews.pixels(whole.after)?.bytes).extract(pixels.area).raw().toBuffer()
      expect(difference(part.data, same)).toEqual({ most: 0, mean: 0 })
    })

    it('uses the result’s pixel coordinates, and the original is scaled to match', async () => {
      const { pixels } = await partOf({ format: 'jpeg', size: { width: 600 } })
      expect(pixels).toMatchObject({
        extent: { width: 600, height: 450 },
        original: { width: 1_200, height: 900 },
        area: { left: 128, top: 64, width: 352, height: 288 },
      })
      for (const key of [pixels.before, pixels.after])
        expect((await raw(key)).info).toMatchObject({ width: 352, height: 288 })
    })

    it('starts at the most detailed area', async () => {
      const calm = join(root, 'calm.png')
      const busy = await samplePhoto(200, 200).png().toBuffer()
      await sharp({ create: { width: 1_600, height: 1_200, channels: 3, background: '#8090a0' } })
        .composite([{ input: busy, left: 1_300, top: 100 }])
        .png()
        .toFile(calm)
      const { middle, pixels } = await partOf(
        {},
        { path: calm, view: { width: 300, height: 300, middle: null } },
      )
      expect(middle.x * 1_600).toBeGreaterThan(1_250)
      expect(middle.y * 1_200).toBeLessThan(350)
      // The area begins at a block boundary beyond the margin, so it is larger than the view.
      expect(pixels.area.width).toBeLessThanOrEqual(300 + 2 * 16 + 15)
    })

    it('is encoded to a proportional part of the maximum file size', async () => {
      const { pixels: poor } = await partOf({ format: 'jpeg', maxBytes: 40_000 })
      const { pixels: good } = await partOf({ format: 'jpeg', maxBytes: 400_000 })
      const before = await raw(poor.before)
      const lost = async (key: string) => difference((await raw(key)).data, before.data).mean
      expect(await lost(poor.after)).toBeGreaterThan(await lost(good.after))
    })

    it('shows the preset’s effects in addition to encoding', async () => {
      const { pixels } = await partOf({ format: 'png', grayscale: true })
      const { data, info } = await raw(pixels.after)
      const isGray = info.channels === 1 || (data[0] === data[1] && data[1] === data[2])
      expect(isGray).toBe(true)
      const before = await raw(pixels.before)
      expect(before.data[0]).not.toBe(before.data[2])
    })
  })

  describe('the whole file', () => {
    it('is identical to the file that a job would write, and is removed afterwards', async () => {
      const whole = await wholeOf({ format: 'webp', quality: 60, size: { width: 400 } })
      const { bytes } = await processPhoto(photo, { format: 'webp', quality: 60, size: { width: 400 } })
      expect(whole.bytes).toBe(bytes.length)
      expect(whole.milliseconds).toBeGreaterThan(0)
      expect(await readdir(join(root, 'made'))).toEqual([])
    })

    it('is the original if the result would be larger, and that larger size is reported', async () => {
      const small = join(root, 'small.jpg')
      await samplePhoto(300, 200).jpeg({ quality: 20 }).toFile(small)
      const whole = await wholeOf({ format: 'jpeg', quality: 100 }, { path: small })
      expect(whole.bytes).toBe(whole.originalBytes)
      expect(whole.refused).toBeGreaterThan(whole.bytes)
      expect(whole.notes).toEqual(['original-kept'])
    })
  })

  describe('the quality', () => {
    itInLongSuite('is close to the visual quality that the preset asks for', async () => {
      const quality = await qualityOf({ format: 'webp', size: { width: 320 }, look: 70 })
      expect(quality).toEqual({ score: expect.closeTo(70, -0.7), isSampled: false })
    })

    it.each(
      firstOf([
        ['crop and rotation', { crop: { aspect: 1 }, rotate: 90 }],
        ['grayscale', { grayscale: true }],
        ['a frame', { size: { width: 300, height: 300, fit: 'contain' } }],
      ]),
    )('ignores what the preset asks for: %s', async (_, image) => {
      const path = join(root, 'measured.jpg')
      await samplePhoto(400, 300).jpeg({ quality: 95 }).toFile(path)
      const quality = await qualityOf({ format: 'jpeg', quality: 95, ...image }, { path })
      if (quality === null || typeof quality === 'string' || 'kind' in quality) throw new Error('unknown')
      expect(quality.score).toBeGreaterThan(85)
    })

    it('of a lossless format is “lossless”', async () => {
      expect(await qualityOf({ format: 'png', size: { width: 400 } })).toBe('lossless')
    })

    describe('of a photo of which only metadata is removed', () => {
      const stripped = { format: 'same', quality: 92, colour: 'keep', metadata: 'strip' } as const

      it('is “lossless” if its pixels are kept', async () => {
        expect(await qualityOf(stripped)).toBe('lossless')
      })

      itInLongSuite('is unknown if its colors were lost', async () => {
        const path = join(root, 'inks.tiff')
        await samplePhoto(64, 48).toColourspace('cmyk').tiff({ bigtiff: true }).toFile(path)
        expect(await qualityOf(stripped, { path })).toBeNull()
        expect(await qualityOf({ format: 'png', colour: 'keep' }, { path })).toBeNull()
      })

      itInLongSuite('is measured if it had to be encoded', async () => {
        const path = join(root, 'unusual.heic')
        const [tile, unspecified] = [{ width: 128, height: 96 }, [0, 0, 0, 6, 100, 1, 5, 0, 0, 128]]
        await writeFile(path, makeHeic({ tile, ...tile, afterPixels: Buffer.from(unspecified) }))
        expect(await qualityOf(stripped, { path })).toMatchObject({ score: expect.any(Number) })
        const { pixels } = await partOf(stripped, { path })
        expect(pixels.after).not.toBe(pixels.before)
        const whole = await wholeOf(stripped, { path })
        expect((await raw(pixels.after)).data.equals((await raw(whole.pixels.after)).data)).toBe(true)
        const { pixels: kept } = await partOf(stripped)
        expect(kept.after).toBe(kept.before)
      })
    })

    it.each([
      ['transparent', { channels: 4 as const, background: '#ff000080' }],
      ['opaque', { channels: 3 as const, background: '#808080' }],
    ])('is unknown for a single %s pixel, and can be asked only once', async (name, create) => {
      const path = join(root, `${name}.png`)
      await sharp({ create: { width: 1, height: 1, ...create } })
        .png()
        .toFile(path)
      expect(await qualityOf({ format: 'webp', quality: 50 }, { path })).toBeNull()
      expect(await previews.quality()).toEqual({ kind: 'measured', quality: null })
    })
  })

  itInLongSuite(
    'a file size that can’t be reached is reported with the smallest possible size, and the visible part shows that result',
    async () => {
      const tooSmall = { format: 'jpeg', maxBytes: 2_000 }
      const { pixels } = await partOf(tooSmall)
      const { pixels: worst } = await partOf({ format: 'jpeg', quality: 1 })
      expect((await raw(pixels.after)).data.equals((await raw(worst.after)).data)).toBe(true)
      const whole = await previews.whole(request(tooSmall))
      expect(whole).toMatchObject({ kind: 'failed', least: { width: 1_200, height: 900 } })
      if (whole.kind !== 'failed') throw new Error('It succeeded unexpectedly.')
      const { bytes } = await wholeOf({ format: 'jpeg', quality: 1 })
      expect(Math.abs((whole.least?.bytes ?? 0) / bytes - 1)).toBeLessThan(0.05)
      expect(whole.failure).toMatchObject({
        code: 'photoNotSmallEnoughAsIs',
        values: { width: 1_200, height: 900 },
      })
      expect((await wholeOf({ ...tooSmall, mayShrink: true })).bytes).toBeLessThanOrEqual(2_000)
    },
  )

  describe('a video', () => {
    let video: string
    beforeAll(async () => {
      video = join(root, 'video.mp4')
      await makeClip(video, { width: 320, height: 180, times: evenTimes(100, 25), sound: 4 })
    })
    const requestFor = (changes: object, more: object = {}): PreviewRequest => ({
      ...request({}),
      path: video,
      part: 'video',
      preset: { name: 'Mine', video: { speed: 'ultrafast', ...changes }, ...more },
    })

    it('is shown as a few seconds of the original and the result, followed by an estimated total size', async () => {
      const asked = requestFor({ codec: 'hevc', crf: 30, height: 90 })
      const part = await previews.part(asked)
      if (part.kind !== 'video') throw new Error(`No video arrived: ${JSON.stringify(part)}`)
      expect(part.video).toMatchObject({ extent: { width: 160, height: 90 }, after: { width: 160 } })
      expect(part.video.seconds).toBeCloseTo(2.5, 1)
      const whole = await previews.whole(asked)
      const made = await runJob(video, { codec: 'hevc', crf: 30, height: 90 }, { folder: root })
      const bytes = (await stat(made.temporaryPath)).size
      if (whole.kind !== 'estimated') throw new Error(`No size arrived: ${JSON.stringify(whole)}`)
      expect(whole.bytes / bytes).toBeGreaterThan(0.7)
      expect(whole.bytes / bytes).toBeLessThan(1.4)
      expect(whole.originalBytes).toBe((await stat(video)).size)
      expect(await readdir(join(root, 'made'))).toEqual([])
    })

    itInLongSuite(
      'is reported with its original size if re-encoding alone would make it larger',
      async () => {
        const larger = requestFor({ codec: 'h264', crf: 1 }, { results: { neverLarger: true } })
        await previews.part(larger)
        const whole = await previews.whole(larger)
        if (whole.kind !== 'estimated') throw new Error('No size arrived.')
        expect(whole.bytes).toBe(whole.originalBytes)
        expect(whole.refused).toBeGreaterThan(whole.originalBytes)
      },
    )

    itInLongSuite('is abandoned when a newer request arrives, and its process is ended', async () => {
      const old = previews.part(requestFor({ codec: 'av1', speed: 'slow' }))
      const started = viewers.length
      const ended = viewers.at(-1)?.ended
      const newer = previews.part(requestFor({ crf: 40 }))
      expect((await old).kind).toBe('overtaken')
      await ended
      expect((await newer).kind).toBe('video')
      expect(viewers).toHaveLength(started + 1)
    })

    it('is compared with its result after a job', async () => {
      const { temporaryPath } = await runJob(video, { crf: 40, height: 90 }, { folder: root })
      const compared = await previews.compare({ original: video, result: temporaryPath, start: 1 })
      if (compared.kind !== 'video') throw new Error('No video arrived.')
      expect(compared.video).toMatchObject({ extent: { width: 160, height: 90 }, start: 1 })
      expect(compared.bytes).toBe((await stat(temporaryPath)).size)
      expect(compared.originalBytes).toBe((await stat(video)).size)
    })

    it('that is damaged is reported with the reason', async () => {
      const damaged = join(root, 'damaged.mp4')
      await writeFile(damaged, (await readFile(video)).subarray(0, 5_000))
      expect(await previews.part({ ...requestFor({}), path: damaged })).toEqual({
        kind: 'failed',
        failure: failure('fileDamaged', { reason: reason('indexMissing') }),
      })
    })
  })

  it('a comparison after a job shows every pixel of a result, and the original scaled to the result’s size', async () => {
    const result = join(root, 'result.avif')
    await sharp(photo).resize({ width: 480 }).avif({ quality: 30 }).toFile(result)
    const answer = await previews.compare({ original: photo, result, start: null })
    if (answer.kind !== 'whole') throw new Error('Nothing arrived.')
    const { extent, original, before, after }: PreviewPixels = answer.pixels
    expect({ extent, original }).toEqual({
      extent: { width: 480, height: 360 },
      original: { width: 1_200, height: 900 },
    })
    const shown = await raw(after)
    const truth = await sharp(result).removeAlpha().raw().toBuffer()
    expect(difference(shown.data, truth)).toEqual({ most: 0, mean: 0 })
    expect((await raw(before)).info).toMatchObject({ width: 480, height: 360 })
  })
})

const priority = () => getPriority(childrenOf(process.pid, `${WORKER} previews`)[0])

describe('with new processes for each test', () => {
  usePreviews(beforeEach, afterEach)

  itInLongSuite(
    'the cache for the page has at most 288 MiB and the same original only once, keeps the newest, and is empty once the preview closes',
    async () => {
      const large = join(root, 'large.jpg')
      await sharp({
        create: {
          width: 5_000,
          height: 5_000,
          channels: 3,
          background: 'gray',
          noise: { type: 'gaussian', mean: 128, sigma: 30 },
        },
      })
        .jpeg()
        .toFile(large)
      const keys: string[] = []
      for (const quality of [30, 40, 50, 60]) {
        const view = { width: 5_000, height: 5_000, middle: { x: 0.5, y: 0.5 } }
        const { pixels } = await partOf({ quality }, { path: large, view })
        if (keys.length === 0) keys.push(pixels.before)
        keys.push(pixels.after)
        expect(pixels.before).toBe(keys[0])
      }
      // The pixels of each image take 75 MB.
      const sizes = () => keys.map((key) => previews.pixels(key)?.bytes.length ?? 0)
      expect(sizes()[1]).toBe(0)
      expect(
        sizes()
          .toSpliced(1, 1)
          .every((size) => size > 75_000_000),
      ).toBe(true)
      previews.stop()
      expect(sizes()).toEqual([0, 0, 0, 0, 0])
    },
  )

  itInLongSuite('the preview’s priority is normal, but low while jobs are running', async () => {
    onTestFinished(() => {
      isWorking = false
    })
    await previews.part(request({ format: 'jpeg', quality: 50 }))
    expect(priority()).toBe(getPriority())
    isWorking = true
    await previews.part(request({ format: 'jpeg', quality: 60 }))
    expect(priority()).toBe(Math.max(getPriority(), constants.priority.PRIORITY_BELOW_NORMAL / 2))
  })

  describe('an overtaken request', () => {
    it('is skipped: of ten requests in a row, only the first and the last are carried out', async () => {
      let answers = 0
      const first = previews.part(request({ format: 'webp', quality: 10 }))
      const [viewer] = viewers
      if (viewer === undefined) throw new Error('No process was started.')
      viewer.onMessage(() => answers++)
      const later = Array.from({ length: 9 }, (_, step) =>
        previews.part(request({ format: 'webp', quality: 20 + step })),
      )
      const kinds = (await Promise.all([first, ...later])).map(({ kind }) => kind)
      expect(kinds).toEqual([...Array.from({ length: 9 }, () => 'overtaken'), 'part'])
      expect(answers).toBe(2)
      expect(viewers).toHaveLength(1)
    })

    it('leaves no partially written file behind', async () => {
      const folder = join(root, 'made')
      const old = previews.whole(request({ format: 'avif', quality: 95 }))
      await writeFile(join(folder, `${prefixes[0]}-1.part.avif`), 'half')
      previews.stop()
      expect((await old).kind).toBe('overtaken')
      await expect.poll(() => readdir(folder)).toEqual([])
    })

    itInLongSuite('stops encoding the whole file', async () => {
      const old = previews.whole(request({ format: 'avif', quality: 95 }))
      const ended = trialWorkers[0]?.ended
      expect((await previews.part(request({ format: 'jpeg', quality: 50 }))).kind).toBe('part')
      expect((await old).kind).toBe('overtaken')
      await ended
      expect((await wholeOf({ format: 'jpeg', quality: 50 })).kind).toBe('whole')
      expect(trialWorkers).toHaveLength(2)
    })

    itInLongSuite('doesn’t delay a request for another file', async () => {
      const other = join(root, 'other.png')
      await samplePhoto(200, 150).png().toFile(other)
      const old = previews.part(request({ format: 'avif' }))
      const next = previews.part(request({ format: 'jpeg' }, { path: other }))
      expect((await old).kind).toBe('overtaken')
      expect((await next).kind).toBe('part')
      expect(viewers).toHaveLength(2)
    })
  })

  describe('a failure', () => {
    itInLongSuite(
      'of a process that was ended from outside isn’t reported: another one repeats the request',
      async () => {
        const interrupted = previews.part(request({ format: 'jpeg' }))
        viewers[0]?.kill()
        expect((await interrupted).kind).toBe('part')
        expect(viewers).toHaveLength(2)

        const repeated = previews.whole(request({ format: 'jpeg' }))
        trialWorkers.at(-1)?.kill()
        expect((await repeated).kind).toBe('whole')
      },
    )

    it('is reported for a missing file', async () => {
      const gone = { path: join(root, 'gone.jpg') }
      const failed = { kind: 'failed', failure: failure('fileUnreadable', { reason: reason('missing') }) }
      expect(await previews.part(request({}, gone))).toEqual(failed)
      expect(await previews.whole(request({}, gone))).toEqual(failed)
    })

    it('is reported for a file that isn’t a photo', async () => {
      const words = join(root, 'words.jpg')
      await writeFile(words, 'only words, and a good many of them so that something can be read')
      expect(await previews.part(request({}, { path: words }))).toMatchObject({
        kind: 'failed',
        failure: { code: expect.any(String) },
      })
    })

    it('can leave files behind, which are removed at the next launch', async () => {
      previews.close()
      const folder = join(root, 'left')
      await mkdir(folder)
      await writeFile(join(folder, 'preview-1-1.part.jpg'), 'half')
      previews = openPreviews(folder)
      expect(existsSync(folder)).toBe(false)
    })
  })
})
