import { readdirSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { beforeEach, describe, expect, it } from 'vitest'
import { AT_ONCE } from '../../../src/main/outbox/additions.ts'
import type { Outbox } from '../../../src/main/outbox/index.ts'
import { asRecordId } from '../../../src/shared/model/ids.ts'
import { ANY, attempt, planOfFiles } from './drafts.ts'
import { outboxFolder } from './outbox-folder.ts'

const MANY = 350

let folder: string
let file: string
let outbox: Outbox
let open: () => Outbox
let turns: (() => void)[]

/** Runs one event-loop tick and its consequences. */
async function turn(): Promise<void> {
  for (const run of turns.splice(0)) run()
  for (let n = 0; n < 10; n += 1) await Promise.resolve()
}
async function allTicks(): Promise<void> {
  while (turns.length > 0) await turn()
}

const plansOf = (prefix: string, count = MANY) =>
  Array.from({ length: count }, (_, n) => planOfFiles([`/in/${prefix}${n}.jpg`]))
const namesIn = (box: Outbox) => box.list().map(({ title }) => title.name)

/** Counts the table's rows in the file, visible or not. */
function rowsIn(table: 'submissions' | 'starts'): number {
  const connection = new DatabaseSync(file)
  try {
    return Number(connection.prepare(`SELECT count(*) AS n FROM ${table}`).get()?.['n'])
  } finally {
    connection.close()
  }
}

/** Marks all other submissions as removed. */
function removeAllBut(kept: string): void {
  const connection = new DatabaseSync(file)
  connection.prepare('UPDATE submissions SET removedAt = 1 WHERE id != ?').run(kept)
  connection.close()
}

beforeEach(() => {
  turns = []
  ;({ folder, file, open } = outboxFolder({ later: (run) => void turns.push(run) }))
  outbox = open()
})

describe('adding many submissions', () => {
  it('writes no more per tick than adding a few, and makes all of them visible at once', async () => {
    const other = open()
    const start = outbox.enqueue(plansOf('a'))
    const written = [rowsIn('submissions')]
    const seen = new Set([outbox.list().length, other.list().length])
    const told: string[] = []
    outbox.onChange(() => told.push('changed'))
    while (told.length === 0) {
      await turn()
      written.push(rowsIn('submissions'))
      if (told.length === 0)
        seen.add(outbox.list().length).add(other.list().length).add(other.accepted().length)
    }
    expect(written).toEqual([0, AT_ONCE, 2 * AT_ONCE, 3 * AT_ONCE, MANY, MANY])
    expect([...seen]).toEqual([0])
    expect(await start).toHaveLength(MANY)
    expect(namesIn(outbox)).toEqual(Array.from({ length: MANY }, (_, n) => `a${n}.jpg`))
    expect(namesIn(other)).toEqual(namesIn(outbox))
  })

  it('lets the process that added them read them gradually', async () => {
    await outbox.enqueue(plansOf('before', 2))
    const start = outbox.enqueue(plansOf('a'))
    while (outbox.listSoFar().isWhole) await turn()
    expect(outbox.listSoFar().submissions.length).toBeLessThan(MANY)
    await allTicks()
    await start
    expect(outbox.listSoFar().submissions).toHaveLength(2 + MANY)
    expect(outbox.listSoFar().isWhole).toBe(true)
  })

  it('can be undone within its grace period', async () => {
    const start = outbox.enqueue(plansOf('a'), { notBefore: 6_000 })
    await allTicks()
    await start
    expect(outbox.nextDue(5_999, ANY)).toBeUndefined()
    expect(outbox.nextTime(ANY)).toBe(6_000)
    expect(outbox.nextDue(6_000, ANY)?.plan.items[0]?.name).toBe('a0.jpg')
  })

  it('keeps their position before later additions, without delaying those', async () => {
    const start = outbox.enqueue(plansOf('a'))
    await turn()
    await outbox.enqueue([planOfFiles(['/in/b.jpg'])])
    const long = outbox.enqueue(plansOf('c'))
    await outbox.enqueue([planOfFiles(['/in/d.jpg'])])
    await turn()
    await turn()
    expect(outbox.list()).toHaveLength(2)
    expect(outbox.nextDue(1_000, ANY)?.plan.items[0]?.name).toBe('b.jpg')
    await allTicks()
    await Promise.all([start, long])
    const names = namesIn(outbox)
    expect(names[0]).toBe('a0.jpg')
    expect(names.slice(MANY - 1, MANY + 2)).toEqual([`a${MANY - 1}.jpg`, 'b.jpg', 'c0.jpg'])
    expect(names.slice(-2)).toEqual([`c${MANY - 1}.jpg`, 'd.jpg'])
  })

  it('with the same key happens once, even if both are written at the same time', async () => {
    const first = outbox.enqueue(plansOf('a'), { key: 'k' })
    const second = outbox.enqueue(plansOf('a'), { key: 'k' })
    await allTicks()
    expect((await Promise.all([first, second])).map(({ length }) => length)).toEqual([MANY, 0])
    expect(await outbox.enqueue(plansOf('a'), { key: 'k' })).toEqual([])
    await allTicks()
    expect(rowsIn('submissions')).toBe(MANY)
    expect(rowsIn('starts')).toBe(1)
  })

  it('replaces the submission that was edited', async () => {
    await outbox.enqueue(['x', 'y', 'z'].map((name) => planOfFiles([`/in/${name}.jpg`])))
    const edited = outbox.list()[1]?.id ?? asRecordId('')
    outbox.edit(edited)
    const start = outbox.replace(edited, plansOf('a'), { key: 'k' })
    await turn()
    expect(namesIn(outbox)).toEqual(['x.jpg', 'y.jpg', 'z.jpg'])
    await allTicks()
    expect(await start).toHaveLength(MANY)
    expect(namesIn(outbox)).toEqual(['x.jpg', ...plansOf('a').map((plan) => plan.items[0]?.name), 'z.jpg'])
    expect(outbox.wasEnqueued('k')).toBe(true)
  })

  it('does nothing if the edited submission is sent in the meantime', async () => {
    await outbox.enqueue([planOfFiles(['/in/x.jpg'])])
    const edited = outbox.list()[0]?.id ?? asRecordId('')
    const start = outbox.replace(edited, plansOf('a'), { key: 'k' })
    await turn()
    expect(outbox.beginSending(edited, attempt)).toBe(true)
    await allTicks()
    expect(await start).toBeUndefined()
    expect(outbox.wasEnqueued('k')).toBe(false)
    expect(namesIn(outbox)).toEqual(['x.jpg'])
    expect([rowsIn('submissions'), rowsIn('starts')]).toEqual([1, 0])
  })
})

describe('an addition', () => {
  it('that was interrupted is removed gradually by the next owner', async () => {
    const started = outbox.enqueue(plansOf('a'), { key: 'k' })
    while (rowsIn('submissions') < 3 * AT_ONCE) await turn()
    outbox.close()
    await expect(Promise.all([started, allTicks()])).rejects.toThrow()
    outbox = open()
    expect(outbox.list()).toEqual([])
    const left = [rowsIn('submissions')]
    while (turns.length > 0) {
      await turn()
      left.push(rowsIn('submissions'))
    }
    expect(left.slice(0, 4)).toEqual([3 * AT_ONCE, 2 * AT_ONCE, AT_ONCE, 0])
    expect(rowsIn('starts')).toBe(0)
    expect(readdirSync(folder).filter((name) => name.includes('-editing-'))).toEqual([])
    const again = outbox.enqueue(plansOf('a'), { key: 'k' })
    await allTicks()
    expect(await again).toHaveLength(MANY)
  })

  it('that was completed leaves no record once all its submissions have been removed', async () => {
    const started = outbox.enqueue(plansOf('a', AT_ONCE + 1))
    await allTicks()
    await started
    outbox.close()
    removeAllBut('none')
    outbox = open()
    await allTicks()
    expect(rowsIn('submissions')).toBe(0)
    outbox.close()
    outbox = open()
    expect(rowsIn('starts')).toBe(0)
  })
})

it('earlier removals become final gradually when sending starts, while later ones can be undone', async () => {
  for (const prefix of ['a', 'b', 'c']) await outbox.enqueue(plansOf(prefix, AT_ONCE))
  const kept = outbox.list()[0]?.id ?? asRecordId('')
  removeAllBut(kept)
  outbox.remove(kept)
  const left = [rowsIn('submissions')]
  while (turns.length > 0) {
    await turn()
    left.push(rowsIn('submissions'))
  }
  expect(left).toEqual([300, 200, 100, 1])
  expect(outbox.restore(kept)).toEqual([kept])
  expect(outbox.list().map(({ id }) => id)).toEqual([kept])
})
