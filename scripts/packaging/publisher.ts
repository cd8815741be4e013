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
  updateFeed: feedIn(env, 'MEDIATRAY_UPDATE_FEED'),
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

/**
 * Returns an address in normal form, in which spaces and double quotation marks are escaped.
 * @throws Error naming the variable if it isn't an https address, or contains a user name or password
 */
export function addressIn(env: Environment, name: string): string | null {
  const given = env[name] ?? ''
  if (given === '') return null
  const { protocol, username, password, href } = URL.canParse(given) ? new URL(given) : NO_URL
  // Parsing would remove line breaks and tabs.
  if (protocol !== 'https:' || username !== '' || password !== '' || BREAKS.test(given))
    throw new Error(
      `${name} must be an address that begins with https://, without user name and password, not "${given}"`,
    )
  return href
}

const NO_URL = { protocol: '', username: '', password: '', href: '' }
/** Characters that end a line, or that a terminal interprets. */
const BREAKS = /[\p{Cc}\p{Zl}\p{Zp}]/u

/** Returns the feed's address, to which the names of files are appended. */
function feedIn(env: Environment, name: string): string | null {
  const feed = addressIn(env, name)
  if (feed !== null && /[?#]/.test(feed))
    throw new Error(`${name} must be the address of a folder, not "${feed}"`)
  return feed
}

function contactIn(env: Environment, name: string): string | null {
  const given = env[name] ?? ''
  if (given === '') return null
  if (BREAKS.test(given) || !/^[^<>]+ <[^<>\s]+@[^<>\s]+>$/.test(given))
    throw new Error(`${name} must look like "Name <name@example.org>"`)
  return given
}
