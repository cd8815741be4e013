/** Keeps a disk from being filled completely, because the system and other programs need some space. */
import { statfs } from 'node:fs/promises'

/** Returns how many bytes the current user may still write in a folder. */
export type FreeBytes = (folder: string) => Promise<number>

export const freeBytesOnDisk: FreeBytes = async (folder) => {
  const { bavail, bsize } = await statfs(folder)
  return bavail * bsize
}

/** Space that is always left free, in bytes, except on small disks. */
export const RESERVE_BYTES = 64 * 1024 * 1024
/** The largest share of a disk that is reserved. */
const MOST_RESERVED = 0.1
/** How many bytes are written between two checks of the free space. Other programs write to the disk too. */
const STEP_BYTES = 8 * 1024 * 1024

/**
 * Creates a function to call before each write to a file. If the file's size was announced, first call it with that size and `announced`. A
 * disk that doesn't report its free space is assumed to have enough.
 * @throws (the function) an error with the code `ENOSPC` if too little would be left
 */
export function keepReserve(folder: string): (bytes: number, mode?: 'announced') => Promise<void> {
  let room = 0
  return async (bytes, mode) => {
    if (bytes > room) {
      const usable = await usableBytes(folder).catch(() => Number.POSITIVE_INFINITY)
      if (usable < bytes)
        throw Object.assign(new Error('There is too little space on the disk.'), { code: 'ENOSPC' })
      room = Math.max(bytes, Math.min(STEP_BYTES, usable))
    }
    room = mode === 'announced' ? 0 : room - bytes
  }
}

/** Returns the free space without the reserve, which is smaller on a small disk such as a memory card. */
async function usableBytes(folder: string): Promise<number> {
  const { bavail, blocks, bsize } = await statfs(folder)
  return bavail * bsize - Math.min(RESERVE_BYTES, blocks * bsize * MOST_RESERVED)
}
