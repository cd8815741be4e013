import { FailureError } from '../../shared/failure/failure-error.ts'
import { failure } from '../../shared/failure/failure.ts'
import { stat } from 'node:fs/promises'
import { setInterval, setTimeout } from 'node:timers/promises'
import { type FreeBytes, RESERVE_BYTES } from '../../node/free-space.ts'
import { whyNotReadable, whyNotWritable } from '../../node/file-failure.ts'
import { unlessAborted } from '../../node/unless-aborted.ts'
import { sumOf } from '../../shared/sum.ts'

/** How often to check the disk during a download, in ms. A fast network fills a small part of the reserve in this time. */
const CHECK_MS = 100

/** How often to check whether other programs have freed space while a file waits, in ms. */
const RECHECK_MS = 1_000

/** @throws FailureError if the file can't be accessed */
export async function sizeOf(file: string): Promise<number> {
  const { size } = await stat(file).catch((cause: unknown) => {
    throw new FailureError(failure('fileUnreadable', { reason: whyNotReadable(cause) }), { cause })
  })
  return size
}

export type Need = {
  /** An existing folder to which a file will be written. */
  readonly folder: string
  /** How large the file may become; negative if unknown. */
  readonly bytes: number
}

/** What one file has reserved. */
type Reserved = Need & { readonly disk: number }

export type DiskSpace = ReturnType<typeof createDiskSpace>
/** The space of one file. */
export type Room = ReturnType<DiskSpace['open']>

/**
 * Shares out the free space among the files of a job that are downloaded or processed at the same time. A reservation
 * counts in full until it is given back, even if a part of it has been written.
 */
export function createDiskSpace(freeBytes: FreeBytes) {
  const rooms = new Map<symbol, readonly Reserved[]>()
  const disks = new Map<string, number>()
  let change = Promise.withResolvers<void>()

  function set(id: symbol, reserved: readonly Reserved[]): void {
    const had = rooms.delete(id)
    if (reserved.length > 0) rooms.set(id, reserved)
    if (!had) return
    change.resolve()
    change = Promise.withResolvers()
  }

  async function withFreeBytes(need: Need) {
    const { folder } = need
    try {
      const disk = disks.get(folder) ?? (await stat(folder)).dev
      disks.set(folder, disk)
      return { ...need, disk, free: await freeBytes(folder) }
    } catch (cause) {
      throw new FailureError(failure('folderNotWritable', { folder, reason: whyNotWritable(cause) }), {
        cause,
      })
    }
  }

  /**
   * Stops a download when it has used half of the reserve, because a drive may report a wrong size for a file, or none.
   * @param into the folder to which the download writes
   * @throws FailureError if it stopped the download; otherwise the errors of `download`
   */
  async function keepReserve<T>(
    into: string,
    signal: AbortSignal,
    download: (signal: AbortSignal) => Promise<T>,
  ): Promise<T> {
    const [full, over] = [new AbortController(), new AbortController()]
    const watching = (async () => {
      for await (const _ of setInterval(CHECK_MS, undefined, { signal: over.signal })) {
        const free = await freeBytes(into).catch(() => Number.POSITIVE_INFINITY)
        if (free < RESERVE_BYTES / 2) return full.abort(tooLittleSpace(into, free, RESERVE_BYTES))
      }
    })().catch(() => undefined)
    try {
      return await download(AbortSignal.any([signal, full.signal]))
    } finally {
      over.abort()
      await watching
    }
  }

  return {
    keepReserve,
    /** Returns the space of a file, which is empty at first. Disposing of it gives everything back. */
    open() {
      const id = Symbol('a file')
      /**
       * Reserves space instead of what the file has reserved so far, and leaves the reserve free. If that doesn't fit next to other files,
       * gives everything back and waits for them. A waiting file has reserved nothing, so no two files ever wait for each other.
       * @param onWait called when the waiting begins. Without it, this doesn't wait
       * @throws FailureError if a folder is gone or there isn't enough space (with `onWait`: not even without the other files);
       * `signal.reason` if it was stopped
       */
      async function reserve(
        needs: readonly Need[],
        signal: AbortSignal,
        onWait?: () => void,
      ): Promise<void> {
        for (let attempt = 1; ; attempt++) {
          signal.throwIfAborted()
          const changed = change.promise
          // Also count files that end while the disks are read: the free space may have been read before their last bytes were written.
          const before = [...rooms]
          const all = await Promise.all(needs.map(withFreeBytes))
          signal.throwIfAborted()
          const others = new Map([...before, ...rooms])
          others.delete(id)
          const lack = lackOf(all, [...others.values()].flat())
          if (lack === undefined) return set(id, all)
          if (others.size === 0 || !onWait) throw lack
          set(id, [])
          if (attempt === 1) onWait()
          await changeOrLater(changed, signal)
        }
      }
      return {
        reserve,
        /** Gives back the space in a folder, because the file there is complete. */
        written: (folder: string): void =>
          set(
            id,
            (rooms.get(id) ?? []).filter((one) => one.folder !== folder),
          ),
        [Symbol.dispose]: (): void => set(id, []),
      }
    },
  }
}

/** Resolves after a change or some time. @throws `signal.reason` if it was stopped */
async function changeOrLater(changed: Promise<void>, signal: AbortSignal): Promise<void> {
  const over = new AbortController()
  const later = setTimeout(RECHECK_MS, undefined, { signal: over.signal })
  await unlessAborted(Promise.race([changed, later]), signal).finally(() => over.abort())
}

/** Returns the error of the first disk on which the needs don't fit. */
function lackOf(
  needs: readonly (Reserved & { readonly free: number })[],
  others: readonly Reserved[],
): FailureError | undefined {
  for (const { folder, disk, free } of needs) {
    const bytesIn = (list: readonly Reserved[]) =>
      sumOf(list.map((one) => (one.disk === disk ? Math.max(0, one.bytes) : 0)))
    const needed = bytesIn(needs) + RESERVE_BYTES
    if (free < needed + bytesIn(others)) return tooLittleSpace(folder, free, needed)
  }
  return undefined
}

/** Returns whether a file failed because of the disk, which may have space or be back later. */
export const isOfDisk = (error: unknown): boolean =>
  error instanceof FailureError && ['tooLittleSpace', 'folderNotWritable'].includes(error.failure.code)

const tooLittleSpace = (folder: string, freeBytes: number, neededBytes: number): FailureError =>
  new FailureError(failure('tooLittleSpace', { folder, freeBytes, neededBytes }))
