/**
 * Lists what is built into the packages' native code, from the lists in build/licences. Checks these lists against what is
 * installed.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import * as z from 'zod'

/** Copyright lines are copied from the projects. */
const NativePart = z.strictObject({
  name: z.string(),
  /** Names of texts in build/licences. */
  licences: z.array(z.string()),
  copyright: z.string(),
  source: z.url(),
  /** Notes for anyone who redistributes it. */
  remark: z.string().optional(),
})
type NativePart = z.infer<typeof NativePart>

export type BuiltIn = NativePart & { readonly version: string | undefined }

/** FFmpeg configure options that describe how it is built, or that another option already covers. */
const NO_PARTS: ReadonlySet<string> = new Set([
  'cuda',
  'cuda-llvm',
  'cuvid',
  'lto',
  'nvdec',
  'nvenc',
  'version3',
])

/**
 * Returns libvips's parts, with the versions from sharp's version list.
 * @throws Error naming any part without a notice
 */
export function partsOfLibvips(root: string): readonly BuiltIn[] {
  const known = read(root, 'libvips')
  const folder = installed(root, '@img', 'sharp-libvips-')
  const versions = z
    .record(z.string(), z.string())
    .parse(JSON.parse(readFileSync(join(folder, 'versions.json'), 'utf8')))
  refuseUnknown('libvips', Object.keys(versions), known)
  return Object.entries(known).map(([key, part]) => ({ ...part, version: versions[key] }))
}

/**
 * Returns FFmpeg's parts after checking them against its configure options. Builds for other systems have fewer parts, or the
 * system's own.
 * @throws Error naming any part without a notice
 */
export function partsOfFfmpeg(root: string): readonly BuiltIn[] {
  const known = read(root, 'ffmpeg')
  const folder = installed(root, '@seydx', 'node-av-')
  const binary = readFileSync(join(folder, 'node-av.node'), 'latin1')
  const [configuration = ''] = /--prefix=[^\0]*--enable-gpl[^\0]*/.exec(binary) ?? []
  const options = [...configuration.matchAll(/--enable-([\w-]+)/g)].flatMap(([, option]) => option ?? [])
  if (options.length === 0) throw new Error(`Couldn't find FFmpeg's configuration in ${folder}`)
  refuseUnknown(
    'FFmpeg',
    options.filter((option) => !NO_PARTS.has(option)),
    known,
  )
  return Object.values(known).map((part) => ({ ...part, version: undefined }))
}

/** Returns what libheif-js compiles to WebAssembly. */
export const partsOfLibheif = (root: string): readonly BuiltIn[] => unversioned(root, 'libheif')

/** Returns the origins of constants in our own code. */
export const partsOfFigures = (root: string): readonly BuiltIn[] => unversioned(root, 'figures')

const unversioned = (root: string, name: Listed): readonly BuiltIn[] =>
  Object.values(read(root, name)).map((part) => ({ ...part, version: undefined }))

type Listed = 'ffmpeg' | 'figures' | 'libheif' | 'libvips'

const read = (root: string, name: Listed): Readonly<Record<string, NativePart>> =>
  z
    .record(z.string(), NativePart)
    .parse(JSON.parse(readFileSync(join(root, 'build/licences', `${name}.json`), 'utf8')))

function installed(root: string, scope: string, prefix: string): string {
  const folder = join(root, 'node_modules', scope)
  const name = readdirSync(folder).find((entry) => entry.startsWith(prefix))
  if (name === undefined) throw new Error(`${scope}/${prefix}… is not installed. Type: npm ci`)
  return join(folder, name)
}

function refuseUnknown(whole: string, found: readonly string[], known: object): void {
  const unknown = found.filter((key) => !Object.hasOwn(known, key))
  if (unknown.length > 0) throw new Error(`${whole} has parts without a notice: ${unknown.join(', ')}`)
}
