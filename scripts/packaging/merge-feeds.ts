/**
 * electron-builder writes one feed for each run, such as `latest-mac.yml`, and each processor's package is made by a run of its
 * own. Readers take the file whose name has their processor in it, so one feed has to list them all. Pure.
 */

const FILES = /^files:\n((?:[ ]+.*\n)+)/m

/**
 * @param feeds the same feed as each run wrote it
 * @throws Error when they are of different versions, or list nothing
 */
export function mergeFeeds(feeds: readonly [string, ...string[]]): string {
  const versions = new Set(feeds.map((feed) => /^version: (.*)$/m.exec(feed)?.[1]))
  if (versions.size > 1) throw new Error(`Feeds of several versions: ${[...versions].join(', ')}`)
  const lists = feeds.map((feed) => {
    const list = FILES.exec(feed)?.[1]
    if (list === undefined) throw new Error(`A feed without files:\n${feed}`)
    return list
  })
  return feeds[0].replace(FILES, () => `files:\n${lists.join('')}`)
}
