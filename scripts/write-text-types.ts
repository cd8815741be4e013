/**
 * `npm run texts` writes the types of all texts from the English catalog, so that the compiler finds missing texts and values. Also prints
 * how many texts each language lacks, and what is wrong with its other texts.
 */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { catalogFaults, missingTexts } from './check-catalog.ts'
import { typesOf } from './text-types.ts'
import { readCatalog, languages } from '../src/node/translation.ts'
import { english } from '../src/shared/i18n/english.ts'

writeFileSync(join(import.meta.dirname, '../src/shared/i18n/texts.ts'), typesOf(english))
for (const language of languages()) {
  const catalog = readCatalog(language)
  const missing = missingTexts(catalog, english)
  if (missing.length > 0)
    console.log(`${language} lacks ${missing.length} texts: ${missing.slice(0, 5).join(', ')}`)
  for (const fault of catalogFaults(catalog, english, language)) console.log(`${language}: ${fault}`)
}
