/**
 * `npm run package:check`: packs the built app for Linux around a dummy Electron and checks the result.
 * This works without the real Electron and without the tools for deb, rpm and AppImage. docs/packaging.md lists what it doesn't
 * cover.
 */
import { extractAll } from '@electron/asar'
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import * as z from 'zod'
import { filesOf } from './packaging/archive-files.ts'
import { checkArchive, sizesOf } from './packaging/check-archive.ts'
import { checkDesktopEntries } from './packaging/check-desktop-entries.ts'
import { checkCarriedNode } from './packaging/check-carried-node.ts'
import { checkManifests } from './packaging/check-manifests.ts'
import { checkFuses } from './packaging/check-fuses.ts'
import { checkNotices } from './packaging/check-notices.ts'
import { checkPublisher } from './packaging/check-publisher.ts'
import { makeDummyElectron } from './packaging/dummy-electron.ts'
import { PackFacts } from './packaging/pack-facts.ts'

const root = resolve(import.meta.dirname, '..')

if (process.platform !== 'linux') {
  console.log('package:check runs on Linux only')
  process.exit(0)
}
if (!existsSync(join(root, 'dist/main/index.js'))) throw new Error('There is no build. Type: npm run build')

const folder = await mkdtemp(join(tmpdir(), 'mediatray-package-'))
try {
  const wrong = await check(folder)
  for (const complaint of wrong) console.error(complaint)
  process.exitCode = wrong.length > 0 ? 1 : 0
} finally {
  await rm(folder, { recursive: true, force: true })
}

/** @returns the problems */
async function check(work: string): Promise<readonly string[]> {
  const facts = await pack(work)
  const packed = join(
    work,
    'out',
    process.arch === 'x64' ? 'linux-unpacked' : `linux-${process.arch}-unpacked`,
  )
  const archive = join(packed, 'resources/app.asar')
  const entries = join(work, 'entries')
  await mkdir(entries)
  const wrong = [
    ...checkArchive(archive, root, `linux-${process.arch}`),
    ...(await checkFuses(join(packed, 'mediatray'))),
    ...checkDesktopEntries(facts, root, entries),
    ...checkNotices(archive, root),
    ...checkPublisher(join(packed, 'resources'), facts),
    ...(await checkManifests(packed, root, facts, join(work, 'release'))),
  ]
  if (wrong.length > 0) return wrong
  sayHowLarge(archive)
  const resources = join(packed, 'resources')
  return [...(await checkCarriedNode(resources, work)), ...run(resources, join(work, 'app'))]
}

async function pack(work: string): Promise<PackFacts> {
  const electron = join(work, 'electron')
  await makeDummyElectron(electron, await electronVersion())
  const facts = join(work, 'facts.json')
  runNode(join(root, 'scripts/packaging/pack-for-linux.ts'), electron, join(work, 'out'), facts)
  return PackFacts.parse(JSON.parse(await readFile(facts, 'utf8')))
}

async function electronVersion(): Promise<string> {
  const manifest = await readFile(join(root, 'node_modules/electron/package.json'), 'utf8')
  return z.object({ version: z.string() }).parse(JSON.parse(manifest)).version
}

/** Runs the packed app outside the project, so that it can't use the project's node_modules. */
function run(resources: string, app: string): readonly string[] {
  extractAll(join(resources, 'app.asar'), app)
  try {
    runNode(join(root, 'test/package/packed-app.ts'), app, resources)
    return []
  } catch (error) {
    return [`The packed app doesn't work. ${error instanceof Error ? error.message : String(error)}`]
  }
}

function sayHowLarge(archive: string): void {
  const { packed, unpacked } = sizesOf(filesOf(archive))
  console.log(
    `app.asar ${mebibytes(packed)}, unpacked files ${mebibytes(unpacked)}, excluding Electron and Node`,
  )
}

function mebibytes(bytes: number): string {
  return `${(bytes / 1024 / 1024).toFixed(1)} MiB`
}

/** @throws Error with its output */
function runNode(...args: readonly string[]): void {
  const { status, stdout, stderr, error } = spawnSync(
    process.execPath,
    ['--disable-warning=ExperimentalWarning', ...args],
    { cwd: root, encoding: 'utf8' },
  )
  if (status !== 0) throw new Error(`${error?.message ?? ''}${stdout}${stderr}`)
}
