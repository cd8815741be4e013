/**
 * Who publishes a build, and where: named when it is made, and nowhere in the sources. An app that went to an address of nobody's
 * would one day ask a stranger for its updates.
 */
import type { Configuration } from 'electron-builder'

export type Publisher = {
  /** A web page about the app; help and the link to other versions lead there. */
  readonly homePage: string | null
  /** The folder with the packages and the feeds, such as `latest-linux.yml`. */
  readonly updateFeed: string | null
  /** As packages name their maintainer: `Name <address>`. */
  readonly contact: string | null
}

export type Environment = Readonly<Record<string, string | undefined>>

/** @throws Error naming a variable that can't be used */
export const publisherFrom = (env: Environment): Publisher => ({
  homePage: addressIn(env, 'MEDIATRAY_HOME_PAGE'),
  updateFeed: addressIn(env, 'MEDIATRAY_UPDATE_FEED'),
  contact: contactIn(env, 'MEDIATRAY_CONTACT'),
})

/** What stands for names in the bundles, for the bundler to put in. */
export const builtIn = ({ homePage }: Publisher): Readonly<Record<string, string>> => ({
  MEDIATRAY_HOME_PAGE: JSON.stringify(homePage),
})

/** deb and rpm have to name a web page and somebody to write to. */
export const canMakeLinuxPackages = ({ homePage, contact }: Publisher): boolean =>
  homePage !== null && contact !== null

/** What the configuration in electron-builder.yml leaves open. Without a feed, the app in the package never looks for updates. */
export const packagedFor = ({ homePage, updateFeed, contact }: Publisher): Configuration => ({
  publish: updateFeed === null ? null : { provider: 'generic', url: updateFeed },
  ...(homePage === null ? {} : { extraMetadata: { homepage: homePage } }),
  ...(contact === null ? {} : { linux: { maintainer: contact } }),
})

function addressIn(env: Environment, name: string): string | null {
  const given = env[name] ?? ''
  if (given === '') return null
  if (!URL.canParse(given) || new URL(given).protocol !== 'https:')
    throw new Error(`${name} has to be an address that begins with https://, not "${given}"`)
  return given
}

function contactIn(env: Environment, name: string): string | null {
  const given = env[name] ?? ''
  if (given === '') return null
  if (!/^[^<>]+ <[^<>\s]+@[^<>\s]+>$/.test(given))
    throw new Error(`${name} has to be like "Name <name@example.org>"`)
  return given
}
