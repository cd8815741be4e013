/** Whether a path that somebody else names lies where they were told to put it. Nothing is touched to find out. */
import { posix, win32 } from 'node:path'

/** To look at `\\host\share` would send this computer's credentials there; `\\.\` and `\\?\` are devices and raw names. */
export const isNetworkPath = (path: string, platform: NodeJS.Platform): boolean =>
  platform === 'win32' && /^[\\/]{2}/.test(path)

/** `C:\…`, and no colon behind it: that would be a stream beside a file, such as `program.exe:photo.jpg`. */
const isDrivePath = (path: string): boolean => /^[a-z]:[\\/][^:]*$/i.test(path)

/**
 * Whether a path lies below a folder after both are normalised; the folder itself does not. Network and device paths of
 * Windows never do, whatever the folder is. Links are not followed: that takes a look at the disk.
 */
export function isBelow(path: string, folder: string, platform: NodeJS.Platform): boolean {
  if (path.includes('\0')) return false
  if (isNetworkPath(path, platform)) return false
  if (platform === 'win32' && !(isDrivePath(path) && isDrivePath(folder))) return false
  const rules = platform === 'win32' ? win32 : posix
  if (!rules.isAbsolute(path) || !rules.isAbsolute(folder)) return false
  // A Mac takes two ways of writing an umlaut for one name, and services write either.
  const written = (text: string) => (platform === 'darwin' ? text.normalize('NFC') : text)
  const way = rules.relative(written(folder), written(path))
  return way !== '' && way !== '..' && !way.startsWith(`..${rules.sep}`) && !rules.isAbsolute(way)
}
