import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { built } from '../../bench/build.ts'

test('what the window needs until its first paint is at most 60 kB', () => {
  const page = readFileSync(built('renderer/index.html'), 'utf8')
  const linked = Array.from(page.matchAll(/(?:src|href)="\.\/([^"]+)"/g), ([, file = '']) => file)
  expect(linked).toHaveLength(2)
  const sizes = [...linked, 'en.js'].map(
    (file) => gzipSync(readFileSync(join(built('renderer'), file)), { level: 9 }).length,
  )
  expect(sizes.reduce((sum, size) => sum + size)).toBeLessThan(60_000)
})
