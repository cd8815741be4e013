import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { AT_ONCE } from '../../../src/main/outbox/additions.ts'
import { openOutbox, type Outbox } from '../../../src/main/outbox/index.ts'
import { asRecordId } from '../../../src/shared/model/ids.ts'
import { planOfFiles } from './drafts.ts'

const MANY = 350

let folder: string
let outbox: Outbox
let ids: number
let turns: (() => void)[]

const file = () => join(folder, 'outbox.db')
const open = () =>
  openOutbox({
    file: file(),
    clock: () => 1_000,
    ids: () => asRecordId(`r${(ids += 1)}`),
    later: (run) => void turns.push(run),
  })

/** One turn of the loop, and what follows from it. */
async function turn(): Promise<void> {
  for (const run of turns.splice(0)) run()
  for (let n = 0; n < 10; n += 1) await Promise.resolve()
}
async function allTurns(): Promise<void> {
  while (turns.length > 0) await turn()
}

const plansOf = (prefix: string, count = MANY) =>
  Array.from({ length: count }, (_, n) => planOfFiles([`/in/${prefix}${n}.jpg`]))
const namesIn = (box: Outbox) => box.list().map(({ title }) => title.name)

/** Rows in the file, whoever may see them. */
function rowsIn(table: 'submissions' | 'starts'): number {
  const connection = new DatabaseSync(file())
  try {
    return Number(connection.prepare(`SELECT count(*) AS n FROM ${table}`).get()?.['n'])
  } finally {
    connection.close()
  }
}

/** As somebody has done before, one after the other. */
function removeAllBut(kept: string): void {
  const connection = new DatabaseSync(file())
  connection.prepare('UPDATE submissions SET removed_at = 1 WHERE id != ?').run(kept)
  connection.close()
}

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'mediatray-outbox-'))
  ids = 0
  turns = []
  outbox = open()
})
afterEach(() => {
  outbox.close()
  rmSync(folder, { recursive: true })
})

describe('a long start', () => {
  it('writes no more in a turn of the loop than a short one, and is seen all at once', async () => {
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
    other.close()
  })

  it('is read little by little by the process that has made it, from its own place on', async () => {
    await outbox.enqueue(plansOf('before', 2))
    const start = outbox.enqueue(plansOf('a'))
    while (outbox.isListWhole()) await turn()
    expect(outbox.listSoFar().slice(0, 2)).toHaveLength(2)
    expect(outbox.listSoFar().length).toBeLessThan(MANY)
    await allTurns()
    await start
    expect(outbox.listSoFar()).toHaveLength(2 + MANY)
    expect(outbox.isListWhole()).toBe(true)
  })

  it('is read as another process has left it', async () => {
    const start = outbox.enqueue(plansOf('a'))
    while (outbox.isListWhole()) await turn()
    const other = open()
    const changed = other.list().at(-1)?.id ?? asRecordId('')
    other.edit(changed)
    await allTurns()
    await start
    expect(outbox.get(changed)?.state).toMatchObject({ kind: 'waiting', heldBy: expect.any(String) })
    other.close()
  })

  it('can be undone for as long as it was told', async () => {
    const start = outbox.enqueue(plansOf('a'), { notBefore: 6_000 })
    await allTurns()
    await start
    expect(outbox.nextDue(5_999)).toBeUndefined()
    expect(outbox.nextTime()).toBe(6_000)
    expect(outbox.nextDue(6_000)?.plan.items[0]?.name).toBe('a0.jpg')
  })

  it('keeps its place before what others add meanwhile, and lets them be sent', async () => {
    const start = outbox.enqueue(plansOf('a'))
    await turn()
    const other = open()
    await other.enqueue([planOfFiles(['/in/b.jpg'])])
    const long = other.enqueue(plansOf('c'))
    await outbox.enqueue([planOfFiles(['/in/d.jpg'])])
    expect(outbox.nextDue(1_000)).toBeUndefined()
    await turn()
    await turn()
    expect(outbox.list()).toHaveLength(2)
    expect(outbox.nextDue(1_000)?.plan.items[0]?.name).toBe('b.jpg')
    await allTurns()
    await Promise.all([start, long])
    const names = namesIn(other)
    expect(names[0]).toBe('a0.jpg')
    expect(names.slice(MANY - 1, MANY + 2)).toEqual([`a${MANY - 1}.jpg`, 'b.jpg', 'c0.jpg'])
    expect(names.slice(-2)).toEqual([`c${MANY - 1}.jpg`, 'd.jpg'])
    other.close()
  })

  it('of a name is made once, though both are written at the same time', async () => {
    const first = outbox.enqueue(plansOf('a'), { key: 'k' })
    const second = outbox.enqueue(plansOf('a'), { key: 'k' })
    await allTurns()
    expect((await Promise.all([first, second])).map(({ length }) => length)).toEqual([MANY, 0])
    expect(await outbox.enqueue(plansOf('a'), { key: 'k' })).toEqual([])
    await allTurns()
    expect(rowsIn('submissions')).toBe(MANY)
    expect(rowsIn('starts')).toBe(1)
  })

  it('takes the place of the one that was edited', async () => {
    await outbox.enqueue(['x', 'y', 'z'].map((name) => planOfFiles([`/in/${name}.jpg`])))
    const edited = outbox.list()[1]?.id ?? asRecordId('')
    outbox.edit(edited)
    const start = outbox.replace(edited, plansOf('a'), { key: 'k' })
    await turn()
    expect(namesIn(outbox)).toEqual(['x.jpg', 'y.jpg', 'z.jpg'])
    await allTurns()
    expect(await start).toHaveLength(MANY)
    expect(namesIn(outbox)).toEqual(['x.jpg', ...plansOf('a').map((plan) => plan.items[0]?.name), 'z.jpg'])
    expect(outbox.wasEnqueued('k')).toBe(true)
  })

  it('is nothing where the one that was edited is sent meanwhile', async () => {
    await outbox.enqueue([planOfFiles(['/in/x.jpg'])])
    const edited = outbox.list()[0]?.id ?? asRecordId('')
    const start = outbox.replace(edited, plansOf('a'), { key: 'k' })
    await turn()
    const attempt = { at: 1, service: 's', baseUrl: 's', connection: 'external', uploaded: null } as const
    outbox.claim()
    expect(outbox.beginSending(edited, { ...attempt, known: [] })).toBe(true)
    await allTurns()
    expect(await start).toBeUndefined()
    expect(outbox.wasEnqueued('k')).toBe(false)
    expect(namesIn(outbox)).toEqual(['x.jpg'])
    expect([rowsIn('submissions'), rowsIn('starts')]).toEqual([1, 0])
  })

  it('is left alone by another process that begins to send', async () => {
    const start = outbox.enqueue(plansOf('a'))
    await turn()
    const other = open()
    expect(other.claim()).toBe(true)
    await allTurns()
    expect(await start).toHaveLength(MANY)
    expect(other.list()).toHaveLength(MANY)
    other.close()
  })
})

describe('what a start has left behind that never was one', () => {
  it('is swept a little in each turn by whoever sends next, with its lock', async () => {
    const started = outbox.enqueue(plansOf('a'), { key: 'k' })
    while (rowsIn('submissions') < 3 * AT_ONCE) await turn()
    outbox.close()
    await expect(Promise.all([started, allTurns()])).rejects.toThrow()
    outbox = open()
    expect(outbox.list()).toEqual([])
    expect(outbox.claim()).toBe(true)
    const left = [rowsIn('submissions')]
    while (turns.length > 0) {
      await turn()
      left.push(rowsIn('submissions'))
    }
    expect(left.slice(0, 4)).toEqual([3 * AT_ONCE, 2 * AT_ONCE, AT_ONCE, 0])
    expect(rowsIn('starts')).toBe(0)
    expect(readdirSync(folder).filter((name) => name.includes('-editing-'))).toEqual([])
    const again = outbox.enqueue(plansOf('a'), { key: 'k' })
    await allTurns()
    expect(await again).toHaveLength(MANY)
  })

  it('is forgotten when all of a complete one is gone', async () => {
    const started = outbox.enqueue(plansOf('a', AT_ONCE + 1))
    await allTurns()
    await started
    removeAllBut('none')
    outbox.claim()
    await allTurns()
    expect(rowsIn('submissions')).toBe(0)
    outbox.close()
    outbox = open()
    outbox.claim()
    expect(rowsIn('starts')).toBe(0)
  })
})

it('what was removed before is gone for good when sending begins, a little in each turn, and what is removed then is not', async () => {
  for (const prefix of ['a', 'b', 'c']) await outbox.enqueue(plansOf(prefix, AT_ONCE))
  const kept = outbox.list()[0]?.id ?? asRecordId('')
  removeAllBut(kept)
  outbox.claim()
  outbox.remove(kept)
  const left = [rowsIn('submissions')]
  while (turns.length > 0) {
    await turn()
    left.push(rowsIn('submissions'))
  }
  expect(left).toEqual([300, 200, 100, 1])
  expect(outbox.restore(kept)).toBe(true)
  expect(outbox.list().map(({ id }) => id)).toEqual([kept])
})
