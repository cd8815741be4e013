import { describe, expect, it } from 'vitest'
import { NO_RATE, noteShare, timeLeft, type ObservedRate } from '../../../src/main/jobs/rate-estimator.ts'

const SECOND = 1000
const HOUR = 3600 * SECOND

/** What was seen of one job: a share at a time in ms. */
const seen = (...readings: readonly (readonly [number, number | null])[]): ObservedRate =>
  readings.reduce((rate, [at, share]) => noteShare(rate, share, at), NO_RATE)

describe('the time left', () => {
  it('is what is left at the speed that was seen, in whole seconds', () => {
    const rate = seen([0, 0], [5 * SECOND, 0.1], [10 * SECOND, 0.2])
    expect(timeLeft(rate, 10 * SECOND)).toBe(40 * SECOND)
  })

  it('is a guess until five seconds and two steps have been seen, and then said', () => {
    expect(timeLeft(NO_RATE, HOUR)).toBeNull()
    const quick = seen([0, 0], [2 * SECOND, 0.1], [4 * SECOND, 0.2])
    expect(timeLeft(quick, 5 * SECOND - 1)).toBeNull()
    expect(timeLeft(quick, 5 * SECOND)).toBe(16 * SECOND)
    expect(timeLeft(seen([0, 0], [8 * SECOND, 0.5]), 8 * SECOND)).toBeNull()
  })

  it('is not said of a job that is done, or that would take more than a day', () => {
    expect(timeLeft(seen([0, 0], [5 * SECOND, 0.5], [10 * SECOND, 1]), 10 * SECOND)).toBeNull()
    // After two steps of half a minute each, so many seconds are left.
    const withLeft = (seconds: number) => {
      const step = 30 / (seconds + 60)
      return timeLeft(seen([0, 0], [30 * SECOND, step], [60 * SECOND, 2 * step]), 60 * SECOND)
    }
    expect(withLeft(86_399.5)).toBe(86_400 * SECOND)
    expect(withLeft(86_401)).toBeNull()
  })

  it('counts neither the sleep of the computer nor a reading without a share', () => {
    const asleep = seen([0, 0], [5 * SECOND, 0.1], [5 * SECOND + HOUR, 0.2], [10 * SECOND + HOUR, 0.3])
    expect(timeLeft(asleep, 10 * SECOND + HOUR)).toBe(35 * SECOND)
    const silent = seen([0, 0], [5 * SECOND, 0.1], [7 * SECOND, null], [10 * SECOND, 0.2])
    expect(timeLeft(silent, 10 * SECOND)).toBe(40 * SECOND)
  })

  it('is not moved by the same reading taken twice', () => {
    const once = seen([0, 0], [5 * SECOND, 0.1])
    expect(noteShare(once, 0.4, 5 * SECOND)).toBe(once)
  })

  it('follows a job that becomes slower, not at once but soon', () => {
    const fast = seen([0, 0], [5 * SECOND, 0.1], [10 * SECOND, 0.2])
    const slower = noteShare(fast, 0.21, 15 * SECOND)
    const muchSlower = noteShare(slower, 0.22, 20 * SECOND)
    const [before, soon, later] = [fast, slower, muchSlower].map(({ speed }) => speed * 5 * SECOND)
    expect(before).toBeCloseTo(0.1)
    expect(soon).toBeCloseTo(0.1 - 0.09 * (1 - Math.exp(-1 / 3)))
    expect(later).toBeLessThan(soon ?? 0)
    expect(later).toBeGreaterThan(0.01)
  })
})
