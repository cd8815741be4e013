/**
 * Reserves disk space with a file. Deletes the file when the disk is nearly full, so that originals can still be listed, restored and
 * deleted. Databases need some space even for reading.
 */
import { randomBytes } from 'node:crypto'
import { existsSync, rmSync, statfsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const RESERVE_BYTES = 2 * 1024 * 1024
/** Maximum share of the free space that the reserve may take. */
const LARGEST_SHARE = 1 / 4

/**
 * Creates the reserve if there is room. If the disk is nearly full, deletes it.
 * @param folder absolute, exists
 */
export function holdReserve(folder: string) {
  const file = join(folder, 'reserve')
  const free = freeBytes(folder)
  const isThere = existsSync(file)
  const isNearlyFull = free <= RESERVE_BYTES
  if (!isThere && free * LARGEST_SHARE > RESERVE_BYTES) make(file)
  if (isThere && isNearlyFull) rmSync(file, { force: true })
  return {
    /** Whether the free space was at most the size of the reserve. */
    isNearlyFull,
    /** Creates the reserve again if this process has deleted it. */
    restore: (): void => (isThere && isNearlyFull ? make(file) : undefined),
  }
}

function make(file: string): void {
  try {
    // Random bytes, because some disks store zeros in less space.
    writeFileSync(file, randomBytes(RESERVE_BYTES), { mode: 0o600 })
  } catch {
    // The reserve stays smaller than planned if the disk is full or can't be written.
  }
}

function freeBytes(folder: string): number {
  try {
    const { bavail, bsize } = statfsSync(folder)
    return bavail * bsize
  } catch {
    // Some network drives don't report their free space.
    return Number.POSITIVE_INFINITY
  }
}
