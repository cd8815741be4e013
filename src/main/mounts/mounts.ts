/**
 * Remembers where the disks of output folders and watched folders were mounted. While such a disk is disconnected, the folder at its mount
 * point isn't the user's folder: results in it would be hidden once the disk returns, and an empty folder there isn't an empty inbox.
 */
import { stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import * as z from 'zod'
import { isAtOrBelow } from '../../node/contained-path.ts'
import { hasCode, messageOf } from '../../node/errors.ts'
import type { Log } from '../../node/log.ts'
import { ifResponding, isTakenAway, mountPointOf } from '../../node/mounted-disk.ts'
import { readRegularFile } from '../../node/open-regular.ts'
import { createSerialQueue } from '../../node/serial-queue.ts'
import { writeWhole } from '../../node/write-file.ts'

export type Mounts = ReturnType<typeof openMounts>

/** When a disk was last seen at each mount point, in ms since 1970. */
const Seen = z.record(z.string(), z.number())
type Seen = z.infer<typeof Seen>

/** Time in ms before this process notes the same disk again. */
const FRESH_MS = 3_600_000

/** @param file absolute */
export function openMounts(file: string, clock: () => number, log: Log) {
  const turns = createSerialQueue((error) => log('could not note a disk', { error: messageOf(error) }))

  const fresh = new Map<string, number>()

  const read = (): Promise<Seen> =>
    readRegularFile(file)
      .then((text) => Seen.parse(JSON.parse(text)))
      .catch(() => ({}))

  const note = (mount: string): Promise<void> =>
    turns.next(async () => {
      const at = clock()
      if (Math.abs(at - (fresh.get(mount) ?? 0)) < FRESH_MS) return
      await writeWhole(file, JSON.stringify({ ...(await read()), [mount]: at }))
      fresh.set(mount, at)
    })

  async function find(folder: string): Promise<string | undefined> {
    const now = await mountPointOf(folder).catch(() => undefined)
    if (now !== undefined) await note(now)
    const seen = Object.entries(await read())
      .filter(([mount]) => mount !== now && isAtOrBelow(folder, mount))
      .toSorted(([one], [other]) => other.length - one.length)
    for (const [mount, at] of seen) {
      if (!(await isTakenAway(mount))) continue
      fresh.delete(mount)
      if (!(await isNewer(folder, mount, at))) return mount
    }
    return now
  }

  return {
    /**
     * Returns the mount point that a folder needs, even if its disk is disconnected; undefined on the root file system, or if the folder
     * can't be accessed. Never rejects.
     * @param folder absolute
     */
    of: (folder: string): Promise<string | undefined> => ifResponding(find(folder)).catch(() => undefined),
    /** Resolves when all notes are on disk. */
    close: turns.close,
  }
}

/**
 * Whether the folder was created after the disk was last seen. If the folder doesn't exist, this checks its nearest existing parent, up to
 * the mount point. A newer folder means that the user no longer uses a disk here, or has copied everything to another computer.
 */
async function isNewer(folder: string, mount: string, at: number): Promise<boolean> {
  try {
    return (await stat(folder)).birthtimeMs > at
  } catch (error) {
    return folder !== mount && hasCode(error, 'ENOENT') && isNewer(dirname(folder), mount, at)
  }
}
