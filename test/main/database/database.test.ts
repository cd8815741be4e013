import { chmodSync, copyFileSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { NewerDatabase, openDatabase } from '../../../src/main/database/database.ts'
import { temporaryFolder } from '../../temporary-folder.ts'

const rightsOf = (path: string): number => statSync(path).mode & 0o777

function open(file: string) {
  const schema = 'CREATE TABLE kept (id INTEGER PRIMARY KEY)'
  const { connection } = openDatabase({ file, schema, checkWhole: true, clock: Date.now })
  onTestFinished(() => void (connection.isOpen && connection.close()))
  return connection
}

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
