/**
 * What the packages carry beside Electron: a plain Node, and as real files everything that it runs, because it reads no archive.
 * docs/decisions/carried-node.md says why.
 */
import type { Configuration } from 'electron-builder'
import { existsSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { NOTICES } from '../notices/notices.ts'
import { builtIntoElectron, LockFile, modulesToShip } from './shipped-modules.ts'

/** Its name in the package's resources, where src/main/desktop/paths.ts looks for it. */
const programName = (platform: NodeJS.Platform): string => (platform === 'win32' ? 'node.exe' : 'node')

/** Bundles that the carried Node runs, what says that they are modules, and what the command line shows. */
const CARRIED_FILES = ['dist/{service,cli}/**/*', 'package.json', NOTICES]

/** The system's loader opens native code and the libraries beside it, whoever asks for it. */
const NATIVE_FILES = ['**/*.{node,dll,dylib}', '**/*.so*']

/** @throws Error, in a sentence, where there is no Node to carry */
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

/** By their names, because electron-builder arranges nested modules in its own way. */
export function carriedModules(root: string): ReadonlySet<string> {
  const lock = LockFile.parse(JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')))
  const folders = [...modulesToShip(lock, (name) => !builtIntoElectron(name))]
  return new Set(
    folders.map((folder) => folder.slice(folder.lastIndexOf('node_modules/') + 'node_modules/'.length)),
  )
}

/** The one that npm brought for this system and processor, or else the one that packs. */
function nodeToCarry(root: string): string {
  const { platform, arch } = process
  const folder = ['node', platform === 'win32' ? 'win' : platform, arch].join('-')
  const brought = join(root, 'node_modules', folder, 'bin', programName(platform))
  if (existsSync(brought)) return brought
  const reason = reasonAgainst(process)
  if (reason === undefined) return process.execPath
  throw new Error(
    `The package carries a Node, and npm has none for ${platform}-${arch}: pack with Node 24 from https://nodejs.org. ` +
      `This one is none to carry: ${reason}.`,
  )
}

/** What is asked of `process`. */
type RunningNode = {
  readonly config: { readonly variables: object }
  readonly execPath: string
  readonly versions: { readonly node: string }
}

/** @returns why this Node can't be put into a package; undefined where it can */
export function reasonAgainst({ config, execPath, versions }: RunningNode): string | undefined {
  if (versions.node.split('.')[0] !== '24') return `it is Node ${versions.node}`
  if (!basename(execPath).startsWith('node')) return `${execPath} is another program`
  const shared = Object.entries(config.variables).find(
    ([name, value]) => name.startsWith('node_shared') && isOn(value),
  )
  return shared === undefined ? undefined : `it needs libraries of this computer (${shared[0]})`
}

const isOn = (value: unknown): boolean => value === true || value === 'true' || value === 1
