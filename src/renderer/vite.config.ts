import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vite'

/** The scripts of the languages are called like them; what the studio says is a script of its own. */
function languageOf(module: string | null | undefined): string | undefined {
  const [, language, studio] = /i18n\/(en|de)\/(studio)?/.exec(module ?? '') ?? []
  return language === undefined || studio === undefined ? language : `${studio}-${language}`
}

/**
 * A script, scripts for what is seldom seen and for each language, one style sheet and three small pictures. Nothing is inlined
 * into the page: its content security policy allows neither inline code nor data addresses.
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
    cssCodeSplit: false,
    rolldownOptions: {
      // The texts of the tray and of the other languages are not in the window because something reads the same file.
      treeshake: { moduleSideEffects: (module) => !module.includes('/shared/i18n/') },
      output: {
        // What the first paint needs is one script, because each file is another question to the main process; the languages
        // bring the texts that all processes share along.
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
