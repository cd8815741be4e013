import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vite'

/**
 * Returns the name of the chunk with a language's texts: `en` for the window's own texts, or a name such as `settings-en` for texts that
 * are loaded later. The main process announces `en` or `de` together with the page.
 */
function languageOf(module: string | null | undefined): string | undefined {
  const [, language, part] = /i18n\/(en|de)\/(rules|settings|studio)?/.exec(module ?? '') ?? []
  return language === undefined || part === undefined ? language : `${part}-${language}`
}

/**
 * Builds one initial script and style sheet, and separate ones for rarely used views and for each language. Doesn't inline
 * anything, because the content security policy forbids inline code and data URLs.
 */
export default defineConfig({
  root: fileURLToPath(new URL('.', import.meta.url)),
  base: './',
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  build: {
    outDir: fileURLToPath(new URL('../../dist/renderer', import.meta.url)),
    emptyOutDir: true,
    target: 'chrome140',
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    rolldownOptions: {
      // Lets the bundler drop unused texts of the tray and of other languages when the window imports only part of a module.
      treeshake: { moduleSideEffects: (module) => !module.includes('/shared/i18n/') },
      output: {
        // The first paint needs a single script, because each file is another request to the main process. The texts shared by
        // all processes are in the language scripts.
        codeSplitting: {
          includeDependenciesRecursively: false,
          groups: [
            { name: 'window', tags: ['$initial'], test: (module) => languageOf(module) === undefined },
          ],
        },
        entryFileNames: 'window.js',
        assetFileNames: '[name][extname]',
        chunkFileNames: ({ facadeModuleId }) => `${languageOf(facadeModuleId) ?? '[name]'}.js`,
      },
    },
  },
})
