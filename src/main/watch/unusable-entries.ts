/**
 * Finds what a folder's watcher skips: unreadable subfolders, names that aren't valid UTF-8, pipes, sockets and devices, and photos and
 * videos that are hidden or have stayed unfinished. Node can't open names that aren't valid UTF-8.
 */
import { isUtf8 } from 'node:buffer'
import type { Dirent } from 'node:fs'
import { lstat, opendir, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { hasCode } from '../../node/errors.ts'
import type { Timing } from '../../node/timing.ts'
import type { WatchFolder } from '../../shared/model/watch-folder.ts'
import { isCandidate, isIgnored, isIgnoredMedia } from './ignore-rules.ts'

export type UnusableEntries = ReturnType<typeof createUnusableEntries>

/** Time in ms within which a program finishes a file or gives it its final name. */
const UNFINISHED_MS = 10 * 60 * 1000

export function createUnusableEntries(options: {
  readonly folder: () => Pick<WatchFolder, 'recursive'>
  readonly timing: Pick<Timing, 'clock'>
  /** Called when `paths`, `special` or `ignored` has changed. */
  readonly onChange: () => void
}) {
  const { folder, timing, onChange } = options
  let paths: readonly string[] = []
  let special: readonly string[] = []
  let ignored: readonly string[] = []
  let isNoted = false
  /** When the next ignored file counts as permanently unfinished, in ms since 1970. */
  let dueAt = Number.POSITIVE_INFINITY

  async function search(root: string): Promise<void> {
    isNoted = false
    dueAt = Number.POSITIVE_INFINITY
    const found: string[] = []
    const foundSpecial: string[] = []
    const foundIgnored: string[] = []
    const { recursive } = folder()
    await walk(root)
    const before = shownNow()
    paths = found.toSorted()
    special = foundSpecial.toSorted()
    ignored = foundIgnored.toSorted()
    if (before !== shownNow()) onChange()

    async function walk(from: string): Promise<void> {
      for (const entry of await entriesIn(from)) {
        const path = join(from, shown(entry.name))
        if (isIgnored(shown(entry.name))) {
          if (entry.isFile() && isIgnoredMedia(shown(entry.name)) && (await hasStayed(path)))
            foundIgnored.push(path)
          continue
        }
        const isFolder = entry.isDirectory()
        if (!isUtf8(entry.name)) {
          if (isFolder ? recursive : entry.isFile() && isCandidate(path)) found.push(path)
        } else if (isFolder && recursive) {
          if (await isReadable(path)) await walk(path)
          else found.push(path)
        } else if (isSpecial(entry) && isCandidate(path)) foundSpecial.push(path)
      }
    }
  }

  const shownNow = (): string => JSON.stringify([paths, special, ignored])

  async function hasStayed(path: string): Promise<boolean> {
    const stats = await lstat(path).catch(() => undefined)
    const at = (stats?.ctimeMs ?? 0) + UNFINISHED_MS
    if (timing.clock() >= at) return stats !== undefined
    dueAt = Math.min(dueAt, at)
    return false
  }

  return {
    /** Returns the sorted paths of entries that can't be read. Each byte that isn't UTF-8 is shown in hex, such as `\xff`. */
    paths: (): readonly string[] => paths,
    /** Returns the sorted paths of pipes, sockets and devices that are named like photos or videos. */
    special: (): readonly string[] => special,
    /** Returns the sorted paths of photos and videos that are hidden or named like unfinished files, and haven't changed for a while. */
    ignored: (): readonly string[] => ignored,
    /** Call this when the watcher may have skipped something. */
    note: (): void => {
      isNoted = true
    },
    search,
    /**
     * Searches again if unusable entries were found or noted, or if an ignored file may now count as permanently unfinished.
     * @returns whether an entry that couldn't be read can be used now or is gone
     */
    recheck: async (root: string): Promise<boolean> => {
      if (paths.length === 0 && special.length === 0 && !isNoted && timing.clock() < dueAt) return false
      const before = paths
      await search(root)
      return before.some((path) => !paths.includes(path))
    },
  }
}

/** Whether something is a pipe, a socket or a device. */
export const isSpecial = (
  entry: Pick<Dirent, 'isFIFO' | 'isSocket' | 'isBlockDevice' | 'isCharacterDevice'>,
): boolean => entry.isFIFO() || entry.isSocket() || entry.isBlockDevice() || entry.isCharacterDevice()

/** @returns an empty list for a folder that can't be read, for example because it has just disappeared */
const entriesIn = (folder: string) =>
  readdir(folder, { withFileTypes: true, encoding: 'buffer' }).catch(() => [])

/** Whether the names in a folder can be read and its files can be opened. */
async function isReadable(folder: string): Promise<boolean> {
  try {
    await lstat(`${folder}/.`)
    await (await opendir(folder)).close()
    return true
  } catch (error) {
    return !hasCode(error, 'EACCES', 'EPERM')
  }
}

/** The longest character in UTF-8, in bytes. */
const LONGEST = 4

function shown(name: Buffer): string {
  if (isUtf8(name)) return name.toString('utf8')
  let text = ''
  for (let at = 0; at < name.length;) {
    let length = 1
    while (length <= LONGEST && !isUtf8(name.subarray(at, at + length))) length += 1
    const isCharacter = length <= LONGEST
    text += isCharacter ? name.toString('utf8', at, at + length) : `\\x${name.toString('hex', at, at + 1)}`
    at += isCharacter ? length : 1
  }
  return text
}
