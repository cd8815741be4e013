import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { startStallLimit } from '../../src/node/stall-limit.ts'

beforeEach(() => vi.useFakeTimers())
afterEach(() => vi.useRealTimers())

const MINUTE = 60_000

function start(media: 'image' | 'video') {
  let stalls = 0
  const limit = startStallLimit(media, () => stalls++)
  const after = (minutes: number) => {
    vi.advanceTimersByTime(minutes * MINUTE)
    return stalls
  }
  return { limit, after }
}

it('ends the opening of a photo after three minutes, once', () => {
  const { after } = start('image')
  expect([after(2.9), after(0.2), after(10)]).toEqual([0, 1, 1])
  expect(vi.getTimerCount()).toBe(0)
})

it('allows half a minute more for each megapixel', () => {
  const { limit, after } = start('image')
  limit.progressed(12e6)
  expect([after(8.9), after(0.2)]).toEqual([0, 1])
})

it('starts again with each sign of progress', () => {
  const { limit, after } = start('video')
  expect(after(29)).toBe(0)
  limit.progressed()
  expect([after(29), after(2)]).toEqual([0, 1])
})

it('doesn’t run while the work is paused, or once it is over', () => {
  const { limit, after } = start('video')
  limit.hold(true)
  expect(after(600)).toBe(0)
  limit.hold(false)
  expect(after(29)).toBe(0)
  limit.stop()
  expect(after(600)).toBe(0)
})
