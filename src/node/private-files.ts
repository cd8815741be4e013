/** Keeps other users out of the app's files, even if the user gave them access. */
import { chmodSync, closeSync, openSync, statSync } from 'node:fs'
import { homedir, tmpdir } from 'node:os'
import { relative, resolve } from 'node:path'
import { makeFolder } from './make-folder.ts'

const FOLDER_MODE = 0o700
const FILE_MODE = 0o600
/** All permissions of the group and other users. */
const OTHERS = 0o077
/** The sticky bit. Set for folders in which every user may create files, for example `/tmp`. */
const STICKY = 0o1000

/**
 * Creates a folder that only this user can enter, or restricts an existing folder.
 * Doesn't touch folders that hold more than the app's files: the home folder, its parents, and shared folders.
 * @param folder absolute
 * @throws the file system's error if it can't be created
 */
export function keepFolderPrivate(folder: string): void {
  makeFolder(folder)
  const isShared = [homedir(), tmpdir()].some((inside) => isSameOrBelow(inside, folder))
  if (!isShared && (statSync(folder).mode & STICKY) === 0) restrict(folder, FOLDER_MODE)
}

/**
 * Creates an empty file that only this user can open, or restricts an existing file, for libraries that can't set a mode.
 * Never throws, because the library will report the error. Doesn't open an existing file, because closing its descriptor
 * would release the locks that this process holds on the file.
 */
export function keepFilePrivate(file: string): void {
  try {
    closeSync(openSync(file, 'wx', FILE_MODE))
  } catch {
    restrict(file, FILE_MODE)
  }
}

function restrict(path: string, mode: number): void {
  if (process.platform === 'win32') return
  try {
    if ((statSync(path).mode & OTHERS) !== 0) chmodSync(path, mode)
  } catch {
    // The file doesn't exist or belongs to another user.
  }
}

const isSameOrBelow = (path: string, folder: string): boolean => {
  const way = relative(resolve(folder), resolve(path))
  return way === '' || !way.startsWith('..')
}
