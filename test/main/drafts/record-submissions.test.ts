import { expect, test } from 'vitest'
import { createSubmissionRecorder } from '../../../src/main/drafts/record-submissions.ts'
import type { Submission } from '../../../src/main/outbox/index.ts'
import { submissionOf } from '../../../src/main/outbox/submission-rows.ts'
import { WAITING } from '../../../src/main/outbox/submission-state.ts'
import { asRecordId } from '../../../src/shared/model/ids.ts'
import { planOfFiles } from '../outbox/drafts.ts'

const submissions = (prefix: string, count: number): readonly Submission[] =>
  Array.from({ length: count }, (_, n) =>
    submissionOf({
      id: asRecordId(`${prefix}${n}`),
      createdAt: 1_000,
      position: n,
      attempts: 0,
      state: WAITING,
      plan: planOfFiles([`/in/${prefix}${n}.jpg`]),
    }),
  )

/** Records the writes to the history, and the tick of each. */
function setUp(mayWrite: () => boolean = () => true) {
  const written: (readonly string[])[] = []
  const turns: { ms: number; run: () => void }[] = []
  const recorder = createSubmissionRecorder({
    history: {
      recordSubmissions(records) {
        if (!mayWrite()) throw new Error('disk full')
        written.push(records.map(({ title }) => title.id))
      },
    },
    after(ms, run) {
      turns.push({ ms, run })
      return () => turns.splice(0)
    },
    log: () => undefined,
  })
  return { recorder, written, turns, turn: () => turns.shift()?.run() }
}

test('a few submissions are recorded immediately, and many in later ticks, a few in each', () => {
  const { recorder, written, turns, turn } = setUp()
  recorder.record(submissions('a', 2))
  expect(written).toEqual([['a0', 'a1']])
  recorder.record(submissions('b', 25))
  expect(written).toHaveLength(1)
  while (turns.length > 0) turn()
  expect(written.map(({ length }) => length)).toEqual([2, 10, 10, 5])
  expect(written.flat().slice(2)).toEqual(submissions('b', 25).map(({ id }) => id))
})

test('later submissions are recorded after the waiting ones', () => {
  const { recorder, written, turns, turn } = setUp()
  recorder.record(submissions('a', 15))
  turn()
  recorder.record(submissions('b', 2))
  while (turns.length > 0) turn()
  expect(written.flat()).toEqual([...submissions('a', 15), ...submissions('b', 2)].map(({ id }) => id))
})

test('failed writes are retried later', () => {
  let isFull = true
  const { recorder, written, turns, turn } = setUp(() => !isFull)
  recorder.record(submissions('a', 2))
  expect(turns.map(({ ms }) => ms)).toEqual([10_000])
  isFull = false
  turn()
  expect(written).toEqual([['a0', 'a1']])
  expect(turns).toEqual([])
})
