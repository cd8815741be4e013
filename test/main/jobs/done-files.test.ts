import { expect, it } from 'vitest'
import { emptyState, follow, mergeReading } from '../../../src/main/jobs/merge-reading.ts'
import { asRecordId } from '../../../src/shared/model/ids.ts'
import { aJob, following } from './simulated-service.ts'

it('a file is done only when all of its variations are there', () => {
  const followed = following('r', 'a')
  const { state } = follow(emptyState, { ...followed, title: { ...followed.title, variations: 2 } })
  const results = ['/p/a.jpg', '/p/a.jpg', '/p/b.jpg'].map((file, index) => ({
    file,
    outputPath: `/out/${index}`,
  }))
  const merged = mergeReading(
    state,
    {
      list: { jobs: [aJob('a', { status: 'processing', results })], queueLength: 0, processing: true },
      looked: new Map(),
    },
    { wall: 0, monotonic: 0 },
    { newId: () => asRecordId('other'), isSpokenFor: () => false },
  )
  expect(merged.state.shown[0]?.doneFiles).toEqual(['a.jpg'])
})

it('a job that is followed already is not followed twice', () => {
  const { state } = follow(emptyState, following('r', 'a'))
  expect(follow(state, following('r', 'a'))).toEqual({ state, events: [] })
  expect(follow(state, following('s', 'b')).state.tracked).toHaveLength(2)
})
