/**
 * Checks the contents of `app.asar` and the files next to it: everything that is needed is where it can be read, and there is nothing else.
 */
import { extractFile } from '@electron/asar'
import * as z from 'zod'
import { filesOf, isWhole, type ArchiveFile } from './archive-files.ts'
import { NOTICES } from '../notices/notices.ts'
import { carriedModules } from './carried-node.ts'
import { problemUnless } from './problem-unless.ts'
import { installedOnly, modulesToShip, readLock } from './shipped-modules.ts'

const NEEDED = [
  'package.json',
  'LICENSE',
  'THIRD-PARTY-NOTICES.txt',
  'dist/main/index.js',
  'dist/preload/preload.cjs',
  'dist/renderer/index.html',
  'dist/renderer/window.js',
  'dist/renderer/index.css',
  'dist/service/main.js',
  'dist/service/worker.js',
  'dist/cli/mediatray.js',
  'dist/cli/host.js',
  'dist/locales/en.json',
  'assets/icons/app/256x256.png',
  'assets/icons/tray/idle-black-24.png',
]
const ALLOWED =
  /^(package\.json|LICENSE|THIRD-PARTY-NOTICES\.txt|dist\/(main|preload|renderer|service|cli|locales)\/.+|assets\/icons\/(tray\/[^/]+|app\/256x256\.png)|node_modules\/.+)$/
/** Sources, source maps, tests, files for developers or readers, and a program that node-av's installer would download. */
const UNWANTED =
  /\.(map|[cm]?ts|tsx|flow|tsbuildinfo|h|cc?|gyp|gypi|markdown)$|(^|\/)(tests?|__tests__|spec|examples?|benchmarks?|\.github|\.bin)\/|(^|\/)(README|CHANGELOG)|(^|\/)ffmpeg(\.exe)?$/i
const NATIVE = /\.(node|dll|dylib)$|\.so(\.[\d.]+)?$/

const MIB = 1024 * 1024
/** Limits that catch unwanted additions; node-av's FFmpeg alone takes 167 MiB. */
// The app runs commands, so its bundle has them too. Each language takes 0.4 MiB.
const CEILINGS = { packed: 10 * MIB, unpacked: 230 * MIB }

export const sizesOf = (files: readonly ArchiveFile[]) => ({
  packed: sum(files.filter(({ unpacked }) => !unpacked)),
  unpacked: sum(files.filter(({ unpacked }) => unpacked)),
})

/**
 * @param root the project folder, for its lock file and installed modules
 * @param platform `process.platform` and `process.arch` of the packed app, such as `linux-x64`
 * @returns the problems
 */
export function checkArchive(archive: string, root: string, platform: string): readonly string[] {
  const files = filesOf(archive)
  const paths = new Set(files.map(({ path }) => path))
  const sizes = sizesOf(files)
  return [
    ...NEEDED.filter((path) => !paths.has(path)).map((path) => `${path} is missing`),
    ...files.filter(({ path }) => !ALLOWED.test(path)).map(({ path }) => `${path} doesn't belong there`),
    ...files.filter(({ path }) => UNWANTED.test(path)).map(({ path }) => `${path} isn't needed there`),
    ...checkModules(files, root),
    ...checkNatives(files, platform),
    ...checkReaders(files, carriedModules(root)),
    ...files.filter((file) => !isWhole(archive, file)).map(({ path }) => `${path} doesn't match its hash`),
    ...problemUnless(sizes.packed <= CEILINGS.packed, `the archive has grown to ${sizes.packed} bytes`),
    ...problemUnless(
      sizes.unpacked <= CEILINGS.unpacked,
      `the unpacked files have grown to ${sizes.unpacked} bytes`,
    ),
    ...checkManifest(archive),
  ]
}

/** Compares names, because electron-builder arranges nested modules differently. */
function checkModules(files: readonly ArchiveFile[], root: string): readonly string[] {
  const installed = installedOnly(modulesToShip(readLock(root)), root)
  const wanted = new Set(installed.flatMap((folder) => moduleName(`${folder}/`) ?? []))
  const packed = new Set(files.flatMap(({ path }) => moduleName(path) ?? []))
  return [
    ...[...wanted].filter((name) => !packed.has(name)).map((name) => `the module ${name} is missing`),
    ...[...packed].filter((name) => !wanted.has(name)).map((name) => `nothing needs the module ${name}`),
  ]
}

/** @returns undefined if the path isn't in a module */
export const moduleName = (path: string): string | undefined =>
  /^(?:.*\/)?node_modules\/((?:@[^/]+\/)?[^/]+)(?=\/)/.exec(path)?.[1]

function checkNatives(files: readonly ArchiveFile[], platform: string): readonly string[] {
  const natives = files.filter(({ path }) => NATIVE.test(path))
  return [
    ...natives
      .filter(({ path }) => !path.includes(platform))
      .map(({ path }) => `${path} is for a system other than ${platform}`),
    ...['keytar', 'sharp', 'node-av']
      .filter((name) => !natives.some(({ path }) => path.includes(name)))
      .map((name) => `the native code of ${name} is missing`),
  ]
}

/** Checks where each file is: the system and plain Node can't read archives; Electron can, and verifies their hashes. */
function checkReaders(files: readonly ArchiveFile[], carried: ReadonlySet<string>): readonly string[] {
  const isOutside = (path: string): boolean =>
    NATIVE.test(path) ||
    path === 'package.json' ||
    path === NOTICES ||
    /^dist\/(service|cli|locales)\//.test(path) ||
    carried.has(moduleName(path) ?? '')
  return files
    .filter(({ path, unpacked }) => unpacked !== isOutside(path))
    .map(({ path, unpacked }) =>
      unpacked
        ? `${path} is unpacked for no reason`
        : `${path} must be unpacked, because it can't be read from an archive`,
    )
}

const Manifest = z.object({
  main: z.string(),
  desktopName: z.string(),
  devDependencies: z.undefined().optional(),
})

function checkManifest(archive: string): readonly string[] {
  const { error } = Manifest.safeParse(JSON.parse(extractFile(archive, 'package.json').toString()))
  return error === undefined ? [] : [`package.json: ${z.prettifyError(error)}`]
}

const sum = (files: readonly ArchiveFile[]): number => files.reduce((total, { bytes }) => total + bytes, 0)
