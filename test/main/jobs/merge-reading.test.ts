import { describe, expect, it } from 'vitest'
import { type JobEvent, type TrackerState } from '../../../src/main/jobs/index.ts'
import { emptyState, follow, heldBack, mergeReading } from '../../../src/main/jobs/merge-reading.ts'
import type { Job } from '../../../src/shared/api/resources.ts'
import { asRecordId } from '../../../src/shared/model/ids.ts'
import { aJob, aTitle, following } from './simulated-service.ts'

const NOW = { wall: 0, monotonic: 0 }

function reader() {
  let foreign = 0
  const options = { newId: () => asRecordId(`foreign-${(foreign += 1)}`), isSpokenFor: () => false }
  return (state: TrackerState, ...jobs: readonly Job[]) =>
    mergeReading(
      state,
      { list: { jobs: [...jobs], queueLength: 0, processing: false }, looked: new Map() },
      NOW,
      options,
    )
}

const moves = (events: readonly JobEvent[]) =>
  events.flatMap((event) => (event.kind === 'moved' ? [[event.id, event.from, event.to]] : []))

describe('the first reading of a job', () => {
  it('takes it from nowhere to where it is', () => {
    const read = reader()
    const { state } = follow(emptyState, following('r', 'a'))
    expect(moves(read(state, aJob('a')).events)).toEqual([['r', null, 'queued']])
    expect(moves(read(state, aJob('a', { status: 'processing' })).events)).toEqual([
      ['r', null, 'processing'],
    ])
  })

  it('says how many files a drive’s folder has, once somebody knows', () => {
    const read = reader()
    const title = aTitle('r', { files: null })
    const { state } = follow(emptyState, following('r', 'a', { title }))
    expect(read(state, aJob('a')).state.shown[0]?.files).toBeNull()
    expect(read(state, aJob('a', { totalFiles: 7 })).state.shown[0]?.files).toBe(7)
  })
})

describe('a job of another client', () => {
  it.each([
    [
      'by the file that it names',
      { fileName: '/in/one.jpg', results: [{ file: 'two.jpg', outputPath: '/o' }] },
      'one.jpg',
    ],
    ['by its first result', { results: [{ file: '/in/two.jpg', outputPath: '/o' }] }, 'two.jpg'],
    ['by the file in work', { progress: { fileName: 'three.jpg' } }, 'three.jpg'],
    ['by its folder in the drive', { drive: { inputFolderId: 'folder' } }, 'folder'],
    ['by its id', {}, 'a'],
  ] as const)('is called %s', (_, said, name) => {
    const shown = reader()(emptyState, aJob('a', said as Partial<Job>)).state.shown
    expect(shown.map((job) => [job.origin, job.name])).toEqual([['other', name]])
  })

  it('becomes ours only by its own id', () => {
    const { state } = reader()(emptyState, aJob('a'), aJob('b'))
    const { state: after, events } = follow(state, following('r', 'b'))
    expect(events).toEqual([{ kind: 'adopted', id: 'r', foreignId: 'foreign-2', jobId: 'b' }])
    expect(after.tracked.map(({ jobId, title }) => [jobId, title.origin])).toEqual([
      ['a', 'other'],
      ['b', 'ours'],
    ])
  })

  it('is none of a submission that is followed under another id', () => {
    const { state } = follow(emptyState, following('r', 'a'))
    const { state: after, events } = follow(state, following('s', 'a'))
    expect(events).toEqual([])
    expect(after.tracked.map(({ title }) => title.id)).toEqual(['r', 's'])
  })
})

describe('what could not be written', () => {
  it('is as it was before, so that the next reading brings it again', () => {
    const read = reader()
    const both = follow(follow(emptyState, following('r', 'a')).state, following('s', 'b')).state
    const before = read(both, aJob('a'), aJob('b')).state
    const ended = [aJob('a', { status: 'completed' }), aJob('b', { status: 'completed' })] as const
    const merged = read(before, ...ended)
    const unwritten = merged.events.filter((event) => event.kind === 'moved' && event.id === 'r')
    const held = heldBack(merged.state, before, unwritten)
    expect(moves(read(held, ...ended).events)).toEqual([['r', 'queued', 'over']])
    expect(read(merged.state, ...ended).events).toEqual([])
  })
})
