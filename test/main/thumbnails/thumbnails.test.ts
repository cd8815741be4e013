import { fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { constants, getPriority, tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import sharp, { type Sharp } from 'sharp'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { createThumbnails, type Picture, type Thumbnails } from '../../../src/main/thumbnails/thumbnails.ts'
import { PERMISSIONS } from '../../../src/node/confinement.ts'
import type { ThumbnailRequest } from '../../../src/media/protocol.ts'
import { type PictureWorker, startPictureWorker } from '../../../src/media/start-worker.ts'
import { typicalPicture } from '../../../src/media/video/typical-picture.ts'
import { THUMBNAIL_WORKER } from '../../entries.ts'
import { mediaCorpus } from '../../media-corpus.ts'

const ODD = fileURLToPath(new URL('./odd-thumbnail-worker.ts', import.meta.url))
/** The odd worker notes in a file that it was there. */
const ODD_MAY_WRITE = {
  ...PERMISSIONS,
  startFor: () => PERMISSIONS.startFor({ writable: [tmpdir()] }),
}
const SUNRISE = fileURLToPath(new URL('../../../assets/samples/sunrise.mp4', import.meta.url))
const UPRIGHT = fileURLToPath(new URL('../../../assets/samples/dawn-upright.jpg', import.meta.url))

let folder: string
let pictures: Thumbnails
let workers = 0
const asked: string[] = []

function open(path: string, patience = 60_000): Thumbnails {
  pictures = createThumbnails({
    startWorker() {
      workers += 1
      const confinement = path === ODD ? ODD_MAY_WRITE : PERMISSIONS
      return noting(startPictureWorker({ path, confinement }))
    },
    patience,
    setTimer: (run, ms) => setTimeout(run, ms),
  })
  return pictures
}

const noting = (worker: PictureWorker): PictureWorker => ({
  ...worker,
  send(request: ThumbnailRequest) {
    asked.push(request.path)
    worker.send(request)
  },
})

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mediatray-pictures-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))
afterEach(() => {
  pictures.close()
  workers = 0
  asked.length = 0
})

async function photo(name: string, width: number, height: number): Promise<string> {
  const path = join(folder, name)
  await sharp({ create: { width, height, channels: 3, background: '#c04020' } }).toFile(path)
  return path
}

async function seen(picture: Picture | undefined) {
  if (picture === undefined) return undefined
  const { format, width, height, space } = await sharp(picture.bytes).metadata()
  return { type: picture.type, format, width, height, space }
}

const squareOf = (image: Sharp) =>
  image.resize(16, 16, { fit: 'cover' }).removeAlpha().toColourspace('srgb').raw().toBuffer()

/** The sum over all values. */
const difference = (one: Buffer, other: Buffer): number =>
  one.reduce((sum, value, at) => sum + Math.abs(value - (other[at] ?? 0)), 0)

describe('pictures made by the real worker', () => {
  it('cuts a photo to a square', async () => {
    const path = await photo('wide.jpg', 3_000, 1_000)
    open(THUMBNAIL_WORKER)
    expect(await seen(await pictures.thumbnail(path, 72))).toEqual({
      type: 'image/webp',
      format: 'webp',
      width: 72,
      height: 72,
      space: 'srgb',
    })
  })

  it('fills the square with what is smaller', async () => {
    const path = await photo('small.png', 40, 30)
    expect(await seen(await open(THUMBNAIL_WORKER).thumbnail(path, 72))).toMatchObject({
      width: 72,
      height: 72,
    })
  })

  it('shows a photo upright that is stored lying on its side', async () => {
    const picture = await open(THUMBNAIL_WORKER).thumbnail(UPRIGHT, 72)
    const shown = await squareOf(sharp(picture?.bytes))
    const upright = await squareOf(sharp(await sharp(UPRIGHT).autoOrient().toBuffer()))
    const lying = await squareOf(sharp(UPRIGHT))
    expect(difference(shown, upright)).toBeLessThan(difference(shown, lying) / 3)
  })

  it('keeps what can be seen through', async () => {
    const path = join(folder, 'glass.png')
    await sharp({ create: { width: 90, height: 90, channels: 4, background: '#00ff0080' } }).toFile(path)
    const picture = await open(THUMBNAIL_WORKER).thumbnail(path, 56)
    expect((await sharp(picture?.bytes).metadata()).hasAlpha).toBe(true)
  })

  it('shows a video by a picture from inside it', async () => {
    open(THUMBNAIL_WORKER)
    expect(await seen(await pictures.thumbnail(SUNRISE, 56))).toMatchObject({ width: 56, height: 56 })
    const large = await pictures.thumbnail(SUNRISE, 256)
    const { channels } = await sharp(large?.bytes).stats()
    expect(Math.max(...channels.map(({ max, min }) => max - min))).toBeGreaterThan(50)
  })

  it('has nothing to show for what is no picture, and goes on', async () => {
    const noPhoto = join(folder, 'words.jpg')
    const noVideo = join(folder, 'words.mp4')
    await writeFile(noPhoto, 'only words')
    await writeFile(noVideo, 'only words')
    open(THUMBNAIL_WORKER)
    const none = [noPhoto, noVideo, join(folder, 'nowhere.png'), folder].map((path) =>
      pictures.thumbnail(path, 56),
    )
    expect(await Promise.all(none)).toEqual([undefined, undefined, undefined, undefined])
    expect(await pictures.thumbnail(await photo('good.webp', 100, 100), 56)).toBeDefined()
    expect(workers).toBe(1)
  })
})

it('what is foreseen is made in its order, and not a second time when it is asked for', async () => {
  const paths = await Promise.all([1, 2, 3, 4, 5].map((number) => photo(`seen-${number}.png`, 40, 30)))
  open(THUMBNAIL_WORKER)
  pictures.foresee(paths, 56)
  const made = await Promise.all(paths.map((path) => pictures.thumbnail(path, 56)))
  expect(made.every((picture) => picture !== undefined)).toBe(true)
  expect(asked).toEqual(paths)
})

describe('the process of the real worker', () => {
  it('that can not be started leaves a file without a picture', async () => {
    pictures = createThumbnails({
      startWorker: () =>
        startPictureWorker({
          path: THUMBNAIL_WORKER,
          node: join(folder, 'no-such-node'),
          confinement: PERMISSIONS,
        }),
      setTimer: (run, ms) => setTimeout(run, ms),
    })
    expect(await pictures.thumbnail(UPRIGHT, 72)).toBeUndefined()
  })

  it('works at a lower priority, and ends when its parent is gone', async () => {
    const worker = fork(THUMBNAIL_WORKER, {
      serialization: 'advanced',
      execArgv: ['--disable-warning=ExperimentalWarning'],
    })
    worker.send({ id: 1, path: UPRIGHT, pixels: 56 } satisfies ThumbnailRequest)
    await once(worker, 'message')
    expect(getPriority(worker.pid)).toBeGreaterThanOrEqual(constants.priority.PRIORITY_BELOW_NORMAL)
    worker.disconnect()
    expect(await once(worker, 'exit')).toEqual([0, null])
  })
})

describe('the line of wishes', () => {
  it('makes first what was asked for last', async () => {
    open(ODD)
    await Promise.all(
      ['/one.jpg', '/two.jpg', '/three.jpg', '/four.jpg'].map((path) => pictures.thumbnail(path, 56)),
    )
    expect(asked).toEqual(['/one.jpg', '/two.jpg', '/four.jpg', '/three.jpg'])
  })

  it('makes a picture once, however often it is asked for', async () => {
    open(ODD)
    const [first, second] = await Promise.all([
      pictures.thumbnail('/a.jpg', 56),
      pictures.thumbnail('/a.jpg', 56),
    ])
    expect(second).toBe(first)
    expect(await pictures.thumbnail('/a.jpg', 56)).toBe(first)
    expect(asked).toEqual(['/a.jpg'])
    await pictures.thumbnail('/a.jpg', 72)
    expect(asked).toHaveLength(2)
  })

  it('gives up what scrolled by long ago, and makes it when it is asked for again', async () => {
    open(ODD)
    const paths = Array.from({ length: 150 }, (_, place) => `/${place}.jpg`)
    const made = await Promise.all(paths.map((path) => pictures.thumbnail(path, 56)))
    const unmade = paths.filter((_, place) => made[place] === undefined)
    expect(unmade).toEqual(paths.slice(2, 30))
    expect(await pictures.thumbnail('/5.jpg', 56)).toBeDefined()
  })

  it('loses only the picture that brings the worker down', async () => {
    open(ODD)
    const [crashed, fine] = await Promise.all([
      pictures.thumbnail('/crash.jpg', 56),
      pictures.thumbnail('/fine.jpg', 56),
    ])
    expect(crashed).toBeUndefined()
    expect(fine).toBeDefined()
    expect(asked.filter((path) => path === '/crash.jpg')).toHaveLength(2)
  })

  it('ends a worker that hangs, and goes on with the next', async () => {
    open(ODD, 1_500)
    const [hung, fine] = await Promise.all([
      pictures.thumbnail('/hang.jpg', 56),
      pictures.thumbnail('/fine.jpg', 56),
    ])
    expect(hung).toBeUndefined()
    expect(fine).toBeDefined()
    // Neither had been answered, so that each was tried once more, alone.
    expect(asked.slice(0, 2)).toEqual(['/hang.jpg', '/fine.jpg'])
    expect(asked.slice(2).toSorted()).toEqual(['/fine.jpg', '/hang.jpg'])
    expect(workers).toBe(2)
  })

  it('asks again when an idle worker left just then', async () => {
    open(ODD)
    expect(await pictures.thumbnail(join(folder, 'leave once'), 56)).toBeDefined()
    expect(workers).toBe(2)
  })

  it('ends a worker that hangs with one picture alone, once', async () => {
    open(ODD, 1_500)
    expect(await pictures.thumbnail('/hang.jpg', 56)).toBeUndefined()
    expect(await pictures.thumbnail('/fine.jpg', 56)).toBeDefined()
    expect(asked).toEqual(['/hang.jpg', '/fine.jpg'])
    expect(workers).toBe(2)
  })

  it('makes two pictures at a time, and no third', async () => {
    open(ODD)
    const waiting = ['/hang.jpg', '/b.jpg', '/c.jpg'].map((path) => pictures.thumbnail(path, 56))
    expect(asked).toEqual(['/hang.jpg', '/b.jpg'])
    pictures.close()
    await Promise.all(waiting)
  })

  it('has its process started before the first wish, and only one', async () => {
    open(ODD)
    pictures.prepare()
    pictures.prepare()
    expect(await pictures.thumbnail('/fine.jpg', 56)).toBeDefined()
    expect(workers).toBe(1)
  })

  it('leaves nobody waiting when it is closed', async () => {
    open(ODD)
    const waiting = [pictures.thumbnail('/hang.jpg', 56), pictures.thumbnail('/fine.jpg', 56)]
    pictures.close()
    expect(await Promise.all(waiting)).toEqual([undefined, undefined])
  })
})

const files = mediaCorpus()

describe.skipIf(files.length === 0)('real files of all kinds', () => {
  it('have a picture that fills its square', async () => {
    open(THUMBNAIL_WORKER)
    const wrong: string[] = []
    for (const { file, path, expect: wanted } of files) {
      const picture = await seen(await pictures.thumbnail(path, 72))
      if (wanted === 'reject') continue
      if (picture?.width !== 72 || picture.height !== 72) wrong.push(file)
    }
    expect(wrong).toEqual([])
    expect(workers).toBe(1)
  })

  it('are upright and in their own proportions until they are cut, also videos', async () => {
    const wrong: string[] = []
    for (const { file, path, kind, expect: wanted, width, height } of files) {
      if (kind === 'image' || wanted === 'reject') continue
      const picture = await typicalPicture(path, 72)
      const share = (picture.width * (height ?? 0)) / (picture.height * (width ?? 0))
      if (Math.abs(share - 1) > 0.03) wrong.push(`${file}: ${picture.width} × ${picture.height}`)
    }
    expect(wrong).toEqual([])
  })
})
