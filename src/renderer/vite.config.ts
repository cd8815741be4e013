import { readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { defineConfig, minifySync, type Plugin } from 'vite'
import { withFallback, type Catalog } from '../shared/i18n/catalog.ts'
import { english } from '../shared/i18n/english.ts'

const CATALOGS = fileURLToPath(new URL('../shared/i18n/locales', import.meta.url))

/**
 * The parts of a catalog in each script, by the beginning of its name. The main process announces the first, such as `en.js`, together with
 * the page.
 */
const SCRIPTS: Readonly<Record<string, readonly (keyof Catalog)[]>> = {
  '': ['common', 'failures', 'losses', 'window'],
  'settings-': ['settings'],
  'studio-': ['studio'],
  'rules-': ['rules'],
}

/** Makes scripts of the catalogs, such as `de.js` and `settings-de.js`, with English texts where the language lacks any. */
const textScripts: Plugin = {
  name: 'text scripts',
  generateBundle() {
    for (const file of readdirSync(CATALOGS)) {
      const catalog = withFallback(JSON.parse(readFileSync(join(CATALOGS, file), 'utf8')), english)
      for (const [begin, parts] of Object.entries(SCRIPTS)) {
        const fileName = `${begin}${basename(file, '.json')}.js`
        const texts = Object.fromEntries(parts.map((part) => [part, catalog[part]]))
        const source = minifySync(fileName, `export default ${JSON.stringify(texts)}`).code
        this.emitFile({ type: 'asset', fileName, source })
      }
    }
  },
}

/**
 * Builds one initial script and style sheet, and separate ones for rarely used views and for each language. Doesn't inline
 * anything, because the content security policy forbids inline code and data URLs.
 */
export default defineConfig({
  root: fileURLToPath(new URL('.', import.meta.url)),
  base: './',
  plugins: [textScripts],
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  build: {
    outDir: fileURLToPath(new URL('../../dist/renderer', import.meta.url)),
    emptyOutDir: true,
    target: 'chrome140',
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    rolldownOptions: {
      output: {
        // The first paint needs a single script, because each file is another request to the main process.
        codeSplitting: {
          includeDependenciesRecursively: false,
          groups: [{ name: 'window', tags: ['$initial'] }],
        },
        entryFileNames: 'window.js',
        assetFileNames: '[name][extname]',
        chunkFileNames: '[name].js',
      },
    },
  },
})
