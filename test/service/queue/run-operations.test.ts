import { setImmediate as turn } from 'node:timers/promises'
import { expect, it } from 'vitest'
import type { MediaKind } from '../../../src/shared/media-types.ts'
import type { Operation } from '../../../src/service/queue/job-plan.ts'
import { runOperations } from '../../../src/service/queue/run-operations.ts'

function setUp(kinds: readonly MediaKind[], limits: Readonly<Record<MediaKind, number>>) {
  const stop = new AbortController()
  const running = new Map<number, () => void>()
  const started: number[] = []
  const operations = kinds.map((kind, index): Operation => ({
    index,
    inputIndex: index,
    input: { path: '', kind },
    variation: 1,
  }))
  let isOver = false
  const over = runOperations(
    operations,
    (kind) => limits[kind],
    stop.signal,
    ({ index }) => {
      started.push(index)
      return new Promise<void>((resolve) => {
        running.set(index, () => {
          running.delete(index)
          resolve()
        })
      })
    },
  ).then(() => (isOver = true))
  const end = async (index: number) => {
    running.get(index)?.()
    for (let turns = 0; turns < 5; turns += 1) await turn()
  }
  return { stop, running, started, end, over, isOver: () => isOver }
}

it('runs as many of a kind as may run, and the next when one has ended', async () => {
  const { running, started, end, over, isOver } = setUp(['image', 'image', 'image', 'image'], {
    image: 2,
    video: 1,
  })
  await turn()
  expect([...running.keys()]).toEqual([0, 1])
  await end(1)
  expect([...running.keys()]).toEqual([0, 2])
  await end(0)
  await end(2)
  expect(isOver()).toBe(false)
  await end(3)
  await over
  expect(started).toEqual([0, 1, 2, 3])
})

it('never runs two kinds together, however much room there is', async () => {
  const { running, end, over } = setUp(['image', 'video', 'video', 'image'], { image: 4, video: 2 })
  await turn()
  expect([...running.keys()]).toEqual([0])
  await end(0)
  expect([...running.keys()]).toEqual([1, 2])
  await end(1)
  expect([...running.keys()]).toEqual([2])
  await end(2)
  expect([...running.keys()]).toEqual([3])
  await end(3)
  await over
})

it('starts none after it was stopped, and ends when those that run have ended', async () => {
  const { stop, running, started, end, over, isOver } = setUp(['image', 'image', 'image'], {
    image: 1,
    video: 1,
  })
  await turn()
  stop.abort()
  await turn()
  expect(isOver()).toBe(false)
  await end(0)
  await over
  expect([started, running.size]).toEqual([[0], 0])
})
