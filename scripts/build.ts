/**
 * Builds `dist/`: one bundle per process. `node scripts/build.ts renderer preload` builds only the named ones.
 *
 * Modules with native code, WebAssembly or data files stay outside the bundles and load from `node_modules`, inside the package
 * too. Everything else is bundled, because opening one file is faster than opening three hundred.
 */
import { existsSync } from 'node:fs'
import { cp, readFile, rm, writeFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { build as bundle, type InlineConfig } from 'vite'
import { recordModules } from './packaging/bundled-modules.ts'
import { builtIn, publisherFrom } from './packaging/publisher.ts'
import { contractNames } from '../src/shared/ipc/contract.ts'

const begun = Date.now()
const root = resolve(import.meta.dirname, '..')
const UNBUNDLED = [
  'electron',
  'electron-updater',
  'keytar',
  'sharp',
  'node-av',
  'libheif-js',
  /^node-av\//,
  /^libheif-js\//,
]

/** Read by scripts/built.cjs. */
const stamp = resolve(root, 'dist/built.json')
const named = process.argv.slice(2)
/** Identifies the build. A bundle that is built alone gets the ID of the last full build, so that it works with the other bundles. */
const build: number =
  named.length > 0 && existsSync(stamp) ? JSON.parse(await readFile(stamp, 'utf8')).begun : begun

type Target = 'main' | 'preload' | 'renderer' | 'service' | 'cli'

const nodeBundle = (folder: string, entries: Record<string, string>): InlineConfig => ({
  root,
  configFile: false,
  logLevel: 'warn',
  publicDir: false,
  // `JSON.parse` of a string takes half as long as evaluating an object literal.
  json: { stringify: true },
  ssr: { noExternal: true, external: [], target: 'node' },
  define: { ...builtIn(publisherFrom(process.env)), MEDIATRAY_BUILD: String(build) },
  build: {
    ssr: true,
    target: 'node24',
    outDir: resolve(root, 'dist', folder),
    emptyOutDir: true,
    minify: false,
    sourcemap: true,
    rollupOptions: {
      input: Object.fromEntries(Object.entries(entries).map(([name, path]) => [name, resolve(root, path)])),
      external: UNBUNDLED,
      // The command line only reads the log, so it doesn't need pino.
      treeshake: { moduleSideEffects: [{ test: /\/node_modules\/pino\//, sideEffects: false }] },
      output: { format: 'es', entryFileNames: '[name].js', chunkFileNames: 'chunks/[name]-[hash].js' },
    },
  },
})

/** A sandboxed preload is one CommonJS file and may import only `electron`. */
const preloadBundle: InlineConfig = {
  root,
  configFile: false,
  logLevel: 'warn',
  publicDir: false,
  define: { CONTRACT_NAMES: JSON.stringify(contractNames) },
  build: {
    target: 'chrome140',
    outDir: resolve(root, 'dist/preload'),
    emptyOutDir: true,
    minify: false,
    sourcemap: false,
    lib: { entry: resolve(root, 'src/preload/preload.ts'), formats: ['cjs'], fileName: () => 'preload.cjs' },
    rollupOptions: {
      external: ['electron', 'electron/renderer'],
      output: { codeSplitting: false },
    },
  },
}

const targets: Record<Target, { readonly entry: string; readonly config: InlineConfig }> = {
  main: { entry: 'src/main/index.ts', config: nodeBundle('main', { index: 'src/main/index.ts' }) },
  preload: { entry: 'src/preload/preload.ts', config: preloadBundle },
  renderer: {
    entry: 'src/renderer/index.html',
    config: { configFile: resolve(root, 'src/renderer/vite.config.ts'), logLevel: 'warn' },
  },
  service: {
    entry: 'src/service/main.ts',
    config: nodeBundle('service', {
      main: 'src/service/main.ts',
      worker: 'src/media/worker.ts',
    }),
  },
  cli: {
    entry: 'src/client/mediatray.ts',
    config: nodeBundle('cli', { mediatray: 'src/client/mediatray.ts', host: 'src/host/host.ts' }),
  },
}

const isTarget = (name: string): name is Target => Object.hasOwn(targets, name)

const unknown = named.filter((name) => !isTarget(name))
if (unknown.length > 0) throw new Error(`Unknown bundle: ${unknown.join(', ')}`)

// Tests set this to `test`, which would make the bundles larger than those that users get.
process.env['NODE_ENV'] = 'production'
if (named.length === 0) await rm(resolve(root, 'dist'), { recursive: true, force: true })
for (const name of named.length > 0 ? named.filter(isTarget) : (Object.keys(targets) as Target[])) {
  const { entry, config } = targets[name]
  if (!existsSync(resolve(root, entry))) throw new Error(`${entry} is missing`)
  await bundle({ ...config, plugins: [recordModules(resolve(root, 'dist'), name)] })
}
await cp(resolve(root, 'src/shared/i18n/locales'), resolve(root, 'dist/locales'), { recursive: true })
if (named.length === 0) await import('./write-shell-files.ts')
if (named.length === 0) await writeFile(stamp, JSON.stringify({ begun }))
