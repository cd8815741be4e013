import { describe, expect, it } from 'vitest'
import { createWhenDone, followActivity, isWorking } from '../../../src/main/desktop/integration/when-done.ts'
import type { AppState } from '../../../src/shared/model/app-state.ts'
import type { Settings } from '../../../src/shared/model/settings.ts'
import { emptyState } from '../state/empty-state.ts'
import { entry, queued, record, running, title, waiting } from '../../part-samples.ts'

const photo = title('a.jpg', 1)
const withJob: AppState = { ...emptyState, jobs: [running(photo, 0.5)] }

describe('the app’s activity', () => {
  it.each([
    ['nothing to do', false, emptyState],
    ['a running job', true, withJob],
    [
      'an upload to a drive',
      true,
      { ...emptyState, jobs: [{ ...running(photo, 1), stage: { kind: 'uploading' } }] },
    ],
    ['a job waiting at the service', false, { ...emptyState, jobs: [queued(photo, 1)] }],
    ['a waiting submission', false, { ...emptyState, outbox: [waiting(photo)] }],
    [
      'a submission being sent',
      true,
      { ...emptyState, outbox: [entry(photo, { kind: 'sending', upload: null })] },
    ],
  ] as const)('%s: %s', (_name, works, state) => {
    expect(isWorking(state)).toBe(works)
  })
})

/** Reads the states in order and returns the result for the last one. */
const readAll = (first: AppState, ...states: readonly AppState[]) => {
  const read = followActivity(first)
  return states.map(read).at(-1)
}

describe('a run of jobs', () => {
  it('counts running jobs and waiting submissions', () => {
    expect(readAll(emptyState, { ...withJob, outbox: [waiting(photo), waiting(photo)] })).toEqual({
      unfinished: 3,
      needsAttention: false,
    })
  })

  it('lasts until the last part of a job has ended', () => {
    const place = { id: photo.id, parts: 2, photos: 1, videos: 0, presets: 2, folders: 2 }
    const web = { ...photo, place: { ...place, part: 0 } }
    const mail = { ...title('b.jpg', 1), preset: 'Mail', place: { ...place, part: 1 } }
    const ended = record(web, { kind: 'failed', reason: 'x' })
    const read = followActivity(emptyState)
    const states: readonly Partial<AppState>[] = [
      { jobs: [running(web, 0.5)], outbox: [waiting(mail)] },
      { outbox: [waiting(mail)], endedParts: [ended] },
      { jobs: [running(mail, 0.5)], endedParts: [ended] },
      { unseen: 1 },
    ]
    expect(states.map((state) => read({ ...emptyState, ...state }))).toEqual([
      { unfinished: 2, needsAttention: false },
      { unfinished: 1, needsAttention: false },
      { unfinished: 1, needsAttention: false },
      { unfinished: 0, needsAttention: true },
    ])
  })

  it.each([
    ['a key that was refused', { connection: { ...emptyState.connection, state: { status: 'keyRefused' } } }],
    [
      'a refused submission',
      { outbox: [entry(photo, { kind: 'refused', message: '', why: 'invalid', skipped: [] })] },
    ],
    [
      'an uncertain submission',
      { outbox: [entry(photo, { kind: 'unknown', candidates: [], checking: true })] },
    ],
    ['a new problem in this run', { unseen: 1 }],
  ] satisfies [string, Partial<AppState>][])('needs the user for %s', (_name, more) => {
    expect(readAll(emptyState, withJob, { ...withJob, ...more })?.needsAttention).toBe(true)
  })

  it('doesn’t need the user for problems from before it started, at launch or later', () => {
    const old = { ...emptyState, unseen: 2 }
    expect(readAll(old, old)?.needsAttention).toBe(false)
    expect(readAll(old, { ...withJob, unseen: 2 })?.needsAttention).toBe(false)
    expect(
      readAll(emptyState, withJob, { ...emptyState, unseen: 2 }, { ...withJob, unseen: 2 })?.needsAttention,
    ).toBe(false)
  })

  it('needs the user for a new problem after an old one was viewed', () => {
    const read = followActivity({ ...emptyState, unseen: 1 })
    read({ ...withJob, unseen: 1 })
    expect(read({ ...withJob, unseen: 0 }).needsAttention).toBe(false)
    expect(read({ ...withJob, unseen: 1 }).needsAttention).toBe(true)
  })

  it('needs the user for a new problem even if another submission is waiting', () => {
    const read = followActivity(emptyState)
    read(withJob)
    expect(read({ ...withJob, unseen: 1, outbox: [waiting(photo)] }).needsAttention).toBe(true)
  })
})

function setUp(first: Settings['whenDone']) {
  const said: string[] = []
  const world = { choice: first }
  let next: (() => void) | undefined
  const done = createWhenDone({
    choice: () => world.choice,
    actions: {
      sound: () => said.push('sound'),
      quit: () => said.push('quit'),
      sleep: () => said.push('sleep'),
    },
    after(_ms, run) {
      next = run
      return () => (next = undefined)
    },
    onPending: (pending) => said.push(pending === null ? 'off again' : `${pending.action} soon`),
  })
  const work = (unfinished: number, needsAttention = false) => done.update({ unfinished, needsAttention })
  const timePasses = () => {
    const run = next
    next = undefined
    run?.()
  }
  return { said, world, done, work, timePasses }
}

describe('when everything is done', () => {
  it.each(['sound', 'quit', 'sleep'] as const)('%s happens once per run of jobs', (choice) => {
    const { said, work, timePasses } = setUp(choice)
    work(0)
    timePasses()
    expect(said).toEqual([])
    for (const unfinished of [1, 3, 2, 0, 0]) work(unfinished)
    timePasses()
    work(0)
    timePasses()
    expect(said.filter((word) => word === choice)).toHaveLength(1)
    work(1)
    work(0)
    timePasses()
    expect(said.filter((word) => word === choice)).toHaveLength(2)
  })

  it('does nothing if “nothing” is chosen', () => {
    const { said, work, timePasses } = setUp('nothing')
    work(1)
    work(0)
    timePasses()
    expect(said).toEqual([])
  })

  it('a new job during the countdown cancels it, and the countdown starts again when that job is done', () => {
    const { said, work, timePasses } = setUp('sleep')
    work(1)
    work(0)
    work(1)
    timePasses()
    expect(said).toEqual(['sleep soon', 'off again'])
    work(0)
    timePasses()
    expect(said).toEqual(['sleep soon', 'off again', 'sleep soon', 'sleep'])
  })

  it('a countdown that the user cancels does not start again for the same jobs', () => {
    const { said, done, work, timePasses } = setUp('quit')
    work(1)
    work(0)
    done.cancel()
    timePasses()
    work(0)
    timePasses()
    expect(said).toEqual(['quit soon', 'off again'])
  })

  it('changing the choice during the countdown cancels it', () => {
    const { said, world, work, timePasses } = setUp('sleep')
    work(1)
    work(0)
    world.choice = 'nothing'
    timePasses()
    expect(said).toEqual(['sleep soon', 'off again'])
  })

  it('nothing happens if something needs the user during the jobs or the countdown', () => {
    const { said, work, timePasses } = setUp('sleep')
    work(1, true)
    work(0)
    timePasses()
    work(1)
    work(0, true)
    timePasses()
    expect(said).toEqual([])
    work(1)
    work(0)
    work(0, true)
    timePasses()
    expect(said).toEqual(['sleep soon', 'off again'])
  })
})
