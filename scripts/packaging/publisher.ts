/**
 * The publisher of a build, named when it is built and nowhere in the sources.
 * A placeholder address in the sources could one day belong to a stranger, and the app would ask them for updates.
 */
import type { Configuration } from 'electron-builder'

export type Publisher = {
  /** A web page about the app; help and the link to other versions lead there. */
  readonly homePage: string | null
  /** The folder with the packages and the feeds, such as `latest-linux.yml`. */
  readonly updateFeed: string | null
  /** The packages' maintainer: `Name <address>`. */
  readonly contact: string | null
}

export type Environment = Readonly<Record<string, string | undefined>>

/** @throws Error naming a variable with an invalid value */
export const publisherFrom = (env: Environment): Publisher => ({
  homePage: addressIn(env, 'MEDIATRAY_HOME_PAGE'),
  updateFeed: addressIn(env, 'MEDIATRAY_UPDATE_FEED'),
  contact: contactIn(env, 'MEDIATRAY_CONTACT'),
})

/** Constants that the bundler inserts into the bundles. */
export const builtIn = ({ homePage }: Publisher): Readonly<Record<string, string>> => ({
  MEDIATRAY_HOME_PAGE: JSON.stringify(homePage),
})

/** Returns whether deb and rpm can be built: they require a web page and a contact. */
export const canMakeLinuxPackages = ({ homePage, contact }: Publisher): boolean =>
  homePage !== null && contact !== null

/** Completes electron-builder.yml. Without a feed, the packaged app never looks for updates. */
export const packagedFor = ({ homePage, updateFeed, contact }: Publisher): Configuration => ({
  publish: updateFeed === null ? null : { provider: 'generic', url: updateFeed },
  ...(homePage === null ? {} : { extraMetadata: { homepage: homePage } }),
  ...(contact === null ? {} : { linux: { maintainer: contact } }),
})

function addressIn(env: Environment, name: string): string | null {
  const given = env[name] ?? ''
  if (given === '') return null
  if (!URL.canParse(given) || new URL(given).protocol !== 'https:')
    throw new Error(`${name} must be an address that begins with https://, not "${given}"`)
  return given
}

function contactIn(env: Environment, name: string): string | null {
  const given = env[name] ?? ''
  if (given === '') return null
  if (!/^[^<>]+ <[^<>\s]+@[^<>\s]+>$/.test(given))
    throw new Error(`${name} must look like "Name <name@example.org>"`)
  return given
}
