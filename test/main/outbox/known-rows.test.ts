import { describe, expect, it } from 'vitest'
import { createKnownRows } from '../../../src/main/outbox/known-rows.ts'
import { submissionOf, type Entry } from '../../../src/main/outbox/submission-rows.ts'
import { WAITING } from '../../../src/main/outbox/submission-state.ts'
import { asRecordId } from '../../../src/shared/model/ids.ts'
import { planOfFiles } from './drafts.ts'

const START = { position: 0, id: asRecordId('') }
const place = (position: number) => ({ position, id: asRecordId('~') })

function entry(name: string, position: number): Entry {
  const id = asRecordId(name)
  const facts = { id, createdAt: 1, position, attempts: 0, state: WAITING }
  const submission = submissionOf(facts, planOfFiles([`/in/${name}.jpg`]))
  return { submission, isRemoved: false, planHash: '' }
}

describe('rows that have been read', () => {
  it('stand in their order, and are no longer there once a page is without them', () => {
    const known = createKnownRows()
    for (const [name, position] of [
      ['b', 2],
      ['a', 1],
      ['c', 3],
    ] as const)
      known.put(entry(name, position))
    known.replace(START, place(2), [entry('a', 1)])
    expect(known.unaccepted().map(({ id }) => id)).toEqual(['a', 'c'])
    expect(known.get('b')).toBeUndefined()
  })

  it('that have moved on are not lost with the page where they stood', () => {
    const known = createKnownRows()
    known.put(entry('a', 1))
    known.put(entry('a', 9))
    known.replace(START, place(5), [])
    expect(known.unaccepted().map(({ position }) => position)).toEqual([9])
  })
})
