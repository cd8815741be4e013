import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { constants, getPriority, tmpdir } from 'node:os'
import { join } from 'node:path'
import sharp from 'sharp'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createPreviews, previewProcesses, type Previews } from '../../../src/main/preview/preview.ts'
import type { JobWorker, PreviewWorker } from '../../../src/media/start-worker.ts'
import { PERMISSIONS } from '../../../src/node/confinement.ts'
import type { PreviewPixels, PreviewWish } from '../../../src/shared/model/preview.ts'
import { childrenOf } from '../../child-processes.ts'
import { JOB_WORKER, PREVIEW_WORKER } from '../../entries.ts'
import { madePhoto, processPhoto, usePhotoFolder } from '../../media/image/process-photo.ts'
import { evenTimes, makeClip } from '../../media/video/make-clip.ts'
import { runJob } from '../../media/video/run-job.ts'

let root: string
let photo: string
let previews: Previews
let viewers: PreviewWorker[]
let makers: JobWorker[]
let prefixes: string[]
let isWorking = false

usePhotoFolder()
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'mediatray-preview-'))
  photo = join(root, 'photo.jpg')
  await madePhoto(1_200, 900).jpeg({ quality: 95 }).toFile(photo)
})
afterAll(() => rm(root, { recursive: true, force: true }))

/** Where nothing depends on which processes there are, all tests of a group share them: to start them takes seconds. */
function usePreviews(
  before: typeof beforeAll | typeof beforeEach,
  after: typeof afterAll | typeof afterEach,
) {
  before(() => {
    viewers = []
    makers = []
    prefixes = []
    previews = openPreviews(join(root, 'made'))
  })
  after(() => previews.close())
}

function openPreviews(folder: string): Previews {
  const processes = previewProcesses({
    viewerPath: PREVIEW_WORKER,
    makerPath: JOB_WORKER,
    node: process.execPath,
    folder,
    confinement: PERMISSIONS,
  })
  return createPreviews({
    folder,
    startViewer() {
      const started = processes.startViewer()
      viewers.push(started)
      return started
    },
    startMaker() {
      const started = processes.startMaker()
      makers.push(started)
      return {
        ...started,
        send(message) {
          if (message.kind === 'run') prefixes.push(message.task.temporaryPrefix)
          started.send(message)
        },
      }
    },
    monotonic: () => performance.now(),
    isWorking: () => isWorking,
  })
}

const wish = (image: object, more: Partial<PreviewWish> = {}): PreviewWish => ({
  path: photo,
  preset: { name: 'Mine', image },
  part: 'image',
  view: { width: 300, height: 200, middle: { x: 0.5, y: 0.5 } },
  start: null,
  ...more,
})

async function raw(key: string) {
  const picture = previews.pixels(key)
  if (picture === undefined) throw new Error('These pixels are not kept.')
  return sharp(picture.bytes).removeAlpha().raw().toBuffer({ resolveWithObject: true })
}

/** The largest and the mean difference of two pictures of one size. */
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

async function partOf(image: object, more?: Partial<PreviewWish>) {
  const answer = await previews.part(wish(image, more))
  if (answer.kind !== 'part') throw new Error(`No part came: ${JSON.stringify(answer)}`)
  return answer
}

async function wholeOf(image: object, more?: Partial<PreviewWish>) {
  const answer = await previews.whole(wish(image, more))
  if (answer.kind !== 'whole') throw new Error(`No whole came: ${JSON.stringify(answer)}`)
  return answer
}

describe('the part in view', () => {
  usePreviews(beforeAll, afterAll)

  it.each(['jpeg', 'webp', 'avif', 'jxl'])(
    'loses as much in %s as it does in the whole result',
    async (format) => {
      const { pixels } = await partOf({ format, quality: 40 })
      // The view with its margin, and what is left of the blocks that it touches: of 64 pixels where it begins, of 16 at its end.
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

  it('is the very same in JPEG, whose blocks know nothing of each other', async () => {
    const image = { format: 'jpeg', quality: 92 }
    const { pixels } = await partOf(image)
    const { pixels: whole } = await wholeOf(image)
    const part = await raw(pixels.after)
    const same = await sharp(previews.pixels(whole.after)?.bytes).extract(pixels.area).raw().toBuffer()
    expect(difference(part.data, same)).toEqual({ most: 0, mean: 0 })
  })

  it('is in pixels of the result, and the original is scaled to match', async () => {
    const { pixels } = await partOf({ format: 'jpeg', size: { width: 600 } })
    expect(pixels).toMatchObject({
      extent: { width: 600, height: 450 },
      original: { width: 1_200, height: 900 },
      area: { left: 128, top: 64, width: 352, height: 288 },
    })
    for (const key of [pixels.before, pixels.after])
      expect((await raw(key)).info).toMatchObject({ width: 352, height: 288 })
  })

  it('begins where most detail is', async () => {
    const calm = join(root, 'calm.png')
    const busy = await madePhoto(200, 200).png().toBuffer()
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
    // Nobody has chosen that very pixel: it is where a block begins behind the margin.
    expect(pixels.area.width).toBeLessThanOrEqual(300 + 2 * 16 + 15)
  })

  it('gets its share of the bytes that a result may have', async () => {
    const { pixels: poor } = await partOf({ format: 'jpeg', maxBytes: 40_000 })
    const { pixels: good } = await partOf({ format: 'jpeg', maxBytes: 400_000 })
    const before = await raw(poor.before)
    const lost = async (key: string) => difference((await raw(key)).data, before.data).mean
    expect(await lost(poor.after)).toBeGreaterThan(await lost(good.after))
  })

  it('shows what a preset does beside encoding', async () => {
    const { pixels } = await partOf({ format: 'png', grayscale: true })
    const { data, info } = await raw(pixels.after)
    const isGray = info.channels === 1 || (data[0] === data[1] && data[1] === data[2])
    expect(isGray).toBe(true)
    const before = await raw(pixels.before)
    expect(before.data[0]).not.toBe(before.data[2])
  })
})

describe('the whole', () => {
  usePreviews(beforeAll, afterAll)

  it('is the file that a job would make, and nothing of it is left behind', async () => {
    const whole = await wholeOf({ format: 'webp', quality: 60, size: { width: 400 } })
    const { bytes } = await processPhoto(photo, { format: 'webp', quality: 60, size: { width: 400 } })
    expect(whole.bytes).toBe(bytes.length)
    expect(whole.milliseconds).toBeGreaterThan(0)
    expect(await readdir(join(root, 'made'))).toEqual([])
  })

  it('says how large the result would be where the original is kept', async () => {
    const small = join(root, 'small.jpg')
    await madePhoto(300, 200).jpeg({ quality: 20 }).toFile(small)
    const whole = await wholeOf({ format: 'jpeg', quality: 100 }, { path: small })
    expect(whole.bytes).toBe(whole.originalBytes)
    expect(whole.refused).toBeGreaterThan(whole.bytes)
    expect(whole.notes).toEqual(['original-kept'])
  })
})

describe('a size that can’t be reached', () => {
  usePreviews(beforeAll, afterAll)

  it('is said of the whole with the least there is, and the part shows what that looks like', async () => {
    const tooSmall = { format: 'jpeg', maxBytes: 2_000 }
    const { pixels } = await partOf(tooSmall)
    const { pixels: worst } = await partOf({ format: 'jpeg', quality: 1 })
    expect((await raw(pixels.after)).data.equals((await raw(worst.after)).data)).toBe(true)
    const whole = await previews.whole(wish(tooSmall))
    expect(whole).toMatchObject({ kind: 'failed', least: { width: 1_200, height: 900 } })
    if (whole.kind !== 'failed') throw new Error('It was made.')
    const { bytes } = await wholeOf({ format: 'jpeg', quality: 1 })
    expect(Math.abs((whole.least?.bytes ?? 0) / bytes - 1)).toBeLessThan(0.05)
    expect(whole.reason).toContain('is the least at 1200 × 900 pixels.')
    expect((await wholeOf({ ...tooSmall, mayShrink: true })).bytes).toBeLessThanOrEqual(2_000)
  })
})

describe('the newest wish', () => {
  usePreviews(beforeEach, afterEach)

  it('wins: of ten wishes in a row, the first and the last are carried out', async () => {
    const asked: number[] = []
    const first = previews.part(wish({ format: 'webp', quality: 10 }))
    const [viewer] = viewers
    if (viewer === undefined) throw new Error('No process was started.')
    viewer.onMessage(({ id }) => asked.push(id))
    const later = Array.from({ length: 9 }, (_, step) =>
      previews.part(wish({ format: 'webp', quality: 20 + step })),
    )
    const kinds = (await Promise.all([first, ...later])).map(({ kind }) => kind)
    expect(kinds).toEqual([...Array.from({ length: 9 }, () => 'overtaken'), 'part'])
    expect(asked).toEqual([1, 10])
    expect(viewers).toHaveLength(1)
  })

  it('takes away what was written of the whole file until then', async () => {
    const folder = join(root, 'made')
    const old = previews.whole(wish({ format: 'avif', quality: 95 }))
    await writeFile(join(folder, `${prefixes[0]}-1.part.avif`), 'half')
    previews.stop()
    expect((await old).kind).toBe('overtaken')
    await expect.poll(() => readdir(folder)).toEqual([])
  })

  it('ends what is being made of the whole file', async () => {
    const old = previews.whole(wish({ format: 'avif', quality: 95 }))
    const ended = new Promise<void>((resolve) => makers[0]?.onExit(() => resolve()))
    expect((await previews.part(wish({ format: 'jpeg', quality: 50 }))).kind).toBe('part')
    expect((await old).kind).toBe('overtaken')
    await ended
    expect((await wholeOf({ format: 'jpeg', quality: 50 })).kind).toBe('whole')
    expect(makers).toHaveLength(2)
  })

  it('of another file does not wait for the one before', async () => {
    const other = join(root, 'other.png')
    await madePhoto(200, 150).png().toFile(other)
    const old = previews.part(wish({ format: 'avif' }))
    const next = previews.part(wish({ format: 'jpeg' }, { path: other }))
    expect((await old).kind).toBe('overtaken')
    expect((await next).kind).toBe('part')
    expect(viewers).toHaveLength(2)
  })
})

const priority = () => getPriority(childrenOf(process.pid, 'preview-worker')[0])

describe('who looks', () => {
  usePreviews(beforeEach, afterEach)
  afterEach(() => {
    isWorking = false
  })

  it('waits no longer than for anything else, unless jobs are worked on, which come first', async () => {
    await previews.part(wish({ format: 'jpeg', quality: 50 }))
    expect(priority()).toBe(getPriority())
    isWorking = true
    await previews.part(wish({ format: 'jpeg', quality: 60 }))
    expect(priority()).toBe(Math.max(getPriority(), constants.priority.PRIORITY_BELOW_NORMAL / 2))
  })
})

describe('a video', () => {
  usePreviews(beforeAll, afterAll)

  let film: string
  beforeAll(async () => {
    film = join(root, 'film.mp4')
    await makeClip(film, { width: 320, height: 180, times: evenTimes(100, 25), sound: 4 })
  })
  const wishFor = (video: object, more: object = {}): PreviewWish => ({
    ...wish({}),
    path: film,
    part: 'video',
    preset: { name: 'Mine', video: { speed: 'ultrafast', ...video }, ...more },
  })

  it('is a few seconds from both sides, and then how large all of it will be', async () => {
    const asked = wishFor({ codec: 'hevc', crf: 30, height: 90 })
    const part = await previews.part(asked)
    if (part.kind !== 'film') throw new Error(`No film came: ${JSON.stringify(part)}`)
    expect(part.film).toMatchObject({ extent: { width: 160, height: 90 }, after: { width: 160 } })
    expect(part.film.seconds).toBeCloseTo(2.5, 1)
    const whole = await previews.whole(asked)
    const made = await runJob(film, root, { codec: 'hevc', crf: 30, height: 90 })
    const bytes = (await stat(made.temporaryPath)).size
    if (whole.kind !== 'reckoned') throw new Error(`No size came: ${JSON.stringify(whole)}`)
    expect(whole.bytes / bytes).toBeGreaterThan(0.7)
    expect(whole.bytes / bytes).toBeLessThan(1.4)
    expect(whole.originalBytes).toBe((await stat(film)).size)
    expect(await readdir(join(root, 'made'))).toEqual([])
  })

  it('is reckoned with the quality that its goal comes to', async () => {
    const sizes: number[] = []
    for (const look of ['identical', 'low']) {
      const asked = wishFor({ look })
      await previews.part(asked)
      const whole = await previews.whole(asked)
      sizes.push(whole.kind === 'reckoned' ? whole.bytes : 0)
    }
    expect(sizes[0]).toBeGreaterThan(1.5 * (sizes[1] ?? 0))
  })

  it('stays as it is where the result would be larger and differ in nothing else', async () => {
    const larger = wishFor({ codec: 'h264', crf: 1 }, { results: { neverLarger: true } })
    await previews.part(larger)
    const whole = await previews.whole(larger)
    if (whole.kind !== 'reckoned') throw new Error('No size came.')
    expect(whole.bytes).toBe(whole.originalBytes)
    expect(whole.refused).toBeGreaterThan(whole.originalBytes)
  })

  it('is not waited for when there is a newer wish: its process is ended', async () => {
    const old = previews.part(wishFor({ codec: 'av1', speed: 'slow' }))
    const started = viewers.length
    const ended = new Promise<void>((resolve) => viewers.at(-1)?.onExit(() => resolve()))
    const newer = previews.part(wishFor({ crf: 40 }))
    expect((await old).kind).toBe('overtaken')
    await ended
    expect((await newer).kind).toBe('film')
    expect(viewers).toHaveLength(started + 1)
  })

  it('is compared with its result after a job', async () => {
    const { temporaryPath } = await runJob(film, root, { crf: 40, height: 90 })
    const compared = await previews.compare({ original: film, result: temporaryPath, start: 1 })
    if (compared.kind !== 'film') throw new Error('No film came.')
    expect(compared.film).toMatchObject({ extent: { width: 160, height: 90 }, start: 1 })
    expect(compared.bytes).toBe((await stat(temporaryPath)).size)
    expect(compared.originalBytes).toBe((await stat(film)).size)
  })

  it('says what is wrong with a damaged one', async () => {
    const damaged = join(root, 'damaged.mp4')
    await writeFile(damaged, (await readFile(film)).subarray(0, 5_000))
    expect(await previews.part({ ...wishFor({}), path: damaged })).toEqual({
      kind: 'failed',
      reason: 'The file is damaged or incomplete: its index is missing.',
    })
  })
})

describe('when something goes wrong', () => {
  usePreviews(beforeEach, afterEach)

  it('says that a process has ended, and begins anew', async () => {
    const lost = previews.part(wish({ format: 'avif' }))
    viewers[0]?.kill()
    expect(await lost).toEqual({ kind: 'failed', reason: null })
    expect((await previews.part(wish({ format: 'jpeg' }))).kind).toBe('part')

    const unmade = previews.whole(wish({ format: 'avif' }))
    makers.at(-1)?.kill()
    expect(await unmade).toEqual({ kind: 'failed', reason: null })
    expect((await previews.whole(wish({ format: 'jpeg' }))).kind).toBe('whole')
  })

  it('says that the file is gone', async () => {
    const gone = { path: join(root, 'gone.jpg') }
    const failed = { kind: 'failed', reason: 'The file is not there any more.' }
    expect(await previews.part(wish({}, gone))).toEqual(failed)
    expect(await previews.whole(wish({}, gone))).toEqual(failed)
  })

  it('says that a file is no photo', async () => {
    const words = join(root, 'words.jpg')
    await writeFile(words, 'only words, and a good many of them so that something can be read')
    expect(await previews.part(wish({}, { path: words }))).toMatchObject({
      kind: 'failed',
      reason: expect.any(String),
    })
  })

  it('takes away what an earlier run has left', async () => {
    previews.close()
    const folder = join(root, 'left')
    await mkdir(folder)
    await writeFile(join(folder, 'preview-1-1.part.jpg'), 'half')
    previews = openPreviews(folder)
    expect(await readdir(folder)).toEqual([])
  })
})

describe('a comparison after a job', () => {
  usePreviews(beforeAll, afterAll)

  it('shows every pixel of a result, and the original in its size', async () => {
    const result = join(root, 'result.avif')
    await sharp(photo).resize({ width: 480 }).avif({ quality: 30 }).toFile(result)
    const answer = await previews.compare({ original: photo, result, start: null })
    if (answer.kind !== 'whole') throw new Error('Nothing came.')
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
