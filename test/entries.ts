/**
 * Entry points that tests start as separate processes. These are the built bundles if they are up to date, as in `npm test`,
 * because users run the bundles, which also start twice as fast. Otherwise, they are the sources.
 */
import { createRequire } from 'node:module'
import { resolve } from 'node:path'

const { isBuilt } = createRequire(import.meta.url)('../scripts/built.cjs') as {
  readonly isBuilt: (root: string) => boolean
}

const ROOT = resolve(import.meta.dirname, '..')
const built = isBuilt(ROOT)

/** @param source path within the project; the mutation runner reads it to find out what a test starts */
const entryOf = (bundle: string, source: string): string => resolve(ROOT, built ? `dist/${bundle}` : source)

export const SERVICE = entryOf('service/main.js', 'src/service/main.ts')
export const WORKER = entryOf('service/worker.js', 'src/media/worker.ts')
export const COMMAND = entryOf('cli/mediatray.js', 'src/client/mediatray.ts')
