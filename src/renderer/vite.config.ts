import { readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vite'
import { textScripts } from './text-scripts.ts'

const CATALOGS = fileURLToPath(new URL('../shared/i18n/locales', import.meta.url))

const catalogs = () =>
  Object.fromEntries(
    readdirSync(CATALOGS).map((file) => [
      basename(file, '.json'),
      JSON.parse(readFileSync(join(CATALOGS, file), 'utf8')),
    ]),
  )

/**
 * Builds one initial script and style sheet, and separate ones for views that the first paint doesn't need and for each language. Doesn't
 * inline anything, because the content security policy forbids inline code and data URLs.
 */
export default defineConfig({
  root: fileURLToPath(new URL('.', import.meta.url)),
  base: './',
  plugins: [textScripts(catalogs)],
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
