import { array, assert, constantFrom, integer, jsonValue, oneof, property, record } from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createListParser, parseAnswer } from '../../../src/main/service-api/parse-answer.ts'

const LIMITS = { bytes: 1_000_000, values: 100_000 }

const job = record({ jobId: integer({ min: 0, max: 3 }), results: array(jsonValue(), { maxLength: 3 }) })
const jobs = array(oneof({ weight: 5, arbitrary: job }, jsonValue()), { maxLength: 5 })
const list = record({ jobs, other: oneof(jsonValue(), jobs) }, { requiredKeys: ['jobs'] })
const text = oneof(
  list.map((value) => JSON.stringify(value)),
  list.map((value) => JSON.stringify(value, undefined, 2)),
  jsonValue().map((value) => JSON.stringify(value)),
  constantFrom(
    '',
    '{"jobs":[{"a":1},{"a":2]}',
    '{"jobs":[{}{}]}',
    '{"jobs":[{}],"jobs":[{},{}]}',
    ']]}{"jobs":[{}]}',
    '{"jobs":[{},1],"other":[{}]}',
    '{"jobs":[[1],[0]]}',
    '{"other":[{}],"jobs":[[0]]}',
  ),
)

describe('the parser of the job list', () => {
  it('returns what JSON.parse returns, regardless of the previous lists', () => {
    assert(
      property(array(text, { maxLength: 8 }), (texts) => {
        const parse = createListParser()
        for (const one of texts)
          expect(parse(Buffer.from(one), LIMITS)).toEqual(parseAnswer(Buffer.from(one), LIMITS))
      }),
    )
  })

  it('returns the same objects for jobs whose text is the same, also if others came or went before them', () => {
    const parse = createListParser()
    const jobsOf = (...names: readonly string[]): readonly unknown[] => {
      const parsed = parse(Buffer.from(JSON.stringify({ jobs: names.map((name) => ({ name })) })), LIMITS)
      return parsed.ok ? Object(parsed.value).jobs : []
    }
    const [a, b, c] = jobsOf('a', 'b', 'c')
    const changed = jobsOf('new', 'a', 'b2', 'c')
    expect(changed[1]).toBe(a)
    expect(changed[2]).not.toBe(b)
    expect(changed[3]).toBe(c)
    const fewer = jobsOf('a', 'c')
    expect([fewer[0] === a, fewer[1] === c]).toEqual([true, true])
  })

  it('refuses a list with too many values, and then reads the next one', () => {
    const parse = createListParser()
    const small = Buffer.from('{"jobs":[{"a":1}]}')
    expect(parse(small, LIMITS)).toEqual({ ok: true, value: { jobs: [{ a: 1 }] } })
    expect(parse(Buffer.from('{"jobs":[{"a":1},{"a":2}]}'), { ...LIMITS, values: 5 })).toEqual({
      ok: false,
      why: 'it has too many values',
    })
    expect(parse(small, LIMITS)).toEqual({ ok: true, value: { jobs: [{ a: 1 }] } })
  })
})
