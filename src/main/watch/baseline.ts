/**
 * What lay in a folder at the moment from which it is watched. A person is asked about that, and never about a file that came
 * since, however early it came; docs/decisions/early-files.md says how the two are told apart.
 */
import { lstat, readdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { hasCode } from '../../node/errors.ts'
import type { Timing } from '../../node/timing.ts'
import { type Fingerprint, fingerprintOf, type FoundFile } from './fingerprint.ts'
import { isInside, isIgnored, mayBeTaken } from './ignore-rules.ts'

/** One moment on both clocks: the file system's, which may jump, and the one that only goes on. */
export type Moment = { readonly clock: number; readonly monotonic: number }

export type Baseline = {
  /** Whether this content lay there, under whatever name. */
  readonly has: (file: FoundFile) => boolean
}

export type BaselineOptions = {
  /** Absolute, without links on its way. */
  readonly root: string
  readonly recursive: boolean
  /** From when on what comes is not asked about. */
  readonly since: Moment
  readonly now: () => Moment
}

/** Files read together. */
const AT_ONCE = 64
/** What two clocks may differ by when neither was set. */
const SAME_PACE_MS = 100

export const momentOf = ({ clock, monotonic }: Pick<Timing, 'clock' | 'monotonic'>): Moment => ({
  clock: clock(),
  monotonic: monotonic(),
})

export async function takeBaseline({ root, recursive, since, now }: BaselineOptions): Promise<Baseline> {
  const fingerprints = new Map<string, Fingerprint>()
  const inodes = new Set<string>()
  /** Folders and files that could not be read. What nobody has seen may have lain there, so it did. */
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
      const files = entries.filter((entry) => entry.isFile() && mayBeTaken(entry.name))
      for (let start = 0; start < files.length; start += AT_ONCE)
        await Promise.all(files.slice(start, start + AT_ONCE).map(({ name }) => read(join(folder, name))))
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

const inodeKeyOf = ({ device, inode, size, mtime }: Fingerprint): string =>
  [device, inode, size, mtime].join(':')

/**
 * The change time tells, since no copying program sets it: it is when the file got here, or was last written. It is believed
 * only where it lies between two moments of ours, and where no clock was set between them.
 */
function cameWithin(changedAt: number, since: Moment, until: Moment): boolean {
  const jump = until.clock - since.clock - (until.monotonic - since.monotonic)
  return Math.abs(jump) <= SAME_PACE_MS && changedAt > since.clock && changedAt <= until.clock
}
