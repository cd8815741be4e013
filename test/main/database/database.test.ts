import { chmodSync, copyFileSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { NewerDatabase, openDatabase } from '../../../src/main/database/database.ts'
import { temporaryFolder } from '../../temporary-folder.ts'

const rightsOf = (path: string): number => statSync(path).mode & 0o777

const SCHEMA = `CREATE TABLE kept (id INTEGER PRIMARY KEY);
  CREATE INDEX kept_order ON kept (id);
  CREATE TABLE others (id INTEGER PRIMARY KEY)`

function openFile(file: string) {
  const opened = openDatabase({
    file,
    schema: SCHEMA,
    collectable: ['others'],
    checkWhole: true,
    clock: Date.now,
  })
  const { connection } = opened
  onTestFinished(() => void (connection.isOpen && connection.close()))
  return opened
}

const open = (file: string) => openFile(file).connection

test.skipIf(process.platform === 'win32')('no other user can read the app’s data', () => {
  const before = process.umask(0)
  onTestFinished(() => void process.umask(before))
  const file = join(temporaryFolder(), 'data', 'kept.db')
  open(file).exec('INSERT INTO kept VALUES (1)')
  expect([dirname(file), file, `${file}-wal`].map(rightsOf)).toEqual([0o700, 0o600, 0o600])
})

test.skipIf(process.platform === 'win32')('files that others can read become private', () => {
  const file = join(temporaryFolder(), 'kept.db')
  open(file).exec('INSERT INTO kept VALUES (1)')
  const files = [file, `${file}-wal`, `${file}-shm`]
  for (const one of files) chmodSync(one, 0o644)
  open(file)
  expect(files.map(rightsOf)).toEqual([0o600, 0o600, 0o600])
})

test.each(['its file', 'the log of a killed process'])(
  'a database that was written by a newer version, as %s shows, is refused and stays as it is',
  (where) => {
    const [source, folder] = [temporaryFolder(), temporaryFolder()]
    const written = open(join(source, 'kept.db'))
    written.exec('INSERT INTO kept VALUES (1); PRAGMA user_version = 2')
    if (where === 'its file') written.close()
    const names = readdirSync(source).filter((name) => !name.endsWith('-shm'))
    for (const name of names) copyFileSync(join(source, name), join(folder, name))
    const file = join(folder, 'kept.db')
    expect(() => open(file)).toThrow(NewerDatabase)
    expect(() => open(file)).toThrow(file)
    expect(readdirSync(folder).filter((name) => !name.endsWith('-shm'))).toEqual(names)
    for (const name of names)
      expect(readFileSync(join(folder, name)).equals(readFileSync(join(source, name))), name).toBe(true)
  },
)

function reopened(sql: string) {
  const file = join(temporaryFolder(), 'kept.db')
  const connection = open(file)
  connection.exec(`INSERT INTO kept VALUES (1); ${sql}`)
  connection.close()
  const { setAside, connection: again } = openFile(file)
  expect(
    again
      .prepare('SELECT name FROM sqlite_schema ORDER BY name')
      .all()
      .map(({ name }) => name),
  ).toEqual(['kept', 'kept_order', 'others'])
  return { setAside, rows: again.prepare('SELECT id FROM kept').all().length }
}

describe('a file', () => {
  test.each([
    'DROP TABLE kept',
    'ALTER TABLE kept ADD COLUMN more',
    'DROP TABLE kept; DROP TABLE others; CREATE TABLE foreign_one (id)',
  ])('without the expected tables is moved aside (%s)', (sql) => {
    expect(reopened(sql)).toMatchObject({ setAside: expect.stringContaining('damaged'), rows: 0 })
  })

  test.each(['DROP INDEX kept_order', 'DROP TABLE others', 'PRAGMA user_version = 0'])(
    'that only lacks what can be created again stays in use (%s)',
    (sql) => expect(reopened(sql)).toEqual({ setAside: null, rows: 1 }),
  )
})
