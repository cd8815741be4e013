import { describe, expect, it } from 'vitest'
import { createOutboxView, type OutboxViewDeps } from '../../../src/main/outbox/outbox-view.ts'
import type { Sending } from '../../../src/main/outbox/send-submission.ts'
import { submissionOf, type ListedSubmission } from '../../../src/main/outbox/submission-rows.ts'
import { WAITING, type DurableState } from '../../../src/main/outbox/submission-state.ts'
import { asRecordId } from '../../../src/shared/model/ids.ts'
import type { WaitingReason } from '../../../src/shared/model/work.ts'
import { planOfFiles } from './drafts.ts'

const attempt = {
  at: 1,
  service: 'http://s',
  baseUrl: 'http://s',
  connection: 'external' as const,
  known: [],
  uploaded: null,
}
const unknown = (leftToUser: boolean): DurableState => ({
  kind: 'unknown',
  attempt,
  uncertainty: { cause: 'timeout', message: '' },
  leftToUser,
  candidates: [],
})
const refused: DurableState = { kind: 'refused', refusal: { message: 'no', why: 'invalid', skipped: [] } }

const submissionIn = (state: DurableState, n = 1, target?: string): ListedSubmission =>
  submissionOf(
    { id: asRecordId(`r${n}`), createdAt: 0, position: n, attempts: 0, state },
    planOfFiles([`/in/${n}.jpg`], target === undefined ? {} : { target }),
  )

const service = (baseUrl: string) =>
  ({ api: {}, kind: 'external', baseUrl, seesFiles: true }) as unknown as ReturnType<
    OutboxViewDeps['service']
  >

/** A view of what can be changed from outside. */
function shown(...list: readonly ListedSubmission[]) {
  const now = {
    list,
    isWhole: true,
    sending: { kind: 'idle' } as Sending,
    hindrance: null as WaitingReason | null,
    service: service('http://s'),
    clock: 1_000,
  }
  const view = createOutboxView({
    outbox: {
      get: (id) => now.list.find((one) => one.id === id),
      listSoFar: () => now.list,
      isListWhole: () => now.isWhole,
    },
    service: () => now.service,
    sending: () => now.sending,
    hindrance: () => now.hindrance,
    clock: () => now.clock,
  })
  return { now, view, states: () => view.entries().map(({ state }) => state) }
}

describe('what waits', () => {
  it('says why: edited, in its grace, hindered, for another service, or for its turn', () => {
    const { now, states } = shown(
      submissionIn(WAITING, 1),
      submissionIn({ ...WAITING, notBefore: 2_000 }, 2),
      submissionIn({ ...WAITING, heldBy: 'me' }, 3),
      submissionIn(WAITING, 4, 'http://other'),
    )
    const because = () => states().map((state) => (state.kind === 'waiting' ? state.because : state.kind))
    expect(because()).toEqual(['turn', 'undo', 'paused', 'offline'])
    now.hindrance = 'diskFull'
    expect(because()).toEqual(['diskFull', 'undo', 'paused', 'offline'])
    now.clock = 1_999
    expect(because()[1]).toBe('undo')
    now.clock = 2_000
    expect(states()[1]).toEqual({ kind: 'waiting', because: 'diskFull', notBefore: null })
    now.service = service('http://other')
    expect(because()[3]).toBe('diskFull')
  })

  it('is being sent while it is prepared, with how far its upload is, and waits again when that is given up', () => {
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

  it('keeps what has not changed when others go and come in the middle', () => {
    const [one, two, three] = [submissionIn(WAITING, 1), submissionIn(WAITING, 2), submissionIn(WAITING, 3)]
    const { now, view } = shown(one, two, three)
    const before = view.entries()
    now.list = [one, submissionIn(refused, 2), submissionIn(WAITING, 2.5), three]
    const after = view.entries()
    expect(after.map(({ id }) => id)).toEqual(['r1', 'r2', 'r2.5', 'r3'])
    expect([after[0] === before[0], after[3] === before[2]]).toEqual([true, true])
    expect(after[1]?.state.kind).toBe('refused')
  })

  it('tells what was refused and what is in doubt in their own words', () => {
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

describe('whether anything moves by itself', () => {
  it.each<[string, ListedSubmission[], boolean]>([
    ['nothing', [], false],
    ['one that waits', [submissionIn(WAITING)], true],
    ['one that is edited', [submissionIn({ ...WAITING, heldBy: 'me' })], false],
    ['one for another service', [submissionIn(WAITING, 1, 'http://other')], false],
    ['one that was refused', [submissionIn(refused)], false],
    ['one that is being sent', [submissionIn({ kind: 'sending', attempt })], true],
    ['one in doubt', [submissionIn(unknown(false))], true],
    ['one that the user decides on', [submissionIn(unknown(true))], false],
    ['the second of two', [submissionIn(refused, 1), submissionIn(WAITING, 2)], true],
  ])('%s', (_, list, moves) => {
    expect(shown(...list).view.busy()).toBe(moves)
  })

  it('is so while something is under way, while the line is not read to its end, and for any service while there is none', () => {
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
