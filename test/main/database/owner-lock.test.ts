import { execFileSync } from 'node:child_process'
import { readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { takeOwnership } from '../../../src/main/database/index.ts'
import { readAddress } from '../../../src/node/owner-link/proof.ts'
import { temporaryFolder } from '../../temporary-folder.ts'

it('a damaged lock file doesn’t block the folder, and doesn’t let two processes own it', () => {
  const folder = temporaryFolder()
  writeFileSync(join(folder, 'owner.lock'), Buffer.alloc(8_192, 'x'))
  const lock = takeOwnership(folder)
  expect(lock).toBeDefined()
  expect(takeOwnership(folder)).toBeUndefined()
  expect(lock?.isHeld()).toBe(true)
  lock?.release()
  const again = takeOwnership(folder)
  expect(again).toBeDefined()
  again?.release()
})

it('a link in place of the lock file leaves its target alone', () => {
  const folder = temporaryFolder()
  const target = join(folder, 'letter.txt')
  writeFileSync(target, 'Dear reader,'.repeat(100))
  symlinkSync(target, join(folder, 'owner.lock'))
  expect(() => takeOwnership(folder)).toThrow('file is not a database')
  expect(readFileSync(target, 'utf8')).toBe('Dear reader,'.repeat(100))
})

it.skipIf(process.platform === 'win32')('a pipe in place of the address doesn’t block', () => {
  const folder = temporaryFolder()
  execFileSync('mkfifo', [join(folder, 'owner.key')])
  expect(readAddress(folder)).toBeUndefined()
})
