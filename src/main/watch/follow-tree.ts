/** Watches a folder for new and changed files with chokidar. */
import type { Stats } from 'node:fs'
import { lstat, realpath, stat, statfs } from 'node:fs/promises'
import { basename, dirname, join, relative, sep } from 'node:path'
import { watch } from 'chokidar'
import { hasCode } from '../../node/errors.ts'
import { recognizeFile } from '../../node/recognize-media.ts'
import { createSerialQueue } from '../../node/serial-queue.ts'
import { isIgnored, isIgnoredMedia, isInside, isCandidate } from './ignore-rules.ts'
import { isSpecial } from './unusable-entries.ts'

/** Returns the folder of a raw event; undefined with polling, which compares only sizes, dates and inodes. */
function watchedPathIn(details: unknown): string | undefined {
  if (typeof details !== 'object' || details === null || !('watchedPath' in details)) return undefined
  return typeof details.watchedPath === 'string' ? details.watchedPath : undefined
}

/** @returns a function that stops watching; no events are reported after the call */
export function followTree(options: {
  /** Called for a new or changed file that is a photo or video by its name or content. */
  readonly onFile: (path: string, stats: Stats) => void
  /** Called for a symlink to a photo, video or folder outside the watched folder. Symlinks aren't followed. */
  readonly onLink: (path: string) => void
  readonly onGone: (path: string) => void
  /** Called when all files that existed at the start have been reported. */
  readonly onScanned: () => void
  /** Called when the folder itself has disappeared. */
  readonly onRootGone: () => void
  readonly onError: (error: unknown) => void
  /** Called for an unreadable file or subfolder, a name that isn't UTF-8, an ignored photo or video, or a pipe, socket or device. */
  readonly onSkipped: () => void
  /** Absolute path without symlinks. */
  readonly root: string
  readonly recursive: boolean
  /** Interval in ms for polling a folder without change events; null if the system reports changes. */
  readonly pollEvery: number | null
}): () => Promise<void> {
  const { root, recursive, pollEvery, onFile, onLink, onGone, onScanned, onRootGone, onError } = options
  let isStopped = false
  const watcher = watch(root, {
    ignored: (path) => path !== root && isIgnored(basename(path)),
    followSymlinks: false,
    alwaysStat: true,
    // An editor's two-step save doesn't have to be merged, because files must be stable before they are processed.
    atomic: false,
    ignorePermissionErrors: false,
    ...(recursive ? {} : { depth: 0 }),
    ...(pollEvery === null
      ? { backend: 'auto' }
      : { backend: 'polling', pollingInterval: pollEvery, pollingBinaryInterval: pollEvery }),
  })
  // Check one file at a time, because a folder may contain thousands of other files.
  const checks = createSerialQueue(onError)
  const onFound = (path: string, stats?: Stats) => {
    if (!recursive && dirname(path) !== root) return
    if (stats?.isFile() === true && isCandidate(path)) onFile(path, stats)
    else if (stats?.isFile() === true) void checks.next(() => checkContent(path, stats))
    if (stats?.isSymbolicLink() === true) void reportLink(path)
  }
  async function checkContent(path: string, stats: Stats): Promise<void> {
    const recognized = await recognizeFile(path).catch(() => undefined)
    const isMedia = recognized?.kind === 'image' || recognized?.kind === 'video'
    if (isMedia && !isStopped) onFile(path, stats)
  }
  async function reportLink(path: string): Promise<void> {
    const leadsOut = await leadsOutOf(root, recursive, path).catch(() => false)
    if (leadsOut && !isStopped) onLink(path)
  }
  const whileFollowed =
    <Args extends unknown[]>(tell: (...args: Args) => void) =>
    (...args: Args) => {
      if (!isStopped) tell(...args)
    }
  watcher.on('add', whileFollowed(onFound))
  watcher.on('change', whileFollowed(onFound))
  watcher.on('unlink', whileFollowed(onGone))
  watcher.on(
    'unlinkDir',
    whileFollowed((path: string) => {
      if (path === root) onRootGone()
    }),
  )
  const endScan = whileFollowed(onScanned)
  watcher.on('ready', () => void checks.next(async () => endScan()))
  watcher.on(
    'error',
    whileFollowed((error: unknown) => {
      if (hasCode(error, 'EACCES', 'EPERM')) options.onSkipped()
      onError(error)
    }),
  )
  /** Files with a raw event that haven't been checked. */
  const touched = new Set<string>()
  async function checkTouched(path: string): Promise<void> {
    touched.delete(path)
    const stats = await lstat(path).catch(() => undefined)
    if (isStopped || stats === undefined) return
    if (stats.isFile()) onFound(path, stats)
    else if (isSpecial(stats)) options.onSkipped()
  }
  watcher.on(
    'raw',
    whileFollowed((event: unknown, name: string | null, details: unknown) => {
      // Only `rename` can report a new name. Writing to a file emits other events.
      const isNamed = event === 'rename' && name !== null && isIgnoredMedia(basename(name))
      if (isNamed || name?.includes('\uFFFD')) options.onSkipped()
      // chokidar emits no change if size and date stay the same, for example after `cp -p` of another scan over a file.
      const watchedPath = watchedPathIn(details)
      if (name === null || watchedPath === undefined) return
      const path = join(watchedPath, name)
      const isFound = isInside(path, root) && !relative(root, path).split(sep).some(isIgnored)
      if (!isFound || touched.has(path)) return
      touched.add(path)
      void checks.next(() => checkTouched(path))
    }),
  )
  return () => {
    isStopped = true
    void checks.close()
    return watcher.close()
  }
}

/**
 * Whether a symlink points to something outside the folder that would be processed if it were inside.
 * @throws if the link is broken
 */
async function leadsOutOf(root: string, recursive: boolean, link: string): Promise<boolean> {
  const target = await realpath(link)
  const isFollowed = recursive ? isInside(target, root) : dirname(target) === root
  const found = await stat(target)
  return !isFollowed && ((recursive && found.isDirectory()) || (found.isFile() && isCandidate(link)))
}

/**
 * `f_type` values of Linux's statfs(2) for NFS, SMB, CIFS, SMB2, 9P, VirtualBox, AFS, Ceph and FUSE. These file systems don't
 * report changes made by other computers.
 */
const LINUX_SHARES: ReadonlySet<number> = new Set([
  0x69_69, 0x51_7b, 0xff_53_4d_42, 0xfe_53_4d_42, 0x01_02_19_97, 0x78_6f_41_56, 0x53_46_41_4f, 0x00_c3_64_00,
  0x65_73_55_46,
])

/**
 * Whether a folder must be polled because the system doesn't report changes there.
 *
 * macOS doesn't assign stable numbers to its file systems, so every mounted volume counts as a share.
 */
export async function needsPolling(folder: string, platform: NodeJS.Platform): Promise<boolean> {
  if (platform === 'win32') return folder.startsWith('\\\\')
  if (platform === 'darwin') return folder.startsWith('/Volumes/')
  const { type } = await statfs(folder)
  return LINUX_SHARES.has(type >>> 0)
}

/** Whether the watcher ran out of inotify watches or file descriptors. The caller then falls back to polling. */
export const isOutOfWatches = (error: unknown): boolean => hasCode(error, 'ENOSPC', 'EMFILE')
