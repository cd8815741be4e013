/**
 * The channels of updates. electron-builder derives the channel from the version. A build writes the feeds of that channel and of less
 * stable ones, so that users of a pre-release get the release that follows it.
 */

/** Matches the name of a feed, such as `latest-linux-arm64.yml`. */
export const FEED = /^(?:latest|beta|alpha)(-mac|-linux(?:-\w+)?)?\.yml$/

/** @throws Error if no release could follow the version in its channel, such as `1.0.0-rc.1` */
export function channelOf(version: string): string {
  const found = /^\d+\.\d+\.\d+(?:-(alpha|beta)\.\d+)?$/.exec(version)
  if (found === null)
    throw new Error(`A version looks like 1.0.0, 1.0.0-beta.1 or 1.0.0-alpha.1, not like ${version}`)
  return found[1] ?? 'latest'
}
