import { basename, dirname } from 'node:path/posix'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createRuleMatcher } from '../../../src/main/rules/index.ts'
import type { FileFacts } from '../../../src/shared/model/file-facts.ts'
import { FolderRules } from '../../../src/shared/model/folder-rules.ts'
import type { RuleCondition } from '../../../src/shared/model/rule-conditions.ts'
import { AGE_UNITS, DURATION_UNITS, SIZE_UNITS } from '../../../src/shared/model/rule-units.ts'

const NOW = Date.UTC(2026, 10, 20)
const DAY = AGE_UNITS.days

const facts = (change: Partial<FileFacts> = {}): FileFacts => ({
  path: 'IMG_1.jpg',
  size: 5_000_000,
  modified: NOW - DAY,
  kind: 'image',
  header: { width: 6_000, height: 4_000, duration: null },
  ...change,
})

/** Whether a file fulfills a single condition. */
function fulfills(condition: RuleCondition, change: Partial<FileFacts> = {}): boolean {
  const result = createRuleMatcher([{ when: [condition] }])(facts(change), NOW)
  return result.kind === 'matched' && result.rule === 0
}

describe('a name pattern', () => {
  it.each([
    ['Screenshot*', 'Screenshot 2026-11-20.png', true],
    ['screenshot*', 'Screenshot.PNG', true],
    ['*.{jpg,jpeg}', 'a/b/IMG_1.JPEG', true],
    ['*.{jpg,jpeg}', 'IMG_1.png', false],
    ['IMG_????.*', 'IMG_0148.mov', true],
    ['!IMG*', 'DSC_1.jpg', true],
    ['b', 'b/IMG_1.jpg', false],
    ['Blüte*', 'Blu\u0308te 1.jpg', true],
    ['(1).jpg', '(1).jpg', true],
    ['*.jpg', '.hidden.jpg', true],
    // On Linux and macOS, a backslash is part of the name.
    ['a?b.jpg', 'a\\b.jpg', true],
  ])('%s and %s: %s', (pattern, path, expected) => {
    expect(fulfills({ about: 'name', matches: true, pattern }, { path })).toBe(expected)
  })

  it('can be negated', () => {
    const not: RuleCondition = { about: 'name', matches: false, pattern: '*.png' }
    expect([fulfills(not), fulfills(not, { path: 'a.png' })]).toEqual([true, false])
  })
})

it.each<[RuleCondition, Partial<FileFacts>, boolean]>([
  [{ about: 'kind', is: 'video' }, {}, false],
  [{ about: 'kind', is: 'image' }, {}, true],
  [{ about: 'kind', is: 'image' }, { kind: null }, false],
  [{ about: 'size', compare: 'more', amount: 5, unit: 'MB' }, {}, false],
  [{ about: 'size', compare: 'more', amount: 4.9, unit: 'MB' }, {}, true],
  [{ about: 'size', compare: 'less', amount: 5, unit: 'MB' }, {}, false],
  [{ about: 'size', compare: 'less', amount: 5.1, unit: 'MB' }, {}, true],
  [{ about: 'dimensions', side: 'width', compare: 'more', pixels: 4_000 }, {}, true],
  [{ about: 'dimensions', side: 'height', compare: 'more', pixels: 4_000 }, {}, false],
  [{ about: 'dimensions', side: 'height', compare: 'less', pixels: 4_001 }, {}, true],
  [{ about: 'duration', compare: 'less', amount: 1, unit: 'minutes' }, {}, false],
  [
    { about: 'duration', compare: 'more', amount: 1, unit: 'minutes' },
    { header: { width: null, height: null, duration: 60_001 } },
    true,
  ],
  [{ about: 'age', compare: 'more', amount: 1, unit: 'days' }, {}, true],
  [{ about: 'age', compare: 'more', amount: 25, unit: 'hours' }, {}, false],
  [{ about: 'age', compare: 'less', amount: 1, unit: 'weeks' }, {}, true],
  // A file from the future, as after the clock was wrong.
  [{ about: 'age', compare: 'less', amount: 1, unit: 'hours' }, { modified: NOW + DAY }, true],
  [{ about: 'subfolder', path: 'Scans' }, { path: 'scans/2026/a.jpg' }, true],
  [{ about: 'subfolder', path: '/Scans/2026/' }, { path: 'Scans/2026/a.jpg' }, true],
  [{ about: 'subfolder', path: 'Scans\\2026' }, { path: 'Scans/2026/deep/a.jpg' }, true],
  [{ about: 'subfolder', path: 'Scans' }, { path: 'My Scans/a.jpg' }, false],
  [{ about: 'subfolder', path: '2026' }, { path: 'Scans/2026/a.jpg' }, false],
  [{ about: 'subfolder', path: 'a.jpg' }, { path: 'a.jpg' }, false],
  [{ about: 'depth', compare: 'more', levels: 0 }, { path: 'a.jpg' }, false],
  [{ about: 'depth', compare: 'more', levels: 1 }, { path: 'a/b/c.jpg' }, true],
  [{ about: 'depth', compare: 'less', levels: 1 }, { path: 'a.jpg' }, true],
])('%o of a file with %o: %s', (condition, change, expected) => {
  expect(fulfills(condition, change)).toBe(expected)
})

it('unknown dimensions and durations match neither comparison', () => {
  const unknown = { header: { width: null, height: null, duration: null } }
  for (const compare of ['more', 'less'] as const) {
    expect(fulfills({ about: 'dimensions', side: 'width', compare, pixels: 10 }, unknown)).toBe(false)
    expect(fulfills({ about: 'duration', compare, amount: 1, unit: 'seconds' }, unknown)).toBe(false)
  }
})

it('the content of a file is read only if no other condition rules it out', () => {
  const match = createRuleMatcher([
    {
      when: [
        { about: 'kind', is: 'video' },
        { about: 'size', compare: 'more', amount: 1, unit: 'GB' },
      ],
    },
    {
      when: [
        { about: 'dimensions', side: 'width', compare: 'more', pixels: 4_000 },
        { about: 'kind', is: 'image' },
      ],
    },
  ])
  const { kind: _kind, header: _header, ...unread } = facts()
  expect(match({ ...unread, size: 2e9 }, NOW)).toEqual({ kind: 'needs', fact: 'kind' })
  expect(match(unread, NOW)).toEqual({ kind: 'needs', fact: 'kind' })
  expect(match({ ...unread, kind: 'video' }, NOW)).toMatchObject({ kind: 'matched', rule: 2 })
  expect(match({ ...unread, kind: 'image' }, NOW)).toEqual({ kind: 'needs', fact: 'header' })
})

// ── Properties ───────────────────────────────────────────────────────────────────────────────────────────────────────

const comparison = fc.constantFrom('more' as const, 'less' as const)
const unit = <Unit extends string>(units: Readonly<Record<Unit, number>>) =>
  fc.constantFrom(...(Object.keys(units) as Unit[]))
const amount = fc.integer({ min: 1, max: 50 })
const names = fc.constantFrom('a.jpg', 'b.mov', 'Screenshot.png')
const folders = fc.constantFrom('', 'Scans/', 'Scans/2026/', 'other/')

const conditions: fc.Arbitrary<RuleCondition> = fc.oneof(
  fc.record({ about: fc.constant('kind' as const), is: fc.constantFrom('image' as const, 'video' as const) }),
  fc.record({
    about: fc.constant('name' as const),
    matches: fc.boolean(),
    pattern: fc.constantFrom('*.jpg', 'S*', '?.*'),
  }),
  fc.record({ about: fc.constant('size' as const), compare: comparison, amount, unit: unit(SIZE_UNITS) }),
  fc.record({
    about: fc.constant('dimensions' as const),
    side: fc.constantFrom('width' as const, 'height' as const),
    compare: comparison,
    pixels: amount,
  }),
  fc.record({
    about: fc.constant('duration' as const),
    compare: comparison,
    amount,
    unit: unit(DURATION_UNITS),
  }),
  fc.record({ about: fc.constant('age' as const), compare: comparison, amount, unit: unit(AGE_UNITS) }),
  fc.record({
    about: fc.constant('subfolder' as const),
    path: fc.constantFrom('scans', 'Scans/2026', 'other'),
  }),
  fc.record({
    about: fc.constant('depth' as const),
    compare: comparison,
    levels: fc.integer({ min: 0, max: 3 }),
  }),
)
const ruleLists = fc.array(fc.record({ when: fc.array(conditions, { maxLength: 4 }) }), { maxLength: 6 })
const files: fc.Arbitrary<FileFacts> = fc.record({
  path: fc.tuple(folders, names).map(([folder, name]) => folder + name),
  size: fc.integer({ min: 1, max: 60_000_000_000 }),
  modified: fc.integer({ min: NOW - 60 * AGE_UNITS.weeks, max: NOW + DAY }),
  kind: fc.constantFrom('image' as const, 'video' as const, null),
  header: fc.record({
    width: fc.option(amount),
    height: fc.option(amount),
    duration: fc.option(fc.integer({ min: 0, max: 4_000_000 })),
  }),
})

const known = <T>(value: T | null | undefined, test: (value: T) => boolean) =>
  value !== null && value !== undefined && test(value)
const isMore = (compare: 'more' | 'less', limit: number) => (value: number) =>
  compare === 'more' ? value > limit : value < limit

/** The definition of the conditions, without any shortcut. */
function holds(condition: RuleCondition, file: FileFacts, now: number): boolean {
  switch (condition.about) {
    case 'kind':
      return file.kind === condition.is
    case 'name': {
      const name = basename(file.path)
      const fits = {
        '*.jpg': name.endsWith('.jpg'),
        'S*': name.startsWith('S'),
        '?.*': name.indexOf('.') === 1,
      }
      return fits[condition.pattern as keyof typeof fits] === condition.matches
    }
    case 'size':
      return isMore(condition.compare, condition.amount * SIZE_UNITS[condition.unit])(file.size)
    case 'dimensions':
      return known(file.header?.[condition.side], isMore(condition.compare, condition.pixels))
    case 'duration':
      return known(
        file.header?.duration,
        isMore(condition.compare, condition.amount * DURATION_UNITS[condition.unit]),
      )
    case 'age': {
      const isOlder = now - file.modified >= condition.amount * AGE_UNITS[condition.unit]
      return isOlder === (condition.compare === 'more')
    }
    case 'subfolder':
      return `${dirname(file.path).toLowerCase()}/`.startsWith(`${condition.path.toLowerCase()}/`)
    case 'depth':
      return isMore(condition.compare, condition.levels)(file.path.split('/').length - 1)
  }
}

const firstOf = (
  rules: readonly { readonly when: readonly RuleCondition[] }[],
  file: FileFacts,
  now: number,
) => {
  const first = rules.findIndex(({ when }) => when.every((condition) => holds(condition, file, now)))
  return first === -1 ? rules.length : first
}

it('the first rule of which all conditions hold matches', () => {
  fc.assert(
    fc.property(ruleLists, files, (rules, file) => {
      expect(createRuleMatcher(rules)(file, NOW)).toMatchObject({
        kind: 'matched',
        rule: firstOf(rules, file, NOW),
      })
    }),
  )
})

it('facts that aren’t known yet never change the match, and are requested at most once each', () => {
  fc.assert(
    fc.property(ruleLists, files, (rules, { kind, header, ...unread }) => {
      const match = createRuleMatcher(rules)
      const asked: string[] = []
      let known: FileFacts = unread
      let result = match(known, NOW)
      while (result.kind === 'needs') {
        asked.push(result.fact)
        known = result.fact === 'kind' ? { ...known, kind } : { ...known, header }
        result = match(known, NOW)
      }
      expect(result.rule).toBe(firstOf(rules, { ...unread, kind, header }, NOW))
      expect(new Set(asked).size).toBe(asked.length)
    }),
  )
})

it('until the reported time, the file’s age doesn’t change the match', () => {
  fc.assert(
    fc.property(ruleLists, files, fc.double({ min: 0, max: 1, noNaN: true }), (rules, file, share) => {
      const match = createRuleMatcher(rules)
      const now = match(file, NOW)
      if (now.kind !== 'matched') throw new Error('All facts are known')
      const end = now.until ?? NOW + 100 * AGE_UNITS.weeks
      expect(end).toBeGreaterThan(NOW)
      const later = Math.floor(NOW + share * (end - 1 - NOW))
      expect(match(file, later)).toMatchObject({ rule: now.rule })
    }),
  )
})

const olderThan = (amount: number): RuleCondition => ({ about: 'age', compare: 'more', amount, unit: 'days' })

it('reports the first time at which an older file is decided differently, among the rules before the match', () => {
  const image: RuleCondition = { about: 'kind', is: 'image' }
  const until = (...rules: RuleCondition[][]) =>
    createRuleMatcher(rules.map((when) => ({ when })))(facts(), NOW)
  const modified = NOW - DAY
  expect(until([olderThan(3)], [olderThan(2)], [])).toEqual({
    kind: 'matched',
    rule: 2,
    until: modified + 2 * DAY,
  })
  // Once a file is as old as a rule demands, time doesn't change that.
  expect(until([olderThan(1)], [olderThan(2)])).toEqual({ kind: 'matched', rule: 0, until: null })
  expect(until([image])).toEqual({ kind: 'matched', rule: 0, until: null })
  expect(until([image, { about: 'age', compare: 'less', amount: 2, unit: 'days' }])).toEqual({
    kind: 'matched',
    rule: 0,
    until: modified + 2 * DAY,
  })
})

it('the content of a file isn’t read for a rule that it is too young for', () => {
  const when: RuleCondition[] = [olderThan(2), { about: 'kind', is: 'image' }]
  const { kind: _, ...unread } = facts()
  const found = createRuleMatcher([{ when }])(unread, NOW)
  expect(found).toEqual({ kind: 'matched', rule: 1, until: NOW + DAY })
})

it('stored rules are read back unchanged', () => {
  fc.assert(
    fc.property(ruleLists, (rules) => {
      const stored: FolderRules = {
        rules: rules.map(({ when }, index) => ({ id: String(index), when, action: { do: 'ignore' } })),
        rest: 'process',
      }
      expect(FolderRules.parse(JSON.parse(JSON.stringify(stored)))).toEqual(stored)
    }),
  )
})
