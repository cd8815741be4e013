import { DatabaseSync } from 'node:sqlite'
import * as z from 'zod'
import { expect, expectTypeOf, test, vi } from 'vitest'
import {
  bytes,
  changing,
  flag,
  integer,
  json,
  nullable,
  oneOf,
  fragment,
  preparing,
  type RowOf,
  rowsOf,
  selecting,
  serial,
  table,
  text,
  textAs,
  tolerant,
} from '../../../src/main/database/table.ts'
import { asRecordId, type RecordId } from '../../../src/shared/model/ids.ts'

const Files = table(
  'files',
  {
    folder: text,
    path: text,
    record: textAs(asRecordId),
    takenAt: integer,
    isHeld: flag,
    state: oneOf(['new', 'done']),
    notes: json(z.array(z.string()).readonly()),
    content: nullable(text),
  },
  { key: ['folder', 'path'], indexes: { content: '(content) WHERE content IS NOT NULL' } },
)

const FILE = {
  folder: '/in',
  path: 'a.jpg',
  record: asRecordId('r1'),
  takenAt: 5,
  isHeld: true,
  state: 'new',
  notes: ['it’s', 'two'],
  content: null,
} as const

function open() {
  const connection = new DatabaseSync(':memory:')
  connection.exec(Files.sql)
  return { connection, files: rowsOf(connection, Files) }
}

test('a row comes back as it was written, with the types of its columns', () => {
  const { files } = open()
  files.insert(FILE)
  expect(files.all()).toEqual([FILE])
  expectTypeOf<RowOf<typeof Files>>().toEqualTypeOf<{
    readonly folder: string
    readonly path: string
    readonly record: RecordId
    readonly takenAt: number
    readonly isHeld: boolean
    readonly state: 'new' | 'done'
    readonly notes: readonly string[]
    readonly content: string | null
  }>()
  expectTypeOf(files.only('path', 'isHeld').all()).toEqualTypeOf<
    readonly { readonly path: string; readonly isHeld: boolean }[]
  >()
})

test('rows are found, changed and removed by any of their columns, also by null', () => {
  const { connection, files } = open()
  files.insert(FILE)
  files.insert({ ...FILE, path: 'b.jpg', content: 'abc', isHeld: false })
  expect(files.get({ content: null })?.path).toBe('a.jpg')
  expect(files.has({ isHeld: false, content: 'abc' })).toBe(true)
  expect(files.update({ isHeld: false }, { content: null, notes: [] })).toBe(1)
  expect(files.only('path', 'notes').all({ content: null })).toEqual([
    { path: 'a.jpg', notes: FILE.notes },
    { path: 'b.jpg', notes: [] },
  ])
  expect(files.where`takenAt <= ${5} AND folder = ${'/in'} ORDER BY path DESC LIMIT 1`).toEqual([
    { ...FILE, path: 'b.jpg', notes: [], isHeld: false },
  ])
  const isOut = fragment`isHeld = 0`
  expect(changing(connection)`UPDATE files SET takenAt = ${6} WHERE ${isOut} AND path = ${'b.jpg'}`).toBe(1)
  expect(files.only('path').where`${isOut} AND takenAt = ${6}`).toEqual([{ path: 'b.jpg' }])
  expect(files.remove({ folder: '/in' })).toBe(2)
  expect(files.all()).toEqual([])
})

test('a change that is undefined leaves its column as it is', () => {
  const { files } = open()
  files.insert(FILE)
  files.update({ path: 'a.jpg' }, { content: 'abc', takenAt: undefined })
  expect(files.all()).toEqual([{ ...FILE, content: 'abc' }])
})

test('fragments of statements contain each other, with their values in order', () => {
  const { connection, files } = open()
  for (const takenAt of [1, 2, 3, 4]) files.insert({ ...FILE, path: `${takenAt}.jpg`, takenAt })
  const late = fragment`takenAt > ${1}`
  const found = fragment`SELECT path FROM files WHERE folder = ${'/in'} AND ${late} ORDER BY takenAt`
  expect(files.only('path').where`path IN (${found} LIMIT ${2})`).toEqual([
    { path: '2.jpg' },
    { path: '3.jpg' },
  ])
  const counts = selecting(preparing(connection), { total: integer, last: nullable(text) })
  expect(counts`SELECT count(*) AS total, max(path) AS last FROM (${found})`).toEqual([
    { total: 3, last: '4.jpg' },
  ])
})

test('a row with the same key is refused, left or overwritten', () => {
  const { files } = open()
  const { content: _, ...withoutContent } = FILE
  expect(files.add(withoutContent)).toBe(true)
  expect(files.add({ ...FILE, takenAt: 6 })).toBe(false)
  expect(files.get({})?.takenAt).toBe(5)
  expect(() => files.insert({ ...FILE, takenAt: 6 })).toThrow('UNIQUE constraint failed')
  files.put({ ...FILE, takenAt: 7, content: 'abc' })
  expect(files.all()).toEqual([{ ...FILE, takenAt: 7, content: 'abc' }])
})

test('a value that its column doesn’t know is an error instead of a wrong row', () => {
  const { connection, files } = open()
  files.insert(FILE)
  connection.exec(`UPDATE files SET state = 'odd'`)
  expect(() => files.all()).toThrow('Expected one of new, done, but found odd')
  expect(files.only('path').all()).toEqual([{ path: 'a.jpg' }])
})

test('an unreadable value in a tolerant column is undefined or its fallback, and the other rows stay readable', () => {
  const Notes = table(
    'notes',
    {
      number: serial,
      note: tolerant(json(z.object({ text: z.string() }))),
      tags: tolerant(json(z.array(z.string())), []),
      hash: bytes,
    },
    { key: ['number'] },
  )
  const connection = new DatabaseSync(':memory:')
  connection.exec(Notes.sql)
  const notes = rowsOf(connection, Notes)
  const hash = Buffer.from('abc')
  for (const text of ['one', 'two']) notes.insert({ note: { text }, tags: [text], hash })
  connection.exec(`UPDATE notes SET note = 'not {json', tags = '7' WHERE number = 1`)
  expect(notes.all()).toEqual([
    { number: 1, note: undefined, tags: [], hash: new Uint8Array(hash) },
    { number: 2, note: { text: 'two' }, tags: ['two'], hash: new Uint8Array(hash) },
  ])
})

test('a search for a value uses an index of the rows that have one', () => {
  const { connection, files } = open()
  const prepare = vi.spyOn(connection, 'prepare')
  files.has({ content: 'abc' })
  const plan = connection.prepare(`EXPLAIN QUERY PLAN ${prepare.mock.calls[0]?.[0]}`).all('abc')
  expect(plan[0]?.['detail']).toContain('USING COVERING INDEX files_content')
  expect(() => files.indexedBy('content').where`content IS NULL`).toThrow('no query solution')
})
