import { describe, expect, it } from 'vitest'
import { createWorkReader, isWorking } from '../../../src/main/desktop/integration/when-done.ts'
import type { AppState } from '../../../src/shared/model/app-state.ts'
import { emptyState } from '../state/empty-state.ts'
import { entry, queued, running, title, waiting } from './work-samples.ts'

const photo = title('a.jpg', 1)
const withJob: AppState = { ...emptyState, jobs: [running(photo, 0.5)] }

describe('whether the app works', () => {
  it.each([
    ['nothing to do', false, emptyState],
    ['a job that runs', true, withJob],
    [
      'results on their way',
      true,
      { ...emptyState, jobs: [{ ...running(photo, 1), stage: { kind: 'uploading' } }] },
    ],
    ['a job that waits at the service', false, { ...emptyState, jobs: [queued(photo, 1)] }],
    ['a submission that waits here', false, { ...emptyState, outbox: [waiting(photo)] }],
    [
      'a submission on its way',
      true,
      { ...emptyState, outbox: [entry(photo, { kind: 'sending', upload: null })] },
    ],
  ] as const)('%s: %s', (_name, works, state) => {
    expect(isWorking(state)).toBe(works)
  })
})

/** What the reader says of the last of these states. */
const readAll = (first: AppState, ...states: readonly AppState[]) => {
  const read = createWorkReader(first)
  return states.map(read).at(-1)
}

describe('whether a run of work needs the person', () => {
  it('counts jobs and submissions', () => {
    expect(readAll(emptyState, { ...withJob, outbox: [waiting(photo), waiting(photo)] })).toEqual({
      unfinished: 3,
      needsPerson: false,
    })
  })

  it.each([
    ['a key that was refused', { connection: { ...emptyState.connection, state: { status: 'keyRefused' } } }],
    [
      'a refused submission',
      { outbox: [entry(photo, { kind: 'refused', message: '', why: 'invalid', skipped: [] })] },
    ],
    ['one in doubt', { outbox: [entry(photo, { kind: 'unknown', candidates: [], checking: true })] }],
    ['a problem that came in this run', { unseen: 1 }],
  ] satisfies [string, Partial<AppState>][])('it does for %s', (_name, more) => {
    expect(readAll(emptyState, withJob, { ...withJob, ...more })?.needsPerson).toBe(true)
  })

  it('does not for problems from before it began, at the start of the app or later', () => {
    const old = { ...emptyState, unseen: 2 }
    expect(readAll(old, old)?.needsPerson).toBe(false)
    expect(readAll(old, { ...withJob, unseen: 2 })?.needsPerson).toBe(false)
    expect(
      readAll(emptyState, withJob, { ...emptyState, unseen: 2 }, { ...withJob, unseen: 2 })?.needsPerson,
    ).toBe(false)
  })

  it('does for a new problem after an old one was looked at', () => {
    const read = createWorkReader({ ...emptyState, unseen: 1 })
    read({ ...withJob, unseen: 1 })
    expect(read({ ...withJob, unseen: 0 }).needsPerson).toBe(false)
    expect(read({ ...withJob, unseen: 1 }).needsPerson).toBe(true)
  })

  it('does not begin anew with each job of the run', () => {
    const read = createWorkReader(emptyState)
    read(withJob)
    expect(read({ ...withJob, unseen: 1, outbox: [waiting(photo)] }).needsPerson).toBe(true)
  })
})
