import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, onTestFinished, test } from 'vitest'
import * as z from 'zod'
import {
  integer,
  json,
  nullable,
  openDatabaseFile,
  rowsOf,
  serial,
  table,
  tolerant,
} from '../../../src/main/database/index.ts'
import { temporaryFolder } from '../../temporary-folder.ts'

const Kept = table(
  'kept',
  {
    id: serial,
    names: json(z.array(z.string())),
    size: integer,
    at: nullable(tolerant<number | null>(integer, null)),
  },
  { key: ['id'] },
)

/** Opens a database with three rows, in which SQL has then changed something. */
function damagedBy(sql: string) {
  const folder = temporaryFolder()
  const file = join(folder, 'kept.db')
  const said: string[] = []
  const database = openDatabaseFile({
    file,
    schema: Kept.sql,
    checkWhole: true,
    clock: () => 0,
    onSetAside: (keptAs) => said.push(keptAs),
  })
  onTestFinished(() => database.close())
  const rows = rowsOf(database.connection, Kept)
  for (const id of [1, 2, 3]) rows.insert({ id, names: ['a'], size: id, at: id })
  database.connection.exec(sql)
  return { ...database, rows, said, folder }
}

const TOO_LARGE = '9223372036854775807'

test.each([
  `UPDATE kept SET names = 'no JSON' WHERE id = 2`,
  `UPDATE kept SET names = '{}' WHERE id = 2`,
  `UPDATE kept SET size = ${TOO_LARGE} WHERE id = 2`,
])('a row that can’t be read is removed, and the others are read (%s)', (sql) => {
  const { rows, said, setAside, folder, write } = damagedBy(sql)
  expect(write(() => rows.get({ id: 2 }))).toBeUndefined()
  expect(rows.all().map(({ id }) => id)).toEqual([1, 3])
  expect(said).toEqual([setAside()])
  expect(readdirSync(folder).filter((name) => /damaged.*\.db$/.test(name))).toHaveLength(1)
  const copy = new DatabaseSync(setAside() ?? '')
  expect(copy.prepare('SELECT id FROM kept').all()).toHaveLength(3)
  copy.close()
})

test('a number that is too large becomes empty in a column that may be, and its row stays', () => {
  const { rows } = damagedBy(`UPDATE kept SET at = ${TOO_LARGE} WHERE id = 2`)
  expect(rows.all().map(({ at }) => at)).toEqual([1, null, 3])
})

test('an error that isn’t about a row changes nothing', () => {
  const { rows, said } = damagedBy('DROP TABLE kept')
  expect(() => rows.all()).toThrow('no such table')
  expect(said).toEqual([])
})
