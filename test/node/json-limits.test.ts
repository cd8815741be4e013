import { assert, jsonValue, property } from 'fast-check'
import { expect, it } from 'vitest'
import { jsonExcess } from '../../src/node/json-limits.ts'

const excessOf = (text: string, values: number, bytes = 10_000) =>
  jsonExcess(Buffer.from(text), { bytes, values })

/** Counts a value and all values in it. */
function valuesIn(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 1
  return Object.values(value).reduce<number>((sum, one) => sum + valuesIn(one), 1)
}

it('accepts every text with no more values than allowed, and refuses a list with one more', () => {
  assert(
    property(jsonValue(), (value) => {
      const text = JSON.stringify(value)
      const count = valuesIn(value)
      // An empty list or object counts as if it had an element.
      const empty = text.match(/\[\]|\{\}/g)?.length ?? 0
      expect(excessOf(text, count + empty)).toBeUndefined()
      if (count > 1) expect(excessOf(text, 1)).toBe('tooManyValues')
    }),
  )
})

it('doesn’t count what is in strings', () => {
  const text = JSON.stringify({ a: '[[[,,,"\\"{{{', b: ',\\' })
  expect(excessOf(text, 3)).toBeUndefined()
  expect(excessOf('"[,[,[,', 1)).toBeUndefined()
})

it('refuses texts that are too long or nested too deeply, also if they aren’t JSON', () => {
  expect(excessOf(' '.repeat(11), 100, 10)).toBe('tooLong')
  expect(excessOf('['.repeat(65), 100)).toBe('tooDeep')
  expect(excessOf('[{'.repeat(32), 100)).toBeUndefined()
  expect(excessOf('[]'.repeat(100), 300)).toBeUndefined()
})
