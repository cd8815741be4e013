import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openOutbox, planDraft, type Outbox, type PlannedSubmission } from '../../../src/main/outbox/index.ts'
import { asRecordId } from '../../../src/shared/model/ids.ts'
import { draftOfFiles, namesOf, plansIn } from './drafts.ts'

let folder: string
let outbox: Outbox
let now: number
let ids: number

const open = () =>
  openOutbox({ file: join(folder, 'outbox.db'), clock: () => now, ids: () => asRecordId(`r${(ids += 1)}`) })

beforeEach(() => {
  now = 1000
  ids = 0
  folder = mkdtempSync(join(tmpdir(), 'mediatray-outbox-'))
  outbox = open()
})
afterEach(() => {
  outbox.close()
  rmSync(folder, { recursive: true })
})

const planOf = (...names: string[]): PlannedSubmission => {
  const plan = planDraft(draftOfFiles(names.map((name) => `/in/${name}`)), {
    presets: null,
    drive: null,
    seesFiles: true,
  })
  const submission = plan.ok ? plan.submissions[0] : undefined
  if (submission === undefined) throw new Error('it can be planned')
  return submission
}
const put = (name: string) => {
  // One is written when the call returns.
  void outbox.enqueue([planOf(name)])
  return asRecordId(`r${ids}`)
}
const order = () => plansIn(outbox).map((plan) => namesOf(plan).join('+'))
const attempt = {
  at: 1,
  service: 'http://s',
  baseUrl: 'http://s',
  connection: 'external',
  known: [{ jobId: 'old', createdAt: 'x' }],
  uploaded: null,
} as const
const sent = () => ({ ...attempt, known: [...attempt.known] })

describe('the line', () => {
  it('keeps its order through a restart', () => {
    for (const name of ['a.jpg', 'b.jpg', 'c.jpg']) put(name)
    outbox.close()
    outbox = open()
    expect(order()).toEqual(['a.jpg', 'b.jpg', 'c.jpg'])
  })

  it('keeps what was said of a submission before it was started', () => {
    const forecast = {
      bytes: { low: 1, likely: 2, high: 3 },
      milliseconds: { low: 4, likely: 5, high: 6 },
    }
    void outbox.enqueue([{ ...planOf('a.jpg'), forecast }, planOf('b.jpg')])
    outbox.close()
    outbox = open()
    expect(plansIn(outbox).map(({ forecast }) => forecast)).toEqual([forecast, undefined])
  })

  it('lets one be sent next', () => {
    const [, , c] = ['a.jpg', 'b.jpg', 'c.jpg'].map(put)
    expect(outbox.sendNext(c ?? asRecordId(''))).toBe(true)
    expect(order()).toEqual(['c.jpg', 'a.jpg', 'b.jpg'])
    expect(outbox.nextDue(now)?.id).toBe(c)
  })

  it('gives a service what is meant for it, and what is meant for none in particular if it takes that', async () => {
    const anyone = put('a.jpg')
    const [named] = await outbox.enqueue([{ ...planOf('b.jpg'), target: 'it' }])
    const next = (service: string, unaddressed: boolean) => outbox.nextDue(now, { service, unaddressed })?.id
    expect(next('it', true)).toBe(anyone)
    expect(next('it', false)).toBe(named?.id)
    expect(next('another', true)).toBe(anyone)
    expect(next('another', false)).toBeUndefined()
    expect(outbox.nextDue(now)?.id).toBe(anyone)
  })

  it('holds one back for the time in which it can be undone', async () => {
    await outbox.enqueue([planOf('a.jpg')], { notBefore: 6000 })
    const b = put('b.jpg')
    expect(outbox.nextDue(1000)?.id).toBe(b)
    outbox.remove(b)
    expect(outbox.nextDue(5999)).toBeUndefined()
    expect(outbox.nextTime()).toBe(6000)
    expect(outbox.nextDue(6000)?.plan.items[0]?.name).toBe('a.jpg')
  })

  it('takes one out and puts it back where it was', () => {
    const [a, b] = ['a.jpg', 'b.jpg', 'c.jpg'].map(put)
    expect(outbox.remove(b ?? asRecordId(''))).toBe(true)
    expect(order()).toEqual(['a.jpg', 'c.jpg'])
    expect(outbox.restore(b ?? asRecordId(''))).toBe(true)
    expect(order()).toEqual(['a.jpg', 'b.jpg', 'c.jpg'])
    expect(outbox.restore(a ?? asRecordId(''))).toBe(false)
  })

  it('holds one that is edited, and gives its place to what it becomes', async () => {
    const [a, b] = ['a.jpg', 'b.jpg', 'c.jpg'].map(put)
    if (a === undefined || b === undefined) throw new Error('they are in the outbox')
    expect(outbox.edit(b)).toMatchObject({ editing: b, source: { items: [{ name: 'b.jpg' }] } })
    outbox.remove(a)
    expect(outbox.nextDue(now)?.plan.items[0]?.name).toBe('c.jpg')
    outbox.restore(a)
    await outbox.replace(b, [planOf('x.jpg'), planOf('y.jpg')])
    expect(order()).toEqual(['a.jpg', 'x.jpg', 'y.jpg', 'c.jpg'])
  })

  it('lets an edited one go on when the editing ends', () => {
    const a = put('a.jpg')
    outbox.edit(a)
    expect(outbox.nextDue(now)).toBeUndefined()
    outbox.endEdit(a)
    expect(outbox.nextDue(now)?.id).toBe(a)
  })

  it('follows a preset of its service to another name, as far as it is not sent', () => {
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
    outbox.claim()
    outbox.beginSending(asRecordId('r6'), sent())
    outbox.renamePreset('Mail', 'Post', { service: 'builtIn', unaddressed: false })
    expect(presets()).toEqual(['Mail', 'Post', 'Mail', 'Web', null, 'Mail'])
    outbox.renamePreset('Mail', 'Post', { service: 'builtIn', unaddressed: true })
    expect(presets()).toEqual(['Post', 'Post', 'Mail', 'Web', null, 'Mail'])
    expect(outbox.nextDue(now)?.plan.preset).toBe('Post')
    outbox.close()
    outbox = open()
    expect(presets()).toEqual(['Post', 'Post', 'Mail', 'Web', null, 'Mail'])
  })

  it('is edited by one process at a time, and by another once the first is gone', () => {
    const a = put('a.jpg')
    const other = open()
    try {
      expect(outbox.edit(a)).toBeDefined()
      expect(outbox.edit(a)).toBeDefined()
      expect(other.edit(a)).toBeUndefined()
      other.endEdit(a)
      expect(other.nextDue(now)).toBeUndefined()
      outbox.endEdit(a)
      expect(other.edit(a)).toBeDefined()
    } finally {
      other.close()
    }
  })

  it('goes on being held by whoever edits it when another process begins to send', () => {
    const a = put('a.jpg')
    outbox.edit(a)
    const other = open()
    try {
      expect(other.claim()).toBe(true)
      expect(other.nextDue(now)).toBeUndefined()
    } finally {
      other.close()
    }
  })

  it('adds all of a draft or nothing', async () => {
    ids = 0
    put('a.jpg')
    ids = -1
    await expect(outbox.enqueue([planOf('b.jpg'), planOf('c.jpg')])).rejects.toThrow(/UNIQUE/)
    expect(order()).toEqual(['a.jpg'])
  })
})

describe('sending', () => {
  it('begins only for one that still waits, and only in the process that may', () => {
    const a = put('a.jpg')
    expect(outbox.beginSending(a, sent())).toBe(false)
    expect(outbox.claim()).toBe(true)
    outbox.edit(a)
    expect(outbox.beginSending(a, sent())).toBe(false)
    outbox.endEdit(a)
    expect(outbox.beginSending(a, sent())).toBe(true)
    expect(outbox.beginSending(a, sent())).toBe(false)
    expect(outbox.edit(a)).toBeUndefined()
    expect(outbox.remove(a)).toBe(false)
    expect(outbox.get(a)?.attempts).toBe(1)
  })

  it('that was cut off is unknown after a restart, with what was known before it', () => {
    const a = put('a.jpg')
    outbox.claim()
    outbox.beginSending(a, sent())
    outbox.close()
    outbox = open()
    outbox.claim()
    expect(outbox.get(a)?.state).toEqual({
      kind: 'unknown',
      attempt,
      uncertainty: { cause: 'crash', message: '' },
      leftToUser: false,
      candidates: [],
    })
  })

  it('stands in the file in the words that every version reads', () => {
    const a = put('a.jpg')
    outbox.claim()
    outbox.beginSending(a, sent())
    outbox.markUnknown(a, sent(), { cause: 'broken', message: 'gone' })
    outbox.leaveToUser(a, [])
    const file = new DatabaseSync(join(folder, 'outbox.db'), { readOnly: true })
    const row = file.prepare('SELECT state FROM submissions').get()
    file.close()
    expect(JSON.parse(String(row?.['state']))).toEqual({
      kind: 'unknown',
      mark: attempt,
      doubt: { cause: 'broken', message: 'gone' },
      settled: true,
      lookAlikes: [],
    })
  })

  it('is left alone by a second process, which may add to the line', async () => {
    const a = put('a.jpg')
    outbox.claim()
    outbox.beginSending(a, sent())
    const other = open()
    expect(other.claim()).toBe(false)
    await other.enqueue([planOf('b.jpg')])
    expect(order()).toEqual(['a.jpg', 'b.jpg'])
    expect(outbox.get(a)?.state.kind).toBe('sending')
    outbox.close()
    expect(other.claim()).toBe(true)
    expect(other.get(a)?.state.kind).toBe('unknown')
    other.close()
    outbox = open()
  })

  it('that was accepted stays until the history has it', () => {
    const a = put('a.jpg')
    outbox.claim()
    outbox.beginSending(a, sent())
    const acceptance = {
      jobId: 'j',
      baseUrl: 'http://s',
      connection: 'external',
      acceptedAt: 5,
      skipped: [],
      adopted: false,
    } as const
    outbox.accept(a, { ...acceptance, skipped: [] })
    outbox.close()
    outbox = open()
    expect(outbox.list()).toEqual([])
    expect(outbox.accepted()).toMatchObject([{ id: a, state: { kind: 'accepted', acceptance } }])
    outbox.forget(a)
    expect(outbox.accepted()).toEqual([])
  })

  it('says so when a state can’t follow another', () => {
    const a = put('a.jpg')
    expect(() =>
      outbox.accept(a, {
        jobId: 'j',
        baseUrl: '',
        connection: 'external',
        acceptedAt: 0,
        skipped: [],
        adopted: false,
      }),
    ).toThrow(/can't become accepted/)
  })
})

it('a damaged outbox is set aside and said, and a new one begun', () => {
  outbox.close()
  writeFileSync(join(folder, 'outbox.db'), 'no database '.repeat(999))
  outbox = open()
  expect(outbox.setAside).toMatch(/outbox\.damaged-.*\.db$/)
  put('a.jpg')
  expect(order()).toEqual(['a.jpg'])
  expect(readdirSync(folder).filter((name) => name.includes('damaged'))).toHaveLength(1)
})
