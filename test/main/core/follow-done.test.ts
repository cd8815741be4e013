import { expect, it } from 'vitest'
import { createEvents, type CoreEvents } from '../../../src/main/core/events.ts'
import { followDone } from '../../../src/main/core/follow-done.ts'
import type { DoneFiles } from '../../../src/shared/model/done-files.ts'
import { draftOfFiles } from '../outbox/drafts.ts'

type Deps = Parameters<typeof followDone>[0]
type Found = Extract<DoneFiles, { kind: 'known' }>['done']

it('keeps the results of a comparison visible while it is repeated after a change to the history', async () => {
  const events = createEvents<CoreEvents>(() => undefined)
  const shown: (DoneFiles | null)[] = []
  const comparisons: PromiseWithResolvers<Found>[] = []
  const timers = new Map<number, () => void>()
  let last = 0
  const runTimers = () => {
    const due = [...timers.values()]
    timers.clear()
    for (const run of due) run()
  }
  const stop = followDone({
    events,
    drafts: { store: { view: () => draftOfFiles(['/in/a.jpg']) } },
    serviceOf: () => ({}),
    done: {
      find() {
        const comparison = Promise.withResolvers<Found>()
        comparisons.push(comparison)
        return comparison.promise
      },
    },
    timing: {
      after(_ms: number, run: () => void) {
        const id = (last += 1)
        timers.set(id, run)
        return () => timers.delete(id)
      },
    },
    show: (doneFiles: DoneFiles | null) => void shown.push(doneFiles),
    log: () => undefined,
  } as unknown as Deps)
  runTimers()
  expect(shown.map((one) => one?.kind)).toEqual(['checking'])
  comparisons[0]?.resolve([])
  await expect.poll(() => shown.at(-1)?.kind).toBe('known')
  events.tell('historyChanged')()
  runTimers()
  expect(comparisons).toHaveLength(2)
  runTimers()
  comparisons[1]?.resolve([])
  await expect.poll(() => shown.length).toBe(3)
  expect(shown.map((one) => one?.kind)).toEqual(['checking', 'known', 'known'])
  stop()
})
