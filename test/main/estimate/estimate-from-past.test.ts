import { expect, it } from 'vitest'
import { estimateFromPast } from '../../../src/main/estimate/estimate.ts'
import type { MediaKind } from '../../../src/shared/media-types.ts'
import type { History } from '../../../src/main/history/index.ts'
import type { Estimate } from '../../../src/shared/model/estimate.ts'

type PastJob = ReturnType<History['pastJobs']>[number]

const draftOf = (kinds: readonly MediaKind[], size: number, variations = 1) => ({
  source: {
    kind: 'files' as const,
    items: kinds.map((kind, index) => ({ kind, size, path: `/in/${index}`, name: `${index}` })),
  },
  variations,
})
const photos = (count: number): MediaKind[] => Array.from({ length: count }, () => 'image')

/**
 * @param size bytes of each original
 * @param each bytes of each result
 */
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

const known = (estimate: Estimate | null) => {
  if (estimate?.kind !== 'known') throw new Error(JSON.stringify(estimate))
  return estimate
}

it('does not estimate from fewer than three jobs, or fewer than three of one kind', () => {
  const two = [past(1_000, 100), past(1_000, 100)]
  const nothing = { kind: 'unknown', why: 'noHistory' }
  expect(estimateFromPast(draftOf(photos(5), 1_000), two)).toEqual(nothing)
  const three = [...two, past(1_000, 100)]
  expect(estimateFromPast(draftOf([...photos(5), 'video'], 1_000), three)).toEqual(nothing)
  expect(estimateFromPast(draftOf([], 1_000), three)).toBeNull()
  expect(estimateFromPast({ source: { kind: 'drive', folderId: 'x' }, variations: 1 }, three)).toBeNull()
})

it.each<readonly [string, (size: number) => number]>([
  ['a share of the input', (size) => size / 4],
  ['equal for any input', () => 700],
])('follows results that were %s', (_, each) => {
  const jobs = [1_000, 2_000, 5_000, 8_000].map((size, index) => past(size, each(size), { files: 3 + index }))
  const { bytes, milliseconds } = known(estimateFromPast(draftOf(photos(20), 4_000), jobs))
  expect(bytes.likely).toBeCloseTo(20 * each(4_000), 6)
  expect(milliseconds?.likely).toBeCloseTo(400, 6)
})

it('has a range that grows with the variance between the jobs', () => {
  const width = (shares: readonly number[]) => {
    const jobs = shares.map((share) => past(1_000, 1_000 * share))
    const { low, likely, high } = known(estimateFromPast(draftOf(photos(4), 1_000), jobs)).bytes
    return (high - low) / likely
  }
  expect(width([0.3, 0.3, 0.3, 0.3, 0.3])).toBeLessThan(width([0.28, 0.3, 0.26, 0.33, 0.3]))
  expect(width([0.28, 0.3, 0.26, 0.33, 0.3])).toBeLessThan(width([0.2, 0.3, 0.26, 0.4, 0.3]))
  const wild = [0.05, 0.9, 0.2, 0.5].map((share) => past(1_000, 1_000 * share))
  expect(estimateFromPast(draftOf(photos(4), 1_000), wild)).toEqual({ kind: 'unknown', why: 'tooDifferent' })
})

it('scales by past and current variations, and adds up photos and videos', () => {
  const jobs = [2, 3, 4].flatMap((variations) => [
    past(1_000, 100, { variations }),
    past(50_000, 9_000, { kind: 'video', variations, files: 2 }),
  ])
  const { bytes, inputBytes } = known(estimateFromPast(draftOf(['image', 'video'], 1_000, 5), jobs))
  const alone = (kind: MediaKind) => known(estimateFromPast(draftOf([kind], 1_000, 5), jobs)).bytes.likely
  expect(alone('image')).toBeCloseTo(500, 6)
  expect(bytes.likely).toBeCloseTo(alone('image') + alone('video'), 6)
  expect(inputBytes).toBe(2_000)
})

it('gives the size without the time if the duration of too few jobs is known', () => {
  const jobs = [20, null, 20].map((milliseconds) => past(1_000, 100, { milliseconds }))
  expect(known(estimateFromPast(draftOf(photos(2), 1_000), jobs)).milliseconds).toBeNull()
})
