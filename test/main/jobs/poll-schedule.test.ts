import { describe, expect, it } from 'vitest'
import { createPollSchedule, pollDelay } from '../../../src/main/jobs/poll-schedule.ts'

const SECOND = 1000
const half = () => 0.5

describe('the wait until the next poll', () => {
  const idle = { busy: false, visible: false, failures: 0, builtIn: false, sinceAccepted: Infinity }

  it.each([
    ['something is under way', { busy: true }, 2 * SECOND],
    ['something is under way at the built-in service', { busy: true, builtIn: true }, 250],
    ['somebody is looking', { visible: true }, 10 * SECOND],
    ['somebody is looking at the built-in service', { visible: true, builtIn: true }, 10 * SECOND],
    ['nobody is looking', {}, 30 * SECOND],
  ])('while %s', (_, situation, wait) => {
    expect(pollDelay({ ...idle, ...situation }, half)).toBe(wait)
  })

  it.each([
    [false, [200, 500, 1_000, 2_000, 2_000]],
    [true, [50, 250, 250]],
  ])('after a submission, with the built-in service: %s, grows to the usual one', (builtIn, waits) => {
    const situation = { ...idle, busy: true, builtIn }
    const polls = waits.map((_, sinceAccepted) => pollDelay({ ...situation, sinceAccepted }, half))
    expect(polls).toEqual(waits)
  })

  it.each([
    [1, 4 * SECOND],
    [2, 8 * SECOND],
    [5, 60 * SECOND],
    [1000, 60 * SECOND],
  ])('after %i failures lies between half of its longest and the whole', (failures, longest) => {
    const situation = { ...idle, busy: true, builtIn: true, sinceAccepted: 0, failures }
    expect(pollDelay(situation, () => 0)).toBe(longest / 2)
    expect(pollDelay(situation, half)).toBe(longest * 0.75)
    expect(pollDelay(situation, () => 1)).toBe(longest)
  })
})

function start() {
  const waits: number[] = []
  let cancelled = 0
  const after = (ms: number) => {
    waits.push(ms)
    return () => void (cancelled += 1)
  }
  const schedule = createPollSchedule({ after, random: half, isBuiltIn: () => false }, () => undefined)
  return { schedule, waits, cancelled: () => cancelled }
}

describe('the schedule', () => {
  it('is not put off by one submission after the other', () => {
    const { schedule, waits, cancelled } = start()
    for (let count = 0; count < 5; count++) schedule.accepted()
    expect(waits).toEqual([200])
    expect(cancelled()).toBe(0)
  })

  it('begins anew with each submission, and asks no service more often that is down', () => {
    const { schedule, waits } = start()
    schedule.accepted()
    schedule.next(true)
    schedule.accepted()
    schedule.failed()
    schedule.next(true)
    schedule.accepted()
    expect(waits).toEqual([200, 500, 200, 3 * SECOND])
  })
})
