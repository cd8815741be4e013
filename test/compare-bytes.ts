/**
 * Makes `toEqual`, `toStrictEqual` and `toMatchObject` compare bytes by digest, also within other values. The runner would compute a
 * line-by-line difference of bytes that differ, which takes minutes for the pixels of a screenshot.
 */
import { createHash } from 'node:crypto'
import { expect } from 'vitest'

/** Shorter ones are shown byte by byte, as in the tests of headers. */
const SHOWN_BYTES = 256
const ADDED = Symbol.for('mediatray.compareBytes')

const described = (bytes: Uint8Array): string =>
  `${bytes.length} bytes (SHA-256 ${createHash('sha256').update(bytes).digest('hex')})`

function areSameBytes(actual: unknown, expected: unknown): boolean | undefined {
  if (!(actual instanceof Uint8Array && expected instanceof Uint8Array)) return undefined
  if (Math.max(actual.length, expected.length) <= SHOWN_BYTES) return undefined
  if (Buffer.compare(actual, expected) === 0) return true
  throw new Error(
    `The bytes differ: ${described(actual)} instead of ${described(expected)}. If they should, compare with Buffer.equals().`,
  )
}

// Test files share a process.
if (Reflect.get(globalThis, ADDED) !== true) {
  Reflect.set(globalThis, ADDED, true)
  expect.addEqualityTesters([areSameBytes])
}
