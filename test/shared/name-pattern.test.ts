import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { createNamePattern } from '../../src/shared/name-pattern.ts'

it.each([
  ['*', '', true],
  ['IMG (1)*', 'img (1).jpg', true],
  ['IMG (*).jpg', 'IMG (3).jpg', true],
  ['a+b@2x$.png', 'a+b@2x$.png', true],
  ['a.jpg', 'a_jpg', false],
  ['?.jpg', '😀.jpg', true],
  ['?.jpg', '.jpg', false],
  ['[0-9][0-9]*', '07.jpg', true],
  ['[!0-9]*', '7.jpg', false],
  ['[^a]', 'b', true],
  ['[A-C]x', 'bX', true],
  ['[]]', ']', true],
  ['[a-]', '-', true],
  ['[a', '[a', true],
  ['[]', '[]', true],
  ['{a,b{c,d*}}.jpg', 'bd9.jpg', true],
  ['{a,b{c,d*}}.jpg', 'be.jpg', false],
  ['{,x}a', 'a', true],
  ['*{a,ab}c', '1abc', true],
  ['{a}', '{a}', true],
  ['{a,b', '{a,b', true],
  ['{a\\,b,c}', 'a,b', true],
  ['{a\\},c}', 'a}', true],
  ['\\*.jpg', '*.jpg', true],
  ['\\*.jpg', 'a.jpg', false],
  ['a\\', 'a\\', true],
  ['!*.png', 'a.jpg', true],
  ['!!*.png', 'a.jpg', false],
  ['!', 'a', true],
  ['*.jpg', 'line\nbreak.jpg', true],
])('%s and %s: %s', (pattern, name, expected) => {
  expect(createNamePattern(pattern)(name)).toBe(expected)
})

it('agrees with a regular expression', () => {
  const parts = {
    a: 'a',
    '-': '-',
    '?': '.',
    '*': '.*',
    '[ab]': '[ab]',
    '{a,b-}': '(?:a|b-)',
    '{,a*b}': '(?:|a.*b)',
  }
  const pattern = fc.array(fc.constantFrom(...Object.keys(parts)), { maxLength: 8 })
  const name = fc.string({ unit: fc.constantFrom('a', 'b', '-'), maxLength: 10 })
  fc.assert(
    fc.property(pattern, name, (some, text) => {
      const expression = new RegExp(
        `^${some.map((part) => parts[part as keyof typeof parts]).join('')}$`,
        'su',
      )
      expect(createNamePattern(some.join(''))(text)).toBe(expression.test(text))
    }),
  )
})

it('takes no longer for names that other users chose to slow it down', () => {
  // A regular expression would need more steps than can be made in a lifetime.
  const dashes = '-'.repeat(250)
  expect(createNamePattern(`${'*-'.repeat(100)}.jpg`)(dashes)).toBe(false)
  expect(createNamePattern(`${'*{-,--}'.repeat(30)}.jpg`)(dashes)).toBe(false)
  expect(createNamePattern(`${'{'.repeat(120)}${'*,-}'.repeat(30)}`)(dashes)).toBe(false)
})
