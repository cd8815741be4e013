import { expect, it } from 'vitest'
import { createPollSchedule } from '../../../src/main/jobs/poll-schedule.ts'

function start() {
  const waits: number[] = []
  let cancelled = 0
  const after = (ms: number) => {
    waits.push(ms)
    return () => void (cancelled += 1)
  }
  const timing = { after, random: () => 0.5, isBuiltIn: () => false }
  return { schedule: createPollSchedule(timing, () => undefined), waits, cancelled: () => cancelled }
}

it('a schedule is not delayed by consecutive submissions', () => {
  const { schedule, waits, cancelled } = start()
  for (let count = 0; count < 5; count++) schedule.accepted()
  expect(waits).toEqual([200])
  expect(cancelled()).toBe(0)
})

it('a schedule restarts with each submission, but doesn’t poll a service that is down more often', () => {
  const { schedule, waits } = start()
  schedule.accepted()
  schedule.next(true)
  schedule.accepted()
  schedule.failed()
  schedule.next(true)
  schedule.accepted()
  expect(waits).toEqual([200, 500, 200, 3_000])
})
