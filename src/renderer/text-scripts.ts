import { minifySync, type Plugin } from 'vite'
import { withFallback, type Catalog, type Incomplete, type Language } from '../shared/i18n/catalog.ts'
import { english } from '../shared/i18n/english.ts'

/**
 * The parts of a catalog in each script, by the prefix of the script's name. The main process announces the first script, such as `en.js`,
 * together with the page.
 */
const SCRIPTS: Readonly<Record<string, readonly (keyof Catalog)[]>> = {
  '': ['common', 'window'],
  'views-': ['failures', 'losses', 'views'],
  'settings-': ['settings'],
  'studio-': ['studio'],
  'rules-': ['rules'],
}

/** Generates scripts from catalogs, such as `de.js` and `settings-de.js`. English texts replace missing ones. */
export const textScripts = (catalogs: () => Readonly<Record<Language, Incomplete>>): Plugin => ({
  name: 'text scripts',
  generateBundle() {
    for (const [language, own] of Object.entries(catalogs())) {
      const catalog = withFallback(own, english)
      for (const [begin, parts] of Object.entries(SCRIPTS)) {
        const fileName = `${begin}${language}.js`
        const texts = Object.fromEntries(parts.map((part) => [part, catalog[part]]))
        const source = minifySync(fileName, `export default ${JSON.stringify(texts)}`).code
        this.emitFile({ type: 'asset', fileName, source })
      }
    }
  },
})
