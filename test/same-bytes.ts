/** Compares bytes by digest. The test runner would compute a line-by-line difference of them, which takes minutes for large files. */
import { createHash } from 'node:crypto'
import { expect } from 'vitest'

const digestOf = (bytes: Uint8Array) => ({
  length: bytes.length,
  sha256: createHash('sha256').update(bytes).digest('hex'),
})

/** Expects both to have the same bytes. */
export const expectSameBytes = (actual: Uint8Array, expected: Uint8Array): void =>
  expect(digestOf(actual)).toEqual(digestOf(expected))

/** Expects the bytes to differ. */
export const expectOtherBytes = (actual: Uint8Array, expected: Uint8Array): void =>
  expect(digestOf(actual)).not.toEqual(digestOf(expected))
