import { describe, expect, it } from 'vitest'
import { NO_RATE, recordShare, timeLeft, type ObservedRate } from '../../../src/main/jobs/rate-estimator.ts'

const SECOND = 1000
const HOUR = 3600 * SECOND

/** The rate after these readings of one job: each a time in ms and the progress as a fraction (0..1). */
const seen = (...readings: readonly (readonly [number, number | null])[]): ObservedRate =>
  readings.reduce((rate, [at, share]) => recordShare(rate, share, at), NO_RATE)

describe('the remaining time', () => {
  it('is the remaining progress at the observed speed, in whole seconds', () => {
    const rate = seen([0, 0], [5 * SECOND, 0.1], [10 * SECOND, 0.2])
    expect(timeLeft(rate, 10 * SECOND)).toBe(40 * SECOND)
  })

  it('is not reported until five seconds and two steps have been observed', () => {
    expect(timeLeft(NO_RATE, HOUR)).toBeNull()
    const quick = seen([0, 0], [2 * SECOND, 0.1], [4 * SECOND, 0.2])
    expect(timeLeft(quick, 5 * SECOND - 1)).toBeNull()
    expect(timeLeft(quick, 5 * SECOND)).toBe(16 * SECOND)
    expect(timeLeft(seen([0, 0], [8 * SECOND, 0.5]), 8 * SECOND)).toBeNull()
    const stalled = Array.from({ length: 20 }, (_, n) => [n * 2 * SECOND, 0.3] as const)
    expect(timeLeft(seen(...stalled), 38 * SECOND)).toBeNull()
  })

  it('is not reported for a finished job, or if it exceeds a day', () => {
    expect(timeLeft(seen([0, 0], [5 * SECOND, 0.5], [10 * SECOND, 1]), 10 * SECOND)).toBeNull()
    // Makes progress such that `seconds` remain after two steps of half a minute each.
    const withLeft = (seconds: number) => {
      const step = 30 / (seconds + 60)
      return timeLeft(seen([0, 0], [30 * SECOND, step], [60 * SECOND, 2 * step]), 60 * SECOND)
    }
    expect(withLeft(86_399.5)).toBe(86_400 * SECOND)
    expect(withLeft(86_401)).toBeNull()
  })

  it('ignores the time that the computer slept, and readings without progress', () => {
    const asleep = seen([0, 0], [5 * SECOND, 0.1], [5 * SECOND + HOUR, 0.2], [10 * SECOND + HOUR, 0.3])
    expect(timeLeft(asleep, 10 * SECOND + HOUR)).toBe(35 * SECOND)
    const silent = seen([0, 0], [5 * SECOND, 0.1], [7 * SECOND, null], [10 * SECOND, 0.2])
    expect(timeLeft(silent, 10 * SECOND)).toBe(40 * SECOND)
  })

  it('ignores the time during which the job is paused, however often it is read', () => {
    const before = seen([0, 0], [5 * SECOND, 0.1])
    const readings = Array.from({ length: 1_000 }, (_, n) => 5 * SECOND + (n + 1) * 20 * SECOND)
    const held = readings.reduce((rate, at) => recordShare(rate, 0.1, at, true), before)
    const end = readings.at(-1) ?? 0
    const after = recordShare(held, 0.2, end + 5 * SECOND)
    expect(timeLeft(after, end + 5 * SECOND)).toBe(40 * SECOND)
  })

  it('keeps the observed speed when a file is processed again', () => {
    const first = Array.from({ length: 8 }, (_, n) => [n * 5 * SECOND, n / 8] as const)
    const again = seen(...first, [40 * SECOND, 0], [45 * SECOND, 1 / 8])
    expect(timeLeft(again, 45 * SECOND)).toBe(35 * SECOND)
  })

  it('is not affected by repeated readings', () => {
    const once = seen([0, 0], [5 * SECOND, 0.1])
    expect(recordShare(once, 0.4, 5 * SECOND)).toBe(once)
  })

  it('adapts soon, but not immediately, to a job that slows down', () => {
    const fast = seen([0, 0], [5 * SECOND, 0.1], [10 * SECOND, 0.2])
    const slower = recordShare(fast, 0.21, 15 * SECOND)
    const muchSlower = recordShare(slower, 0.22, 20 * SECOND)
    const [before, soon, later] = [fast, slower, muchSlower].map(({ speed }) => speed * 5 * SECOND)
    expect(before).toBeCloseTo(0.1)
    expect(soon).toBeCloseTo(0.1 - 0.09 * (1 - Math.exp(-1 / 3)))
    expect(later).toBeLessThan(soon ?? 0)
    expect(later).toBeGreaterThan(0.01)
  })
})
