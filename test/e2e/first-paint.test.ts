import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { built } from '../../bench/build.ts'
import { languages } from '../../src/node/translation.ts'

const sizeOf = (file: string) => gzipSync(readFileSync(join(built('renderer'), file)), { level: 9 }).length

test('what the window needs until its first paint is at most 60 kB in every language', () => {
  const page = readFileSync(built('renderer/index.html'), 'utf8')
  const linked = Array.from(page.matchAll(/(?:src|href)="\.\/([^"]+)"/g), ([, file = '']) => file)
  expect(linked).toHaveLength(2)
  const code = linked.map(sizeOf).reduce((sum, size) => sum + size)
  const tooLarge = languages().filter((language) => code + sizeOf(`${language}.js`) > 60_000)
  expect(tooLarge).toEqual([])
})
