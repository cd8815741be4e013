import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { languages, readCatalog } from '../../../src/node/translation.ts'

const SOURCES = join(import.meta.dirname, '../../../src')

/** Matches a text of the catalog, or a call that gets the translation. */
const TEXT = String.raw`(?:\bt|\btexts|\bt\(\))[.)]`
/** Matches English punctuation or a space between two texts: `${a}, ${t.b}`, ` ${t.b}`, `{t.a}{' '}`. */
const JOINED = [
  new RegExp(String.raw`\}(?:, |: |; | · |\. )\$\{.*${TEXT}|${TEXT}.*\}(?:, |: |; | · |\. )\$\{`),
  new RegExp(String.raw`\x60 \$\{${TEXT}`),
  new RegExp(String.raw`${TEXT}.*\}(?:</b>)?\{' '\}`),
]
/** Not sentences: a word or a colon before a link. */
const EXCEPT = [
  "{saved ? t.details.savedTo({ preset }) : t.details.to({ preset })}{' '}",
  "{texts.inPresets}{' '}",
]

it('texts are joined by the punctuation of their language: `listed`, `labeled`, `sentences`', () => {
  const joined = globSync('**/*.{ts,tsx}', { cwd: SOURCES }).flatMap((file) =>
    readFileSync(join(SOURCES, file), 'utf8')
      .split('\n')
      .map((line) => line.trim())
      .filter((line) => JOINED.some((one) => one.test(line)) && !EXCEPT.includes(line))
      .map((line) => `${file}: ${line}`),
  )
  expect(joined).toEqual([])
})

it.each(languages())('the colon in texts is the one that joins them in %s', (language) => {
  const catalog = readCatalog(language)
  const wide = catalog['common']?.['punctuation']?.['colon'] === '：'
  const texts = Object.values(catalog).flatMap((part) =>
    Object.values(part).flatMap((area) => Object.values(area)),
  )
  expect(texts.filter((text) => (wide ? /[\u3040-\u9fff]: / : /：/).test(text))).toEqual([])
})
