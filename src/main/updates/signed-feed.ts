/**
 * Verifies the signature of an update feed on Linux, where nothing checks an AppImage's publisher and electron-builder doesn't
 * sign deb and rpm packages. The feed `latest-linux.yml` has a detached signature `latest-linux.yml.sig`, and the public key
 * ships with the app.
 */
import { verify } from 'node:crypto'
import { ifPossible } from '../../node/if-possible.ts'

/** An update that electron-updater has read from the feed. */
export type FoundUpdate = {
  readonly version: string
  readonly files: readonly { readonly sha512: string }[]
}

export class UnsignedFeedError extends Error {
  override readonly name = 'UnsignedFeedError'
  /** The code that electron-updater uses for packages with an invalid signature. */
  readonly code = 'ERR_UPDATER_INVALID_SIGNATURE'
}

/**
 * Resolves if the publisher has signed exactly this version and these files. electron-updater verifies the download against the
 * signed hashes, so it doesn't matter which server delivers the download.
 * @throws UnsignedFeedError, or the error of `fetchBytes` for the feed itself
 */
export async function checkFeed(
  found: FoundUpdate,
  options: {
    /** Content of the `app-update.yml` that electron-builder adds to packages with an update feed. */
    readonly appUpdateYml: string
    /** The publisher's Ed25519 key, as Base64 of the DER-encoded SPKI. */
    readonly key: string
    /** `process.arch`. */
    readonly arch: string
    /** @throws if the request fails or returns a non-success status */
    readonly fetchBytes: (url: string) => Promise<Uint8Array>
  },
): Promise<void> {
  const url = feedUrl(options.appUpdateYml, options.arch)
  const feed = await options.fetchBytes(url)
  const signature = await options.fetchBytes(`${url}.sig`).catch((error: unknown) => {
    throw new UnsignedFeedError('could not download the signature of the feed', { cause: error })
  })
  if (!isSigned(feed, Buffer.from(signature).toString(), options.key))
    throw new UnsignedFeedError('the signature of the feed is invalid')
  const text = Buffer.from(feed).toString()
  const hashes = new Set(valuesOf(text, 'sha512'))
  const isThis = valuesOf(text, 'version').includes(found.version)
  if (!isThis || found.files.length === 0 || !found.files.every(({ sha512 }) => hashes.has(sha512)))
    throw new UnsignedFeedError('the signed feed does not match the update that was found')
}

/** Returns the feed's URL. electron-updater adds the architecture to the file name unless it is x64. */
function feedUrl(appUpdateYml: string, arch: string): string {
  const [folder = ''] = valuesOf(appUpdateYml, 'url')
  const [channel = 'latest'] = valuesOf(appUpdateYml, 'channel')
  const name = `${channel}-linux${arch === 'x64' ? '' : `-${arch}`}.yml`
  return new URL(name, folder.endsWith('/') ? folder : `${folder}/`).href
}

function isSigned(content: Uint8Array, signature: string, key: string): boolean {
  const publicKey = { key: Buffer.from(key, 'base64'), format: 'der', type: 'spki' } as const
  return ifPossible(() => verify(null, content, publicKey, Buffer.from(signature, 'base64'))) === true
}

/**
 * Returns all values of a key. electron-builder writes both files with one key and one plain value per line, some of them in lists.
 */
const valuesOf = (yaml: string, key: string): readonly string[] =>
  [...yaml.matchAll(new RegExp(String.raw`^[\s-]*${key}: *(['"]?)(.+?)\1\s*$`, 'gm'))].flatMap(
    ([, , value]) => value ?? [],
  )
