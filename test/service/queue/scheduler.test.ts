import { setImmediate as turn } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { createScheduler } from '../../../src/service/queue/scheduler.ts'

function setUp() {
  const started: string[] = []
  const ends = new Map<string, () => void>()
  const seen: (string | undefined)[] = []
  const scheduler = createScheduler<string>({
    run(job) {
      started.push(job)
      return new Promise((resolve) => ends.set(job, resolve))
    },
    onEnded: () => seen.push(scheduler.running),
  })
  const end = async (job: string) => {
    ends.get(job)?.()
    await turn()
  }
  return { scheduler, started, seen, end }
}

it('starts one job at a time, in the order in which they came', async () => {
  const { scheduler, started, end } = setUp()
  expect(['a', 'b', 'c'].map((job) => scheduler.add(job))).toEqual([0, 1, 2])
  expect(started).toEqual(['a'])
  expect(scheduler.running).toBe('a')
  expect(scheduler.waiting).toEqual(['b', 'c'])
  await end('a')
  await end('b')
  expect(started).toEqual(['a', 'b', 'c'])
})

it('says that a job has ended before the next one starts', async () => {
  const { scheduler, seen, end } = setUp()
  scheduler.add('a')
  scheduler.add('b')
  await end('a')
  expect(seen).toEqual([undefined])
  expect(scheduler.running).toBe('b')
})

it('a job that was taken out of the line is never started', async () => {
  const { scheduler, started, end } = setUp()
  for (const job of ['a', 'b', 'c']) scheduler.add(job)
  scheduler.remove('b')
  scheduler.remove('b')
  await end('a')
  expect(started).toEqual(['a', 'c'])
})

it('once closed it starts nothing, and is idle when the running job has ended', async () => {
  const { scheduler, started, end } = setUp()
  for (const job of ['a', 'b']) scheduler.add(job)
  expect(scheduler.close()).toEqual(['b'])
  let isIdle = false
  const idle = scheduler.idle().then(() => (isIdle = true))
  await turn()
  expect(isIdle).toBe(false)
  await end('a')
  await idle
  scheduler.add('c')
  expect(started).toEqual(['a'])
})
