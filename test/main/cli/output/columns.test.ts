import { expect, it } from 'vitest'
import { languages } from '../../../../src/node/translation.ts'
import { columnsOf, wrapped } from '../../../../src/main/cli/output/columns.ts'
import { speaking } from '../../../../src/main/cli/output/language.ts'
import { createProgram } from '../../../../src/main/cli/program.ts'

const helpIn = (language: string) =>
  speaking(language, () =>
    createProgram(
      () => Promise.resolve(),
      () => undefined,
    )
      .commands.find((command) => command.name() === 'submit')
      ?.helpInformation(),
  ) ?? ''

it.each(languages())('help fits in 80 columns and has no English words of commander: %s', (language) => {
  const help = helpIn(language)
  expect(help.split('\n').filter((line) => columnsOf(line) > 80)).toEqual([])
  expect(help).not.toMatch(/choices:|display help/)
})

it('lines break at spaces and next to wide characters, never before punctuation', () => {
  expect(wrapped('a fox runs', 6)).toBe('a fox\nruns')
  expect(wrapped('写真、動画', 5)).toBe('写\n真、\n動画')
  expect(wrapped('--wait と同じ', 9)).toBe('--wait と\n同じ')
})
