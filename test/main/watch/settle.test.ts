import { expect, it } from 'vitest'
import { firstSample, nextSample, settlesAt, type Observation } from '../../../src/main/watch/settle.ts'

const SETTLE_MS = 1_000
const sample = (size: number, mtime = 7) => ({ size, mtime })

/** A file that grows by a byte each second until then. */
function grownUntil(end: number): Observation {
  let seen = firstSample(sample(0), 0)
  for (let at = 1_000; at <= end; at += 1_000) seen = nextSample(seen, sample(at), at)
  return seen
}

it('a file that does not change settles after the ordinary wait, however often it is seen', () => {
  let seen = firstSample(sample(5), 300)
  for (const at of [400, 800, 1_200]) seen = nextSample(seen, sample(5), at)
  expect(settlesAt(seen, SETTLE_MS)).toBe(1_300)
})

it('a change of size or time begins the wait anew', () => {
  const seen = firstSample(sample(5), 0)
  expect(settlesAt(nextSample(seen, sample(6), 500), SETTLE_MS)).toBe(1_500)
  expect(settlesAt(nextSample(seen, sample(5, 8), 500), SETTLE_MS)).toBe(1_500)
})

it('a file that grew for long waits for a quarter of that time, but not for ever', () => {
  expect(settlesAt(grownUntil(2_000), SETTLE_MS)).toBe(2_000 + 1_000)
  expect(settlesAt(grownUntil(12_000), SETTLE_MS)).toBe(12_000 + 3_000)
  expect(settlesAt(grownUntil(3_600_000), SETTLE_MS)).toBe(3_600_000 + 5_000)
})
