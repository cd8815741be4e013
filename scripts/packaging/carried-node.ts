/**
 * Configures what the packages carry in addition to Electron: a plain Node, and everything that it runs. These are real files,
 * because Node can't read archives.
 * See docs/decisions/carried-node.md.
 */
import type { Configuration } from 'electron-builder'
import { existsSync } from 'node:fs'
import { basename, join } from 'node:path'
import { NOTICES } from '../notices/notices.ts'
import { builtIntoElectron, modulesToShip, readLock } from './shipped-modules.ts'

/** The name of the Node program in the package's resources, where src/main/desktop/paths.ts expects it. */
const programName = (platform: NodeJS.Platform): string => (platform === 'win32' ? 'node.exe' : 'node')

/**
 * The files that the carried Node runs and reads: bundles, catalogs, the manifest that marks the bundles as ES modules, and the notices
 * that the command line prints.
 */
const CARRIED_FILES = ['dist/{service,cli,locales}/**/*', 'package.json', NOTICES]

/** Native code and its libraries must be real files for any program, because the system's loader opens them. */
const NATIVE_FILES = ['**/*.{node,dll,dylib}', '**/*.so*']

/** @throws Error with a sentence if there is no Node to carry */
export function carriedParts(root: string): Pick<Configuration, 'asarUnpack' | 'extraResources'> {
  return {
    asarUnpack: [
      ...NATIVE_FILES,
      ...CARRIED_FILES,
      ...[...carriedModules(root)].map((name) => `**/node_modules/${name}/**/*`),
    ],
    extraResources: [
      { from: nodeToCarry(root), to: programName(process.platform) },
      {
        from: join(root, 'build/command-line', process.platform === 'win32' ? 'windows' : 'unix'),
        to: 'bin',
      },
    ],
  }
}

/** Returns module names, because electron-builder arranges nested modules differently. */
export function carriedModules(root: string): ReadonlySet<string> {
  const folders = [...modulesToShip(readLock(root), (name) => !builtIntoElectron(name))]
  return new Set(
    folders.map((folder) => folder.slice(folder.lastIndexOf('node_modules/') + 'node_modules/'.length)),
  )
}

/** Returns the Node that npm installed for this system and processor, or else the running one. */
function nodeToCarry(root: string): string {
  const { platform, arch } = process
  const folder = ['node', platform === 'win32' ? 'win' : platform, arch].join('-')
  const brought = join(root, 'node_modules', folder, 'bin', programName(platform))
  if (existsSync(brought)) return brought
  const reason = reasonAgainst(process)
  if (reason === undefined) return process.execPath
  throw new Error(
    `The package needs a Node, and npm has none for ${platform}-${arch}. Use Node 24 from https://nodejs.org to pack. ` +
      `The current one can't be packaged: ${reason}.`,
  )
}

/** The part of `process` that is checked. */
type RunningNode = {
  readonly config: { readonly variables: object }
  readonly execPath: string
  readonly versions: { readonly node: string }
}

/** @returns why this Node can't be packaged; undefined if it can */
export function reasonAgainst({ config, execPath, versions }: RunningNode): string | undefined {
  if (versions.node.split('.')[0] !== '24') return `it is Node ${versions.node}`
  if (!basename(execPath).startsWith('node')) return `${execPath} is another program`
  const shared = Object.entries(config.variables).find(
    ([name, value]) => name.startsWith('node_shared') && isOn(value),
  )
  return shared === undefined ? undefined : `it depends on libraries of this computer (${shared[0]})`
}

const isOn = (value: unknown): boolean => value === true || value === 'true' || value === 1
