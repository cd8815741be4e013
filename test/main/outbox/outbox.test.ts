import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { beforeEach, describe, expect, it } from 'vitest'
import type { Acceptance, Outbox } from '../../../src/main/outbox/index.ts'
import { asRecordId, type RecordId } from '../../../src/shared/model/ids.ts'
import { ANY, attempt as anAttempt, namesOf, planOfFiles, plansIn } from './drafts.ts'
import { outboxFolder } from './outbox-folder.ts'

let folder: string
let outbox: Outbox
let open: () => Outbox
let ids: number
const now = 1_000

beforeEach(() => {
  ids = 0
  ;({ folder, open } = outboxFolder({ ids: () => asRecordId(`r${(ids += 1)}`) }))
  outbox = open()
})

const planOf = (name: string) => planOfFiles([`/in/${name}`])
const put = (name: string) => {
  // The entry is on disk when the call returns.
  void outbox.enqueue([planOf(name)])
  return asRecordId(`r${ids}`)
}
const order = () => plansIn(outbox).map((plan) => namesOf(plan).join('+'))
const attempt = { ...anAttempt, known: [{ jobId: 'old', createdAt: 'x' }] }
const acceptance: Acceptance = {
  jobId: 'j',
  baseUrl: 'http://s',
  connection: 'external',
  acceptedAt: 5,
  skipped: [],
}

describe('the queue', () => {
  it('keeps its order through a restart', () => {
    for (const name of ['a.jpg', 'b.jpg', 'c.jpg']) put(name)
    outbox.close()
    outbox = open()
    expect(order()).toEqual(['a.jpg', 'b.jpg', 'c.jpg'])
  })

  it('keeps the estimate that a submission was added with', () => {
    const estimate = {
      bytes: { low: 1, likely: 2, high: 3 },
      milliseconds: { low: 4, likely: 5, high: 6 },
    }
    void outbox.enqueue([{ ...planOf('a.jpg'), forecast: estimate }, planOf('b.jpg')])
    outbox.close()
    outbox = open()
    expect(plansIn(outbox).map(({ forecast }) => forecast)).toEqual([estimate, undefined])
  })

  it('moves a waiting submission ahead of another one or to the end, and keeps the order after a restart', () => {
    const [a, b, c, d] = ['a.jpg', 'b.jpg', 'c.jpg', 'd.jpg'].map(put) as [
      RecordId,
      RecordId,
      RecordId,
      RecordId,
    ]
    expect(outbox.moveBefore(d, b)).toBe(true)
    expect(order()).toEqual(['a.jpg', 'd.jpg', 'b.jpg', 'c.jpg'])
    expect(outbox.moveBefore(a, null)).toBe(true)
    expect(outbox.moveBefore(b, b)).toBe(true)
    expect(order()).toEqual(['d.jpg', 'b.jpg', 'c.jpg', 'a.jpg'])
    expect(outbox.nextDue(now, ANY)?.id).toBe(d)
    outbox.close()
    outbox = open()
    expect(order()).toEqual(['d.jpg', 'b.jpg', 'c.jpg', 'a.jpg'])
    expect(outbox.beginSending(b, attempt)).toBe(true)
    expect(outbox.moveBefore(b, d)).toBe(false)
    expect(outbox.moveBefore(c, b)).toBe(false)
    expect(outbox.moveBefore(asRecordId('gone'), d)).toBe(false)
    expect(order()).toEqual(['d.jpg', 'b.jpg', 'c.jpg', 'a.jpg'])
  })

  it('finds room for any number of moves to the same place', () => {
    const [a, b, c] = ['a.jpg', 'b.jpg', 'c.jpg'].map(put) as [RecordId, RecordId, RecordId]
    put('d.jpg')
    for (let n = 0; n < 100; n += 1) {
      outbox.moveBefore(c, b)
      expect(order()).toEqual(['a.jpg', 'c.jpg', 'b.jpg', 'd.jpg'])
      outbox.moveBefore(b, c)
      expect(order()).toEqual(['a.jpg', 'b.jpg', 'c.jpg', 'd.jpg'])
    }
    expect(outbox.nextDue(now, ANY)?.id).toBe(a)
  })

  it('doesn’t start a moved submission before its time', () => {
    put('a.jpg')
    void outbox.enqueue([planOf('later.jpg')], { notBefore: now + 5_000 })
    const later = outbox.list()[1]?.id ?? asRecordId('')
    outbox.moveBefore(later, outbox.list()[0]?.id ?? null)
    expect(order()).toEqual(['later.jpg', 'a.jpg'])
    expect(outbox.get(later)?.state).toMatchObject({ kind: 'waiting', notBefore: now + 5_000 })
    expect(outbox.nextDue(now, ANY)?.id).not.toBe(later)
  })

  it('lets the user run a submission next', () => {
    const [, , c] = ['a.jpg', 'b.jpg', 'c.jpg'].map(put)
    expect(outbox.runNext(c ?? asRecordId(''))).toBe(true)
    expect(order()).toEqual(['c.jpg', 'a.jpg', 'b.jpg'])
    expect(outbox.nextDue(now, ANY)?.id).toBe(c)
  })

  it('offers a service the submissions addressed to it, and unassigned submissions if it accepts them', async () => {
    const anyone = put('a.jpg')
    const [named] = await outbox.enqueue([{ ...planOf('b.jpg'), target: 'it' }])
    const next = (service: string, unaddressed: boolean) => outbox.nextDue(now, { service, unaddressed })?.id
    expect(next('it', true)).toBe(anyone)
    expect(next('it', false)).toBe(named?.id)
    expect(next('another', true)).toBe(anyone)
    expect(next('another', false)).toBeUndefined()
    expect(outbox.nextDue(now, ANY)?.id).toBe(anyone)
  })

  it('removes a submission and restores it to its position', () => {
    const [a, b] = ['a.jpg', 'b.jpg', 'c.jpg'].map(put)
    expect(outbox.remove(b ?? asRecordId(''))).toEqual([b])
    expect(order()).toEqual(['a.jpg', 'c.jpg'])
    expect(outbox.restore(b ?? asRecordId(''))).toEqual([b])
    expect(order()).toEqual(['a.jpg', 'b.jpg', 'c.jpg'])
    expect(outbox.restore(a ?? asRecordId(''))).toEqual([])
  })

  it('holds a submission that is edited, and gives its position to the replacement', async () => {
    const [a, b] = ['a.jpg', 'b.jpg', 'c.jpg'].map(put)
    if (a === undefined || b === undefined) throw new Error('they are in the outbox')
    expect(outbox.edit(b)).toMatchObject({ editing: b, source: { items: [{ name: 'b.jpg' }] } })
    outbox.remove(a)
    expect(outbox.nextDue(now, ANY)?.plan.items[0]?.name).toBe('c.jpg')
    outbox.restore(a)
    await outbox.replace(b, [planOf('x.jpg'), planOf('y.jpg')])
    expect(order()).toEqual(['a.jpg', 'x.jpg', 'y.jpg', 'c.jpg'])
  })

  it('updates the name of a renamed preset in its service’s unsent submissions', () => {
    const presets = () => outbox.list().map(({ title }) => title.preset)
    const named = { ...planOf('a.jpg'), preset: 'Mail' }
    void outbox.enqueue([
      named,
      { ...named, target: 'builtIn' },
      { ...named, target: 'http://other/api' },
      { ...named, preset: 'Web' },
      { ...named, preset: null },
      named,
    ])
    outbox.beginSending(asRecordId('r6'), attempt)
    outbox.renamePreset('Mail', 'Post', { service: 'builtIn', unaddressed: false })
    expect(presets()).toEqual(['Mail', 'Post', 'Mail', 'Web', null, 'Mail'])
    outbox.renamePreset('Mail', 'Post', { service: 'builtIn', unaddressed: true })
    expect(presets()).toEqual(['Post', 'Post', 'Mail', 'Web', null, 'Mail'])
    expect(outbox.nextDue(now, ANY)?.plan.preset).toBe('Post')
    outbox.close()
    outbox = open()
    expect(presets()).toEqual(['Post', 'Post', 'Mail', 'Web', null, 'Mail'])
  })

  it('adds all submissions of a draft or none', async () => {
    ids = 0
    put('a.jpg')
    ids = -1
    await expect(outbox.enqueue([planOf('b.jpg'), planOf('c.jpg')])).rejects.toThrow(/UNIQUE/)
    expect(order()).toEqual(['a.jpg'])
  })
})

describe('an addition with a key', () => {
  it('is made only once, even across a restart', async () => {
    const plan = planOf('a.jpg')
    expect(outbox.wasEnqueued('k')).toBe(false)
    expect(await outbox.enqueue([plan, plan], { key: 'k' })).toHaveLength(2)
    expect(await outbox.enqueue([plan], { key: 'k' })).toEqual([])
    outbox.close()
    outbox = open()
    expect(outbox.wasEnqueued('k')).toBe(true)
    expect(await outbox.enqueue([plan], { key: 'k' })).toEqual([])
    expect(outbox.list()).toHaveLength(2)
  })

  it('is known even after its submissions were removed, until the key is forgotten', async () => {
    await outbox.enqueue([planOf('a.jpg')], { key: 'k' })
    outbox.remove(asRecordId('r1'))
    expect(outbox.wasEnqueued('k')).toBe(true)
    outbox.forgetKey('k')
    expect(outbox.wasEnqueued('k')).toBe(false)
  })
})

describe('sending', () => {
  it('starts only for a waiting submission that isn’t being edited', () => {
    const a = put('a.jpg')
    outbox.edit(a)
    expect(outbox.beginSending(a, attempt)).toBe(false)
    outbox.endEdit(a)
    expect(outbox.beginSending(a, attempt)).toBe(true)
    expect(outbox.beginSending(a, attempt)).toBe(false)
    expect(outbox.edit(a)).toBeUndefined()
    expect(outbox.remove(a)).toEqual([])
    expect(outbox.get(a)?.attempts).toBe(1)
  })

  it('that was interrupted is uncertain after a restart, with all details preserved', () => {
    const a = put('a.jpg')
    outbox.beginSending(a, attempt)
    outbox.close()
    outbox = open()
    expect(outbox.get(a)?.state).toEqual({
      kind: 'unknown',
      attempt,
      uncertainty: { cause: 'crash', message: '' },
      leftToUser: false,
      candidates: [],
    })
  })

  it('keeps an accepted submission until it is in the history', () => {
    const a = put('a.jpg')
    outbox.beginSending(a, attempt)
    outbox.accept(a, acceptance)
    outbox.close()
    outbox = open()
    expect(outbox.list()).toEqual([])
    expect(outbox.accepted()).toMatchObject([{ id: a, state: { kind: 'accepted', acceptance } }])
    outbox.forget(a)
    expect(outbox.accepted()).toEqual([])
  })

  it('reports an invalid state transition', () => {
    const a = put('a.jpg')
    expect(() => outbox.accept(a, acceptance)).toThrow(/can't become accepted/)
  })
})

it('a damaged outbox is moved aside and reported, and a new one created', () => {
  outbox.close()
  writeFileSync(join(folder, 'outbox.db'), 'no database '.repeat(999))
  outbox = open()
  expect(outbox.setAside).toMatch(/outbox\.damaged-.*\.db$/)
  put('a.jpg')
  expect(order()).toEqual(['a.jpg'])
  expect(readdirSync(folder).filter((name) => name.includes('damaged'))).toHaveLength(1)
})

describe('a submission that can’t be read', () => {
  it.each([
    `state = '{garbage'`,
    `plan = '{}'`,
    `createdAt = 9223372036854775807`,
    `state = '{garbage', isEdited = 1`,
    `state = '{garbage', kind = 'sending'`,
  ])('(%s) is removed, and a copy of the file is kept', (damage) => {
    for (const name of ['a.jpg', 'b.jpg', 'c.jpg']) put(name)
    const [, b] = outbox.list()
    outbox.close()
    const database = new DatabaseSync(join(folder, 'outbox.db'))
    database.exec(`UPDATE submissions SET ${damage} WHERE id = '${b?.id}'`)
    database.close()
    outbox = open()
    expect(order()).toEqual(['a.jpg', 'c.jpg'])
    expect(outbox.setAside).toMatch(/outbox\.damaged-.*\.db$/)
    const copy = new DatabaseSync(outbox.setAside ?? '', { readOnly: true })
    expect(copy.prepare('SELECT count(*) AS n FROM submissions').get()).toEqual({ n: 3 })
    copy.close()
    outbox.close()
    outbox = open()
    expect([order(), outbox.setAside]).toEqual([['a.jpg', 'c.jpg'], null])
  })
})

it('an outbox in which the ID of a row is damaged is moved aside', () => {
  const last = [put('a.jpg'), put('b.jpg'), put('c.jpg')].at(-1) ?? ''
  outbox.close()
  const file = join(folder, 'outbox.db')
  const bytes = readFileSync(file)
  // The rows are on a page before those of the indexes, and the last of them was written first.
  const at = bytes.indexOf(last)
  bytes.write('r9', at)
  writeFileSync(file, bytes)
  const database = new DatabaseSync(file)
  expect(database.prepare('PRAGMA quick_check').get()).toEqual({ quick_check: 'ok' })
  database.close()
  outbox = open()
  expect(outbox.setAside).toMatch(/outbox\.damaged-.*\.db$/)
})
