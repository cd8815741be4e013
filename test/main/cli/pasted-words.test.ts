import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { withoutPastedMarks } from '../../../src/main/cli/pasted-words.ts'
import { temporaryFolder } from './command.ts'

it('removes marks of direction from the ends of words, except for existing files', () => {
  const folder = temporaryFolder()
  writeFileSync(join(folder, '\u200fa.jpg'), '')
  const words = [
    '\u2068r_1\u2069',
    '\u200e--json',
    '--preset=\u2068Web 2048\u2069',
    'b\u200e.jpg',
    '\u200fa.jpg',
  ]
  expect(withoutPastedMarks(words, folder)).toEqual([
    'r_1',
    '--json',
    '--preset=Web 2048',
    'b\u200e.jpg',
    '\u200fa.jpg',
  ])
})
