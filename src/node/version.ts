import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ifPossible } from './if-possible.ts'
import manifest from '../../package.json' with { type: 'json' }

/** Inserted by scripts/build.ts. */
declare const MEDIATRAY_BUILD: number

/** Returns the number of the last build, for processes that run from the sources. */
function lastBuild(): number {
  const built = ifPossible((): { readonly begun: number } =>
    JSON.parse(readFileSync(join(import.meta.dirname, '../../dist/built.json'), 'utf8')),
  )
  return built?.begun ?? 0
}

/**
 * The version and the build of this program. Processes work only with processes of the same version and build: after an update, a process
 * that is still running can't load the rest of its code.
 */
export const PROGRAM_VERSION = `${manifest.version}+${typeof MEDIATRAY_BUILD === 'undefined' ? lastBuild() : MEDIATRAY_BUILD}`
