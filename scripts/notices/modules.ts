/** Lists the modules that the packages carry, bundled or as files, each with the text of its license. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import * as z from 'zod'
import { modulesNeededBy, modulesToShip, readLock } from '../packaging/shipped-modules.ts'

/** Files among the sources that only the build imports. */
const ONLY_FOR_BUILDS = ['vite.config.ts', 'text-scripts.ts']

export type ModuleNotice = {
  /** The module's folder in node_modules. Only the keychain module's folder differs from its name. */
  readonly installedAs: string
  readonly name: string
  readonly version: string
  readonly license: string
  readonly source: string
  /** undefined if the module includes none. */
  readonly text: string | undefined
  readonly author: string
}

/** Packages with native code, one per system. The parts built into them have separate notices. */
const NATIVE_PACKAGE = /^@img\/sharp-|^@seydx\/node-av-/
/** Needed only by a browser variant of sharp, which isn't installed anywhere. */
const NOT_INSTALLED: ReadonlySet<string> = new Set(['@emnapi/runtime'])
/** Bundlers add a few lines to every bundle. */
const BUNDLERS = ['vite', 'rolldown']
/** From this heading on, Vite's license file lists the modules bundled into Vite itself. */
const OF_BUNDLER_ALONE = '# Licenses of bundled dependencies'

const Person = z.union([z.string(), z.object({ name: z.string() })])
const Manifest = z.object({
  name: z.string(),
  version: z.string(),
  license: z.string(),
  author: Person.optional(),
  homepage: z.string().optional(),
  repository: z.union([z.string(), z.object({ url: z.string() })]).optional(),
})

export const isNativePackage = (name: string): boolean => NATIVE_PACKAGE.test(name)

/** Returns the notices sorted by name. */
export function moduleNotices(root: string): readonly ModuleNotice[] {
  const lock = readLock(root)
  const folders = new Set([
    ...modulesToShip(lock),
    ...modulesNeededBy(lock, importedBySources(root)),
    ...BUNDLERS.map((name) => `node_modules/${name}`),
  ])
  const notices = [...folders]
    .filter((folder) => !isNativePackage(nameOf(folder)) && !NOT_INSTALLED.has(nameOf(folder)))
    .map((folder) => noticeOf(join(root, folder)))
  // npm may install the same version in several folders.
  const distinct = new Map(notices.map((notice) => [`${notice.name}@${notice.version}`, notice]))
  return [...distinct.values()].toSorted((a, b) => (a.name < b.name ? -1 : 1))
}

const nameOf = (folder: string): string =>
  folder.slice(folder.lastIndexOf('node_modules/') + 'node_modules/'.length)

const IMPORTED = /(?:from |import\(|require\()'((?:@[^/']+\/)?[^@./':][^/':]*)/g

/** Returns the packages that the sources import. Electron is left out because it has a separate notice. */
function importedBySources(root: string): readonly string[] {
  const sources = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
  const imported = sources
    .filter((path) => /\.tsx?$/.test(path) && !ONLY_FOR_BUILDS.some((name) => path.endsWith(name)))
    .map((path) => readFileSync(join(root, 'src', path), 'utf8'))
    .flatMap((text) => [...text.matchAll(IMPORTED)].flatMap(([, name]) => name ?? []))
  return [...new Set(imported)].filter((name) => name !== 'node' && name !== 'electron')
}

function noticeOf(folder: string): ModuleNotice {
  const manifest = join(folder, 'package.json')
  if (!existsSync(manifest)) throw new Error(`${folder} is not installed. Type: npm ci`)
  const { name, version, license, author, homepage, repository } = Manifest.parse(
    JSON.parse(readFileSync(manifest, 'utf8')),
  )
  const url = typeof repository === 'string' ? repository : repository?.url
  return {
    installedAs: nameOf(folder),
    name,
    version,
    license,
    source: (url && webAddress(url)) ?? homepage ?? `https://www.npmjs.com/package/${name}`,
    text: licenseText(folder),
    author: typeof author === 'string' ? author : (author?.name ?? name),
  }
}

function licenseText(folder: string): string | undefined {
  const files = readdirSync(folder).filter((name) => /^(licen[cs]e|copying|notice)/i.test(name))
  if (files.length === 0) return undefined
  const texts = files.toSorted().map((name) => readFileSync(join(folder, name), 'utf8'))
  return texts.join('\n\n').split(OF_BUNDLER_ALONE)[0]
}

/** Returns one URL for `git+https://github.com/a/b.git`, `github:a/b` and `a/b`. */
function webAddress(repository: string): string | undefined {
  const short = /^(?:github:)?([\w.-]+\/[\w.-]+)$/.exec(repository)?.[1]
  const full = /(?:^|\/\/|@)(?:git@)?(github\.com|gitlab\.com)[/:](.+?)(?:\.git)?(?:#.*)?$/.exec(repository)
  if (short !== undefined) return `https://github.com/${short}`
  return full === null ? undefined : `https://${full[1]}/${full[2]}`
}
