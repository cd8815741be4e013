import { expect, it } from 'vitest'
import { bandOf, LEAST_LOOK, SAME_QUALITY, scoresAround } from '../../src/shared/quality/quality.ts'

const SCORES = Array.from({ length: 101 }, (_, score) => score)

it('compares a score with one of the band below and one of the band above', () => {
  expect(scoresAround(84)).toEqual([68, 84, 92])
  expect(scoresAround(65)).toEqual([49, 65, 82])
})

it('compares a score at an end of the scale with two bands on the other side', () => {
  expect(scoresAround(95)).toEqual([68, 82, 95])
  expect(scoresAround(LEAST_LOOK)).toEqual([LEAST_LOOK, 49, 68])
})

it('compares every score with two that stay in their bands if a result misses them slightly', () => {
  for (const score of SCORES) {
    const scores = scoresAround(score)
    expect(scores).toContain(score)
    expect(scores).toEqual(scores.toSorted((one, other) => one - other))
    expect(new Set(scores.map(bandOf)).size).toBe(3)
    for (const other of scores) if (other !== score) expect(bandOf(other - SAME_QUALITY)).toBe(bandOf(other))
  }
})
