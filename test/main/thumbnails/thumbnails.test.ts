import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { constants, getPriority, tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import sharp, { type Sharp } from 'sharp'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { createThumbnails, type Thumbnails } from '../../../src/main/thumbnails/thumbnails.ts'
import type { EncodedImage } from '../../../src/shared/thumbnail-url.ts'
import { PERMISSIONS } from '../../../src/node/confinement.ts'
import type { Ask } from '../../../src/media/protocol.ts'
import { startWorker, type WorkerProcess } from '../../../src/media/start-worker.ts'
import { representativeFrame } from '../../../src/media/video/representative-frame.ts'
import { frameOf } from '../../../src/node/message-frames.ts'
import { WORKER } from '../../entries.ts'
import { isLongSuite, itInLongSuite } from '../../faults/long-suite.ts'
import { mediaCorpus } from '../../media-corpus.ts'

const ODD = fileURLToPath(new URL('./odd-thumbnail-worker.ts', import.meta.url))
/** Permissions that allow the odd worker to record its launches in a file. */
const ODD_MAY_WRITE = {
  ...PERMISSIONS,
  startFor: () => PERMISSIONS.startFor({ writable: [tmpdir()] }),
}
const SUNRISE = fileURLToPath(new URL('../../../assets/samples/sunrise.mp4', import.meta.url))
const UPRIGHT = fileURLToPath(new URL('../../../assets/samples/dawn-upright.jpg', import.meta.url))

let folder: string
let pictures: Thumbnails
/** Thumbnails of a group of tests, because starting a process takes seconds. */
let shared: Thumbnails | undefined
let workers = 0
const asked: string[] = []

function open(path: string): Thumbnails {
  pictures = createThumbnails({
    startWorker() {
      workers += 1
      const confinement = path === ODD ? ODD_MAY_WRITE : PERMISSIONS
      return noting(startWorker('thumbnails', { path, confinement }))
    },
    after,
  })
  return pictures
}

/** The timeouts of the running requests, which elapse only when a test lets them. */
const timeouts = new Set<() => void>()
function after(_ms: number, run: () => void): () => void {
  timeouts.add(run)
  return () => timeouts.delete(run)
}

/** Lets the running requests time out, once this many requests were sent to workers. */
async function timeOutAfter(requests: number): Promise<void> {
  await expect.poll(() => asked.length).toBe(requests)
  for (const run of timeouts) run()
}

const noting = (worker: WorkerProcess): WorkerProcess => ({
  ...worker,
  send(message) {
    if (message.kind === 'ask' && message.name === 'thumbnail') asked.push(message.input.path)
    worker.send(message)
  },
})

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mediatray-pictures-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))
const closeAll = () => {
  pictures.close()
  workers = 0
}
afterEach(() => {
  asked.length = 0
  if (pictures !== shared) closeAll()
})

async function photo(name: string, width: number, height: number): Promise<string> {
  const path = join(folder, name)
  await sharp({ create: { width, height, channels: 3, background: '#c04020' } }).toFile(path)
  return path
}

async function seen(picture: EncodedImage | undefined) {
  if (picture === undefined) return undefined
  const { format, width, height, space } = await sharp(picture.bytes).metadata()
  return { type: picture.type, format, width, height, space }
}

const squareOf = (image: Sharp) =>
  image.resize(16, 16, { fit: 'cover' }).removeAlpha().toColourspace('srgb').raw().toBuffer()

/** Sums the differences of all pixel values. */
const difference = (one: Buffer, other: Buffer): number =>
  one.reduce((sum, value, at) => sum + Math.abs(value - (other[at] ?? 0)), 0)

describe('thumbnails of the real worker', () => {
  beforeAll(() => {
    shared = open(WORKER)
  })
  afterAll(closeAll)

  it('crop a photo to a square', async () => {
    const path = await photo('wide.jpg', 3_000, 1_000)
    expect(await seen(await pictures.thumbnail(path, 72))).toEqual({
      type: 'image/webp',
      format: 'webp',
      width: 72,
      height: 72,
      space: 'srgb',
    })
  })

  it('enlarge smaller images to fill the square', async () => {
    const path = await photo('small.png', 40, 30)
    expect(await seen(await pictures.thumbnail(path, 72))).toMatchObject({
      width: 72,
      height: 72,
    })
  })

  it('show a rotated photo upright', async () => {
    const picture = await pictures.thumbnail(UPRIGHT, 72)
    const shown = await squareOf(sharp(picture?.bytes))
    const upright = await squareOf(sharp(await sharp(UPRIGHT).autoOrient().toBuffer()))
    const lying = await squareOf(sharp(UPRIGHT))
    expect(difference(shown, upright)).toBeLessThan(difference(shown, lying) / 3)
  })

  it('preserve transparency', async () => {
    const path = join(folder, 'glass.png')
    await sharp({ create: { width: 90, height: 90, channels: 4, background: '#00ff0080' } }).toFile(path)
    const picture = await pictures.thumbnail(path, 56)
    expect((await sharp(picture?.bytes).metadata()).hasAlpha).toBe(true)
  })

  it('show a frame from within a video', async () => {
    expect(await seen(await pictures.thumbnail(SUNRISE, 56))).toMatchObject({ width: 56, height: 56 })
    const large = await pictures.thumbnail(SUNRISE, 256)
    const { channels } = await sharp(large?.bytes).stats()
    expect(Math.max(...channels.map(({ max, min }) => max - min))).toBeGreaterThan(50)
  })

  it('are missing for files that can’t be read as images or videos, and the worker continues', async () => {
    const noPhoto = join(folder, 'words.jpg')
    const noVideo = join(folder, 'words.mp4')
    await writeFile(noPhoto, 'only words')
    await writeFile(noVideo, 'only words')
    const none = [noPhoto, noVideo, join(folder, 'nowhere.png'), folder].map((path) =>
      pictures.thumbnail(path, 56),
    )
    expect(await Promise.all(none)).toEqual([undefined, undefined, undefined, undefined])
    expect(await pictures.thumbnail(await photo('good.webp', 100, 100), 56)).toBeDefined()
    expect(workers).toBe(1)
  })
})

it('thumbnails are prepared in order, and not again when they are requested', async () => {
  const paths = await Promise.all([1, 2, 3, 4, 5].map((number) => photo(`seen-${number}.png`, 40, 30)))
  open(WORKER)
  pictures.prefetch(
    paths.map((path) => ({ path })),
    56,
  )
  const made = await Promise.all(paths.map((path) => pictures.thumbnail(path, 56)))
  expect(made.every((picture) => picture !== undefined)).toBe(true)
  expect(asked).toEqual(paths)
})

describe('the process of the real worker', () => {
  it('that can’t be started leaves a file without a thumbnail', async () => {
    pictures = createThumbnails({
      startWorker: () =>
        startWorker('thumbnails', {
          path: WORKER,
          node: join(folder, 'no-such-node'),
          confinement: PERMISSIONS,
        }),
      after,
    })
    expect(await pictures.thumbnail(UPRIGHT, 72)).toBeUndefined()
  })

  itInLongSuite('runs at a lower priority, and exits when its parent has ended', async () => {
    const worker = spawn(process.execPath, [WORKER, 'thumbnails'], {
      stdio: ['pipe', 'ignore', 'ignore', 'pipe'],
    })
    const request: Ask = { kind: 'ask', id: 1, name: 'thumbnail', input: { path: UPRIGHT, pixels: 56 } }
    for (const part of frameOf(request)) worker.stdin?.write(part)
    const answers = worker.stdio[3]
    await new Promise((resolve) => answers?.once('data', resolve))
    expect(getPriority(worker.pid)).toBeGreaterThanOrEqual(constants.priority.PRIORITY_BELOW_NORMAL)
    worker.stdin?.end()
    expect(await once(worker, 'exit')).toEqual([0, null])
  })
})

/** Requests these thumbnails together. */
const thumbnails = (...paths: readonly string[]) =>
  Promise.all(paths.map((path) => pictures.thumbnail(path, 56)))

describe('the request queue', () => {
  it('handles the latest request first', async () => {
    open(ODD)
    await thumbnails('/one.jpg', '/two.jpg', '/three.jpg', '/four.jpg')
    expect(asked).toEqual(['/one.jpg', '/two.jpg', '/four.jpg', '/three.jpg'])
  })

  it('renders an image once, however often it is requested', async () => {
    open(ODD)
    const [first, second] = await thumbnails('/a.jpg', '/a.jpg')
    expect(second).toBe(first)
    expect(await pictures.thumbnail('/a.jpg', 56)).toBe(first)
    expect(asked).toEqual(['/a.jpg'])
    await pictures.thumbnail('/a.jpg', 72)
    expect(asked).toHaveLength(2)
  })

  it('drops the oldest requests if there are too many, and renders their images when requested again', async () => {
    open(ODD)
    const paths = Array.from({ length: 150 }, (_, place) => `/${place}.jpg`)
    const made = await thumbnails(...paths)
    const unmade = paths.filter((_, place) => made[place] === undefined)
    expect(unmade).toEqual(paths.slice(2, 30))
    expect(await pictures.thumbnail('/5.jpg', 56)).toBeDefined()
  })

  itInLongSuite('loses only the image that crashes the worker', async () => {
    open(ODD)
    const [crashed, fine] = await thumbnails('/crash.jpg', '/fine.jpg')
    expect(crashed).toBeUndefined()
    expect(fine).toBeDefined()
    expect(asked.filter((path) => path === '/crash.jpg')).toHaveLength(2)
  })

  itInLongSuite('tries an image again later if someone else ended its workers', async () => {
    const path = join(folder, 'killed twice.jpg')
    open(ODD)
    expect(await pictures.thumbnail(path, 56)).toBeUndefined()
    expect(await pictures.thumbnail(path, 56)).toBeDefined()
    expect(await pictures.thumbnail(path, 56)).toBeDefined()
    expect(asked).toEqual([path, path, path])
  })

  itInLongSuite('kills a hanging worker, and continues with the next image', async () => {
    open(ODD)
    const [hung, fine] = ['/hang.jpg', '/fine.jpg'].map((path) => pictures.thumbnail(path, 56))
    await timeOutAfter(2)
    expect(await fine).toBeDefined()
    await timeOutAfter(4)
    expect(await hung).toBeUndefined()
    // Neither request received a response, so each is retried alone.
    expect(asked.slice(0, 2)).toEqual(['/hang.jpg', '/fine.jpg'])
    expect(asked.slice(2).toSorted()).toEqual(['/fine.jpg', '/hang.jpg'])
    expect(workers).toBe(2)
  })

  itInLongSuite('retries a request if the idle worker exits at that moment', async () => {
    open(ODD)
    expect(await pictures.thumbnail(join(folder, 'leave once'), 56)).toBeDefined()
    expect(workers).toBe(2)
  })

  it('kills a worker that hangs with a single image, without retrying that image', async () => {
    open(ODD)
    const hung = pictures.thumbnail('/hang.jpg', 56)
    await timeOutAfter(1)
    expect(await hung).toBeUndefined()
    expect(await pictures.thumbnail('/fine.jpg', 56)).toBeDefined()
    expect(asked).toEqual(['/hang.jpg', '/fine.jpg'])
    expect(workers).toBe(2)
  })

  it('renders at most two images at a time', async () => {
    open(ODD)
    const waiting = thumbnails('/hang.jpg', '/b.jpg', '/c.jpg')
    expect(asked).toEqual(['/hang.jpg', '/b.jpg'])
    pictures.close()
    await waiting
  })

  it('starts its process before the first request, and starts only one', async () => {
    open(ODD)
    pictures.prepare()
    pictures.prepare()
    expect(await pictures.thumbnail('/fine.jpg', 56)).toBeDefined()
    expect(workers).toBe(1)
  })

  it('leaves no request pending when it is closed', async () => {
    open(ODD)
    const waiting = thumbnails('/hang.jpg', '/fine.jpg')
    pictures.close()
    expect(await waiting).toEqual([undefined, undefined])
  })
})

/** `npm test` takes one file of twelve. */
const files = mediaCorpus().filter((_, index) => isLongSuite || index % 12 === 0)

describe.skipIf(files.length === 0)('real files of all kinds', () => {
  it('have a thumbnail that fills its square', async () => {
    open(WORKER)
    const wrong: string[] = []
    for (const { file, path, expect: wanted } of files) {
      const picture = await seen(await pictures.thumbnail(path, 72))
      if (wanted === 'reject') continue
      if (picture?.width !== 72 || picture.height !== 72) wrong.push(file)
    }
    expect(wrong).toEqual([])
    expect(workers).toBe(1)
  })

  it('are upright and keep their proportions until they are cropped, including videos', async () => {
    const wrong: string[] = []
    for (const { file, path, kind, expect: wanted, width, height } of files) {
      if (kind === 'image' || wanted === 'reject') continue
      const picture = await representativeFrame(path, 72)
      const share = (picture.width * (height ?? 0)) / (picture.height * (width ?? 0))
      if (Math.abs(share - 1) > 0.03) wrong.push(`${file}: ${picture.width} × ${picture.height}`)
    }
    expect(wrong).toEqual([])
  })
})
