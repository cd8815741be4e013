import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { shortIdentities, wholeIdentities } from '../../src/node/identity-list.ts'

const inode = fc.bigInt({ min: 0n, max: 2n ** 64n - 1n })
const identity = fc.oneof(
  fc.constant(''),
  fc
    .tuple(fc.constantFrom('66', '67'), inode, fc.constantFrom('1000:1000:420', '0:0:384'))
    .map((parts) => parts.join(':')),
  fc.tuple(inode, fc.string()).map(([number, path]) => `66:${number}:1000:1000:420:/${path}`),
)

it('the identities of a request are the same after they were shortened', () => {
  fc.assert(
    fc.property(fc.array(identity), (all) => {
      expect(wholeIdentities(shortIdentities(all))).toEqual(all)
    }),
  )
})

it('an identity that was added together with its neighbors costs a few bytes', () => {
  const all = Array.from({ length: 100 }, (_, n) => `64769:${52_431_234 + n * 3}:1000:1000:420`)
  expect(shortIdentities(all).slice(1)).toEqual(Array.from({ length: 99 }, () => '3'))
})

it('what isn’t an identity stays as it is, and so does a distance from nothing', () => {
  expect(wholeIdentities(['3', '-z', 'x:y', '', '3'])).toEqual(['3', '-z', 'x:y', '', '3'])
})
