import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createLaunchQueue, keepUntilTaken } from '../../../src/main/desktop/launch/launch-queue.ts'

function collecting() {
  const delivered: (readonly string[])[] = []
  const arrivals = createLaunchQueue({
    quiet: 250,
    setTimer: (run, ms) => setTimeout(run, ms),
    clearTimer: (timer) => clearTimeout(timer as NodeJS.Timeout),
    deliver: (paths) => delivered.push(paths),
  })
  return { add: (paths: readonly string[]) => arrivals.add(paths), delivered }
}

describe('files that come one by one', () => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => void vi.useRealTimers())

  it('are one drop for as long as the next comes before it was quiet', () => {
    const { add, delivered } = collecting()
    for (const path of ['/a.jpg', '/b.jpg', '/c.jpg']) {
      add([path])
      vi.advanceTimersByTime(249)
    }
    expect(delivered).toEqual([])
    vi.advanceTimersByTime(1)
    expect(delivered).toEqual([['/a.jpg', '/b.jpg', '/c.jpg']])
  })

  it('are a new drop after that, without those of before', () => {
    const { add, delivered } = collecting()
    add(['/a.jpg'])
    vi.advanceTimersByTime(250)
    add(['/b.jpg'])
    vi.advanceTimersByTime(250)
    expect(delivered).toEqual([['/a.jpg'], ['/b.jpg']])
  })

  it('are not held up, nor followed, by a start that brings none', () => {
    const { add, delivered } = collecting()
    add([])
    vi.advanceTimersByTime(250)
    expect(delivered).toEqual([])
    add(['/a.jpg'])
    vi.advanceTimersByTime(200)
    add([])
    vi.advanceTimersByTime(50)
    expect(delivered).toEqual([['/a.jpg']])
  })
})

it('what comes before somebody can take it is handed over first, in order, and once', () => {
  const { take, handTo } = keepUntilTaken<string>()
  take('early')
  take('later')
  const taken: string[] = []
  handTo((kept) => taken.push(kept))
  take('after')
  expect(taken).toEqual(['early', 'later', 'after'])
})
