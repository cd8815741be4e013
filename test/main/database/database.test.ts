import { chmodSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { openDatabase } from '../../../src/main/database/database.ts'
import { temporaryFolder } from '../../temporary-folder.ts'

const rightsOf = (path: string): number => statSync(path).mode & 0o777

test.skipIf(process.platform === 'win32')('no other user can read the app’s data', () => {
  const root = temporaryFolder()
  const before = process.umask(0)
  onTestFinished(() => void process.umask(before))
  const file = join(root, 'data', 'kept.db')
  const { connection } = openDatabase({
    file,
    migrations: [(made) => made.exec('CREATE TABLE kept (id INTEGER PRIMARY KEY)')],
    checkWhole: false,
    clock: Date.now,
  })
  onTestFinished(() => connection.close())
  connection.exec('INSERT INTO kept VALUES (1)')
  expect([dirname(file), file, `${file}-wal`].map(rightsOf)).toEqual([0o700, 0o600, 0o600])
})

test.skipIf(process.platform === 'win32')(
  'files that an earlier version left readable become private',
  () => {
    const root = temporaryFolder()
    const file = join(root, 'kept.db')
    const open = () =>
      openDatabase({
        file,
        migrations: [(made) => made.exec('CREATE TABLE kept (id INTEGER PRIMARY KEY)')],
        checkWhole: false,
        clock: Date.now,
      })
    const { connection } = open()
    onTestFinished(() => connection.close())
    connection.exec('INSERT INTO kept VALUES (1)')
    const files = [file, `${file}-wal`, `${file}-shm`]
    for (const one of files) chmodSync(one, 0o644)
    const again = open()
    onTestFinished(() => again.connection.close())
    expect(files.map(rightsOf)).toEqual([0o600, 0o600, 0o600])
  },
)
