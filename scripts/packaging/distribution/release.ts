/** Reads the facts about a release that the manifests of package managers contain. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import * as z from 'zod'
import { channelOf } from '../channels.ts'
import { addressIn, publisherFrom, type Environment } from '../publisher.ts'
import { CHECKSUMS } from './checksums.ts'

export const APP_ID = 'app.mediatray.Mediatray'

export type Download = {
  /** Returns the package's name in a version, which can also be a placeholder. */
  readonly nameFor: (version: string) => string
  readonly url: string
  readonly sha256: string
}

export type Release = {
  readonly version: string
  /** The channel of updates that the feeds are named after. */
  readonly channel: string
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
  const repository = addressIn(env, 'MEDIATRAY_REPOSITORY')
  if (homePage === null || updateFeed === null || contact === null || repository === null)
    throw new Error(
      'Manifests need MEDIATRAY_HOME_PAGE, MEDIATRAY_UPDATE_FEED, MEDIATRAY_CONTACT and MEDIATRAY_REPOSITORY',
    )
  const { version } = z
    .object({ version: z.string() })
    .parse(JSON.parse(await readFile(join(root, 'package.json'), 'utf8')))
  const channel = channelOf(version)
  const folder = updateFeed.replace(/\/$/, '')
  const sums = await readFile(join(updates, CHECKSUMS), 'utf8')
  const download = (nameFor: Download['nameFor']): Download => {
    const name = nameFor(version)
    const [sum] = sums.split('\n').filter((line) => line.endsWith(`  ${name}`))
    if (sum === undefined) throw new Error(`${CHECKSUMS} lacks ${name}`)
    return { nameFor, url: `${folder}/${name}`, sha256: sum.slice(0, 64) }
  }
  const both = (system: string, end: string, x64 = 'x64'): ByProcessor => ({
    x64: download((any) => `Mediatray-${any}-${system}-${x64}${end}`),
    arm64: download((any) => `Mediatray-${any}-${system}-arm64${end}`),
  })
  const configuration = await readFile(join(root, 'electron-builder.yml'), 'utf8')
  return {
    version,
    channel,
    date: dateIn(await readFile(join(updates, `${channel}.yml`), 'utf8')),
    publisher: contact.slice(0, contact.indexOf(' <')),
    contact,
    homePage,
    repository,
    isSigned: env['MEDIATRAY_UNSIGNED'] !== '1',
    folder,
    synopsis: valueIn(configuration, 'synopsis'),
    description: valueIn(configuration, 'description'),
    packages: {
      setup: both('win', '-setup.exe'),
      dmg: both('mac', '.dmg'),
      deb: both('linux', '.deb', 'amd64'),
    },
  }
}

function dateIn(feed: string): string {
  const found = /^releaseDate: '?(\d{4}-\d\d-\d\d)T/m.exec(feed)?.[1]
  if (found === undefined) throw new Error('The feed has no release date')
  return found
}

function valueIn(configuration: string, key: string): string {
  const found = new RegExp(`^  ${key}: (.+)$`, 'm').exec(configuration)?.[1]
  if (found === undefined) throw new Error(`electron-builder.yml has no ${key}`)
  return found
}
