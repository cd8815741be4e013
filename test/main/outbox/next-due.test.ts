import { DatabaseSync } from 'node:sqlite'
import { beforeEach, expect, it, vi } from 'vitest'
import type { Outbox } from '../../../src/main/outbox/index.ts'
import { Keys, Starts, submissionOf, Submissions } from '../../../src/main/outbox/submission-rows.ts'
import { WAITING } from '../../../src/main/outbox/submission-state.ts'
import { submissionTable } from '../../../src/main/outbox/submission-table.ts'
import { asRecordId, type RecordId } from '../../../src/shared/model/ids.ts'
import { ANY, namesOf, planOfFiles } from './drafts.ts'
import { outboxFolder } from './outbox-folder.ts'

let outbox: Outbox

beforeEach(() => {
  outbox = outboxFolder().open()
})

type Wanted = { readonly notBefore?: number; readonly target?: string }

async function put(name: string, { target, ...options }: Wanted = {}): Promise<RecordId> {
  const plan = planOfFiles([`/in/${name}`], target === undefined ? {} : { target })
  const [submission] = await outbox.enqueue([plan], options)
  return submission?.id ?? asRecordId('')
}
const due = (now: number, to = ANY) =>
  [outbox.nextDue(now, to)].flatMap((next) => (next === undefined ? [] : namesOf(next.plan)))[0]

it('returns the first due submission in sending order, even if it became due last', async () => {
  const edited = await put('a', { notBefore: 20 })
  await put('b', { notBefore: 10 })
  await put('c')
  expect([due(9), due(10), due(20)]).toEqual(['c', 'b', 'a'])
  await outbox.replace(edited, [planOfFiles(['/in/x'])], { notBefore: 30 })
  expect([due(25), due(30)]).toEqual(['b', 'x'])
})

it('a submission remains due when the clock is set back, and a later one waits for its time', async () => {
  const first = await put('a', { notBefore: 50 })
  await put('b', { notBefore: 60 })
  expect([due(49), due(55), due(10)]).toEqual([undefined, 'a', 'a'])
  outbox.remove(first)
  expect([due(10), due(60)]).toEqual([undefined, 'b'])
})

it('the next due time only considers submissions for this service', async () => {
  await put('now', { target: 'one' })
  await put('later', { notBefore: 90, target: 'one' })
  await put('soon', { notBefore: 70 })
  const elsewhere = await put('elsewhere', { notBefore: 60, target: 'two' })
  const next = (service: string, unaddressed: boolean) => outbox.nextTime({ service, unaddressed })
  expect([next('one', true), next('one', false), next('two', true), next('three', false)]).toEqual([
    70,
    90,
    60,
    undefined,
  ])
  outbox.remove(elsewhere)
  expect(next('two', true)).toBe(70)
})

it('a submission that is removed or edited is not due and has no due time', async () => {
  const [ready, timed] = [await put('a'), await put('b', { notBefore: 50 })]
  outbox.edit(ready)
  expect(due(0)).toBeUndefined()
  outbox.remove(timed)
  expect([outbox.nextTime(ANY), due(100)]).toEqual([undefined, undefined])
  outbox.endEdit(ready)
  outbox.restore(timed)
  expect([outbox.nextTime(ANY), due(0)]).toEqual([50, 'a'])
})

it('of ten thousand waiting submissions, none is read to find the next one', () => {
  const connection = new DatabaseSync(':memory:')
  connection.exec([Starts, Submissions, Keys].map(({ sql }) => sql).join('\n'))
  const prepare = vi.spyOn(connection, 'prepare')
  const table = submissionTable(connection, { later: () => undefined, onRead: () => undefined })
  const plan = planOfFiles(['/in/a'], { target: ANY.service })
  const facts = { position: 1, attempts: 0, createdAt: 1 }
  table.insert(
    submissionOf({ ...facts, id: asRecordId('r1'), state: { ...WAITING, notBefore: 5 }, plan }),
    null,
  )
  prepare.mockClear()
  table.nextDue(9, ANY)
  table.nextTime(ANY)
  const queries = prepare.mock.calls.map(([sql]) => sql).filter((sql) => !sql.includes('id = ?'))
  expect(queries).toHaveLength(4)
  for (const query of queries) {
    const steps = connection.prepare(`EXPLAIN QUERY PLAN ${query}`).all()
    expect(steps[0]?.['detail']).toMatch(
      /^SEARCH submissions USING COVERING INDEX submissions_\w+ \(target=\?/,
    )
    expect(steps.map(({ detail }) => detail)).not.toContain('USE TEMP B-TREE FOR ORDER BY')
  }
  connection.close()
})
