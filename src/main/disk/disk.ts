/** Regularly checks whether the disks with the output folders have enough free space, and reports if one is almost full. */
import type { Log } from '../../node/log.ts'
import { statfs as statfsOf } from 'node:fs/promises'
import { dirname } from 'node:path'
import { hasCode } from '../../node/errors.ts'
import type { Timing } from '../../node/timing.ts'

export type DiskWatch = ReturnType<typeof createDiskWatch>

const THRESHOLD_BYTES = 500 * 1024 * 1024
const EVERY_MS = 15_000
/** Multiple of the threshold above which an almost full disk counts as free again. This prevents flapping. */
const HYSTERESIS = 1.5

export function createDiskWatch(options: {
  /** Returns the absolute local output folders of waiting submissions and running jobs; empty if there are none. */
  readonly folders: () => readonly string[]
  /** Called with a folder whose disk is almost full; called with null once no disk is almost full. */
  readonly onChange: (full: string | null) => void
  readonly after: Timing['after']
  readonly log: Log
  /** Free space in bytes below which a disk counts as almost full. */
  readonly threshold?: number
  /** Interval between checks, in ms. */
  readonly every?: number
  readonly statfs?: (folder: string) => Promise<{ readonly bavail: number; readonly bsize: number }>
}) {
  const { folders, onChange, after, log } = options
  const { threshold = THRESHOLD_BYTES, every = EVERY_MS, statfs = statfsOf } = options
  let full: string | null = null
  let stopTimer: (() => void) | undefined
  let checking: Promise<void> | undefined
  let isClosed = false

  async function checkOnce(): Promise<void> {
    stopTimer?.()
    stopTimer = undefined
    const wanted = [...new Set(folders())]
    const needed = full === null ? threshold : threshold * HYSTERESIS
    let next: string | null = null
    for (const folder of wanted) {
      const free = await freeBytes(folder)
      if (free === undefined || free >= needed) continue
      // If the disk of the reported folder is still almost full, keep reporting that folder.
      next = next === null || folder === full ? folder : next
    }
    if (isClosed) return
    report(next)
    if (wanted.length > 0) stopTimer = after(every, () => void refresh())
  }

  function report(next: string | null): void {
    if (next === full) return
    full = next
    log(next === null ? 'disk has room again' : 'disk almost full', { folder: next })
    onChange(next)
  }

  /**
   * Returns the free space of the folder's disk, or of the nearest existing parent folder's. Returns undefined if it is unknown, as
   * on an offline network share.
   */
  async function freeBytes(folder: string): Promise<number | undefined> {
    try {
      const { bavail, bsize } = await statfs(folder)
      return bavail * bsize
    } catch (error) {
      if (!hasCode(error, 'ENOENT', 'ENOTDIR') || folder === dirname(folder)) return undefined
      return freeBytes(dirname(folder))
    }
  }

  /**
   * Checks immediately, or joins a running check. Call this when a job or submission is added or ends. While there are any, the check is
   * repeated automatically.
   */
  function refresh(): Promise<void> {
    checking ??= checkOnce()
      .catch((error: unknown) => log('disk not checked', { error: String(error) }))
      .finally(() => (checking = undefined))
    return checking
  }

  return {
    /** Returns a folder whose disk is almost full; null if there is none. */
    full: (): string | null => full,
    refresh,
    close(): void {
      isClosed = true
      stopTimer?.()
    },
  }
}
