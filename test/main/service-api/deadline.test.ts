import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { startDeadline } from '../../../src/main/service-api/exchange.ts'

beforeEach(() => vi.useFakeTimers())
afterEach(() => vi.useRealTimers())

describe('a deadline', () => {
  it('that has expired doesn’t restart, and keeps its first cause', () => {
    const caller = new AbortController()
    const deadline = startDeadline({ kind: 'idle', ms: 1_000 }, caller.signal)
    caller.abort()
    expect(deadline.ended()).toBe('aborted')
    deadline.touch()
    vi.advanceTimersByTime(10_000)
    expect([deadline.ended(), deadline.signal.reason]).toEqual(['aborted', new Error('aborted')])
  })

  it('leaves no timer or listener behind when it is released', () => {
    const caller = new AbortController()
    const deadline = startDeadline({ kind: 'total', ms: 1_000 }, caller.signal)
    deadline.release()
    expect(vi.getTimerCount()).toBe(0)
    caller.abort()
    expect(deadline.ended()).toBeUndefined()
  })
})
