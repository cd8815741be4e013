/** Checks whether another program has locked a file or may still write to it. */
import { readFileSync } from 'node:fs'
import { lstat, open } from 'node:fs/promises'
import { isBelow } from '../../node/contained-path.ts'
import { hasCode } from '../../node/errors.ts'
import { linuxMounts, type Mount } from '../../node/mounted-disk.ts'
import { createWriterCheck } from '../../node/open-files.ts'
import { partlyRealPath } from '../../node/trusted-path.ts'

/** Flags with which macOS opens a file only if it can be locked exclusively and immediately. */
const MAC_EXCLUSIVE = 0x20 | 0x4

/** Maximum age of the list of open files, in ms. Creating the list takes as long as replacing several files. */
const MAX_AGE_MS = 1_000

export function createUseCheck(): (path: string) => Promise<boolean> {
  const isOpenForWriting = createWriterCheck(MAX_AGE_MS)
  return async (path) => (await isLockedByProgram(path)) || isOpenForWriting(path)
}

/**
 * Whether a program has locked the file. On Linux, checks the system's list of locks; on macOS, tries to open the file exclusively. Windows
 * needs no check, because open files can't be moved there. Returns false if the check fails, but true if a file with the same inode number
 * is locked and the device isn't known.
 */
export async function isLockedByProgram(path: string): Promise<boolean> {
  if (process.platform === 'darwin') return isLockedOnMac(path)
  if (process.platform !== 'linux') return false
  try {
    const { ino } = await lstat(path, { bigint: true })
    // Reading the list takes less time than waking another thread for it.
    const devices = readFileSync('/proc/locks', 'latin1')
      .split('\n')
      .flatMap((line) => {
        const [, major = '', minor = '', inode] = LOCK.exec(line) ?? []
        return inode === String(ino) ? [[major, minor].map((hex) => Number.parseInt(hex, 16)).join(':')] : []
      })
    if (devices.length === 0) return false
    // Files of different file systems can have the same inode number.
    const device = await deviceOf(path)
    return device === undefined || devices.includes(device)
  } catch {
    return false
  }
}

/** Matches the device and the inode in a line such as `1: POSIX ADVISORY WRITE 1234 08:01:5678 0 EOF`. */
const LOCK = / ([0-9a-f]+):([0-9a-f]+):(\d+) /

/** Returns the device of the file system that contains a file, such as `8:1`; undefined if it isn't known. */
async function deviceOf(path: string): Promise<string | undefined> {
  const [real, mounts] = await Promise.all([partlyRealPath(path), linuxMounts()])
  let deepest: Mount | undefined
  for (const mount of mounts) {
    // A later mount at the same path hides the earlier one.
    if (isBelow(real, mount.point, 'linux') && mount.point.length >= (deepest?.point.length ?? 0))
      deepest = mount
  }
  return deepest?.device
}

async function isLockedOnMac(path: string): Promise<boolean> {
  try {
    await (await open(path, MAC_EXCLUSIVE)).close()
    return false
  } catch (error) {
    return hasCode(error, 'EAGAIN', 'EWOULDBLOCK')
  }
}
