import { assert, array, float, property } from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createEstimate } from '../../../src/main/cli/progress-estimate.ts'

const still = () => 0

describe('progress, whose scale the service does not tell,', () => {
  test.each([
    ['fractions', [0, 0.25, 0.5, 0.9], [0, 0.25, 0.5, 0.9]],
    ['percents', [0, 1, 2, 50, 99], [0, 0.01, 0.02, 0.5, 0.99]],
    ['percents that go backwards', [40, 30, 60], [0.4, 0.4, 0.6]],
    ['more than everything', [50, 400], [0.5, 1]],
  ])('is read from %s', (_, readings, shares) => {
    const estimate = createEstimate(still)
    expect(readings.map((totalProgress) => estimate({ totalProgress }).share)).toEqual(shares)
  })

  test('is files done of files where there are no numbers, and unknown where there is nothing', () => {
    const estimate = createEstimate(still)
    expect(estimate({})).toEqual({ share: null, remaining: null })
    expect(estimate({ completedFiles: 1, totalFiles: null }).share).toBe(null)
    expect(estimate({ completedFiles: 1, totalFiles: 4 }).share).toBe(0.25)
  })

  test('gives a remaining time only once it means something', () => {
    let now = 0
    const estimate = createEstimate(() => now)
    estimate({ totalProgress: 10 })
    now = 1_000
    expect(estimate({ totalProgress: 20 }).remaining).toBe(null)
    now = 10_000
    expect(estimate({ totalProgress: 60 }).remaining).toBeCloseTo(8_000)
    expect(estimate({ totalProgress: 100 }).remaining).toBe(null)
  })

  test('stays between nothing and all, whatever comes', () => {
    assert(
      property(array(float()), (readings) => {
        const estimate = createEstimate(still)
        for (const totalProgress of readings) {
          const { share } = estimate({ totalProgress })
          expect(share === null || (share >= 0 && share <= 1)).toBe(true)
        }
      }),
    )
  })
})
