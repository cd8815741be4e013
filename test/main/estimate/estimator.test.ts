import { describe, expect, it } from 'vitest'
import type { SizedFile } from '../../../src/main/estimate/choose-samples.ts'
import { createEstimator, type EstimateInput } from '../../../src/main/estimate/estimator.ts'
import type { Measurement } from '../../../src/main/estimate/extrapolate.ts'
import { estimateOnce, type Trials } from '../../../src/main/estimate/estimate.ts'
import type { Estimate } from '../../../src/shared/model/estimate.ts'
import { UNKNOWN_FAILURE } from '../../../src/shared/model/preview.ts'
import { Preset } from '../../../src/shared/preset/preset.ts'
import { sumOf } from '../../../src/shared/sum.ts'

const photo = (name: string, size = 1_000): SizedFile => ({ path: `/in/${name}`, kind: 'image', size })
const video = (name: string, size = 1_000): SizedFile => ({ path: `/in/${name}`, kind: 'video', size })
const photos = (count: number) =>
  Array.from({ length: count }, (_, index) => photo(`${index}.jpg`, 500 + index))

const subjectOf = (files: readonly SizedFile[], change: Partial<EstimateInput> = {}): EstimateInput => ({
  files,
  key: 'web',
  variations: 1,
  video: undefined,
  maxBytes: {},
  neverLarger: [],
  ...change,
})

const FULL_HD = 1920 * 1080
const UHD = 3840 * 2160

type Outcome = Measurement | null | 'broken'

/** Result sizes are scripted; the default is half of the original's size. */
function begin(input: EstimateInput | undefined, outcomes: Readonly<Record<string, Outcome>> = {}) {
  const now = { input, held: undefined as Promise<void> | undefined }
  const tried: string[] = []
  const stopped: string[] = []
  const told: (Estimate | null)[] = []
  const estimator = createEstimator({
    input: () => now.input,
    async measureFile({ path, size }, signal) {
      tried.push(path.slice(4))
      const aborted = new Promise<never>((_resolve, reject) => {
        signal.addEventListener('abort', () => {
          stopped.push(path.slice(4))
          reject(new Error('stopped'))
        })
      })
      if (now.held !== undefined) await Promise.race([now.held, aborted])
      const outcome = outcomes[path.slice(4)]
      if (outcome === 'broken') throw new Error('the worker broke')
      return outcome === undefined ? { bytes: size / 2, milliseconds: 100 } : outcome
    },
    cores: 2,
    onChange: (estimate) => told.push(estimate),
    log: () => {},
  })
  /** Shows the estimate and waits until it is complete. */
  async function complete(): Promise<Estimate | null> {
    estimator.setVisible(true)
    await estimator.whenIdle()
    return estimator.now()
  }
  return { now, tried, stopped, told, estimator, complete }
}

function known(estimate: Estimate | null) {
  if (estimate?.kind !== 'known') throw new Error(`No estimate: ${JSON.stringify(estimate)}`)
  return estimate
}

describe('an estimate', () => {
  it('is made again for another file at the same path', async () => {
    const { now, complete, estimator } = begin(subjectOf([photo('a.jpg', 1_000)]))
    expect(known(await complete()).bytes.likely).toBe(500)
    now.input = subjectOf([photo('a.jpg', 4_000)])
    estimator.refresh()
    expect(known(await complete()).bytes.likely).toBe(2_000)
  })

  it('tries no more samples than needed, and reports after each', async () => {
    const { complete, tried, told } = begin(subjectOf(photos(100)))
    await complete()
    // When all results are half the size of their originals, three samples are enough.
    expect(tried.length).toBeGreaterThanOrEqual(3)
    expect(tried.length).toBeLessThan(12)
    expect(told[0]).toEqual({ kind: 'unknown', why: 'counting' })
    const last = told.at(-1)
    expect(last).toMatchObject({ kind: 'known', inputBytes: 54_950, isGrowing: false, atMostBytes: null })
    expect(last?.kind === 'known' && last.bytes.likely).toBeCloseTo(27_475, 0)
    // Two photos are processed at a time, each a tenth slower than alone.
    expect(last?.kind === 'known' && last.milliseconds?.likely).toBeCloseTo(5_500, 0)
  })

  it('of one photo is that photo’s time, and of three about twice as much, because two run in parallel', async () => {
    for (const [count, likely] of [
      [1, 100],
      [3, 220],
    ] as const) {
      const { estimator, complete } = begin(subjectOf(photos(count)))
      await complete()
      expect(known(estimator.now()).milliseconds?.likely).toBeCloseTo(likely)
    }
  })

  it('counts the startup of the processes once, however many files there are', async () => {
    const started = { bytes: 250, milliseconds: 100, startMs: 300 }
    const outcomes = Object.fromEntries(photos(20).map(({ path }) => [path.slice(4), started]))
    const { complete } = begin(subjectOf(photos(20)), outcomes)
    const { milliseconds } = known(await complete())
    expect(milliseconds?.likely).toBeCloseTo(1_100 + 300)
    // The upper bound is larger, because a service's first job waits longer.
    expect(milliseconds?.high).toBeGreaterThan(1_100 + 3 * 300)
  })

  it('never exceeds a maximum file size', async () => {
    const { complete } = begin(subjectOf(photos(100), { maxBytes: { image: 200 } }), {})
    expect(await complete()).toMatchObject({ atMostBytes: 20_000, bytes: { high: 20_000 } })
  })

  it('is at most as large as the originals that stay if their results would be larger', async () => {
    const files = [photo('a.jpg', 150), photo('b.jpg', 300), photo('c.jpg', 1_000)]
    const all = begin(subjectOf(files, { maxBytes: { image: 200 }, neverLarger: ['image'] }))
    expect(await all.complete()).toMatchObject({ atMostBytes: 150 + 200 + 200 })
    expect(all.estimator.forSubset()(files.slice(0, 1))).toMatchObject({ atMostBytes: 150 })
    const mixed = subjectOf([photo('a.jpg', 150), video('b.mp4', 150)], {
      maxBytes: { image: 200, video: 200 },
      neverLarger: ['image'],
    })
    expect(await begin(mixed).complete()).toMatchObject({ atMostBytes: 150 + 200 })
  })

  it('without a maximum file size has no bound, but a range within the originals’ size', async () => {
    const outcomes = { 'a.jpg': { bytes: 1_000, milliseconds: 1 }, 'b.jpg': { bytes: 500, milliseconds: 1 } }
    const files = [photo('a.jpg'), photo('b.jpg'), ...photos(30)]
    const bounded = begin(subjectOf(files, { neverLarger: ['image'] }), outcomes)
    const { atMostBytes, bytes, inputBytes } = known(await bounded.complete())
    expect(atMostBytes).toBeNull()
    expect(bytes.high).toBeLessThanOrEqual(inputBytes)
  })

  it('of photos and videos waits for one of each, and adds up their times', async () => {
    const { estimator, complete, tried, told } = begin(subjectOf([...photos(2), video('a.mp4', 2_000)]))
    await complete()
    expect(tried.slice(0, 2)).toEqual(['1.jpg', 'a.mp4'])
    expect(told[1]).toMatchObject({ kind: 'known' })
    expect(estimator.now()).toMatchObject({ milliseconds: { likely: 210 }, atMostBytes: null })
  })

  it('leaves out unprocessable files, and reports if there are no other files', async () => {
    const some = begin(subjectOf([photo('a.jpg'), photo('b.jpg')]), { 'a.jpg': null })
    expect(await some.complete()).toMatchObject({ bytes: { low: 500, likely: 500, high: 500 } })
    const none = begin(subjectOf([photo('a.jpg')]), { 'a.jpg': 'broken' })
    expect(await none.complete()).toEqual({ kind: 'unknown', why: 'notProcessable' })
  })

  it('counts files whose process ended like files that were not sampled', async () => {
    const files = photos(6).map((file) => ({ ...file, size: 1_000 }))
    const some = begin(subjectOf(files), { '0.jpg': 'broken' })
    const { bytes } = known(await some.complete())
    expect(bytes.likely).toBeCloseTo(3_000)
    expect(bytes.low).toBeLessThan(bytes.high)
    const kinds = begin(subjectOf([photo('a.jpg'), video('b.mp4')]), { 'b.mp4': 'broken' })
    expect(await kinds.complete()).toEqual({ kind: 'unknown', why: 'notProcessable' })
    expect(kinds.tried).toEqual(['a.jpg', 'b.mp4'])
  })

  it('is unknown if the process of its only video was killed, even if all photos were processed', async () => {
    const items = [photo('a.jpg'), video('b.mp4')].map((one) => ({ ...one, name: one.path.slice(4) }))
    const draft = { source: { kind: 'files', items }, variations: 1 } as const
    const preset = Preset.parse({ name: 'Both', image: {}, video: {} })
    const trials: Pick<Trials, 'estimate'> = {
      estimate: ({ recipe }) =>
        Promise.resolve(
          recipe.kind === 'video'
            ? UNKNOWN_FAILURE
            : { kind: 'estimate', estimate: { bytes: 300, milliseconds: 50, spread: 0 }, startMs: 0 },
        ),
    }
    const options = { cores: 2, signal: new AbortController().signal }
    expect(await estimateOnce(draft, preset, trials, options)).toMatchObject({ kind: 'unknown' })
  })

  it.each([
    ['four in 1080p', [FULL_HD], {}, [4]],
    ['two in 4K', [UHD], {}, [2]],
    ['some of each', [FULL_HD, UHD], {}, [4, 2]],
    ['one with a hardware encoder', [FULL_HD], { engine: 'hardware' }, [1]],
  ])('of eight videos counts how many are processed in parallel: %s', async (_, pixels, recipe, atOnce) => {
    const items = Array.from({ length: 8 }, (_, index) => ({
      ...video(`${index}.mp4`),
      name: `${index}.mp4`,
    }))
    const shares: number[] = []
    const trials: Pick<Trials, 'estimate'> = {
      estimate() {
        const turn = shares.length % pixels.length
        shares.push((atOnce[turn] ?? 0) ** -0.25)
        const estimate = { bytes: 300, milliseconds: 50, spread: 0, pixels: pixels[turn] }
        return Promise.resolve({ kind: 'estimate', estimate, startMs: 0 })
      },
    }
    const found = await estimateOnce(
      { source: { kind: 'files', items }, variations: 1 },
      Preset.parse({ name: 'Clip', video: recipe }),
      trials,
      { cores: 16, signal: new AbortController().signal },
    )
    expect(known(found).milliseconds?.likely).toBeCloseTo((8 * 50 * sumOf(shares)) / shares.length)
  })

  it('has no bound if originals stay because of their results’ quality, which the samples take into account', async () => {
    const items = [photo('a.jpg', 1_000)].map((one) => ({ ...one, name: 'a.jpg' }))
    const asked: unknown[] = []
    const trials: Pick<Trials, 'estimate'> = {
      estimate({ keepBelowQuality }) {
        asked.push(keepBelowQuality)
        const estimate = { bytes: keepBelowQuality === undefined ? 300 : 1_000, milliseconds: 50, spread: 0 }
        return Promise.resolve({ kind: 'estimate', estimate, startMs: 0 })
      },
    }
    const options = { cores: 2, signal: new AbortController().signal }
    const found = (results: object, variations: number) =>
      estimateOnce(
        { source: { kind: 'files', items }, variations },
        Preset.parse({ name: 'Own', image: { maxBytes: 400 }, results }),
        trials,
        options,
      )
    const picky = { keepBelowQuality: 70 }
    expect(await found(picky, 1)).toMatchObject({ atMostBytes: null, bytes: { likely: 1_000 } })
    expect(await found({}, 1)).toMatchObject({ atMostBytes: 400, bytes: { likely: 300 } })
    expect(asked).toEqual([70, undefined])
    // Nothing is measured in variations, and they may be larger than the original.
    expect(await found({ ...picky, neverLarger: 'always' }, 3)).toMatchObject({ atMostBytes: 1_200 })
  })

  it('tries more samples if a dozen leave the size uncertain', async () => {
    const outcomes = Object.fromEntries(
      photos(30).map(({ path }, index) => [
        path.slice(4),
        { bytes: 100 + ((index * 7) % 11) * 60, milliseconds: 100 },
      ]),
    )
    const { estimator, complete, tried } = begin(subjectOf(photos(30)), outcomes)
    await complete()
    expect(tried.length).toBeGreaterThan(12)
    expect(tried.length).toBeLessThanOrEqual(20)
    const { bytes } = known(estimator.now())
    expect((bytes.high - bytes.low) / 2 / bytes.likely).toBeLessThanOrEqual(0.2)
  })

  it('is not reported if its range is too wide', async () => {
    const outcomes = Object.fromEntries(
      photos(100).map(({ path }, index) => [
        path.slice(4),
        { bytes: index % 6 === 0 ? 1_000_000 : 1, milliseconds: 1 },
      ]),
    )
    const { estimator, complete, tried } = begin(subjectOf(photos(100)), outcomes)
    await complete()
    expect([tried.length, estimator.now()]).toEqual([12, { kind: 'unknown', why: 'tooDifferent' }])
  })
})

describe('after a change', () => {
  it('to another preset, running trials are stopped and discarded', async () => {
    const { estimator, now, tried, stopped } = begin(subjectOf(photos(1)))
    const held = Promise.withResolvers<void>()
    now.held = held.promise
    estimator.setVisible(true)
    await expect.poll(() => tried).toEqual(['0.jpg'])
    now.input = subjectOf(photos(1), { key: 'small' })
    estimator.refresh()
    expect(stopped).toEqual(['0.jpg'])
    held.resolve()
    await estimator.whenIdle()
    expect(tried).toEqual(['0.jpg', '0.jpg'])
    expect(estimator.now()).toMatchObject({ kind: 'known' })
  })

  it('to the list of files, existing results are reused, and more files are tried if that helps', async () => {
    const { estimator, complete, now, tried } = begin(subjectOf(photos(1)))
    await complete()
    now.input = subjectOf([...photos(1), photo('b.png')])
    estimator.refresh()
    await estimator.whenIdle()
    expect(tried).toEqual(['0.jpg', 'b.png'])
    expect(estimator.now()).toMatchObject({ bytes: { likely: 750 } })
  })

  it('that hides the estimate, trials are stopped, and start again when it is visible again', async () => {
    const { estimator, complete, now, tried, stopped } = begin(subjectOf(photos(1)))
    const held = Promise.withResolvers<void>()
    now.held = held.promise
    estimator.setVisible(true)
    await expect.poll(() => tried).toHaveLength(1)
    estimator.setVisible(false)
    await estimator.whenIdle()
    expect([stopped, estimator.now()]).toEqual([['0.jpg'], { kind: 'unknown', why: 'counting' }])
    now.held = undefined
    expect(await complete()).toMatchObject({ kind: 'known' })
  })

  it('without any effect, the same estimate is not reported again', async () => {
    const { estimator, complete, told } = begin(subjectOf(photos(1)))
    await complete()
    const times = told.length
    estimator.refresh()
    await complete()
    expect(told).toHaveLength(times)
  })
})
