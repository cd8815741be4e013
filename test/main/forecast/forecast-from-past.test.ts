import { expect, it } from 'vitest'
import { forecastFromPast } from '../../../src/main/forecast/forecast.ts'
import type { MediaKind } from '../../../src/shared/media-types.ts'
import type { Forecast, PastJob } from '../../../src/shared/model/forecast.ts'

const draftOf = (kinds: readonly MediaKind[], size: number, variations = 1) => ({
  source: {
    kind: 'files' as const,
    items: kinds.map((kind, index) => ({ kind, size, path: `/in/${index}`, name: `${index}` })),
  },
  variations,
})
const photos = (count: number): MediaKind[] => Array.from({ length: count }, () => 'image')

/** @param size of each original */
const past = (size: number, each: number, more: Partial<PastJob> = {}): PastJob => {
  const { files = 10, variations = 1 } = more
  return {
    kind: 'image',
    files,
    variations,
    inputBytes: size * files,
    resultBytes: each * files * variations,
    milliseconds: 20 * files * variations,
    ...more,
  }
}

const known = (forecast: Forecast | null) => {
  if (forecast?.kind !== 'known') throw new Error(JSON.stringify(forecast))
  return forecast
}

it('says nothing with fewer than three jobs, nor of a kind of which there are fewer', () => {
  const two = [past(1_000, 100), past(1_000, 100)]
  const nothing = { kind: 'unknown', why: 'noHistory' }
  expect(forecastFromPast(draftOf(photos(5), 1_000), two)).toEqual(nothing)
  const three = [...two, past(1_000, 100)]
  expect(forecastFromPast(draftOf([...photos(5), 'video'], 1_000), three)).toEqual(nothing)
  expect(forecastFromPast(draftOf([], 1_000), three)).toBeNull()
  expect(forecastFromPast({ source: { kind: 'drive', folderId: 'x' }, variations: 1 }, three)).toBeNull()
})

it.each<readonly [string, (size: number) => number]>([
  ['a share of what went in', (size) => size / 4],
  ['alike whatever went in', () => 700],
])('follows results that were %s', (_, each) => {
  const jobs = [1_000, 2_000, 5_000, 8_000].map((size, index) => past(size, each(size), { files: 3 + index }))
  const { bytes, milliseconds } = known(forecastFromPast(draftOf(photos(20), 4_000), jobs))
  expect(bytes.likely).toBeCloseTo(20 * each(4_000), 6)
  expect(milliseconds?.likely).toBeCloseTo(400, 6)
})

it('has a range as wide as the jobs are different', () => {
  const width = (shares: readonly number[]) => {
    const jobs = shares.map((share) => past(1_000, 1_000 * share))
    const { low, likely, high } = known(forecastFromPast(draftOf(photos(4), 1_000), jobs)).bytes
    return (high - low) / likely
  }
  expect(width([0.3, 0.3, 0.3, 0.3, 0.3])).toBeLessThan(width([0.28, 0.3, 0.26, 0.33, 0.3]))
  expect(width([0.28, 0.3, 0.26, 0.33, 0.3])).toBeLessThan(width([0.2, 0.3, 0.26, 0.4, 0.3]))
  const wild = [0.05, 0.9, 0.2, 0.5].map((share) => past(1_000, 1_000 * share))
  expect(forecastFromPast(draftOf(photos(4), 1_000), wild)).toEqual({ kind: 'unknown', why: 'tooDifferent' })
})

it('counts variations of then and now, and adds what photos and videos come to', () => {
  const jobs = [2, 3, 4].flatMap((variations) => [
    past(1_000, 100, { variations }),
    past(50_000, 9_000, { kind: 'video', variations, files: 2 }),
  ])
  const { bytes, inputBytes } = known(forecastFromPast(draftOf(['image', 'video'], 1_000, 5), jobs))
  const alone = (kind: MediaKind) => known(forecastFromPast(draftOf([kind], 1_000, 5), jobs)).bytes.likely
  expect(alone('image')).toBeCloseTo(500, 6)
  expect(bytes.likely).toBeCloseTo(alone('image') + alone('video'), 6)
  expect(inputBytes).toBe(2_000)
})

it('says the size without the time where too few jobs had one', () => {
  const jobs = [20, null, 20].map((milliseconds) => past(1_000, 100, { milliseconds }))
  expect(known(forecastFromPast(draftOf(photos(2), 1_000), jobs)).milliseconds).toBeNull()
})
