/** The files of a folder as they come and change, by chokidar. */
import type { Stats } from 'node:fs'
import { statfs } from 'node:fs/promises'
import { basename, dirname } from 'node:path'
import { watch } from 'chokidar'
import { hasCode } from '../../node/errors.ts'
import { isIgnored, mayBeTaken } from './ignore-rules.ts'

export type TreeEvents = {
  /** A file that may be taken is there, or has changed. */
  readonly onFile: (path: string, stats: Stats) => void
  readonly onGone: (path: string) => void
  /** All that was there at the start has been told. */
  readonly onScanned: () => void
  /** The folder itself has gone. */
  readonly onRootGone: () => void
  readonly onError: (error: unknown) => void
}

export type TreeOptions = TreeEvents & {
  /** Absolute, without links on its way. */
  readonly root: string
  readonly recursive: boolean
  /** How often everything is scanned where the system tells nothing, in ms; null where it does. */
  readonly pollEvery: number | null
  /** Folders that are not scanned. */
  readonly isPassedOver: (path: string) => boolean
}

/** @returns a function that ends it: nothing is told from then on */
export function followTree(options: TreeOptions): () => Promise<void> {
  const { root, recursive, pollEvery, isPassedOver, onFile, onGone, onScanned, onRootGone, onError } = options
  let isStopped = false
  const watcher = watch(root, {
    ignored: (path, stats) =>
      path !== root &&
      (isIgnored(basename(path)) ||
        (stats?.isFile() === true && !mayBeTaken(path)) ||
        (stats?.isDirectory() === true && isPassedOver(path))),
    followSymlinks: false,
    alwaysStat: true,
    // What editors do in two steps is one thing to a file that has to settle first.
    atomic: false,
    ignorePermissionErrors: false,
    ...(recursive ? {} : { depth: 0 }),
    ...(pollEvery === null
      ? { backend: 'auto' }
      : { backend: 'polling', pollingInterval: pollEvery, pollingBinaryInterval: pollEvery }),
  })
  const told = (path: string, stats?: Stats) => {
    if (stats?.isFile() === true && mayBeTaken(path) && (recursive || dirname(path) === root))
      onFile(path, stats)
  }
  const whileFollowed =
    <Args extends unknown[]>(tell: (...args: Args) => void) =>
    (...args: Args) => {
      if (!isStopped) tell(...args)
    }
  watcher.on('add', whileFollowed(told))
  watcher.on('change', whileFollowed(told))
  watcher.on('unlink', whileFollowed(onGone))
  watcher.on(
    'unlinkDir',
    whileFollowed((path: string) => {
      if (path === root) onRootGone()
    }),
  )
  watcher.on('ready', whileFollowed(onScanned))
  watcher.on('error', whileFollowed(onError))
  return () => {
    isStopped = true
    return watcher.close()
  }
}

/** `f_type` of Linux's statfs(2): NFS, SMB, CIFS, SMB2, 9P, VirtualBox, AFS, Ceph, FUSE. They tell nobody of changes made elsewhere. */
const LINUX_SHARES: ReadonlySet<number> = new Set([
  0x69_69, 0x51_7b, 0xff_53_4d_42, 0xfe_53_4d_42, 0x01_02_19_97, 0x78_6f_41_56, 0x53_46_41_4f, 0x00_c3_64_00,
  0x65_73_55_46,
])

/**
 * Whether a folder has to be scanned now and then, because the system does not tell of changes there.
 *
 * macOS gives its file systems no lasting numbers, so what is mounted there counts as a share.
 */
export async function needsPolling(folder: string, platform: NodeJS.Platform): Promise<boolean> {
  if (platform === 'win32') return folder.startsWith('\\\\')
  if (platform === 'darwin') return folder.startsWith('/Volumes/')
  const { type } = await statfs(folder)
  return LINUX_SHARES.has(type >>> 0)
}

/** inotify has only so many watches, and a process only so many open files: what is left is to scan now and then. */
export const isOutOfWatches = (error: unknown): boolean => hasCode(error, 'ENOSPC', 'EMFILE')
