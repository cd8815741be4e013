import { beforeEach, describe, expect, it } from 'vitest'
import { AT_ONCE } from '../../../src/main/outbox/additions.ts'
import type { Outbox } from '../../../src/main/outbox/index.ts'
import { createOutboxView } from '../../../src/main/outbox/outbox-view.ts'
import { WAITING } from '../../../src/main/outbox/submission-state.ts'
import { submissionOf, type Submission } from '../../../src/main/outbox/submission-rows.ts'
import { asRecordId } from '../../../src/shared/model/ids.ts'
import { ANY, planOfFiles } from './drafts.ts'
import { outboxFolder } from './outbox-folder.ts'
import { itInLongSuite } from '../../faults/long-suite.ts'

const LONG = 10_000
/** Maximum number of field reads when one submission has changed. Drawing a submission reads several of its fields. */
const A_FEW = 200

const planOf = (name: string) => planOfFiles([`/in/${name}`])
const plan = planOf('a.jpg')

/** Submissions that count how often any of their fields is read. */
function countedLine() {
  let reads = 0
  const submissions = Array.from({ length: LONG }, (_, n): Submission => {
    const facts = { id: asRecordId(`r${n}`), createdAt: 0, position: n, attempts: 0, state: WAITING, plan }
    return new Proxy(submissionOf(facts), {
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

describe('a list of ten thousand visible submissions', () => {
  it('redraws only changed submissions', () => {
    const { submissions, readsOf } = countedLine()
    let list: readonly Submission[] = submissions
    const view = createOutboxView({
      outbox: { listSoFar: () => ({ submissions: list, isWhole: true, indexOf: () => undefined }) },
      service: () => undefined,
      sending: () => ({ kind: 'idle' }),
      blockingReason: () => null,
      checks: { until: () => null, begun: () => 0 },
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

describe('a long queue', () => {
  let outbox: Outbox
  let open: () => Outbox
  const turns: (() => void)[] = []
  const nextTick = () => turns.splice(0).forEach((run) => run())

  beforeEach(async () => {
    ;({ open } = outboxFolder({ later: (run) => void turns.push(run) }))
    outbox = open()
    const plans = Array.from({ length: 1_000 }, (_, n) => planOf(`${n}.jpg`))
    for (let n = 0; n < plans.length; n += AT_ONCE) await outbox.enqueue(plans.slice(n, n + AT_ONCE))
    outbox.close()
    turns.length = 0
    outbox = open()
  })

  itInLongSuite('is read over many event-loop ticks, with a report in each', () => {
    let told = 0
    outbox.onChange(() => (told += 1))
    const lengths = [outbox.listSoFar().submissions.length]
    while (turns.length > 0) {
      nextTick()
      lengths.push(outbox.listSoFar().submissions.length)
    }
    expect(lengths.slice(0, 4)).toEqual([50, 100, 150, 200])
    expect(lengths.at(-1)).toBe(1_000)
    expect(told).toBe(lengths.length - 1)
  })

  it('keeps in memory only the fields that the list shows, and reads a plan from the file', () => {
    const [first] = outbox.listSoFar().submissions
    expect(first).toMatchObject({ title: { name: '0.jpg', photos: 1 } })
    expect(first).not.toHaveProperty('plan')
    expect(outbox.get(first?.id ?? asRecordId(''))).toEqual({ ...first, plan: planOf('0.jpg') })
  })

  it('keeps the objects of unchanged submissions when others change', () => {
    while (!outbox.listSoFar().isWhole) nextTick()
    const before = outbox.listSoFar().submissions
    const [first, second, third, ...rest] = before
    outbox.edit(first?.id ?? asRecordId(''))
    outbox.edit(second?.id ?? asRecordId(''))
    outbox.runNext(third?.id ?? asRecordId(''))
    outbox.listSoFar()
    while (turns.length > 0) nextTick()
    const after = outbox.listSoFar().submissions
    expect(after.slice(0, 3).map(({ title }) => title.name)).toEqual(['2.jpg', '0.jpg', '1.jpg'])
    expect(after.filter((one) => before.includes(one))).toEqual(rest)
  })

  itInLongSuite(
    'is read gradually even if this process has written many rows since it was last shown',
    async () => {
      while (!outbox.listSoFar().isWhole) nextTick()
      for (let n = 0; n < 3; n += 1) await outbox.enqueue(Array.from({ length: AT_ONCE }, () => plan))
      expect(outbox.listSoFar().submissions.length).toBeLessThanOrEqual(1_000 + AT_ONCE)
      while (!outbox.listSoFar().isWhole) nextTick()
      expect(outbox.listSoFar().submissions).toHaveLength(1_300)
    },
  )

  it('provides the next submission to send before it is completely read', () => {
    expect(outbox.nextDue(1_000, ANY)?.plan.items[0]?.name).toBe('0.jpg')
    expect(outbox.listSoFar().submissions).toHaveLength(50)
  })

  it('is complete when requested as a whole, and each entry is available by id', () => {
    const last = outbox.list().at(-1)
    outbox.close()
    outbox = open()
    expect(last === undefined ? undefined : outbox.get(last.id)?.title.name).toBe('999.jpg')
    expect(outbox.list()).toHaveLength(1_000)
  })

  it('shows what was added, removed and moved while it was being read', async () => {
    const [first] = outbox.listSoFar().submissions
    if (first === undefined) throw new Error('the first ones have been read')
    nextTick()
    outbox.remove(first.id)
    const [last] = await outbox.enqueue([planOf('last.jpg')])
    outbox.runNext(last?.id ?? first.id)
    outbox.listSoFar()
    while (turns.length > 0) nextTick()
    const names = outbox.listSoFar().submissions.map(({ title }) => title.name)
    expect(names).toHaveLength(1_000)
    expect(names.slice(0, 2)).toEqual(['last.jpg', '1.jpg'])
    expect(outbox.nextDue(1_000, ANY)?.plan.items[0]?.name).toBe('last.jpg')
    expect(outbox.get(first.id)).toBeUndefined()
  })
})
