/** The files of a folder as they come and change, by chokidar. */
import type { Stats } from 'node:fs'
import { basename, dirname } from 'node:path'
import { watch } from 'chokidar'
import { isLeftAlone, mayBeTaken } from './left-alone.ts'

export type TreeEvents = {
  /** A file that may be taken is there, or has changed. */
  readonly onFile: (path: string, stats: Stats) => void
  readonly onGone: (path: string) => void
  /** All that was there at the start has been told. */
  readonly onLooked: () => void
  /** The folder itself has gone. */
  readonly onRootGone: () => void
  readonly onError: (error: unknown) => void
}

export type TreeOptions = TreeEvents & {
  /** Absolute, without links on its way. */
  readonly root: string
  readonly recursive: boolean
  /** How often everything is looked at where the system tells nothing, in ms; null where it does. */
  readonly pollEvery: number | null
  /** Folders that are not looked into. */
  readonly isPassedOver: (path: string) => boolean
}

/** @returns a function that ends it */
export function followTree(options: TreeOptions): () => Promise<void> {
  const { root, recursive, pollEvery, isPassedOver, onFile, onGone, onLooked, onRootGone, onError } = options
  const watcher = watch(root, {
    ignored: (path, stats) =>
      path !== root &&
      (isLeftAlone(basename(path)) ||
        (stats?.isFile() === true && !mayBeTaken(path)) ||
        (stats?.isDirectory() === true && isPassedOver(path))),
    followSymlinks: false,
    alwaysStat: true,
    // What editors do in two steps is one thing to a file that has to be still first.
    atomic: false,
    ignorePermissionErrors: false,
    ...(recursive ? {} : { depth: 0 }),
    ...(pollEvery === null
      ? { backend: 'auto' }
      : { backend: 'polling', pollingInterval: pollEvery, pollingBinaryInterval: pollEvery }),
  })
  const tell = (path: string, stats?: Stats) => {
    if (stats?.isFile() === true && mayBeTaken(path) && (recursive || dirname(path) === root))
      onFile(path, stats)
  }
  watcher.on('add', tell)
  watcher.on('change', tell)
  watcher.on('unlink', onGone)
  watcher.on('unlinkDir', (path) => {
    if (path === root) onRootGone()
  })
  watcher.on('ready', onLooked)
  watcher.on('error', onError)
  return () => watcher.close()
}
