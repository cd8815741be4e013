import { describe, expect, it } from 'vitest'
import { createOutboxView } from '../../../src/main/outbox/outbox-view.ts'
import type { Sending } from '../../../src/main/outbox/send-submission.ts'
import { submissionOf, type Submission } from '../../../src/main/outbox/submission-rows.ts'
import { WAITING, type DurableState } from '../../../src/main/outbox/submission-state.ts'
import type { QuietWait } from '../../../src/shared/model/quiet.ts'
import { asRecordId, type RecordId } from '../../../src/shared/model/ids.ts'
import type { WaitingReason } from '../../../src/shared/model/job.ts'
import { attempt, planOfFiles } from './drafts.ts'

const unknown = (leftToUser: boolean): DurableState => ({
  kind: 'unknown',
  attempt,
  uncertainty: { cause: 'timeout', message: '' },
  leftToUser,
  candidates: [],
})
const refused: DurableState = { kind: 'refused', refusal: { message: 'no', why: 'invalid', skipped: [] } }

const submissionIn = (state: DurableState, n = 1, target?: string): Submission =>
  submissionOf({
    id: asRecordId(`r${n}`),
    createdAt: 0,
    position: n,
    attempts: 0,
    state,
    plan: planOfFiles([`/in/${n}.jpg`], target === undefined ? {} : { target }),
  })

const service = (baseUrl: string) =>
  ({ api: {}, kind: 'external', baseUrl, seesFiles: true }) as unknown as ReturnType<
    Parameters<typeof createOutboxView>[0]['service']
  >

/** A view of a list that the test can change. */
function shown(...list: readonly Submission[]) {
  const now = {
    list,
    isWhole: true,
    sending: { kind: 'idle' } as Sending,
    blockingReason: null as WaitingReason | null,
    checkedUntil: null as number | null,
    service: service('http://s'),
    clock: 1_000,
    wait: null as QuietWait | null,
  }
  const exempt = new Set<RecordId>()
  const view = createOutboxView({
    outbox: {
      listSoFar: () => ({
        submissions: now.list,
        isWhole: now.isWhole,
        indexOf: (id) => now.list.findIndex((one) => one.id === id),
      }),
    },
    service: () => now.service,
    sending: () => now.sending,
    blockingReason: () => now.blockingReason,
    checks: { until: () => now.checkedUntil, begun: () => (now.checkedUntil === null ? 0 : 1) },
    clock: () => now.clock,
    quiet: { wait: () => now.wait, exempt },
  })
  return { now, exempt, view, states: () => view.entries().map(({ state }) => state) }
}

describe('the outbox entries', () => {
  it('say what quiet mode waits for, until when, and which of them are exempt', () => {
    const { now, exempt, states } = shown(
      submissionIn(WAITING, 1),
      submissionIn({ ...WAITING, isEdited: true }, 2),
    )
    now.blockingReason = 'offline'
    now.wait = { reason: 'time', until: 9_000 }
    const editing = { kind: 'waiting', because: 'editing', notBefore: null }
    expect(states()).toEqual([{ kind: 'waiting', because: 'time', notBefore: null, until: 9_000 }, editing])
    now.wait = { reason: 'power', until: null }
    expect(states()[0]).toEqual({ kind: 'waiting', because: 'power', notBefore: null })
    exempt.add(asRecordId('r1'))
    expect(states()[0]).toMatchObject({ because: 'offline' })
  })

  it('give the reason for waiting: being edited, in the undo period, blocked, for another service, or queued', () => {
    const { now, states } = shown(
      submissionIn(WAITING, 1),
      submissionIn({ ...WAITING, notBefore: 2_000 }, 2),
      submissionIn({ ...WAITING, isEdited: true }, 3),
      submissionIn(WAITING, 4, 'http://other'),
    )
    const because = () => states().map((state) => (state.kind === 'waiting' ? state.because : state.kind))
    expect(because()).toEqual(['turn', 'undo', 'editing', 'offline'])
    now.blockingReason = 'diskFull'
    expect(because()).toEqual(['diskFull', 'undo', 'editing', 'offline'])
    now.clock = 1_999
    expect(because()[1]).toBe('undo')
    now.clock = 2_000
    expect(states()[1]).toEqual({ kind: 'waiting', because: 'diskFull', notBefore: null })
    now.service = service('http://other')
    expect(because()[3]).toBe('diskFull')
  })

  it('are shown as sending during preparation, with upload progress, and as waiting again after an abort', () => {
    const { now, states } = shown(
      submissionIn(WAITING, 1),
      submissionIn(WAITING, 2),
      submissionIn(refused, 3),
    )
    expect(states()[1]?.kind).toBe('waiting')
    const abort = new AbortController()
    for (const sent of [10, 20]) {
      const upload = { sent, total: 30 } as unknown as Extract<Sending, { kind: 'preparing' }>['upload']
      now.sending = { kind: 'preparing', id: asRecordId('r2'), upload, abort }
      expect(states().map(({ kind }) => kind)).toEqual(['waiting', 'sending', 'refused'])
      expect(states()[1]).toEqual({ kind: 'sending', upload })
    }
    now.sending = { kind: 'preparing', id: asRecordId('r3'), upload: null, abort }
    expect(states().map(({ kind }) => kind)).toEqual(['waiting', 'waiting', 'refused'])
    now.sending = { kind: 'idle' }
    expect(states().map(({ kind }) => kind)).toEqual(['waiting', 'waiting', 'refused'])
  })

  it('keep the objects of unchanged entries when others are added and changed', () => {
    const [one, two, three] = [submissionIn(WAITING, 1), submissionIn(WAITING, 2), submissionIn(WAITING, 3)]
    const { now, view } = shown(one, two, three)
    const before = view.entries()
    now.list = [one, submissionIn(refused, 2), submissionIn(WAITING, 2.5), three]
    const after = view.entries()
    expect(after.map(({ id }) => id)).toEqual(['r1', 'r2', 'r2.5', 'r3'])
    expect([after[0] === before[0], after[3] === before[2]]).toEqual([true, true])
    expect(after[1]?.state.kind).toBe('refused')
  })

  it('keep the objects of entries between the first and the last changed one', () => {
    const list = [1, 2, 3, 4].map((n) => submissionIn(WAITING, n))
    const { now, view } = shown(...list)
    const before = view.entries()
    now.list = [submissionIn(WAITING, 0), ...list.slice(1, 3)]
    const after = view.entries()
    expect(after.map(({ id }) => id)).toEqual(['r0', 'r2', 'r3'])
    expect([after[1] === before[1], after[2] === before[2]]).toEqual([true, true])
  })

  it('change when their undo period ends, regardless of the order', () => {
    const until = (n: number, notBefore: number) =>
      submissionIn({ kind: 'waiting', notBefore, isEdited: false }, n)
    const { now, view } = shown(until(1, 3_000), submissionIn(WAITING, 2), until(3, 2_000))
    const becauseAt = (clock: number) => {
      now.clock = clock
      return view.entries().map(({ state }) => (state.kind === 'waiting' ? state.because : state.kind))
    }
    const before = view.entries()
    expect(becauseAt(1_999)).toEqual(['undo', 'turn', 'undo'])
    expect(becauseAt(2_000)).toEqual(['undo', 'turn', 'turn'])
    expect(view.entries().map((entry, n) => entry === before[n])).toEqual([true, true, false])
    expect(becauseAt(3_000)).toEqual(['turn', 'turn', 'turn'])
  })

  it('describe the states of refused and uncertain submissions', () => {
    const { states } = shown(
      submissionIn(refused, 1),
      submissionIn(unknown(true), 2),
      submissionIn(unknown(false), 3),
    )
    expect(states()).toEqual([
      { kind: 'refused', message: 'no', why: 'invalid', skipped: [] },
      { kind: 'unknown', candidates: [], checking: false },
      { kind: 'unknown', candidates: [], checking: true },
    ])
  })
})

it('an entry shows when the check of its submission will end, as soon as the check has started', () => {
  const { now, states } = shown(submissionIn(unknown(false)))
  expect(states()).toEqual([{ kind: 'unknown', candidates: [], checking: true }])
  now.checkedUntil = 301_000
  expect(states()).toEqual([{ kind: 'unknown', candidates: [], checking: true, until: 301_000 }])
})

describe('whether anything progresses automatically', () => {
  it.each<[string, Submission[], boolean]>([
    ['nothing', [], false],
    ['a waiting one', [submissionIn(WAITING)], true],
    ['an edited one', [submissionIn({ ...WAITING, isEdited: true })], false],
    ['one for another service', [submissionIn(WAITING, 1, 'http://other')], false],
    ['a refused one', [submissionIn(refused)], false],
    ['one being sent', [submissionIn({ kind: 'sending', attempt })], true],
    ['an uncertain one', [submissionIn(unknown(false))], true],
    ['one left to the user', [submissionIn(unknown(true))], false],
    ['the second of two', [submissionIn(refused, 1), submissionIn(WAITING, 2)], true],
  ])('%s', (_, list, moves) => {
    expect(shown(...list).view.busy()).toBe(moves)
  })

  it('is true while a submission is being sent, while the queue is not completely read, and for any waiting submission while no service is in use', () => {
    const { now, view } = shown(submissionIn(refused))
    now.isWhole = false
    expect(view.busy()).toBe(true)
    now.isWhole = true
    expect(view.busy()).toBe(false)
    now.sending = { kind: 'posting', id: asRecordId('r1') }
    expect(view.busy()).toBe(true)
    now.sending = { kind: 'idle' }
    now.list = [submissionIn(WAITING, 1, 'http://other')]
    expect(view.busy()).toBe(false)
    now.service = undefined
    expect(view.busy()).toBe(true)
  })
})
