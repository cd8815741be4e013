import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { startDeadline } from '../../../src/main/service-api/exchange.ts'

beforeEach(() => vi.useFakeTimers())
afterEach(() => vi.useRealTimers())

describe('a deadline', () => {
  it('of the whole ends at its time, whatever moves', () => {
    const deadline = startDeadline({ kind: 'total', ms: 1_000 }, undefined)
    vi.advanceTimersByTime(999)
    deadline.touch()
    expect([deadline.signal.aborted, deadline.ended()]).toEqual([false, undefined])
    vi.advanceTimersByTime(1)
    expect([deadline.signal.aborted, deadline.ended()]).toEqual([true, 'timeout'])
  })

  it('of idleness begins anew with everything that moves', () => {
    const deadline = startDeadline({ kind: 'idle', ms: 1_000 }, undefined)
    vi.advanceTimersByTime(999)
    deadline.touch()
    vi.advanceTimersByTime(999)
    expect(deadline.ended()).toBeUndefined()
    vi.advanceTimersByTime(1)
    expect(deadline.ended()).toBe('timeout')
  })

  it('that has ended stays ended, and by what ended it first', () => {
    const caller = new AbortController()
    const deadline = startDeadline({ kind: 'idle', ms: 1_000 }, caller.signal)
    caller.abort()
    expect(deadline.ended()).toBe('aborted')
    deadline.touch()
    vi.advanceTimersByTime(10_000)
    expect([deadline.ended(), deadline.signal.reason]).toEqual(['aborted', new Error('aborted')])
  })

  it('of a caller who has given up already is over at once', () => {
    expect(startDeadline({ kind: 'total', ms: 1_000 }, AbortSignal.abort()).ended()).toBe('aborted')
  })

  it('leaves neither a timer nor a listener behind when it is released', () => {
    const caller = new AbortController()
    const deadline = startDeadline({ kind: 'total', ms: 1_000 }, caller.signal)
    deadline.release()
    expect(vi.getTimerCount()).toBe(0)
    caller.abort()
    expect(deadline.ended()).toBeUndefined()
  })
})
