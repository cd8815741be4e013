/**
 * Checks manifests with the tools of package managers that run on Linux.
 * `node scripts/packaging/distribution/check.ts <folder with manifests> [folder with schemas]`. With schemas, the bill of materials
 * must be there too. The release workflow fetches them, because their texts belong to other projects.
 */
import { Ajv } from 'ajv'
import { spawnSync, type SpawnSyncReturns } from 'node:child_process'
import { chmodSync, cpSync, globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import * as z from 'zod'
import { onPath } from '../../on-path.ts'
import { APP_ID } from './release.ts'

/** Schemas, and the files that they describe. CycloneDX's schemas refer to each other. */
const SCHEMAS: Readonly<Record<string, string | undefined>> = {
  'manifest.version.1.10.0.json': 'winget/*.Mediatray.yaml',
  'manifest.installer.1.10.0.json': 'winget/*.installer.yaml',
  'manifest.defaultLocale.1.10.0.json': 'winget/*.locale.en-US.yaml',
  'schema.json': 'scoop/mediatray.json',
  'bom-1.6.schema.json': 'mediatray.cdx.json',
  'spdx.schema.json': undefined,
  'jsf-0.82.schema.json': undefined,
}

/** Any user except root. makepkg refuses to run as root. */
const OTHER_USER = 65_534

/**
 * @param report gets a line for each tool that isn't installed
 * @returns the problems
 */
export const checkWithTools = (folder: string, report: (line: string) => void): readonly string[] => [
  ...withTool('bash', report, () => run(folder, 'bash', '-n', 'aur/PKGBUILD')),
  ...withTool('makepkg', report, () => checkSourceInfo(join(folder, 'aur'))),
  ...withTool('ruby', report, () => run(folder, 'ruby', '-c', 'homebrew/mediatray.rb')),
  ...withTool('appstreamcli', report, () =>
    run(folder, 'appstreamcli', 'validate', '--no-net', `flatpak/${APP_ID}.metainfo.xml`),
  ),
  ...withTool('flatpak-builder', report, () =>
    run(folder, 'flatpak-builder', '--show-manifest', `flatpak/${APP_ID}.json`),
  ),
]

function withTool(
  name: string,
  report: (line: string) => void,
  check: () => readonly string[],
): readonly string[] {
  if (onPath(name) !== undefined) return check()
  report(`Manifests not checked with ${name}, because it isn’t installed`)
  return []
}

const run = (cwd: string, command: string, ...args: readonly string[]): readonly string[] =>
  problemsOf(command, spawnSync(command, args, { cwd, encoding: 'utf8' }))

const problemsOf = (
  name: string,
  { status, stdout, stderr, error }: SpawnSyncReturns<string>,
): readonly string[] => (status === 0 ? [] : [`${name}: ${error?.message ?? ''}${stdout}${stderr}`])

/** Compares .SRCINFO with what makepkg reads from PKGBUILD. */
function checkSourceInfo(folder: string): readonly string[] {
  const copy = mkdtempSync(join(tmpdir(), 'mediatray-aur-'))
  try {
    cpSync(folder, copy, { recursive: true })
    const isRoot = process.getuid?.() === 0
    if (isRoot) chmodSync(copy, 0o777)
    // makepkg also fails without pacman, although it needs pacman only to build.
    const env = { ...process.env, HOME: copy, PACMAN: 'true' }
    const options = {
      cwd: copy,
      encoding: 'utf8',
      env,
      ...(isRoot ? { uid: OTHER_USER, gid: OTHER_USER } : {}),
    } as const
    const made = spawnSync('makepkg', ['--printsrcinfo'], options)
    if (made.status !== 0) return problemsOf('makepkg', made)
    return made.stdout === readFileSync(join(folder, '.SRCINFO'), 'utf8')
      ? []
      : [`.SRCINFO differs from what makepkg writes:\n${made.stdout}`]
  } finally {
    rmSync(copy, { recursive: true, force: true })
  }
}

/** @returns the problems */
function checkWithSchemas(folder: string, schemas: string): readonly string[] {
  const ajv = new Ajv({ strict: false, allErrors: true, validateFormats: false })
  for (const name of Object.keys(SCHEMAS)) {
    // The versions of JSON Schema differ, but not in anything that these schemas use.
    const { $schema: _, ...schema } = readJson(join(schemas, name))
    ajv.addSchema(schema, name)
  }
  return Object.entries(SCHEMAS).flatMap(([name, pattern]) => {
    if (pattern === undefined) return []
    const [path] = globSync(pattern, { cwd: folder })
    if (path === undefined) return [`${pattern} is missing`]
    const file = join(folder, path)
    ajv.validate(name, path.endsWith('.yaml') ? readYaml(file) : readJson(file))
    return (ajv.errors ?? []).map(({ instancePath, message }) => `${path}${instancePath} ${message}`)
  })
}

const readJson = (path: string): Readonly<Record<string, unknown>> =>
  z.record(z.string(), z.unknown()).parse(JSON.parse(readFileSync(path, 'utf8')))

/** Uses Ruby's parser. Our own code would only confirm what it has written. */
function readYaml(path: string): unknown {
  const program = 'puts JSON.generate(YAML.safe_load_file(ARGV[0]))'
  const { stdout, stderr, error } = spawnSync('ruby', ['-ryaml', '-rjson', '-e', program, path], {
    encoding: 'utf8',
  })
  if (error !== undefined || stdout === '') throw new Error(`${path}: ${error?.message ?? stderr}`)
  return JSON.parse(stdout)
}

if (process.argv[1] === import.meta.filename) {
  const [folder = '', schemas] = process.argv.slice(2)
  const wrong = [
    ...checkWithTools(resolve(folder), (line) => console.log(line)),
    ...(schemas === undefined ? [] : checkWithSchemas(resolve(folder), resolve(schemas))),
  ]
  for (const problem of wrong) console.error(problem)
  process.exitCode = wrong.length > 0 ? 1 : 0
}
