import { spawnSync } from 'node:child_process'
import { expect, it } from 'vitest'
import { isOwnerAlive, OWN_MARK } from '../../src/node/owner-mark.ts'

/** No system gives this number to a process. */
const NOBODY = 2 ** 30

it('a mark of this process and of others that run is alive', () => {
  expect(isOwnerAlive(OWN_MARK)).toBe(true)
  expect(isOwnerAlive(`${OWN_MARK}-something more`)).toBe(true)
  expect(isOwnerAlive(`${process.ppid}-0123456789abcdef`)).toBe(true)
  // Another user's, in the sight of an ordinary one.
  expect(isOwnerAlive('1-0123456789abcdef')).toBe(true)
})

it('a mark of a process that has ended is not', () => {
  const { pid } = spawnSync(process.execPath, ['-e', '0'])
  for (const gone of [pid, NOBODY]) expect(isOwnerAlive(`${gone}-0123456789abcdef`)).toBe(false)
})

it('a mark of an earlier process that had the same number is not', () => {
  expect(isOwnerAlive(`${process.pid}-0123456789abcdef`)).toBe(false)
})

it.each(['', 'notes', 'x33-nobody', '-1-x'])('what names no process belongs to nobody: %j', (name) => {
  expect(isOwnerAlive(name)).toBe(false)
})
