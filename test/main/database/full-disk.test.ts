/** A database on a disk without any space. */
import { execFileSync } from 'node:child_process'
import { closeSync, fsyncSync, mkdirSync, openSync, statSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { openDatabase } from '../../../src/main/database/database.ts'
import { isDiskFull, writeTroubleOf } from '../../../src/main/database/errors.ts'
import { temporaryFolder } from '../../temporary-folder.ts'

const isRoot = process.platform === 'linux' && process.getuid?.() === 0

function fill(file: string): void {
  const descriptor = openSync(file, 'w')
  try {
    for (;;) writeSync(descriptor, Buffer.alloc(4096))
  } catch {
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}

it.runIf(isRoot)('can’t be opened because the disk is full, and not because of an unknown error', () => {
  const disk = join(temporaryFolder(), 'disk')
  mkdirSync(disk)
  execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', disk])
  onTestFinished(() => void execFileSync('umount', ['--lazy', disk]))
  const file = join(disk, 'data.db')
  const open = () =>
    openDatabase({
      file,
      schema: 'CREATE TABLE t (x TEXT) STRICT',
      checkWhole: false,
      clock: () => 0,
    })
  open().connection.close()
  fill(join(disk, 'filler'))
  let thrown: unknown
  try {
    const { connection } = open()
    connection.exec("INSERT INTO t VALUES ('x')")
  } catch (error) {
    thrown = error
  }
  expect(writeTroubleOf(thrown)).toBe('full')
  expect(isDiskFull(thrown)).toBe(true)
})

it.each([
  [true, 'below'],
  [false, 'above'],
] as const)(
  'has a log that is small on request (%s): many writes leave it %s half a megabyte',
  (keepsLogSmall, where) => {
    const file = join(temporaryFolder(), 'data.db')
    const schema = 'CREATE TABLE t (x TEXT) STRICT'
    const { connection } = openDatabase({ file, schema, checkWhole: false, keepsLogSmall, clock: () => 0 })
    connection.exec('PRAGMA synchronous = OFF')
    for (let n = 0; n < 300; n++) connection.exec(`INSERT INTO t VALUES ('${'x'.repeat(4_000)}')`)
    expect(statSync(`${file}-wal`).size < 512 * 1024).toBe(where === 'below')
    connection.close()
  },
)
