/** Checks whether a path from an untrusted source lies in the expected folder. Doesn't access the disk. */
import { posix, win32 } from 'node:path'

/**
 * Whether this is a network or device path on Windows. Opening `\\host\share` would send this computer's credentials to the host. `\\.\`
 * opens devices, and `\\?\` bypasses path normalization.
 */
export const isNetworkPath = (path: string, platform: NodeJS.Platform): boolean =>
  platform === 'win32' && /^[\\/]{2}/.test(path)

/**
 * Whether this is a path such as `C:\…` without a later colon, which would name an alternate data stream such as `program.exe:photo.jpg`.
 */
const isDrivePath = (path: string): boolean => /^[a-z]:[\\/][^:]*$/i.test(path)

/**
 * Whether a path lies below a folder after both are normalized.
 * The folder itself doesn't count, and neither do Windows network and device paths. Links aren't resolved, because that
 * requires disk access.
 */
export function isBelow(path: string, folder: string, platform: NodeJS.Platform): boolean {
  if (path.includes('\0')) return false
  if (isNetworkPath(path, platform)) return false
  if (platform === 'win32' && !(isDrivePath(path) && isDrivePath(folder))) return false
  const rules = platform === 'win32' ? win32 : posix
  if (!rules.isAbsolute(path) || !rules.isAbsolute(folder)) return false
  // macOS treats composed and decomposed accents as the same name, and services send either form.
  const written = (text: string) => (platform === 'darwin' ? text.normalize('NFC') : text)
  const way = rules.relative(written(folder), written(path))
  return way !== '' && way !== '..' && !way.startsWith(`..${rules.sep}`) && !rules.isAbsolute(way)
}

/** Like `isBelow` on this system, but the folder itself counts too. */
export const isAtOrBelow = (path: string, folder: string): boolean =>
  path === folder || isBelow(path, folder, process.platform)
