import { expect, it } from 'vitest'
import { createLookahead } from '../../../src/main/outbox/lookahead.ts'
import { MAX_WAITING_JOBS } from '../../../src/shared/api/limits.ts'
import type { JobList } from '../../../src/shared/api/resources.ts'
import { queuedJob } from '../../job-samples.ts'

/** A list with this many waiting jobs. */
const list = (waiting: number, processing: boolean): JobList => ({
  jobs: Array.from({ length: waiting }, (_, n) => queuedJob(`job-${n}`, [`${n}.jpg`], undefined, '')),
  queueLength: waiting,
  processing,
})

/** Sends as many jobs as allowed to a service that starts one of them immediately if it is idle, and returns their number. */
function fill(lookahead: ReturnType<typeof createLookahead>, isIdle: boolean, waiting = 0): number {
  let sent = 0
  while (lookahead.hasRoom()) {
    lookahead.accepted(waiting + sent + (isIdle ? 0 : 1))
    sent += 1
  }
  return sent
}

it('lets one job wait behind the running one, and sends the next when that one has started', () => {
  const lookahead = createLookahead()
  expect(fill(lookahead, true)).toBe(2)
  expect(lookahead.listRead(list(1, true))).toBe(false)
  expect(fill(lookahead, false, 1)).toBe(0)
  expect(lookahead.listRead(list(0, true))).toBe(true)
  expect(fill(lookahead, false)).toBe(1)
})

it('lets more jobs wait, up to the limit of the API, while the service runs out of them', () => {
  const lookahead = createLookahead()
  const sent = Array.from({ length: 6 }, () => {
    const count = fill(lookahead, true)
    lookahead.listRead(list(0, false))
    return count
  })
  expect(sent).toEqual([2, 3, 5, 9, MAX_WAITING_JOBS + 1, MAX_WAITING_JOBS + 1])
  lookahead.listRead(list(MAX_WAITING_JOBS, true))
  lookahead.listRead(list(0, true))
  expect(fill(lookahead, false)).toBe(1)
})

it('counts the jobs of other clients', () => {
  const lookahead = createLookahead()
  lookahead.listRead(list(3, true))
  expect(lookahead.hasRoom()).toBe(false)
  expect([2, 1].map((waiting) => lookahead.listRead(list(waiting, true)))).toEqual([false, false])
  expect(lookahead.listRead(list(0, true))).toBe(true)
})

it('doesn’t let more jobs wait because nothing was due', () => {
  const lookahead = createLookahead()
  for (let n = 0; n < 5; n += 1) lookahead.listRead(list(0, false))
  expect(fill(lookahead, true)).toBe(2)
})
