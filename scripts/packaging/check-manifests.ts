/** Checks the manifests for package managers against a packed app, because they unpack the app's .deb and name files in it. */
import { existsSync, readFileSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { channelOf } from './channels.ts'
import { checkWithTools } from './distribution/check.ts'
import { writeChecksums } from './distribution/checksums.ts'
import { writeManifests } from './distribution/manifests.ts'
import { APP_ID, readRelease } from './distribution/release.ts'
import { EXAMPLE, type PackFacts } from './pack-facts.ts'

/** The folder where the .deb installs the app, and its name in the Flatpak manifest. */
const FOLDERS = ['/opt/Mediatray/', '/app/mediatray/']

/**
 * @param packed the folder of the packed app
 * @param work an empty folder
 * @returns the problems
 */
export async function checkManifests(
  packed: string,
  root: string,
  facts: PackFacts,
  work: string,
): Promise<readonly string[]> {
  const updates = join(work, 'updates')
  const manifests = join(work, 'manifests')
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  await writeExampleRelease(updates, String(version), nameOfDeb(facts))
  await writeManifests(await readRelease(updates, root, EXAMPLE_VARIABLES), manifests)
  const paths = ['aur/PKGBUILD', `flatpak/${APP_ID}.json`].flatMap((name) =>
    appFilesIn(readFileSync(join(manifests, name), 'utf8')).map((path) => ({ name, path })),
  )
  return [
    ...(paths.length > 0 ? [] : ['no manifest names a file of the app']),
    ...paths
      .filter(({ path }) => !existsSync(join(packed, path)))
      .map(({ name, path }) => `${name} names ${path}, which isn't in the package`),
    ...facts.packages
      .filter(({ entry }) => !/^Exec=\/opt\/Mediatray\/mediatray /m.test(entry))
      .map(() => 'the Flatpak manifest expects another Exec in the desktop entry'),
    ...checkWithTools(manifests, (line) => console.log(line)),
  ]
}

export const EXAMPLE_VARIABLES = {
  MEDIATRAY_HOME_PAGE: EXAMPLE.homePage ?? '',
  MEDIATRAY_UPDATE_FEED: EXAMPLE.updateFeed ?? '',
  MEDIATRAY_CONTACT: EXAMPLE.contact ?? '',
  MEDIATRAY_REPOSITORY: 'https://code.example/publisher/mediatray',
}

/** Writes small files with the names of packages. */
export async function writeExampleRelease(folder: string, version: string, deb: string): Promise<void> {
  await mkdir(folder, { recursive: true })
  const names = [
    ...['win-x64-setup.exe', 'win-arm64-setup.exe', 'mac-x64.dmg', 'mac-arm64.dmg', 'linux-arm64.deb'].map(
      (end) => `Mediatray-${version}-${end}`,
    ),
    deb,
  ]
  for (const name of names) await writeFile(join(folder, name), `content of ${name}`)
  await writeFile(
    join(folder, `${channelOf(version)}.yml`),
    `version: ${version}\nreleaseDate: '2026-11-20T12:00:00.000Z'\n`,
  )
  await writeChecksums(folder)
}

const nameOfDeb = ({ packages }: PackFacts): string =>
  basename(
    packages
      .map(({ fpmArguments }) => fpmArguments[fpmArguments.indexOf('--package') + 1] ?? '')
      .find((path) => path.endsWith('.deb')) ?? '',
  )

const appFilesIn = (manifest: string): readonly string[] =>
  FOLDERS.flatMap((folder) =>
    [...manifest.matchAll(new RegExp(`${folder}([\\w./-]+)`, 'g'))].flatMap(([, path]) => path ?? []),
  )
