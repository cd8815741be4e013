import { describe, expect, it } from 'vitest'
import { createBlocker, retryDelay } from '../../../src/main/outbox/blocker.ts'

const timing = { clock: () => 0, random: () => 0 }

describe('an outbox blocker', () => {
  it('doubles its wait after each failure, up to a minute', () => {
    const blocker = createBlocker(timing, () => undefined)
    const pauses = Array.from({ length: 7 }, () => blocker.backOff('queueFull'))
    expect(pauses).toEqual([2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000])
  })

  it('starts with the shortest wait again after a response, and after it was cleared', () => {
    const blocker = createBlocker(timing, () => undefined)
    blocker.backOff('queueFull')
    blocker.serviceAnswered()
    expect(blocker.backOff('queueFull')).toBe(2_000)
    expect(blocker.clear('queueFull')).toBe(true)
    expect(blocker.backOff('queueFull')).toBe(2_000)
  })

  it('is kept if a different blocker is cleared', () => {
    const told: number[] = []
    const blocker = createBlocker(timing, () => void told.push(1))
    blocker.meet('queueFull', null)
    expect(blocker.clear('offline')).toBe(false)
    expect(blocker.current()?.because).toBe('queueFull')
    expect(told).toHaveLength(1)
  })

  it('ends when its time is up', () => {
    let now = 0
    const blocker = createBlocker({ ...timing, clock: () => now }, () => undefined)
    blocker.meet('queueFull', 100)
    now = 99
    expect(blocker.current()).not.toBe(null)
    now = 100
    expect(blocker.current()).toBe(null)
  })

  it('that only an event can end is kept indefinitely, and is reported when it starts and ends', () => {
    let now = 0
    let told = 0
    const blocker = createBlocker({ ...timing, clock: () => now }, () => (told += 1))
    expect(blocker.clear('keyRefused')).toBe(false)
    expect([blocker.current(), told]).toEqual([null, 0])
    expect(blocker.meet('keyRefused', null)).toBe(null)
    now = 1e12
    expect(blocker.current()).toEqual({ because: 'keyRefused', until: null })
    expect(told).toBe(1)
    expect(blocker.clear('offline', 'keyRefused')).toBe(true)
    expect([blocker.current(), told]).toEqual([null, 2])
    expect(blocker.clear('keyRefused')).toBe(false)
    expect(told).toBe(2)
  })

  it('waits up to a quarter longer, at random', () => {
    expect([retryDelay(0, 1), retryDelay(1_000, 0.5)]).toEqual([2_500, 67_500])
  })
})
