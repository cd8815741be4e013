import { expect, it } from 'vitest'

const SIZE = 8 * 1024 * 1024
const [one, other] = [Buffer.alloc(SIZE, 1), Buffer.alloc(SIZE, 2)]

it('bytes are compared by digest, without a difference of every byte, also within other values', () => {
  expect(one).toEqual(Buffer.from(one))
  expect({ 'image/png': one }).toStrictEqual({ 'image/png': Buffer.from(one) })
  expect(() => expect(one).toEqual(other)).toThrow(
    /^The bytes differ: 8388608 bytes \(SHA-256 [\da-f]{64}\) instead of/,
  )
  expect(() => expect({ 'image/png': one }).toEqual({ 'image/png': other })).toThrow(/^The bytes differ/)
  expect(() => expect([one]).toMatchObject([one.subarray(1)])).toThrow(
    /8388608 bytes .* instead of 8388607 bytes/,
  )
})

it('short bytes are shown, and bytes that should differ need another comparison', () => {
  expect(Buffer.from('abc')).not.toEqual(Buffer.from('abd'))
  expect(() => expect(one).not.toEqual(other)).toThrow(/Buffer\.equals/)
})
