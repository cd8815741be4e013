import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const ROOT = join(import.meta.dirname, '../..')
const PLACE = /^\| (\d+) \| .* \| `([^`:]+):(\d+)` \| `([^`]+)` \|$/gm
/** Tolerance in lines, because nearby changes shift them. A reader still finds the word. */
const NEAR = 30

const PAGE = readFileSync(join(ROOT, 'docs/security.md'), 'utf8')
const NAMED_TEST = /`(test\/[\w/-]+\.test\.ts)`/g

/** Rows of the tables whose last column names the tests that hold them. */
const heldRows = (): readonly (readonly [what: string, heldBy: string])[] =>
  PAGE.split('\n\n')
    .filter((part) => /^\|.*\| held by \|\n/.test(part))
    .flatMap((table) => table.trim().split('\n').slice(2))
    .map((row) => row.split(' | '))
    .map((cells) => [cells.slice(0, 2).join(', '), cells.at(-1) ?? ''])

const linesOf = (path: string) => readFileSync(join(ROOT, path), 'utf8').split('\n')

test('the table of Electron’s checklist has all twenty points, each with a correct source location', () => {
  const rows = [...PAGE.matchAll(PLACE)]
  expect(rows.map(([, point]) => Number(point))).toEqual(Array.from({ length: 20 }, (_, index) => index + 1))
  for (const [, point, path = '', line, word = ''] of rows) {
    const places = linesOf(path).flatMap((text, index) => (text.includes(word) ? [index + 1] : []))
    const isNear = places.some((place) => Math.abs(place - Number(line)) <= NEAR)
    expect(isNear, `point ${point}: ${word} stands in ${path} in line ${places.join(', ')}`).toBe(true)
  }
})

test('every rule on the security page names the test that holds it', () => {
  const rows = heldRows()
  expect(rows.length).toBeGreaterThanOrEqual(18)
  for (const [what, heldBy] of rows) expect(heldBy, what).toMatch(/`test\/|`npm run (types|layers)`/)
})

test('every test that the security page names exists', () => {
  const missing = [...PAGE.matchAll(NAMED_TEST)]
    .map(([, path = '']) => path)
    .filter((path) => !existsSync(join(ROOT, path)))
  expect(missing).toEqual([])
})
