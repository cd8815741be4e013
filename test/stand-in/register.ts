/**
 * Maps `electron` to the stand-in. Load it before the main bundle (`node --import …/register.ts dist/main/index.js`).
 * Processes that the app starts are plain Node and don't load it.
 */
import { readFileSync } from 'node:fs'
import { registerHooks } from 'node:module'
import { dirname, resolve, sep } from 'node:path'
import { fileURLToPath } from 'node:url'

const role = process.env['MEDIATRAY_STAND_IN_ROLE']
delete process.env['MEDIATRAY_STAND_IN_ROLE']

const NAMES = new Set(['electron', 'electron/main', 'electron/common'])
const STAND_IN = new URL('./electron.ts', import.meta.url).href

const pretended = role === 'main' ? process.env['MEDIATRAY_STAND_IN_PLATFORM'] : undefined
const bundleFolder = dirname(resolve(process.argv[1] ?? '.')) + sep

registerHooks({
  resolve(specifier, context, next) {
    return NAMES.has(specifier) ? { url: STAND_IN, shortCircuit: true } : next(specifier, context)
  },
  load(url, context, next) {
    const loaded = next(url, context)
    const { source } = loaded
    if (pretended === undefined || source === undefined || source === null || !isOfTheBundle(url))
      return loaded
    // Only the app's own code sees the other platform, because native modules still have to load binaries for this one.
    const text = typeof source === 'string' ? source : Buffer.from(source as Uint8Array).toString('utf8')
    return { ...loaded, source: text.replaceAll(/\bprocess\.platform\b/g, JSON.stringify(pretended)) }
  },
})

function isOfTheBundle(url: string): boolean {
  if (!url.startsWith('file:')) return false
  const path = fileURLToPath(url)
  return path.startsWith(bundleFolder) && !path.includes(`${sep}node_modules${sep}`)
}

if (role === 'main') {
  const manifest = new URL('../../node_modules/electron/package.json', import.meta.url)
  const { version } = JSON.parse(readFileSync(manifest, 'utf8')) as { version: string }
  Object.defineProperty(process.versions, 'electron', { value: version, enumerable: true })
  Object.assign(process, {
    type: 'browser',
    resourcesPath: process.env['MEDIATRAY_STAND_IN_RESOURCES'] ?? dirname(fileURLToPath(manifest)),
    defaultApp: true,
  })
}
