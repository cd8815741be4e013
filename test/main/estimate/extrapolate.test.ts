import { describe, expect, it } from 'vitest'
import { chooseSamples, keyOf, type SizedFile } from '../../../src/main/estimate/choose-samples.ts'
import { extrapolation, type Measurement } from '../../../src/main/estimate/extrapolate.ts'

const photo = (name: string, size: number): SizedFile => ({ path: `/in/${name}`, kind: 'image', size })

const extrapolate = (files: readonly SizedFile[], measured: ReadonlyMap<string, Measurement>) =>
  extrapolation(files, measured)?.(files)

/** A seeded generator of numbers from 0 to 1. */
function chance(seed: number): () => number {
  let state = seed
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 2 ** 32
    return state / 2 ** 32
  }
}

const measuredAs = (
  files: readonly SizedFile[],
  bytes: (file: SizedFile) => number,
): Map<string, Measurement> =>
  new Map(files.map((file) => [keyOf(file), { bytes: bytes(file), milliseconds: 100 }]))

describe('the total of all files', () => {
  it('is unknown before the first trial', () => {
    expect(extrapolate([photo('a.jpg', 10)], new Map())).toBeUndefined()
  })

  it('is exact if all files were tried', () => {
    const files = [photo('a.jpg', 10), photo('b.png', 20)]
    const all = measuredAs(files, ({ size }) => size / 2)
    const { bytes, milliseconds } = extrapolate(files, all) ?? {}
    expect(bytes).toEqual({ low: 15, likely: 15, high: 15 })
    expect(milliseconds).toEqual({ low: 200, likely: 200, high: 200 })
  })

  it.each<readonly [string, (size: number) => number]>([
    ['a share of the originals', (size) => size * 0.3],
    ['equal for any input', () => 400],
    ['in between', (size) => 30 * Math.sqrt(size)],
  ])('follows results that are %s', (_, result) => {
    const files = Array.from({ length: 40 }, (_item, index) => photo(`${index}.jpg`, 1_000 + index * 500))
    const tried = chooseSamples(files, 6)
    const found = extrapolate(
      files,
      measuredAs(tried, ({ size }) => result(size)),
    )
    const whole = files.reduce((sum, { size }) => sum + result(size), 0)
    expect(found?.bytes.likely).toBeCloseTo(whole, 3)
    expect(found?.bytes.high).toBeLessThan(whole * 1.12)
  })

  it('is also known for a subset, from all samples', () => {
    const files = Array.from({ length: 40 }, (_item, index) => photo(`${index}.jpg`, 1_000 + index * 500))
    const tried = chooseSamples(files, 6)
    const some = extrapolation(
      files,
      measuredAs(tried, ({ size }) => size * 0.3),
    )
    const untried = files.filter((file) => !tried.includes(file)).slice(0, 3)
    expect(some?.(untried).bytes.likely).toBeCloseTo(
      0.3 * untried.reduce((sum, { size }) => sum + size, 0),
      3,
    )
    expect(some?.(tried).bytes.high).toBe(some?.(tried).bytes.low)
    expect(some?.([]).bytes).toEqual({ low: 0, likely: 0, high: 0 })
  })

  it('has a range based on the variance within all groups together', () => {
    const random = chance(3)
    const files = Array.from({ length: 40 }, (_, index) =>
      photo(`${index}.${['jpg', 'png', 'webp', 'tiff', 'heic'][index % 5]}`, 1_000 + index * 300),
    )
    const scaleOf = new Map(Object.entries({ '.png': 0.1, '.tiff': 0.05 }))
    const result = ({ path, size }: SizedFile) =>
      size * (scaleOf.get(path.slice(path.lastIndexOf('.'))) ?? 0.5) * (0.9 + 0.2 * random())
    const whole = measuredAs(files, result)
    const tried = new Map(
      chooseSamples(files, 12).map((file) => [
        keyOf(file),
        whole.get(keyOf(file)) ?? { bytes: 0, milliseconds: 0 },
      ]),
    )
    const { low, likely, high } = extrapolate(files, tried)?.bytes ?? { low: 0, likely: 0, high: 0 }
    const all = [...whole.values()].reduce((sum, { bytes }) => sum + bytes, 0)
    expect([low < all, all < high]).toEqual([true, true])
    expect((high - low) / 2 / likely).toBeLessThan(0.2)
  })

  it('is uncertain with a single sample, and never below that sample’s result', () => {
    const files = [photo('a.jpg', 100), photo('b.jpg', 100)]
    const found = extrapolate(files, new Map([[keyOf(photo('a.jpg', 100)), { bytes: 50, milliseconds: 10 }]]))
    expect(found?.bytes.likely).toBe(100)
    expect(found?.bytes.low).toBeGreaterThanOrEqual(50)
    expect(found?.bytes.high).toBeGreaterThan(140)
  })

  it('is less certain for files of an untried format', () => {
    const tried = Array.from({ length: 6 }, (_, index) => photo(`${index}.jpg`, 100))
    const all = measuredAs(tried, () => 50)
    const alike = extrapolate([...tried, photo('x.jpg', 100)], all)
    const strange = extrapolate([...tried, photo('x.png', 100)], all)
    expect([alike?.bytes.likely, strange?.bytes.likely]).toEqual([350, 350])
    expect(alike?.bytes.high).toBeLessThan(362)
    expect(strange?.bytes.high).toBeGreaterThan(380)
  })

  it('includes the uncertainty of a partially sampled video', () => {
    const video: SizedFile = { path: '/in/a.mp4', kind: 'video', size: 1_000 }
    const found = extrapolate(
      [video],
      new Map([[keyOf(video), { bytes: 100, milliseconds: 1_000, spread: 0.1 }]]),
    )
    expect(found?.bytes.likely).toBe(100)
    expect(found?.bytes.low).toBeCloseTo(87.2, 1)
    expect(found?.bytes.high).toBeCloseTo(112.8, 1)
  })

  it('is inside its range four times out of five, with a range as narrow as possible', () => {
    let inside = 0
    let width = 0
    const batches = 300
    for (let seed = 1; seed <= batches; seed += 1) {
      const random = chance(seed)
      const normal = () => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random())
      const files = Array.from({ length: 100 }, (_, index) =>
        photo(`${index}.${index % 4 === 0 ? 'png' : 'jpg'}`, Math.round(4e6 * Math.exp(0.5 * normal()))),
      )
      const results = measuredAs(files, ({ size }) => 120 * Math.sqrt(size) * Math.exp(0.35 * normal()))
      const tried = new Map(
        chooseSamples(files, 12).map((file) => [keyOf(file), results.get(keyOf(file))!] as const),
      )
      const { bytes } = extrapolate(files, tried) ?? { bytes: { low: 0, likely: 1, high: 0 } }
      const whole = [...results.values()].reduce((sum, one) => sum + one.bytes, 0)
      if (bytes.low <= whole && whole <= bytes.high) inside += 1
      width += (bytes.high - bytes.low) / 2 / bytes.likely
    }
    expect(inside / batches).toBeGreaterThan(0.78)
    expect(width / batches).toBeLessThan(0.2)
  })
})
