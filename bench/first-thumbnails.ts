/**
 * Measures the time from the drop of 12-megapixel photos until the first thumbnail is shown, and until all thumbnails in view are shown.
 * The floor is the time for decoding them with the same library.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { join } from 'node:path'
import sharp from 'sharp'
import { timed } from './measure.ts'
import { atMostTimes, type BenchRow } from './row.ts'
import { makePhotos } from './sample-photos.ts'
import { startOffline } from './start-app.ts'
import { temporaryFolder } from './temporary-folder.ts'

const ROUNDS = 5
const PHOTOS = 24
/** The duration of a short drag, from the edge of the window to its center. */
const DRAG_MS = 400
/** The edge of a thumbnail in the draft, in device pixels. */
const PIXELS = 56

export async function firstThumbnails(): Promise<readonly BenchRow[]> {
  await using folder = await temporaryFolder()
  const paths = await makePhotos(join(folder.path, 'photos'), PHOTOS)
  const rounds: Round[] = []
  for (let round = 0; round < ROUNDS; round++) {
    const seen = await untilSeen(paths)
    const one = await timed(() => decode(paths.slice(0, 1)))
    rounds.push({ ...seen, one, each: await timed(() => decode(paths.slice(0, seen.count))) })
  }
  // Other programs can only slow a round down.
  const of = (value: keyof Round): number => Math.min(...rounds.map((round) => round[value]))
  return [
    atMostTimes(
      'thumbnails of dropped photos: the first',
      of('first'),
      'ms',
      { floor: of('one'), most: 7 },
      `fastest of ${ROUNDS} drops, each ${DRAG_MS} ms after the drag entered the window; the floor is decoding one photo with sharp; the stand-in first asks Chromium for each path`,
    ),
    atMostTimes(
      'thumbnails of dropped photos: all in view',
      of('all'),
      'ms',
      { floor: of('each'), most: 2.4 },
      `fastest of ${ROUNDS}; ${of('count')} in view of ${PHOTOS} photos of 12 megapixels; the floor is decoding these with sharp, two at a time`,
    ),
  ]
}

/** Decodes photos to thumbnails, two at a time, as the app does. */
async function decode(paths: readonly string[]): Promise<void> {
  sharp.concurrency(1)
  sharp.cache(false)
  const waiting = [...paths]
  const work = async (): Promise<void> => {
    for (let path = waiting.shift(); path !== undefined; path = waiting.shift())
      await sharp(path).resize(PIXELS, PIXELS, { fit: 'cover' }).webp({ quality: 75, effort: 2 }).toBuffer()
  }
  await Promise.all([work(), work()])
}

/** Drops the files some time after the pointer has entered the window, as in a real drag. @returns times since the drop, in ms */
async function untilSeen(paths: readonly string[]): Promise<Seen> {
  await using app = await startOffline()
  const page = await app.page()
  await page.locator('.job-pane').waitFor()
  const seen = page.evaluate<Seen>(UNTIL_SEEN)
  const drop = await app.dragFiles('.job-pane', paths)
  await sleep(DRAG_MS)
  const before = performance.now()
  await drop()
  const { first, all, count } = await seen
  return { first: first - before, all: all - before, count }
}

type Round = Seen & {
  /** Time for decoding one photo without the app, in ms. */
  readonly one: number
  /** Time for decoding all photos in view without the app, in ms. */
  readonly each: number
}

/** Times in ms on the clock of the benchmark's process, and the number of thumbnails in view. */
type Seen = { readonly first: number; readonly all: number; readonly count: number }

// A thumbnail counts as shown from the frame that paints it. Which ones are in view isn't known until the rows exist.
const UNTIL_SEEN = `new Promise((resolve) => {
  const skew = Date.now() - performance.now() - ${Date.now()} + ${performance.now()}
  let first
  const check = () => {
    const images = [...document.querySelectorAll('.job-pane .thumbnail img')].filter((image) => {
      const { top, bottom } = image.getBoundingClientRect()
      return bottom > 0 && top < innerHeight
    })
    const shown = images.filter((image) => 'loaded' in image.dataset)
    if (shown.length > 0) first ??= performance.now() + skew
    if (shown.length > 0 && shown.length === images.length)
      return resolve({ first, all: performance.now() + skew, count: shown.length })
    requestAnimationFrame(check)
  }
  check()
})`
