import { failure } from '../../src/shared/failure/failure.ts'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import {
  PREVIEW_DEBOUNCE_MS,
  createPreviewModel,
  type PreviewModel,
} from '../../src/renderer/preview/preview-model.ts'
import type { Bridge } from '../../src/shared/ipc/contract.ts'
import type { MediaItem } from '../../src/shared/model/media-item.ts'
import type { VideoPlayer } from '../../src/renderer/preview/video-player.ts'
import type {
  VideoTrack,
  PreviewVideo,
  PreviewPart,
  PreviewPixels,
  PreviewQuality,
  PreviewWhole,
  PreviewRequest,
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
/** The start time in each request for a sample or an estimate. */
let starts: (number | null)[]
let played: (video: PreviewVideo) => Pick<VideoPlayer, 'video' | 'close'>
let measuring: PromiseWithResolvers<PreviewQuality>
let view: { width: number; height: number; isWhole: boolean; middle: null }

/** Simulates responses from the main process, which arrive when the test sends them. */
const answered = <Answer>(call: string, request: PreviewRequest): Promise<Answer> => {
  starts.push(request.start)
  const name = `${call} ${String(request.preset['quality'])}`
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

const videoAt = (start: number): PreviewVideo => {
  const size = { width: 640, height: 360 }
  const before: VideoTrack = { ...size, pictures: [], bytes: new Uint8Array(), colors: 'bt709' }
  return {
    extent: size,
    original: size,
    isHdr: false,
    before,
    after: null,
    start,
    seconds: 2.5,
    videoSeconds: 60,
  }
}

beforeEach(() => {
  measuring = Promise.withResolvers()
  vi.useFakeTimers()
  asked = []
  starts = []
  answers = new Map()
  view = { width: 500, height: 500, isWhole: false, middle: null }
  const preview = {
    part: (request: PreviewRequest) => answered<PreviewPart>('part', request),
    whole: (request: PreviewRequest) => answered<PreviewWhole>('whole', request),
    quality: () => measuring.promise,
    stop: () => Promise.resolve(void asked.push('stop')),
  } as unknown as Bridge['preview']
  model = createPreviewModel({
    bridge: { preview },
    lookedAt: () => view,
    load: () => Promise.resolve(),
    play: (video) => Promise.resolve(played(video) as VideoPlayer),
  })
})
afterEach(() => vi.useRealTimers())

const want = async (quality: number): Promise<void> => {
  model.want({ quality }, 'image', PREVIEW_DEBOUNCE_MS)
  await vi.advanceTimersByTimeAsync(0)
}
const rest = () => vi.advanceTimersByTimeAsync(PREVIEW_DEBOUNCE_MS)
/** Requests the preview of a photo. */
async function begin(): Promise<void> {
  model.take(photo('a.jpg'))
  await want(80)
  await rest()
}

describe('a preview in the window', () => {
  it('requests the visible part, then the whole image, and shows the file size', async () => {
    await begin()
    await give('part 80', part('a'))
    expect(model.pixels.value?.after).toBe('a after')
    expect(model.state.value).toEqual({ kind: 'making', isStale: false })
    await give('whole 80', whole('A', 612_000))
    expect(asked).toEqual(['part 80', 'whole 80'])
    expect(model.state.value).toEqual({ kind: 'fine' })
    expect(model.measured.value?.bytes).toBe(612_000)
    expect(model.middle.value).toEqual({ x: 0.2, y: 0.2 })
  })

  it('shows the size before the quality is measured, and drops a measurement of older settings', async () => {
    await begin()
    await give('part 80', part('a'))
    await give('whole 80', whole('A', 612_000))
    expect([model.state.value.kind, model.quality.value]).toEqual(['fine', 'measuring'])
    const first = measuring
    measuring = Promise.withResolvers()
    await want(70)
    await rest()
    first.resolve({ kind: 'measured', quality: { score: 80, isSampled: true } })
    await give('part 70', part('b'))
    await give('whole 70', whole('B', 512_000))
    expect(model.quality.value).toBe('measuring')
    measuring.resolve({ kind: 'measured', quality: { score: 70, isSampled: true } })
    await vi.advanceTimersByTimeAsync(0)
    expect(model.quality.value).toEqual({ score: 70, isSampled: true })
  })

  it('has an unknown quality if the measurement fails', async () => {
    await begin()
    await give('part 80', part('a'))
    await give('whole 80', whole('A', 612_000))
    measuring.reject(new Error('The viewer has ended.'))
    await vi.advanceTimersByTimeAsync(0)
    expect([model.state.value.kind, model.quality.value]).toEqual(['fine', null])
  })

  it('waits until a control is stable: requests one preview for twenty steps of a slider', async () => {
    model.take(photo('a.jpg'))
    for (let quality = 60; quality < 80; quality += 1) {
      await want(quality)
      await vi.advanceTimersByTimeAsync(PREVIEW_DEBOUNCE_MS - 1)
    }
    expect(asked).toEqual([])
    await rest()
    expect(asked).toEqual(['part 79'])
  })

  it('keeps the old image and its numbers, marks them as outdated, and drops responses for older settings', async () => {
    await begin()
    await give('part 80', part('a'))
    await give('whole 80', whole('A', 612_000))
    await want(40)
    expect(model.state.value).toEqual({ kind: 'making', isStale: true })
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

  it('shows a failure, and retries immediately', async () => {
    await begin()
    await give('part 80', { kind: 'failed', failure: failure('fileEmpty') })
    expect(model.state.value).toEqual({ kind: 'failed', failure: failure('fileEmpty') })
    model.tryAgain()
    await vi.advanceTimersByTimeAsync(0)
    expect(asked).toEqual(['part 80', 'part 80'])
  })

  it('requests only the whole image if all of it is visible', async () => {
    view = { ...view, isWhole: true }
    await begin()
    expect(asked).toEqual(['whole 80'])
  })

  it('requests another part when a missing one becomes visible', async () => {
    await begin()
    await give('part 80', part('a'))
    model.lookAgain()
    await rest()
    // The center of the image is outside the requested part.
    expect(asked).toEqual(['part 80', 'whole 80', 'part 80'])
  })

  it('drops the image when another file is selected, and stops when it is no longer visible', async () => {
    await begin()
    await give('part 80', part('a'))
    model.take(photo('b.jpg'))
    expect([model.pixels.value, model.measured.value, model.middle.value]).toEqual([null, null, null])
    model.end()
    await rest()
    expect(asked.at(-1)).toBe('stop')
  })

  it('plays a video from its start position, and replaces it when a new one arrives', async () => {
    const video: MediaItem = { ...photo('a.mp4'), kind: 'video' }
    const closed: number[] = []
    played = (video) => ({ video, close: () => closed.push(video.start) })
    model.take(video)
    model.want({ quality: 80 }, 'video', 0)
    await rest()
    await give('part 80', { kind: 'video', video: videoAt(42), quality: null })
    expect(model.video.value?.video.start).toBe(42)
    await give('whole 80', { kind: 'estimated', bytes: 1, refused: null, originalBytes: 2, milliseconds: 3 })
    expect(model.state.value).toEqual({ kind: 'fine' })
    model.beginAt(7)
    expect(model.state.value).toEqual({ kind: 'making', isStale: true })
    await rest()
    await give('part 80', { kind: 'video', video: videoAt(7), quality: null })
    expect([model.video.value?.video.start, closed]).toEqual([7, [42]])
    expect(starts).toEqual([null, null, 7, 7])
    model.take(photo('b.jpg'))
    expect([model.video.value, closed]).toEqual([null, [42, 7]])
    // The file isn't a video: nothing is requested until photos are selected.
    await rest()
    expect(asked).toEqual(['part 80', 'whole 80', 'part 80', 'whole 80'])
  })
})
