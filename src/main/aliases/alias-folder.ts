/** Places and removes the private folders of aliases. A folder is on the same volume as the files if possible. */
import { randomBytes } from 'node:crypto'
import { lstat, readdir, rm, rmdir, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { hasCode } from '../../node/errors.ts'

export const newFolderName = (): string => `mediatray-staging-${randomBytes(16).toString('hex')}`

const FOLDER_NAME = /^\.?mediatray-staging-[0-9a-f]{32}$/

/** Permissions that let other users replace the entries of a folder without the sticky bit. */
const WRITABLE_BY_OTHERS = 0o022
const STICKY = 0o1000

/**
 * Returns the folders in which an alias of a file can be created, the best one first. The last one may be on another volume.
 * @param file path without links
 * @param device the file's device
 * @param own the app's folder
 */
export async function placesFor(file: string, device: number, own: string): Promise<readonly string[]> {
  if ((await stat(own)).dev === device) return [own]
  const parents = await parentsOf(file)
  const isSafe = safeFrom(parents.map(({ found }) => found))
  const onVolume = parents.filter(
    ({ path, found }, index) => found.dev === device && isSafe[index] === true && path !== dirname(path),
  )
  return [...onVolume.map(({ path }) => path), own]
}

type Parent = {
  readonly path: string
  readonly found: { readonly dev: number; readonly uid: number; readonly mode: number }
}

/** Returns the folders above a file, the topmost first. */
async function parentsOf(file: string): Promise<readonly Parent[]> {
  const parents: Parent[] = []
  for (let at = dirname(file); ; at = dirname(at)) {
    parents.unshift({ path: at, found: await stat(at) })
    if (at === dirname(at)) return parents
  }
}

/**
 * Returns whether each folder is safe, which means that no other user can replace it or its entries. In an unsafe folder, removing an alias
 * later could remove a different file. Windows doesn't report owners, but the user's profile protects its folders.
 */
function safeFrom(folders: readonly Parent['found'][]): readonly boolean[] {
  const user = process.getuid?.()
  let isSafe = true
  return folders.map(({ uid, mode }) => {
    const isShared = (mode & WRITABLE_BY_OTHERS) !== 0 && (mode & STICKY) === 0
    if (user !== undefined && (isShared || (uid !== user && uid !== 0))) isSafe = false
    return isSafe
  })
}

/** An alias folder, and the device that its parent was on. */
export type AliasFolder = { readonly path: string; readonly device: number }

/**
 * Removes an alias folder with everything in it. Doesn't follow links. Leaves anything that isn't an alias folder and, unless the current
 * user is root, other users' folders.
 * @param beforeUnlink called with each alias that is a hard link
 * @returns false if it couldn't be removed or if its volume isn't connected
 */
export async function removeAliasFolder(
  { path, device }: AliasFolder,
  beforeUnlink: (alias: string) => Promise<void>,
): Promise<boolean> {
  async function remove(alias: string): Promise<void> {
    const found = await lstat(alias)
    if (found.isFile() && found.nlink > 1) await beforeUnlink(alias)
    await rm(alias, { force: true })
  }
  if (!FOLDER_NAME.test(basename(path))) return true
  try {
    const found = await lstat(path)
    if (!found.isDirectory()) return true
    if (process.getuid !== undefined && found.uid !== process.getuid() && process.getuid() !== 0) return true
    for (const entry of await readdir(path, { withFileTypes: true })) {
      const inside = join(path, entry.name)
      if (!entry.isDirectory()) await remove(inside)
      else {
        for (const name of await readdir(inside)) await remove(join(inside, name))
        await rmdir(inside)
      }
    }
    await rmdir(path)
    return true
  } catch (error) {
    if (!hasCode(error, 'ENOENT')) return false
    return (await stat(dirname(path)).catch(() => undefined))?.dev === device
  }
}
