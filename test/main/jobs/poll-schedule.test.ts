import { describe, expect, it } from 'vitest'
import { pollDelay } from '../../../src/main/jobs/poll-schedule.ts'

const SECOND = 1000
const half = () => 0.5

describe('the wait until the next poll', () => {
  it.each([
    ['something is under way', { busy: true, visible: false, failures: 0 }, 2 * SECOND],
    ['somebody is looking', { busy: false, visible: true, failures: 0 }, 10 * SECOND],
    ['nobody is looking', { busy: false, visible: false, failures: 0 }, 30 * SECOND],
  ])('while %s', (_, situation, wait) => {
    expect(pollDelay(situation, half)).toBe(wait)
  })

  it.each([
    [1, 4 * SECOND],
    [2, 8 * SECOND],
    [5, 60 * SECOND],
    [1000, 60 * SECOND],
  ])('after %i failures lies between half of its longest and the whole', (failures, longest) => {
    const situation = { busy: true, visible: true, failures }
    expect(pollDelay(situation, () => 0)).toBe(longest / 2)
    expect(pollDelay(situation, half)).toBe(longest * 0.75)
    expect(pollDelay(situation, () => 1)).toBe(longest)
  })
})
