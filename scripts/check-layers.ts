/**
 * `npm run layers` checks which sources may import which. A module is a folder directly below src/main or src/service. Other
 * modules can import only its public file: `index.ts`, or the file with the module's name.
 * Prints each forbidden import, and exits with 1 if there are any. The linter finds cycles.
 */
import { globSync, readFileSync } from 'node:fs'
import { isBuiltin } from 'node:module'
import path from 'node:path'
import { parseSync } from 'vite'

type Rule = {
  readonly rule: string
  readonly from: RegExp
  /** Forbidden paths, and names of packages. `$1` is what the first group of `from` matched. */
  readonly to: string
  /** Whether types may be imported. */
  readonly typesAllowed?: true
}

const RULES: readonly Rule[] = [
  { rule: 'shared imports only shared', from: /^src\/shared\//, to: '^src/(?!shared/)' },
  { rule: 'node imports only shared', from: /^src\/node\//, to: '^src/(?!node/|shared/)' },
  { rule: 'media imports only node and shared', from: /^src\/media\//, to: '^src/(?!media/|node/|shared/)' },
  {
    rule: 'decoders load only in media processes',
    from: /^src\/(?!media\/)/,
    to: '^src/media/(?!(protocol|start-worker|supervise-worker)[.]ts$)',
  },
  {
    rule: 'the service imports only shared, node and the protocol',
    from: /^src\/service\//,
    to: '^src/(main|renderer|preload)/',
  },
  {
    rule: 'main imports no code of other processes',
    from: /^src\/main\//,
    to: '^src/(renderer|preload|service)/',
  },
  {
    rule: 'preload imports only shared and Electron',
    from: /^src\/preload\//,
    to: '^(?!src/(shared|preload)/|electron$)',
  },
  {
    rule: 'only desktop and preload use Electron',
    from: /^src\/(?!main\/desktop\/|main\/index[.]ts$|preload\/)/,
    to: '^electron(/|$)',
  },
  { rule: 'the product imports no test code', from: /^src\//, to: '^(test|bench|scripts)/' },
  {
    rule: 'renderer and shared do not use Node',
    // The bundler's configuration is in the same folder but isn't part of the page.
    from: /^src\/(renderer|shared)\/(?!.*[.]config[.]ts$)/,
    to: '^node:',
  },

  {
    rule: 'modules of main have one public file',
    from: /^src\/main\/([^/]+)\//,
    to: '^src/main/(?!$1/)([^/]+)/(?!(index|\\1)[.]ts$)',
  },
  {
    rule: 'folders of desktop do not import each other',
    from: /^src\/main\/desktop\/([^/]+)\//,
    to: '^src/main/desktop/(?!$1/)[^/]+/',
    typesAllowed: true,
  },
  {
    rule: 'modules of the service have one public file',
    from: /^src\/service\/([^/]+)\//,
    to: '^src/service/(?!$1/)([^/]+)/(?!(index|\\1)[.]ts$)',
  },
  {
    rule: 'processing, drive and presets import no other module of the service',
    from: /^src\/service\/(processing|drive|presets)\//,
    to: '^src/service/(?!$1/)',
  },
  {
    rule: 'queue, http and service do not import main',
    from: /^src\/service\//,
    to: '^src/service/main[.]ts$',
  },
  {
    rule: 'http and queue do not import the service that connects them',
    from: /^src\/service\/(queue|http)\//,
    to: '^src/service/service[.]ts$',
  },
  { rule: 'the queue does not import http', from: /^src\/service\/queue\//, to: '^src/service/http/' },

  {
    rule: 'the renderer imports only shared',
    from: /^src\/renderer\//,
    to: '^src/(main|service|preload)/',
  },
  { rule: 'ui imports only ui', from: /^src\/renderer\/ui\//, to: '^src/renderer/(?!ui/)' },
  { rule: 'the store imports only ui', from: /^src\/renderer\/store\//, to: '^src/renderer/(?!store/|ui/)' },
  {
    rule: 'the store imports only types from ui',
    from: /^src\/renderer\/store\//,
    to: '^src/renderer/ui/',
    typesAllowed: true,
  },
  {
    rule: 'pickers import only ui and store',
    from: /^src\/renderer\/pickers\//,
    to: '^src/renderer/(?!pickers/|ui/|store/)',
  },
  {
    rule: 'preview imports only ui and store',
    from: /^src\/renderer\/preview\//,
    to: '^src/renderer/(?!preview/|ui/|store/)',
  },
  {
    rule: 'panes do not import each other',
    from: /^src\/renderer\/(list|job-pane|settings|preset-studio|notices|first-run)\//,
    to: '^src/renderer/(?!($1|preview|pickers|ui|store)/)',
  },
  {
    rule: 'overlays do not import the window',
    from: /^src\/renderer\/overlays\//,
    to: '^src/renderer/[^/]+$',
  },
  {
    rule: 'top files of the renderer do not import each other',
    from: /^src\/renderer\/(window|keyboard|drops|app-events)[.]tsx?$/,
    to: '^src/renderer/[^/]+[.]tsx?$',
  },
]

type Import = { readonly to: string; readonly isType: boolean }

function importsOf(file: string): readonly Import[] {
  const text = readFileSync(file, 'utf8')
  const { module, errors } = parseSync(file, text)
  if (errors.length > 0) throw new Error(`${file}: ${errors[0]?.message}`)
  const imported = (name: string, isType: boolean) => ({ to: target(file, name), isType })
  return [
    ...module.staticImports.map(({ moduleRequest, entries }) =>
      imported(moduleRequest.value, entries.length > 0 && entries.every(({ isType }) => isType)),
    ),
    ...module.staticExports
      .flatMap(({ entries }) => entries)
      .flatMap(({ moduleRequest, isType }) => (moduleRequest ? [imported(moduleRequest.value, isType)] : [])),
    ...module.dynamicImports
      .map(({ moduleRequest: { start, end } }) => /^(['"`])(.+)\1$/.exec(text.slice(start, end))?.[2])
      .flatMap((name) => (name === undefined ? [] : [imported(name, false)])),
  ]
}

/** Returns what an import refers to: the path of a source, a Node module such as `node:fs`, or the name of a package. */
function target(file: string, name: string): string {
  if (name.startsWith('.')) return path.posix.join(path.posix.dirname(file), name)
  return isBuiltin(name) ? `node:${name.replace(/^node:/, '')}` : name
}

const files = globSync('src/**/*.{ts,tsx}').map((file) => file.replaceAll('\\', '/'))
const found = new Set(
  files.flatMap((file) => {
    const imports = importsOf(file)
    return RULES.flatMap(({ rule, from, to, typesAllowed }) => {
      const match = from.exec(file)
      if (!match) return []
      const forbidden = new RegExp(to.replaceAll('$1', match[1] ?? ''))
      return imports
        .filter((one) => forbidden.test(one.to) && !(typesAllowed && one.isType))
        .map((one) => `${file} → ${one.to}: ${rule}`)
    })
  }),
)
if (files.length === 0) throw new Error('No sources found')
for (const line of found) console.log(line)
if (found.size > 0) process.exitCode = 1
