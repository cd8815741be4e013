/** Finds out whether another program has locked a file. */
import { lstat, open, readFile } from 'node:fs/promises'
import { hasCode } from '../../node/errors.ts'

/** macOS: opens a file only if it can be locked immediately (its exclusive-lock and non-blocking flags). */
const MAC_EXCLUSIVE = 0x20 | 0x4

/**
 * Whether a program has locked the file. Linux lists all locks. macOS reports a lock when the file is opened exclusively. Windows needs
 * no check, because a file that is open can't be moved there. Returns false if the system doesn't tell.
 */
export async function isLockedByProgram(path: string): Promise<boolean> {
  if (process.platform === 'darwin') return isLockedOnMac(path)
  if (process.platform !== 'linux') return false
  try {
    const [{ ino }, locks] = await Promise.all([
      lstat(path, { bigint: true }),
      readFile('/proc/locks', 'latin1'),
    ])
    return locks.split('\n').some((line) => lockedInode(line) === String(ino))
  } catch {
    return false
  }
}

/** Parses a line such as `1: POSIX  ADVISORY  WRITE 1234 08:01:5678 0 EOF`. The device is that of the disk, not that of `stat`. */
const lockedInode = (line: string): string | undefined => / (?:[0-9a-f]+:){2}(\d+) /.exec(line)?.[1]

async function isLockedOnMac(path: string): Promise<boolean> {
  try {
    await (await open(path, MAC_EXCLUSIVE)).close()
    return false
  } catch (error) {
    return hasCode(error, 'EAGAIN') || hasCode(error, 'EWOULDBLOCK')
  }
}
