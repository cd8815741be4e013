/** The form and the text of one document: the fields that a control changes, and those that it keeps. */
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { catalogOf, languages } from '../../../src/node/translation.ts'
import { readJson, setInJson, valueOf } from '../../../src/shared/preset/json-text.ts'
import { isLongSuite } from '../../faults/long-suite.ts'
import { growthOf } from '../../growth.ts'
import { PRESET_CONTROLS } from '../../../src/shared/preset/preset-controls.ts'
import { changedFields } from '../../../src/shared/preset/changed-fields.ts'
import { schemaFields } from '../../../src/shared/preset/schema-fields.ts'

/** Fields without a control: they are for JSON editors and don't affect the result. */
const JSON_ONLY: readonly string[] = ['$schema']

const parse = (text: string): unknown => JSON.parse(text)

const key = fc.oneof(
  fc.constantFrom('name', 'image', 'video', 'size', 'width', 'quality', '$schema', 'x-note'),
  fc.string({ maxLength: 8 }).filter((name) => name !== '__proto__' && !name.includes('.')),
)
const part = fc.dictionary(key, fc.jsonValue({ maxDepth: 1 }), { maxKeys: 5, noNullPrototype: true })
const document = fc.dictionary(key, fc.oneof(part, fc.jsonValue({ maxDepth: 0 })), {
  maxKeys: 6,
  noNullPrototype: true,
})
const indentation = fc.constantFrom('', '  ', '    ', '\t')
const controlled = fc.constantFrom(...PRESET_CONTROLS.map(({ path }) => path))
const value = fc.oneof(fc.integer(), fc.boolean(), fc.string(), fc.constant(undefined))

describe('a control', () => {
  it('changes only its own field in the text', () => {
    fc.assert(
      fc.property(document, indentation, controlled, value, (before, indent, path, wanted) => {
        const text = JSON.stringify(before, null, indent)
        const after = parse(setInJson(text, path, wanted))
        const keys = path.split('.')
        expect(keys.reduce<unknown>(member, after)).toEqual(wanted)
        const around = changedFields(before, after).filter(
          (field) => field !== path && !field.startsWith(`${path}.`),
        )
        expect(around).toEqual([])
        expect(orderOf(after, orderOf(before))).toEqual(orderOf(before, orderOf(after)))
      }),
      { numRuns: isLongSuite ? 10_000 : 500 },
    )
  })

  it('that is set to its current value leaves the text as it was typed', () => {
    fc.assert(
      fc.property(document, indentation, (before, indent) => {
        const text = JSON.stringify(before, null, indent)
        for (const path of Object.keys(before).filter((name) => name !== ''))
          expect(setInJson(text, path, before[path])).toBe(text)
      }),
    )
  })

  it('keeps the formatting of the rest of the text', () => {
    const typed =
      '{ "$schema":"x",\n\t"image": { "format":"jpeg" , "odd": [1,  2] },\n\n\t"name": "Mine"\n}\n'
    expect(setInJson(typed, 'image.format', 'webp')).toBe(typed.replace('jpeg', 'webp'))
    expect(setInJson(typed, 'image.quality', 70)).toBe(typed.replace('[1,  2]', '[1,  2], "quality": 70'))
    expect(setInJson(typed, 'image.format', undefined)).toBe(typed.replace('"format":"jpeg" , ', ''))
    expect(setInJson(typed, 'video.codec', 'av1')).toBe(
      typed.replace('"Mine"', '"Mine",\n\t"video": {\n\t\t"codec": "av1"\n\t}'),
    )
  })
})

describe('a duplicate key', () => {
  it.each([
    ['{"a": 1, "x": 2, "a": 3}', '{"x": 2}'],
    ['{"a": 1, "a": 2, "x": 3, "y": 4}', '{"x": 3, "y": 4}'],
    ['{"x": 3, "a": 1, "a": 2, "y": 4, "a": 5}', '{"x": 3, "y": 4}'],
    ['{"a": 1, "a": 2}', '{}'],
    ['{"x": 3}', '{"x": 3}'],
    ['{}', '{}'],
  ])('is removed from %s everywhere', (typed, left) => {
    expect(setInJson(typed, 'a', undefined)).toBe(left)
  })

  it('is removed in linear time', () => {
    const growth = growthOf(
      500,
      (size) => `{${'"image":{},'.repeat(size)}"name":"A"}`,
      (typed) => setInJson(typed, 'image', undefined),
    )
    expect(growth).toBeLessThan(1.8)
  })
})

describe('the parser', () => {
  it('accepts exactly what JSON.parse does', () => {
    fc.assert(
      fc.property(
        fc.json(),
        fc.nat(),
        fc.constantFrom('', ',', '}', '"', ':', 'x', '[', ' '),
        (json, at, slip) => {
          const place = at % (json.length + 1)
          const text = json.slice(0, place) + slip + json.slice(place)
          const { root } = readJson(text)
          expect(root === undefined ? 'not JSON' : valueOf(root)).toEqual(withoutProto(text))
        },
      ),
      { numRuns: 2_000 },
    )
  })
})

describe('the form', () => {
  const sheet = PRESET_CONTROLS.map(({ path }) => path)

  it('has a control for every field of the schema', () => {
    const missing = [...schemaFields().keys()].filter(
      (path) => !sheet.includes(path) && !JSON_ONLY.includes(path),
    )
    expect(missing).toEqual([])
  })

  it('has every field once, and no other field', () => {
    expect(new Set(sheet).size).toBe(sheet.length)
    expect(sheet.filter((path) => !schemaFields().has(path))).toEqual([])
  })

  it.each(languages())('has a label for every choice, in the language %s', (language) => {
    const { choice } = catalogOf(language).studio
    const wordless = PRESET_CONTROLS.filter(({ widget }) => widget.kind === 'choice').flatMap(({ path }) =>
      (schemaFields().get(path)?.choices ?? [])
        .map((one) => `${path.split('.').at(-1)}_${String(one).replaceAll('-', '_')}`)
        .filter((name) => !(name in choice)),
    )
    expect(wordless).toEqual([])
  })
})

const member = (inside: unknown, name: string): unknown =>
  typeof inside === 'object' && inside !== null && Object.hasOwn(inside, name)
    ? Reflect.get(inside, name)
    : undefined

/** Returns the keys in order, restricted to those in `kept` if it is given. */
const orderOf = (inside: unknown, kept?: readonly string[]): readonly string[] => {
  const names = typeof inside === 'object' && inside !== null ? Object.keys(inside) : []
  return kept === undefined ? names : names.filter((name) => kept.includes(name))
}

function withoutProto(text: string): unknown {
  try {
    return JSON.parse(text, (name, inside: unknown) => (name === '__proto__' ? undefined : inside))
  } catch {
    return 'not JSON'
  }
}
