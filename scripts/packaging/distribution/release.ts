/** What the manifests of package managers say about a release, read from its files. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import * as z from 'zod'
import { publisherFrom, type Environment } from '../publisher.ts'
import { CHECKSUMS } from './checksums.ts'

export const APP_ID = 'app.mediatray.Mediatray'

export type Download = { readonly name: string; readonly url: string; readonly sha256: string }

export type Release = {
  readonly version: string
  /** The day on which the packages were built, such as `2026-11-20`. */
  readonly date: string
  readonly publisher: string
  /** `Name <address>`. */
  readonly contact: string
  readonly homePage: string
  /** The web page of the sources. */
  readonly repository: string
  /** Whether the app updates itself on macOS. */
  readonly isSigned: boolean
  /** The folder with the packages, without a slash at the end. */
  readonly folder: string
  /** At most 80 characters. Doesn't contain the app's name, and doesn't end with a period. */
  readonly synopsis: string
  readonly description: string
  readonly packages: {
    readonly setup: ByProcessor
    readonly dmg: ByProcessor
    readonly deb: ByProcessor
  }
}

type ByProcessor = { readonly x64: Download; readonly arm64: Download }

/**
 * @param updates the folder for the update server, with checksums
 * @param root the project folder
 * @throws Error naming a variable or a file that is missing
 */
export async function readRelease(updates: string, root: string, env: Environment): Promise<Release> {
  const { homePage, updateFeed, contact } = publisherFrom(env)
  const repository = env['MEDIATRAY_REPOSITORY'] ?? ''
  if (homePage === null || updateFeed === null || contact === null || !repository.startsWith('https://'))
    throw new Error(
      'Manifests need MEDIATRAY_HOME_PAGE, MEDIATRAY_UPDATE_FEED, MEDIATRAY_CONTACT and MEDIATRAY_REPOSITORY',
    )
  const { version } = z
    .object({ version: z.string() })
    .parse(JSON.parse(await readFile(join(root, 'package.json'), 'utf8')))
  const folder = updateFeed.replace(/\/$/, '')
  const sums = await readFile(join(updates, CHECKSUMS), 'utf8')
  const download = (name: string): Download => {
    const [sum] = sums.split('\n').filter((line) => line.endsWith(`  ${name}`))
    if (sum === undefined) throw new Error(`${CHECKSUMS} lacks ${name}`)
    return { name, url: `${folder}/${name}`, sha256: sum.slice(0, 64) }
  }
  const both = (name: (processor: string) => string, x64 = 'x64'): ByProcessor => ({
    x64: download(name(x64)),
    arm64: download(name('arm64')),
  })
  const configuration = await readFile(join(root, 'electron-builder.yml'), 'utf8')
  return {
    version,
    date: dateIn(await readFile(join(updates, 'latest.yml'), 'utf8')),
    publisher: contact.slice(0, contact.indexOf(' <')),
    contact,
    homePage,
    repository,
    isSigned: env['MEDIATRAY_UNSIGNED'] !== '1',
    folder,
    synopsis: valueIn(configuration, 'synopsis'),
    description: valueIn(configuration, 'description'),
    packages: {
      setup: both((processor) => `Mediatray-${version}-win-${processor}-setup.exe`),
      dmg: both((processor) => `Mediatray-${version}-mac-${processor}.dmg`),
      deb: both((processor) => `Mediatray-${version}-linux-${processor}.deb`, 'amd64'),
    },
  }
}

function dateIn(feed: string): string {
  const found = /^releaseDate: '?(\d{4}-\d\d-\d\d)T/m.exec(feed)?.[1]
  if (found === undefined) throw new Error('latest.yml has no release date')
  return found
}

function valueIn(configuration: string, key: string): string {
  const found = new RegExp(`^  ${key}: (.+)$`, 'm').exec(configuration)?.[1]
  if (found === undefined) throw new Error(`electron-builder.yml has no ${key}`)
  return found
}
