import { describe, expect, it } from 'vitest'
import { type JobEvent, type TrackerState } from '../../../src/main/jobs/index.ts'
import { emptyState, follow, withoutUnwritten, mergePoll } from '../../../src/main/jobs/merge-poll.ts'
import type { ServiceJob } from '../../../src/shared/api/resources.ts'
import { asRecordId } from '../../../src/shared/model/ids.ts'
import { aJob, aTitle, following } from './simulated-service.ts'

const NOW = { wall: 0, monotonic: 0 }

function reader() {
  let foreign = 0
  const options = { newId: () => asRecordId(`foreign-${(foreign += 1)}`), mayBeOurs: () => false }
  return (state: TrackerState, ...jobs: readonly ServiceJob[]) =>
    mergePoll(
      state,
      { list: { jobs: [...jobs], queueLength: 0, processing: false }, fetched: new Map() },
      NOW,
      options,
    )
}

const moves = (events: readonly JobEvent[]) =>
  events.flatMap((event) => (event.kind === 'moved' ? [[event.id, event.from, event.to]] : []))

describe('the first reading of a job', () => {
  it('sets the file count of a Drive folder if the service reports it', () => {
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
    ['by the current file', { progress: { fileName: 'three.jpg' } }, 'three.jpg'],
    ['by its Drive folder', { drive: { inputFolderId: 'folder' } }, 'folder'],
    ['by its id', {}, 'a'],
  ] as const)('is called %s', (_, said, name) => {
    const shown = reader()(emptyState, aJob('a', said as Partial<ServiceJob>)).state.shown
    expect(shown.map((job) => [job.origin, job.name])).toEqual([['other', name]])
  })

  it('is identified as ours only by its own job id', () => {
    const { state } = reader()(emptyState, aJob('a'), aJob('b'))
    const { state: after, events } = follow(state, following('r', 'b'))
    expect(events).toEqual([{ kind: 'adopted', id: 'r', foreignId: 'foreign-2', jobId: 'b' }])
    expect(after.tracked.map(({ jobId, title }) => [jobId, title.origin])).toEqual([
      ['a', 'other'],
      ['b', 'ours'],
    ])
  })
})

describe('the files of a job', () => {
  it('are done only when all their variations exist', () => {
    const title = aTitle('r', { variations: 2 })
    const { state } = follow(emptyState, following('r', 'a', { title }))
    const files = ['/p/a.jpg', '/p/a.jpg', '/p/b.jpg']
    const results = files.map((file, index) => ({ file, outputPath: `/out/${index}` }))
    const { shown } = reader()(state, aJob('a', { status: 'processing', results })).state
    expect(shown[0]?.doneFiles).toEqual(['a.jpg'])
  })

  it('that have failed are shown while the others are still being processed', () => {
    const { state } = follow(emptyState, following('r', 'a'))
    const errors = [{ file: 'a.jpg', error: 'The disk is full.' }]
    const { shown } = reader()(state, aJob('a', { status: 'processing', errors })).state
    expect(shown[0]?.problems).toEqual(errors)
  })
})

it('a job that is already followed is not followed twice', () => {
  const { state } = follow(emptyState, following('r', 'a'))
  expect(follow(state, following('r', 'a'))).toEqual({ state, events: [] })
  expect(follow(state, following('s', 'b')).state.tracked).toHaveLength(2)
})

describe('a failed write', () => {
  it('keeps the previous state, so that the next reading repeats the change', () => {
    const read = reader()
    const both = follow(follow(emptyState, following('r', 'a')).state, following('s', 'b')).state
    const before = read(both, aJob('a'), aJob('b')).state
    const results = [{ file: 'x.jpg', outputPath: '/out/x.jpg' }]
    const completed = { status: 'completed', results } as const
    const ended = [aJob('a', completed), aJob('b', completed)] as const
    const merged = read(before, ...ended)
    const unwritten = merged.events.filter((event) => event.kind === 'moved' && event.id === 'r')
    const held = withoutUnwritten(merged.state, before, unwritten)
    expect(moves(read(held, ...ended).events)).toEqual([['r', 'queued', 'ended']])
    expect(read(merged.state, ...ended).events).toEqual([])
  })
})
