import { describe, expect, it } from 'vitest'
import { createWaitingLanes } from '../../../src/main/outbox/waiting-lanes.ts'
import { submissionOf, type ListedSubmission } from '../../../src/main/outbox/submission-rows.ts'
import { WAITING } from '../../../src/main/outbox/submission-state.ts'
import { asRecordId } from '../../../src/shared/model/ids.ts'
import { planOfFiles } from './drafts.ts'

type Wanted = { readonly notBefore?: number; readonly target?: string; readonly heldBy?: string }

function submission(name: string, position: number, wanted: Wanted = {}): ListedSubmission {
  const { notBefore = null, heldBy = null, target } = wanted
  const state = { ...WAITING, notBefore, heldBy }
  return submissionOf(
    { id: asRecordId(name), createdAt: 1, position, attempts: 0, state },
    planOfFiles([`/in/${name}.jpg`], target === undefined ? {} : { target }),
  )
}

function lanesOf(...submissions: readonly ListedSubmission[]) {
  const lanes = createWaitingLanes()
  for (const one of submissions) lanes.add(one)
  return lanes
}

describe('what waits', () => {
  it('is due in the order of the line, whichever came first', () => {
    const lanes = lanesOf(submission('b', 2), submission('a', 1))
    expect(lanes.due(0, undefined)?.id).toBe('a')
  })

  it('is due once its time has come, and stays so when the clock is set back', () => {
    const lanes = lanesOf(submission('a', 1, { notBefore: 50 }))
    expect(lanes.due(49, undefined)).toBeUndefined()
    expect(lanes.nextTime(undefined)).toBe(50)
    expect(lanes.due(50, undefined)?.id).toBe('a')
    expect(lanes.due(10, undefined)?.id).toBe('a')
    expect(lanes.nextTime(undefined)).toBeUndefined()
  })

  it('has the next time of all of them, also where some have none', () => {
    const lanes = lanesOf(
      submission('now', 1, { target: 'one' }),
      submission('later', 2, { notBefore: 90, target: 'one' }),
      submission('soon', 3, { notBefore: 70 }),
      submission('elsewhere', 4, { notBefore: 60, target: 'two' }),
    )
    expect(lanes.nextTime(undefined)).toBe(60)
    expect(lanes.nextTime({ service: 'one', unaddressed: true })).toBe(70)
    expect(lanes.nextTime({ service: 'one', unaddressed: false })).toBe(90)
    expect(lanes.nextTime({ service: 'three', unaddressed: false })).toBeUndefined()
  })

  it('is gone when it is taken out, whether its time has come or not', () => {
    const [ready, timed] = [submission('a', 1), submission('b', 2, { notBefore: 50 })]
    const lanes = lanesOf(ready, timed)
    lanes.delete(timed)
    expect(lanes.nextTime(undefined)).toBeUndefined()
    lanes.delete(ready)
    expect(lanes.due(100, undefined)).toBeUndefined()
  })

  it('is nothing that somebody edits', () => {
    expect(lanesOf(submission('a', 1, { heldBy: 'me' })).due(0, undefined)).toBeUndefined()
  })
})
