import { describe, expect, it } from 'vitest'
import { entryOf, type Row } from '../../../src/main/outbox/submission-rows.ts'
import { createStateReader, WAITING, writeState } from '../../../src/main/outbox/submission-state.ts'
import { planOfFiles } from './drafts.ts'

const plan = planOfFiles(['/in/a.jpg'])
const row: Row = {
  id: 'r1',
  position: 1,
  created_at: 1_000,
  removed_at: null,
  attempts: 0,
  plan: JSON.stringify(plan),
  state: writeState(WAITING),
  shown: 1,
}

describe('a row that is read again', () => {
  const before = entryOf(row, undefined)

  it('is the same submission where nothing is new', () => {
    expect(entryOf({ ...row }, before).submission).toBe(before.submission)
    expect(entryOf({ ...row, removed_at: 5 }, before)).toEqual({ ...before, isRemoved: true })
  })

  it.each([
    ['its plan', { plan: JSON.stringify({ ...plan, preset: 'Another' }) }],
    ['its state', { state: writeState({ ...WAITING, notBefore: 5 }) }],
    ['its place', { position: 2 }],
    ['its attempts', { attempts: 1 }],
  ])('is another one where %s is new', (_, change) => {
    const now = entryOf({ ...row, ...change }, before)
    expect(now.submission).not.toBe(before.submission)
    expect(now.submission).toEqual(entryOf({ ...row, ...change }, undefined).submission)
  })

  it('has its plan read again only where that is new', () => {
    const moved = entryOf({ ...row, position: 2 }, before)
    expect(moved.submission.title).toBe(before.submission.title)
  })
})

it('those that say the same, one after the other, share a state', () => {
  const stateIn = createStateReader()
  const waiting = stateIn(writeState(WAITING))
  expect(stateIn(writeState(WAITING))).toBe(waiting)
  expect(stateIn(writeState({ ...WAITING, notBefore: 5 }))).toEqual({ ...WAITING, notBefore: 5 })
  expect(stateIn(writeState(WAITING))).toEqual(waiting)
})
