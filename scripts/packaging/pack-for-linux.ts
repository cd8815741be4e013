/**
 * Packs for Linux up to the point where fpm and the AppImage tools would start, because those aren't available everywhere. Writes
 * their input to a file.
 *
 * `node scripts/packaging/pack-for-linux.ts <Electron's distribution> <output folder> <facts file>`. Runs in a separate process,
 * because electron-builder prints while it works.
 */
import { build, Platform } from 'electron-builder'
import { readFile, writeFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { EXAMPLE, EXAMPLE_TRUST, type PackFacts } from './pack-facts.ts'
import { configurationFor } from './configuration.ts'

const projectDir = resolve(import.meta.dirname, '../..')
const [electronDist = '', output = '', factsPath = ''] = process.argv.slice(2)

const packages: PackFacts['packages'] = []
let appImageEntry = ''

/** electron-builder calls this before it starts the tool; `true` skips the target. */
async function effectiveOptionComputed(options: unknown): Promise<boolean> {
  if (Array.isArray(options)) {
    const [fpmArguments, entryPath]: [string[], string] = [options[0], options[1]]
    packages.push({ fpmArguments, entry: await readFile(entryPath, 'utf8') })
  } else if (typeof options === 'object' && options !== null && 'desktop' in options)
    appImageEntry = String(options.desktop)
  return true
}

await build({
  projectDir,
  targets: Platform.LINUX.createTarget(['AppImage', 'deb', 'rpm']),
  publish: 'never',
  effectiveOptionComputed,
  config: { ...configurationFor(projectDir, EXAMPLE, EXAMPLE_TRUST), electronDist, directories: { output } },
})
const facts: PackFacts = { packages, appImageEntry }
await writeFile(factsPath, JSON.stringify(facts))
