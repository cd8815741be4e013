/** Determines which modules a package needs, from the lock file: the app's dependencies, without parts that are never loaded. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import * as z from 'zod'

const Names = z.record(z.string(), z.string()).optional()
const LockFile = z.object({
  packages: z.record(z.string(), z.object({ dependencies: Names, optionalDependencies: Names })),
})
type LockFile = z.infer<typeof LockFile>

export const readLock = (root: string): LockFile =>
  LockFile.parse(JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')))

/** node-av's WebRTC part, its installer, and headers for compiling. */
const NOT_LOADED: ReadonlySet<string> = new Set(['werift', 'unzipper', 'node-addon-api'])
/** The Node that the project's own scripts run on; optional, because some systems have none. */
const OWN_NODE = /^node-(?:darwin|linux|win)-/

/** Returns whether only Electron loads the module. The carried Node loads everything else; some modules are loaded by both. */
export const builtIntoElectron = (name: string): boolean => name === 'electron-updater'

/**
 * @param isWanted filters the app's own dependencies
 * @returns folders such as `node_modules/a/node_modules/b`, installed or not
 */
export const modulesToShip = (
  lock: LockFile,
  isWanted: (name: string) => boolean = () => true,
): ReadonlySet<string> => modulesNeededBy(lock, neededBy(lock.packages['']).filter(isWanted))

/**
 * @param roots modules that the app itself needs
 * @returns their folders and those of all their dependencies
 */
export function modulesNeededBy({ packages }: LockFile, roots: readonly string[]): ReadonlySet<string> {
  const found = new Set<string>()
  const follow = (from: string, names: readonly string[]): void => {
    for (const name of names) {
      const folder =
        NOT_LOADED.has(name) || OWN_NODE.test(name) ? undefined : resolveFrom(packages, from, name)
      if (folder === undefined || found.has(folder)) continue
      found.add(folder)
      follow(folder, neededBy(packages[folder]))
    }
  }
  follow('', roots)
  return found
}

const neededBy = (manifest: LockFile['packages'][string] | undefined): readonly string[] =>
  Object.keys({ ...manifest?.dependencies, ...manifest?.optionalDependencies })

/** Finds the nearest module in this folder or above it, as Node's resolution does. */
function resolveFrom(packages: LockFile['packages'], from: string, name: string): string | undefined {
  for (let place = from; ; place = place.slice(0, Math.max(0, place.lastIndexOf('node_modules/') - 1))) {
    const candidate = join(place, 'node_modules', name)
    if (candidate in packages) return candidate
    if (place === '') return undefined
  }
}

/** Leaves out modules of other systems, which npm doesn't install. */
export const installedOnly = (folders: ReadonlySet<string>, root: string): readonly string[] =>
  [...folders].filter((folder) => existsSync(join(root, folder)))
