import { DatabaseSync } from 'node:sqlite'
import * as z from 'zod'
import { expect, expectTypeOf, test } from 'vitest'
import {
  flag,
  integer,
  json,
  nullable,
  oneOf,
  type RowOf,
  rowsOf,
  table,
  text,
  textAs,
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
  const { files } = open()
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
  expect(files.remove({ folder: '/in' })).toBe(2)
  expect(files.all()).toEqual([])
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
  expect(() => files.all()).toThrow('Stored odd instead of new, done')
  expect(files.only('path').all()).toEqual([{ path: 'a.jpg' }])
})
