import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { openDatabase } from '../../../src/main/database/database.ts'

const rightsOf = (path: string): number => statSync(path).mode & 0o777

test.skipIf(process.platform === 'win32')('what the app keeps is read by nobody else', () => {
  const root = mkdtempSync(join(tmpdir(), 'mediatray-database-'))
  onTestFinished(() => rmSync(root, { recursive: true, force: true }))
  const before = process.umask(0)
  onTestFinished(() => void process.umask(before))
  const file = join(root, 'data', 'kept.db')
  const { connection } = openDatabase({
    file,
    migrations: [(made) => made.exec('CREATE TABLE kept (id INTEGER PRIMARY KEY)')],
    synchronous: 'full',
    checkWhole: false,
    clock: Date.now,
  })
  onTestFinished(() => connection.close())
  connection.exec('INSERT INTO kept VALUES (1)')
  expect([dirname(file), file, `${file}-wal`].map(rightsOf)).toEqual([0o700, 0o600, 0o600])
})
