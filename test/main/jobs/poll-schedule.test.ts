import { describe, expect, it } from 'vitest'
import { createPollSchedule } from '../../../src/main/jobs/poll-schedule.ts'

const SECOND = 1000
const half = () => 0.5

function start({ builtIn = false, random = half } = {}) {
  const waits: number[] = []
  let cancelled = 0
  const after = (ms: number) => {
    waits.push(ms)
    return () => void (cancelled += 1)
  }
  const schedule = createPollSchedule({ after, random, isBuiltIn: () => builtIn }, () => undefined)
  return { schedule, waits, cancelled: () => cancelled }
}

describe('the wait until the next poll', () => {
  it.each<[string, { busy?: boolean; visible?: boolean; builtIn?: boolean }, number]>([
    ['a job is running', { busy: true }, 2 * SECOND],
    ['a job is running at the built-in service', { busy: true, builtIn: true }, 250],
    ['the window is visible', { visible: true }, 10 * SECOND],
    ['the window is visible with the built-in service', { visible: true, builtIn: true }, 10 * SECOND],
    ['the window is hidden', {}, 30 * SECOND],
  ])('while %s', (_, { busy = false, visible = false, builtIn = false }, wait) => {
    const { schedule, waits } = start({ builtIn })
    schedule.setVisible(visible)
    schedule.next(busy)
    expect(waits).toEqual([wait])
  })

  it.each([
    [false, [200, 500, 1_000, 2_000, 2_000]],
    [true, [50, 250, 250]],
  ])('after a submission, with the built-in service: %s, grows to the normal interval', (builtIn, waits) => {
    const started = start({ builtIn })
    started.schedule.accepted()
    while (started.waits.length < waits.length) started.schedule.next(true)
    expect(started.waits).toEqual(waits)
  })

  it.each([
    [1, 4 * SECOND],
    [2, 8 * SECOND],
    [5, 60 * SECOND],
    [1000, 60 * SECOND],
  ])('after %i failures lies between half of its maximum and the maximum', (failures, longest) => {
    const wait = (random: () => number) => {
      const { schedule, waits } = start({ builtIn: true, random })
      for (let n = 0; n < failures; n += 1) schedule.failed()
      schedule.next(true)
      return waits[0]
    }
    expect([() => 0, half, () => 1].map(wait)).toEqual([longest / 2, longest * 0.75, longest])
  })
})

describe('the schedule', () => {
  it('is not delayed by consecutive submissions', () => {
    const { schedule, waits, cancelled } = start()
    for (let count = 0; count < 5; count++) schedule.accepted()
    expect(waits).toEqual([200])
    expect(cancelled()).toBe(0)
  })

  it('restarts with each submission, but doesn’t poll a service that is down more often', () => {
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
