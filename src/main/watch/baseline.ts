/**
 * Records which files were in a folder when watching started. The user is asked about those files, but never about files that
 * arrive later. docs/decisions/early-files.md describes how to distinguish them.
 */
import { lstat, readdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { hasCode } from '../../node/errors.ts'
import type { Timing } from '../../node/timing.ts'
import { forEachLimited } from '../../node/limited.ts'
import { type Fingerprint, fingerprintOf, type FoundFile } from './fingerprint.ts'
import { isInside, isIgnored } from './ignore-rules.ts'

/** A moment on two clocks: the file system's clock, which may jump, and the monotonic clock. */
export type Moment = { readonly clock: number; readonly monotonic: number }

export type Baseline = {
  /** Whether this version of a file was already in the folder, under any name. Also true if its path couldn't be read then. */
  readonly has: (file: FoundFile) => boolean
}

/** Number of parallel `lstat` calls. */
const AT_ONCE = 64
/** Tolerated drift in ms between the two clocks if neither was changed. */
const SAME_PACE_MS = 100

export const momentOf = ({ clock, monotonic }: Pick<Timing, 'clock' | 'monotonic'>): Moment => ({
  clock: clock(),
  monotonic: monotonic(),
})

/**
 * @param root absolute, without symlinks
 * @param since the user isn't asked about files that arrived after this moment
 */
export async function takeBaseline(
  root: string,
  recursive: boolean,
  since: Moment,
  now: () => Moment,
): Promise<Baseline> {
  const fingerprints = new Map<string, Fingerprint>()
  const inodes = new Set<string>()
  /** Folders and files that couldn't be read. They are assumed to have been there when watching started. */
  const unread = new Set<string>()

  async function read(path: string): Promise<void> {
    try {
      const stats = await lstat(path, { bigint: true })
      if (!stats.isFile() || cameWithin(Number(stats.ctimeMs), since, now())) return
      const fingerprint = fingerprintOf(stats)
      fingerprints.set(path, fingerprint)
      inodes.add(inodeKeyOf(fingerprint))
    } catch (error) {
      if (!hasCode(error, 'ENOENT')) unread.add(path)
    }
  }

  async function walk(folder: string): Promise<void> {
    try {
      const entries = await readdir(folder, { withFileTypes: true })
      const files = entries.filter((entry) => entry.isFile() && !isIgnored(entry.name))
      await forEachLimited(files, ({ name }) => read(join(folder, name)), { atOnce: AT_ONCE })
      if (!recursive) return
      for (const entry of entries)
        if (entry.isDirectory() && !isIgnored(entry.name)) await walk(join(folder, entry.name))
    } catch (error) {
      if (!hasCode(error, 'ENOENT', 'ENOTDIR')) unread.add(folder)
    }
  }

  await walk(root)
  return {
    has({ path, fingerprint }) {
      if (isUnread(path)) return true
      const seen = fingerprints.get(path)
      return (
        (seen?.size === fingerprint.size && seen.mtime === fingerprint.mtime) ||
        inodes.has(inodeKeyOf(fingerprint))
      )
    },
  }

  function isUnread(path: string): boolean {
    if (unread.size === 0) return false
    for (let at = path; isInside(at, root); at = dirname(at)) if (unread.has(at)) return true
    return false
  }
}

const inodeKeyOf = ({ device, inode, born, size, mtime }: Fingerprint): string =>
  [device, inode, born, size, mtime].join(':')

/**
 * Whether a file arrived or was last written between two moments. Compares the change time (ctime), because copying programs can't
 * set it. The ctime is trusted only if no clock was changed between the two moments.
 */
function cameWithin(changedAt: number, since: Moment, until: Moment): boolean {
  const jump = until.clock - since.clock - (until.monotonic - since.monotonic)
  return Math.abs(jump) <= SAME_PACE_MS && changedAt > since.clock && changedAt <= until.clock
}
