/**
 * Merges update feeds.
 * electron-builder writes one feed per run, such as `latest-mac.yml`, and builds each processor's package in a separate run.
 * Clients pick the file whose name contains their processor, so one feed has to list them all.
 */

const FILES = /^files:\n((?:[ ]+.*\n)+)/m

/**
 * @param feeds the same feed from each run
 * @throws Error if their versions differ, or if a feed lists no files
 */
export function mergeFeeds(feeds: readonly [string, ...string[]]): string {
  const versions = new Set(feeds.map((feed) => /^version: (.*)$/m.exec(feed)?.[1]))
  if (versions.size > 1) throw new Error(`The feeds have different versions: ${[...versions].join(', ')}`)
  const lists = feeds.map((feed) => {
    const list = FILES.exec(feed)?.[1]
    if (list === undefined) throw new Error(`The feed lists no files:\n${feed}`)
    return list
  })
  return feeds[0].replace(FILES, () => `files:\n${lists.join('')}`)
}
