import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const ROOT = join(import.meta.dirname, '../..')
const PLACE = /^\| (\d+) \| .* \| `([^`:]+):(\d+)` \| `([^`]+)` \|$/gm
/** Lines move a little with every change around them; a reader finds the word all the same. */
const NEAR = 30

const linesOf = (path: string) => readFileSync(join(ROOT, path), 'utf8').split('\n')

test('the table of Electron’s checklist has all twenty points, and each names a place where its word stands', () => {
  const rows = [...readFileSync(join(ROOT, 'docs/security.md'), 'utf8').matchAll(PLACE)]
  expect(rows.map(([, point]) => Number(point))).toEqual(Array.from({ length: 20 }, (_, index) => index + 1))
  for (const [, point, path = '', line, word = ''] of rows) {
    const places = linesOf(path).flatMap((text, index) => (text.includes(word) ? [index + 1] : []))
    const isNear = places.some((place) => Math.abs(place - Number(line)) <= NEAR)
    expect(isNear, `point ${point}: ${word} stands in ${path} in line ${places.join(', ')}`).toBe(true)
  }
})
