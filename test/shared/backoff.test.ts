import { describe, expect, it } from 'vitest'
import { backoffDelay } from '../../src/shared/backoff.ts'

const pace = { first: 500, longest: 30_000 }
const whole = (failures: number) => backoffDelay(pace, failures, () => 1)

describe('the delay before the next attempt', () => {
  it('doubles with each failure, up to its maximum', () => {
    expect([1, 2, 3, 4].map(whole)).toEqual([500, 1_000, 2_000, 4_000])
    expect(whole(8)).toBe(30_000)
    expect(whole(100_000)).toBe(30_000)
  })

  it('is reduced at random, by half at most', () => {
    expect(backoffDelay(pace, 3, () => 0)).toBe(1_000)
    expect(backoffDelay(pace, 3, () => 0.5)).toBe(1_500)
  })

  it('is the same without a failure as after one', () => {
    expect(whole(0)).toBe(500)
  })
})
