/** A database on a disk without any space. */
import { execFileSync } from 'node:child_process'
import { closeSync, fsyncSync, mkdirSync, openSync, writeSync } from 'node:fs'
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
