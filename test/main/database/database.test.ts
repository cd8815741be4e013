import { chmodSync, copyFileSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
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

/** Copies a database while it is open, with three transactions in its log. */
function killed(): string {
  const [from, to] = [join(temporaryFolder(), 'kept.db'), join(temporaryFolder(), 'kept.db')]
  const connection = open(from)
  connection.exec('PRAGMA wal_autocheckpoint = 0')
  for (const id of [1, 2, 3]) connection.exec(`INSERT INTO kept VALUES (${id})`)
  for (const companion of ['', '-wal']) copyFileSync(from + companion, to + companion)
  return to
}

function changeByte(file: string, fromEnd: number): void {
  const bytes = readFileSync(file)
  const at = bytes.length - fromEnd
  bytes[at] = (bytes[at] ?? 0) ^ 1
  writeFileSync(file, bytes)
}

const idsIn = (connection: DatabaseSync) =>
  connection
    .prepare('SELECT id FROM kept')
    .all()
    .map(({ id }) => id)

describe('the log of a killed process', () => {
  test('is used', () => {
    const { connection, setAside } = openFile(killed())
    expect([idsIn(connection), setAside]).toEqual([[1, 2, 3], null])
  })

  test.each([
    ['is empty', (file: string) => writeFileSync(file, '')],
    ['is missing', (file: string) => rmSync(file)],
  ])('is kept with its file, if that %s', (_, damage) => {
    const file = killed()
    const log = readFileSync(`${file}-wal`)
    damage(file)
    const { connection, setAside } = openFile(file)
    expect(idsIn(connection)).toEqual([])
    expect(readFileSync(`${setAside}-wal`).equals(log)).toBe(true)
  })

  const PAGE = 4096 + 24
  test('is copied if a transaction before the last one is damaged, and the earlier ones are used', () => {
    const file = killed()
    const log = readFileSync(`${file}-wal`)
    // Each transaction changes a page of the table and one of its index.
    changeByte(`${file}-wal`, 2 * PAGE + 100)
    const { connection, setAside } = openFile(file)
    expect(idsIn(connection)).toEqual([1])
    expect(readFileSync(`${setAside}-wal`).length).toBe(log.length)
  })

  test('is copied if its header is damaged', () => {
    const file = killed()
    changeByte(`${file}-wal`, statSync(`${file}-wal`).size - 20)
    expect(openFile(file).setAside).toContain('damaged')
  })

  test('is used without its last transaction, if a power failure left it incomplete', () => {
    const file = killed()
    changeByte(`${file}-wal`, 100)
    const { connection, setAside } = openFile(file)
    expect([idsIn(connection), setAside]).toEqual([[1, 2], null])
  })
})
