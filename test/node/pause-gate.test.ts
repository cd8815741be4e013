import { expect, it, onTestFinished, vi } from 'vitest'
import { createPauseGate } from '../../src/node/pause-gate.ts'

it('a pause gate adds up how long its pauses last', () => {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
  const gate = createPauseGate()
  const heldAfter = (ms: number) => {
    vi.advanceTimersByTime(ms)
    return gate.heldMs()
  }
  expect(heldAfter(100)).toBe(0)
  gate.hold(true)
  expect(heldAfter(1_000)).toBe(1_000)
  gate.hold(true)
  expect(heldAfter(500)).toBe(1_500)
  gate.hold(false)
  expect(heldAfter(2_000)).toBe(1_500)
  gate.hold(true)
  expect(heldAfter(10)).toBe(1_510)
})
