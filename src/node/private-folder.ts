/** Hidden folders for unfinished files, in folders that other users may write to. */
import { randomBytes } from 'node:crypto'
import type { Stats } from 'node:fs'
import { lstat, mkdir, readdir, rm, rmdir } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { succeeds } from './if-possible.ts'

/**
 * The user ID that a file system assigns to files that this process creates. On a network share, it may differ from the user's own
 * ID.
 */
export type Owner = number

/**
 * Creates a folder that only this user can enter.
 * @param path absolute; its parent exists
 * @throws EEXIST if the name is taken, even by a link
 */
export async function createPrivateFolder(path: string): Promise<Owner> {
  await mkdir(path, { mode: 0o700 })
  return (await lstat(path)).uid
}

/**
 * Returns the owner that the file system assigns to files that this process creates in a folder.
 * @throws the file system's error
 */
export async function ownerIn(folder: string): Promise<Owner> {
  const probe = join(folder, `.mediatray-${randomBytes(8).toString('hex')}`)
  const owner = await createPrivateFolder(probe)
  await rmdir(probe)
  return owner
}

/**
 * Whether the path is a folder of this owner and not a link. In a shared folder without the sticky bit, any user can replace
 * another user's folder.
 */
export const isFolderOf = (owner: Owner, path: string): Promise<boolean> =>
  check(path, (found) => found.isDirectory() && found.uid === owner)

/** Set-user-ID and set-group-ID. An executable with one of these bits runs with the rights of its owner or group. */
const SET_ID_BITS = 0o6000

/** Whether the path is a regular file of this owner. False for links and for files with set-user-ID or set-group-ID. */
export const isFileOf = (owner: Owner, path: string): Promise<boolean> =>
  check(path, (found) => found.isFile() && found.uid === owner && (found.mode & SET_ID_BITS) === 0)

const check = (path: string, isRight: (found: Stats) => boolean): Promise<boolean> =>
  lstat(path).then(isRight, () => false)

/** Removes files whose names begin with this prefix and a dash. Never throws, because the folder may be unreachable. */
export async function removeFilesNamed(prefix: string, folder: string): Promise<void> {
  const names = await readdir(folder).catch(() => [])
  const left = names.filter((name) => name.startsWith(`${prefix}-`))
  await Promise.all(left.map((name) => rm(join(folder, name), { force: true }).catch(() => undefined)))
}

/**
 * Removes a private folder and the files in it whose names begin with the folder's name. Not recursive: if someone replaced the
 * folder with a link to the user's files, a recursive removal would delete them. Never throws.
 */
export async function removePrivateFolder(path: string): Promise<void> {
  // Nearly always empty, because its file has been moved away.
  if (await removeEmpty(path)) return
  await removeFilesNamed(basename(path), path)
  await removeEmpty(path)
}

/** Removes a folder if it is empty. @returns whether it was removed */
const removeEmpty = (path: string): Promise<boolean> => succeeds(rmdir(path))
