import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import {
  AT_REST_MS,
  createPreviewModel,
  type PreviewModel,
} from '../../src/renderer/preview/preview-model.ts'
import type { Bridge } from '../../src/shared/ipc/contract.ts'
import type { MediaItem } from '../../src/shared/model/media-item.ts'
import type { FilmPlayer } from '../../src/renderer/preview/film-player.ts'
import type {
  FilmTrack,
  PreviewFilm,
  PreviewPart,
  PreviewPixels,
  PreviewWhole,
  PreviewWish,
} from '../../src/shared/model/preview.ts'

const photo = (name: string): MediaItem => ({
  path: `/home/ida/${name}`,
  name,
  kind: 'image',
  size: 4_100_000,
})
const pixelsOf = (name: string): PreviewPixels => ({
  extent: { width: 2_048, height: 1_536 },
  original: { width: 4_032, height: 3_024 },
  area: { left: 0, top: 0, width: 640, height: 640 },
  before: `${name} before`,
  after: `${name} after`,
})

let asked: string[]
let answers: Map<string, (answer: never) => void>
let model: PreviewModel
/** Where each sample was asked to begin. */
let starts: (number | null)[]
let played: (film: PreviewFilm) => Pick<FilmPlayer, 'film' | 'close'>
let view: { width: number; height: number; isWhole: boolean; middle: null }

/** Main's answers come when a test gives them. */
const answered = <Answer>(call: string, wish: PreviewWish): Promise<Answer> => {
  starts.push(wish.start)
  const name = `${call} ${String(wish.preset['quality'])}`
  asked.push(name)
  const { promise, resolve } = Promise.withResolvers<Answer>()
  answers.set(name, resolve)
  return promise
}
const give = async (name: string, answer: PreviewPart | PreviewWhole): Promise<void> => {
  answers.get(name)?.(answer as never)
  await vi.advanceTimersByTimeAsync(0)
}
const part = (name: string): PreviewPart => ({
  kind: 'part',
  pixels: pixelsOf(name),
  middle: { x: 0.2, y: 0.2 },
})
const whole = (name: string, bytes: number): PreviewWhole => ({
  kind: 'whole',
  pixels: { ...pixelsOf(name), area: { left: 0, top: 0, width: 2_048, height: 1_536 } },
  bytes,
  refused: null,
  originalBytes: 4_100_000,
  milliseconds: 300,
  notes: [],
})

const filmAt = (start: number): PreviewFilm => {
  const size = { width: 640, height: 360 }
  const before: FilmTrack = { ...size, pictures: [], bytes: new Uint8Array(), colours: 'bt709' }
  return {
    extent: size,
    original: size,
    isHdr: false,
    before,
    after: null,
    start,
    seconds: 2.5,
    filmSeconds: 60,
  }
}

beforeEach(() => {
  vi.useFakeTimers()
  asked = []
  starts = []
  answers = new Map()
  view = { width: 500, height: 500, isWhole: false, middle: null }
  const preview = {
    part: (wish: PreviewWish) => answered<PreviewPart>('part', wish),
    whole: (wish: PreviewWish) => answered<PreviewWhole>('whole', wish),
    stop: () => Promise.resolve(void asked.push('stop')),
  } as unknown as Bridge['preview']
  model = createPreviewModel({
    bridge: { preview },
    lookedAt: () => view,
    load: () => Promise.resolve(),
    play: (film) => Promise.resolve(played(film) as FilmPlayer),
  })
})
afterEach(() => vi.useRealTimers())

const want = async (quality: number): Promise<void> => {
  model.want({ quality }, 'image', AT_REST_MS)
  await vi.advanceTimersByTimeAsync(0)
}
const rest = () => vi.advanceTimersByTimeAsync(AT_REST_MS)

describe('a preview in the window', () => {
  it('asks for the part in view, then for the whole, and knows its size', async () => {
    model.take(photo('a.jpg'))
    await want(80)
    await rest()
    await give('part 80', part('a'))
    expect(model.pixels.value?.after).toBe('a after')
    expect(model.stage.value).toEqual({ kind: 'making', isOld: false })
    await give('whole 80', whole('A', 612_000))
    expect(asked).toEqual(['part 80', 'whole 80'])
    expect(model.stage.value).toEqual({ kind: 'fine' })
    expect(model.measured.value?.bytes).toBe(612_000)
    expect(model.middle.value).toEqual({ x: 0.2, y: 0.2 })
  })

  it('waits until a control stands still: of twenty steps of a slider, one is asked for', async () => {
    model.take(photo('a.jpg'))
    for (let quality = 60; quality < 80; quality += 1) {
      await want(quality)
      await vi.advanceTimersByTimeAsync(AT_REST_MS - 1)
    }
    expect(asked).toEqual([])
    await rest()
    expect(asked).toEqual(['part 79'])
  })

  it('keeps the old picture and its numbers, marked, and drops what comes for older settings', async () => {
    model.take(photo('a.jpg'))
    await want(80)
    await rest()
    await give('part 80', part('a'))
    await give('whole 80', whole('A', 612_000))
    await want(40)
    expect(model.stage.value).toEqual({ kind: 'making', isOld: true })
    expect(model.pixels.value?.after).toBe('A after')
    await rest()
    await want(30)
    await give('part 40', part('forty'))
    expect(model.pixels.value?.after).toBe('A after')
    await rest()
    await give('part 30', part('thirty'))
    expect(model.pixels.value?.after).toBe('thirty after')
    expect(model.measured.value?.bytes).toBe(612_000)
    expect(asked).toEqual(['part 80', 'whole 80', 'part 40', 'part 30', 'whole 30'])
  })

  it('says what failed, and tries again at once', async () => {
    model.take(photo('a.jpg'))
    await want(80)
    await rest()
    await give('part 80', { kind: 'failed', reason: 'The file is not there any more.' })
    expect(model.stage.value).toEqual({ kind: 'failed', reason: 'The file is not there any more.' })
    model.tryAgain()
    await vi.advanceTimersByTimeAsync(0)
    expect(asked).toEqual(['part 80', 'part 80'])
  })

  it('asks for the whole alone where all of it is in view', async () => {
    view = { ...view, isWhole: true }
    model.take(photo('a.jpg'))
    await want(80)
    await rest()
    expect(asked).toEqual(['whole 80'])
  })

  it('asks for another part where one came into view that is not there', async () => {
    model.take(photo('a.jpg'))
    await want(80)
    await rest()
    await give('part 80', part('a'))
    model.lookAgain()
    await rest()
    // The middle of the picture is not in the part that was asked for.
    expect(asked).toEqual(['part 80', 'whole 80', 'part 80'])
  })

  it('forgets the picture of another file, and says when nobody looks any more', async () => {
    model.take(photo('a.jpg'))
    await want(80)
    await rest()
    await give('part 80', part('a'))
    model.take(photo('b.jpg'))
    expect([model.pixels.value, model.measured.value, model.middle.value]).toEqual([null, null, null])
    model.end()
    await rest()
    expect(asked.at(-1)).toBe('stop')
  })

  it('plays a film from its place, and the new one in the place of the old', async () => {
    const video: MediaItem = { ...photo('a.mp4'), kind: 'video' }
    const closed: number[] = []
    played = (film) => ({ film, close: () => closed.push(film.start) })
    model.take(video)
    model.want({ quality: 80 }, 'video', 0)
    await rest()
    await give('part 80', { kind: 'film', film: filmAt(42) })
    expect(model.film.value?.film.start).toBe(42)
    await give('whole 80', { kind: 'reckoned', bytes: 1, refused: null, originalBytes: 2, milliseconds: 3 })
    expect(model.stage.value).toEqual({ kind: 'fine' })
    model.beginAt(7)
    expect(model.stage.value).toEqual({ kind: 'making', isOld: true })
    await rest()
    await give('part 80', { kind: 'film', film: filmAt(7) })
    expect([model.film.value?.film.start, closed]).toEqual([7, [42]])
    expect(starts).toEqual([null, null, 7, 7])
    model.take(photo('b.jpg'))
    expect([model.film.value, closed]).toEqual([null, [42, 7]])
    // It is no film: nothing is asked for until photos are wanted.
    await rest()
    expect(asked).toEqual(['part 80', 'whole 80', 'part 80', 'whole 80'])
  })
})
