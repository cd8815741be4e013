/** Looks now and then whether the disks that results go to still have room, and says when they don't. */
import { statfs as statfsOf } from 'node:fs/promises'
import { dirname } from 'node:path'
import { hasCode } from '../../node/errors.ts'

export type DiskWatchOptions = {
  /** Absolute local folders that results of waiting or running work go to; none while there is nothing to do. */
  readonly folders: () => readonly string[]
  /** The folder whose disk is almost full; null: none is any more. */
  readonly onChange: (full: string | null) => void
  /** Runs something once after some ms. @returns a function that prevents it */
  readonly after: (ms: number, run: () => void) => () => void
  readonly log: (event: string, facts: Readonly<Record<string, unknown>>) => void
  /** Bytes below which a disk counts as full. */
  readonly threshold?: number
  /** ms between two looks. */
  readonly every?: number
  readonly statfs?: (folder: string) => Promise<{ readonly bavail: number; readonly bsize: number }>
}

export interface DiskWatch {
  /** A folder whose disk is almost full; null where there is none. */
  full(): string | null
  /** To be called when work was added or ended. Looks at once; goes on by itself while there is something to do. */
  refresh(): Promise<void>
  close(): void
}

const THRESHOLD_BYTES = 500 * 1024 * 1024
const EVERY_MS = 15_000
/** Free again only with so much more, so that a disk at the brink does not start and stop. */
const ROOM_TO_GO_ON = 1.5

export function createDiskWatch(options: DiskWatchOptions): DiskWatch {
  const { folders, onChange, after, log } = options
  const { threshold = THRESHOLD_BYTES, every = EVERY_MS, statfs = statfsOf } = options
  let full: string | null = null
  let stopTimer: (() => void) | undefined
  let looking: Promise<void> | undefined
  let isClosed = false

  async function lookOnce(): Promise<void> {
    stopTimer?.()
    stopTimer = undefined
    const wanted = [...new Set(folders())]
    const needed = full === null ? threshold : threshold * ROOM_TO_GO_ON
    let next: string | null = null
    for (const folder of wanted) {
      const free = await freeBytes(folder)
      if (free === undefined || free >= needed) continue
      // The one that was said stays the one that is shown.
      next = next === null || folder === full ? folder : next
    }
    if (isClosed) return
    say(next)
    if (wanted.length > 0) stopTimer = after(every, () => void refresh())
  }

  function say(next: string | null): void {
    if (next === full) return
    full = next
    log(next === null ? 'disk has room again' : 'disk almost full', { folder: next })
    onChange(next)
  }

  /** Of the nearest folder above that exists; undefined where that can't be told, such as on a share that is away. */
  async function freeBytes(folder: string): Promise<number | undefined> {
    try {
      const { bavail, bsize } = await statfs(folder)
      return bavail * bsize
    } catch (error) {
      if (!hasCode(error, 'ENOENT', 'ENOTDIR') || folder === dirname(folder)) return undefined
      return freeBytes(dirname(folder))
    }
  }

  function refresh(): Promise<void> {
    looking ??= lookOnce()
      .catch((error: unknown) => log('disk not looked at', { error: String(error) }))
      .finally(() => (looking = undefined))
    return looking
  }

  return {
    full: () => full,
    refresh,
    close() {
      isClosed = true
      stopTimer?.()
    },
  }
}
