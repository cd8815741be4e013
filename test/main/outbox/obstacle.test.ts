import { describe, expect, it } from 'vitest'
import { createObstacle, retryDelay } from '../../../src/main/outbox/obstacle.ts'

const timing = { clock: () => 0, random: () => 0 }

describe('what keeps the outbox from sending', () => {
  it('is waited for twice as long each time, up to a minute', () => {
    const obstacle = createObstacle(timing, () => undefined)
    const pauses = Array.from({ length: 7 }, () => obstacle.backOff('queueFull'))
    expect(pauses).toEqual([2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000])
  })

  it('is waited for as briefly as at first after an answer, and after it was cleared', () => {
    const obstacle = createObstacle(timing, () => undefined)
    obstacle.backOff('queueFull')
    obstacle.serviceAnswered()
    expect(obstacle.backOff('queueFull')).toBe(2_000)
    expect(obstacle.clear('queueFull')).toBe(true)
    expect(obstacle.backOff('queueFull')).toBe(2_000)
  })

  it('stays where something else is cleared', () => {
    const told: number[] = []
    const obstacle = createObstacle(timing, () => void told.push(1))
    obstacle.meet('queueFull', null)
    expect(obstacle.clear('offline')).toBe(false)
    expect(obstacle.current()?.because).toBe('queueFull')
    expect(told).toHaveLength(1)
  })

  it('is over when its time is', () => {
    let now = 0
    const obstacle = createObstacle({ ...timing, clock: () => now }, () => undefined)
    obstacle.meet('queueFull', 100)
    now = 99
    expect(obstacle.current()).not.toBe(null)
    now = 100
    expect(obstacle.current()).toBe(null)
  })

  it('stays, however long, where only an event ends it, and is told when it comes and goes', () => {
    let now = 0
    let told = 0
    const obstacle = createObstacle({ ...timing, clock: () => now }, () => (told += 1))
    expect(obstacle.clear('keyRefused')).toBe(false)
    expect([obstacle.current(), told]).toEqual([null, 0])
    expect(obstacle.meet('keyRefused', null)).toBe(null)
    now = 1e12
    expect(obstacle.current()).toEqual({ because: 'keyRefused', until: null })
    expect(told).toBe(1)
    expect(obstacle.clear('offline', 'keyRefused')).toBe(true)
    expect([obstacle.current(), told]).toEqual([null, 2])
    expect(obstacle.clear('keyRefused')).toBe(false)
    expect(told).toBe(2)
  })

  it('comes with a quarter more by chance', () => {
    expect(retryDelay(0, 1)).toBe(2_500)
  })
})
