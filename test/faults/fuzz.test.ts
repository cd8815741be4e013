import { describe, expect, it } from 'vitest'
import { fuzzed, MOST_GROWTH, MOST_MS } from './fuzz/parsed.ts'
import { PARSERS } from './fuzz/parsers.ts'
import { isLongSuite } from './long-suite.ts'

const CASES = isLongSuite ? 20_000 : 30

describe(`${CASES} damaged files`, () => {
  // Each parser needs its own process.
  it.each(Object.keys(PARSERS).filter((_, index) => isLongSuite || index % 6 === 0))(
    'cause no excessive memory or time and no unexpected error: %s',
    async (parser) => {
      const { cases, slowestMs, grownBytes, surprises } = await fuzzed(parser, 1, CASES)
      expect({ cases, surprises }).toEqual({ cases: CASES, surprises: [] })
      expect(slowestMs).toBeLessThan(MOST_MS)
      expect(grownBytes).toBeLessThan(MOST_GROWTH)
    },
  )
})
