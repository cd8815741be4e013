import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { AT_ONCE } from '../../../src/main/outbox/additions.ts'
import { openOutbox, planDraft, type Outbox, type PlannedSubmission } from '../../../src/main/outbox/index.ts'
import { createOutboxView } from '../../../src/main/outbox/outbox-view.ts'
import { WAITING } from '../../../src/main/outbox/submission-state.ts'
import { submissionOf, type ListedSubmission } from '../../../src/main/outbox/submission-rows.ts'
import { createWaitingLanes } from '../../../src/main/outbox/waiting-lanes.ts'
import { asRecordId } from '../../../src/shared/model/ids.ts'
import { draftOfFiles } from './drafts.ts'

const LONG = 10_000
/** Looking through a line of ten thousand with a few comparisons takes about fourteen of them. */
const A_FEW = 200

function planOf(name: string): PlannedSubmission {
  const plan = planDraft(draftOfFiles([`/in/${name}`]), { presets: null, drive: null, seesFiles: true })
  const submission = plan.ok ? plan.submissions[0] : undefined
  if (submission === undefined) throw new Error('it can be planned')
  return submission
}
const plan = planOf('a.jpg')

/** Submissions that count how often anything of them is read. */
function countedLine(notBefore: number | null) {
  let reads = 0
  const submissions = Array.from({ length: LONG }, (_, n): ListedSubmission => {
    const state = { ...WAITING, notBefore }
    const facts = { id: asRecordId(`r${n}`), createdAt: 0, position: n, attempts: 0, state }
    return new Proxy(submissionOf(facts, plan), {
      get(target, name) {
        reads += 1
        return Reflect.get(target, name)
      },
    })
  })
  return {
    submissions,
    readsOf: (work: () => void): number => {
      const before = reads
      work()
      return reads - before
    },
  }
}

describe('of ten thousand that wait, what is to be sent next is found without looking at each', () => {
  it.each([
    ['for their time', 5_000],
    ['for nothing', null],
  ])('where they wait %s', (_, notBefore) => {
    const { submissions, readsOf } = countedLine(notBefore)
    const lanes = createWaitingLanes()
    for (const submission of submissions) lanes.add(submission)
    const [first] = submissions
    if (first === undefined) throw new Error('there is a first one')
    const reads = readsOf(() => {
      lanes.due(1_000, undefined)
      lanes.nextTime(undefined)
      lanes.delete(first)
      lanes.due(1_000, { service: 'http://other', unaddressed: true })
    })
    expect(reads).toBeLessThan(A_FEW)
  })
})

describe('of ten thousand that are shown', () => {
  it('only those are drawn that have changed', () => {
    const { submissions, readsOf } = countedLine(null)
    let list: readonly ListedSubmission[] = submissions
    const view = createOutboxView({
      outbox: {
        isListWhole: () => true,
        listSoFar: () => list,
        get: (id) => list.find((one) => one.id === id),
      },
      service: () => undefined,
      sending: () => ({ kind: 'idle' }),
      hindrance: () => null,
      clock: () => 0,
    })
    const before = view.entries()
    expect(before).toHaveLength(LONG)
    list = submissions.slice(1)
    const reads = readsOf(() => view.entries())
    expect(reads).toBeLessThan(A_FEW)
    expect(view.entries()[0]).toBe(before[1])
    expect(view.entries()).toHaveLength(LONG - 1)
  })
})

describe('a long line', () => {
  let folder: string
  let outbox: Outbox
  let ids = 0
  const turns: (() => void)[] = []
  const open = () =>
    openOutbox({
      file: join(folder, 'outbox.db'),
      clock: () => 1_000,
      ids: () => asRecordId(`r${(ids += 1)}`),
      later: (run) => void turns.push(run),
    })
  const nextTurn = () => turns.splice(0).forEach((run) => run())

  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'mediatray-outbox-'))
    outbox = open()
    const plans = Array.from({ length: 1_000 }, (_, n) => planOf(`${n}.jpg`))
    for (let n = 0; n < plans.length; n += AT_ONCE) await outbox.enqueue(plans.slice(n, n + AT_ONCE))
    outbox.close()
    turns.length = 0
    outbox = open()
  })
  afterEach(() => {
    outbox.close()
    rmSync(folder, { recursive: true })
  })

  it('is read in many turns of the loop, and told of in each', () => {
    let told = 0
    outbox.onChange(() => (told += 1))
    const lengths = [outbox.listSoFar().length]
    while (turns.length > 0) {
      nextTurn()
      lengths.push(outbox.listSoFar().length)
    }
    expect(lengths.slice(0, 4)).toEqual([50, 100, 150, 200])
    expect(lengths.at(-1)).toBe(1_000)
    expect(told).toBe(lengths.length - 1)
  })

  it('keeps what is shown of each in memory, and reads what is to be done when it is asked for', () => {
    const [first] = outbox.list()
    expect(first).toMatchObject({ title: { name: '0.jpg', photos: 1 } })
    expect(first).not.toHaveProperty('plan')
    expect(first === undefined ? undefined : outbox.whole(first.id)).toEqual({
      ...first,
      plan: planOf('0.jpg'),
    })
  })

  it('can be sent from before all of it is read', () => {
    outbox.claim()
    expect(outbox.nextDue(1_000)?.plan.items[0]?.name).toBe('0.jpg')
    expect(outbox.listSoFar()).toHaveLength(50)
  })

  it('is whole for who asks for all of it, and each can be had by its name', () => {
    const last = outbox.list().at(-1)
    outbox.close()
    outbox = open()
    expect(last === undefined ? undefined : outbox.get(last.id)?.title.name).toBe('999.jpg')
    expect(outbox.list()).toHaveLength(1_000)
  })

  it('shows what another process has added, taken out and moved, also while it is being read', async () => {
    const other = open()
    const [first, second] = other.list()
    if (first === undefined || second === undefined) throw new Error('there are two')
    outbox.listSoFar()
    nextTurn()
    other.remove(first.id)
    await other.enqueue([planOf('last.jpg')])
    other.sendNext(other.list().at(-1)?.id ?? first.id)
    other.close()
    outbox.listSoFar()
    while (turns.length > 0) nextTurn()
    const names = outbox.listSoFar().map(({ title }) => title.name)
    expect(names).toHaveLength(1_000)
    expect(names.slice(0, 2)).toEqual(['last.jpg', '1.jpg'])
    expect(outbox.nextDue(1_000)?.plan.items[0]?.name).toBe('last.jpg')
    expect(outbox.get(first.id)).toBeUndefined()
  })
})
