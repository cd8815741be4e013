/**
 * Nothing on Linux checks who made an AppImage, and deb and rpm as electron-builder makes them are not signed. So the feed is: beside
 * `latest-linux.yml` lies `latest-linux.yml.sig`, and the key that it has to fit came with the app.
 */
import { verify } from 'node:crypto'

/** As electron-updater has read it from the feed. */
export type FoundUpdate = {
  readonly version: string
  readonly files: readonly { readonly sha512: string }[]
}

export type FeedCheckOptions = {
  /** What electron-builder puts into a package that was given a feed. */
  readonly appUpdateYml: string
  /** The publisher's Ed25519 key: SPKI in DER, in base64. */
  readonly key: string
  /** `process.arch` */
  readonly arch: string
  /** @throws where there is no answer, or none that is a success */
  readonly fetchBytes: (url: string) => Promise<Uint8Array>
}

export class UnsignedFeedError extends Error {
  override readonly name = 'UnsignedFeedError'
  /** As electron-updater has it for packages. */
  readonly code = 'ERR_UPDATER_INVALID_SIGNATURE'
}

/**
 * Resolves where the publisher has signed just this version with just these files. Their hashes are what electron-updater holds a
 * download against, so it does not matter who has answered it.
 *
 * @throws UnsignedFeedError; what `fetchBytes` throws of the feed itself
 */
export async function checkFeed(found: FoundUpdate, options: FeedCheckOptions): Promise<void> {
  const url = feedUrl(options.appUpdateYml, options.arch)
  const feed = await options.fetchBytes(url)
  const signature = await options.fetchBytes(`${url}.sig`).catch((error: unknown) => {
    throw new UnsignedFeedError('The signature of the feed can’t be fetched', { cause: error })
  })
  if (!isSigned(feed, Buffer.from(signature).toString(), options.key))
    throw new UnsignedFeedError('The signature of the feed does not fit it')
  const text = Buffer.from(feed).toString()
  const hashes = new Set(valuesOf(text, 'sha512'))
  const isThis = valuesOf(text, 'version').includes(found.version)
  if (!isThis || found.files.length === 0 || !found.files.every(({ sha512 }) => hashes.has(sha512)))
    throw new UnsignedFeedError('The signed feed names something else than was found')
}

/** The name of the file is electron-updater's: with the processor, unless it is x64. */
function feedUrl(appUpdateYml: string, arch: string): string {
  const [folder = ''] = valuesOf(appUpdateYml, 'url')
  const [channel = 'latest'] = valuesOf(appUpdateYml, 'channel')
  const name = `${channel}-linux${arch === 'x64' ? '' : `-${arch}`}.yml`
  return new URL(name, folder.endsWith('/') ? folder : `${folder}/`).href
}

function isSigned(content: Uint8Array, signature: string, key: string): boolean {
  try {
    const publicKey = { key: Buffer.from(key, 'base64'), format: 'der', type: 'spki' } as const
    return verify(null, content, publicKey, Buffer.from(signature, 'base64'))
  } catch {
    return false
  }
}

/** Both files are written by electron-builder: a key and a plain value on each line, some in lists. */
const valuesOf = (yaml: string, key: string): readonly string[] =>
  [...yaml.matchAll(new RegExp(String.raw`^[\s-]*${key}: *(['"]?)(.+?)\1\s*$`, 'gm'))].flatMap(
    ([, , value]) => value ?? [],
  )
