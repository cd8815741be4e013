/**
 * Collects the output of all builds into one folder, laid out as on the update server.
 * `node scripts/packaging/collect-updates.ts <folder with one folder for each build> <new folder>`
 */
import { copyFile, mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { FEED } from './channels.ts'
import { mergeFeeds } from './merge-feeds.ts'

const PACKAGE = /\.(AppImage|deb|rpm|dmg|zip|exe|blockmap)$/

const [builds = '', target = ''] = process.argv.slice(2)
const made = (await readdir(builds, { recursive: true })).toSorted().map((path) => join(builds, path))
await mkdir(target, { recursive: true })

for (const path of made.filter((path) => PACKAGE.test(path)))
  await copyFile(path, join(target, basename(path)))

const feeds = Map.groupBy(
  made.filter((path) => FEED.test(basename(path))),
  (path) => basename(path),
)
for (const [name, paths] of feeds) {
  const [first, ...others] = await Promise.all(paths.map((path) => readFile(path, 'utf8')))
  if (first !== undefined) await writeFile(join(target, name), mergeFeeds([first, ...others]))
}
