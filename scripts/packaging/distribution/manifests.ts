/**
 * Writes a release's manifests for package managers. Nothing is published: a publisher submits them.
 * `node scripts/packaging/distribution/manifests.ts <folder for the update server> <new folder>`, with the publisher's environment
 * variables (docs/packaging.md) and MEDIATRAY_REPOSITORY.
 */
import { mkdir, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { PACKAGE_LICENSE } from '../configuration.ts'
import { archPackage } from './arch-linux.ts'
import { flatpakFiles } from './flatpak.ts'
import { homebrewCask } from './homebrew.ts'
import { readRelease, type Release } from './release.ts'
import { scoopManifest } from './scoop.ts'
import { wingetManifests } from './winget.ts'

/** Returns the contents of the manifests, by folder and name. */
const manifestsFor = (release: Release): Readonly<Record<string, Readonly<Record<string, string>>>> => ({
  winget: wingetManifests(release, PACKAGE_LICENSE),
  scoop: { 'mediatray.json': scoopManifest(release, PACKAGE_LICENSE) },
  homebrew: { 'mediatray.rb': homebrewCask(release) },
  aur: archPackage(release, PACKAGE_LICENSE),
  flatpak: flatpakFiles(release, PACKAGE_LICENSE),
})

export async function writeManifests(release: Release, target: string): Promise<void> {
  for (const [folder, files] of Object.entries(manifestsFor(release))) {
    await mkdir(join(target, folder), { recursive: true })
    for (const [name, content] of Object.entries(files)) await writeFile(join(target, folder, name), content)
  }
}

if (process.argv[1] === import.meta.filename) {
  const [updates = '', target = ''] = process.argv.slice(2)
  const root = resolve(import.meta.dirname, '../../..')
  await writeManifests(await readRelease(resolve(updates), root, process.env), resolve(target))
}
