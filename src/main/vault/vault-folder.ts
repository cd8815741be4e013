/** Finds or creates a volume's hidden folder for replaced originals. */
import { randomBytes } from 'node:crypto'
import { chown, lstat, readdir, rename, rm, rmdir, stat, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { VAULT_PREFIX } from '../../shared/model/replacement.ts'
import { hasCode } from '../../node/errors.ts'
import { openedFolders, trustedPathOf } from '../../node/opened-folder.ts'
import { createPrivateFolder, isFolderOf, type Owner } from '../../node/private-folder.ts'
import { succeeds } from '../../node/if-possible.ts'

export { VAULT_PREFIX }

/** Whether the folder is one of ours: a private folder of this user, not a link, with a vault's name. */
export async function isOwnVault(vault: string): Promise<boolean> {
  if (!basename(vault).startsWith(VAULT_PREFIX)) return false
  const owner = process.getuid?.() ?? (await ownerOf(vault))
  return owner !== undefined && isFolderOf(owner, vault)
}

const ownerOf = async (path: string): Promise<Owner | undefined> =>
  (await lstat(path).catch(() => undefined))?.uid

/**
 * Returns the vault for the originals in a folder. Uses a known vault on the same volume, or creates one as close to the volume's root
 * as possible, so that one vault serves the whole volume. Verifies with an empty file that originals can be moved there: a bind mount
 * has the same device number, but files can't be renamed across it.
 * @param given absolute, holds the originals
 * @param known the vaults created earlier; a name alone proves nothing, because other users may create folders with any name
 * @param home the user's home folder, preferred if it is on the same volume
 * @throws the file system's error if originals can't be moved out of the folder; `ENOTDIR` if another user's link leads to it
 */
export async function findVault(given: string, known: readonly string[], home: string): Promise<string> {
  // The folders above a link may be on another volume.
  const folder = await trustedPathOf(given)
  const { dev } = await stat(folder, { bigint: true })
  for (const vault of known) {
    if (
      (await isOwnVault(vault)) &&
      (await deviceOf(vault)) === dev &&
      (await succeeds(testMove(folder, vault)))
    )
      return vault
  }
  let lastError: unknown
  for (const parent of await candidates(folder, home, dev)) {
    const vault = join(parent, VAULT_PREFIX + randomBytes(6).toString('hex'))
    try {
      await requireRemovableIn(folder)
      // A vault that turns out to be unusable must be removable.
      await requireRemovableIn(parent)
      await createPrivateFolder(vault)
    } catch (error) {
      lastError = error
      continue
    }
    try {
      await testMove(folder, vault)
      return vault
    } catch (error) {
      lastError = error
      await rmdir(vault).catch(() => undefined)
    }
  }
  throw lastError
}

/**
 * Returns the folders in which a vault may be created, the best one first. On the home folder's volume, that is the home folder. On other
 * volumes, those are the parent folders on the same volume, from the top down. The folder itself comes last.
 */
async function candidates(folder: string, home: string, dev: bigint): Promise<readonly string[]> {
  if ((await deviceOf(home)) === dev) return [home, folder]
  const parents = [folder]
  for (let at = dirname(folder); at !== parents[0] && (await deviceOf(at)) === dev; at = dirname(at)) {
    parents.unshift(at)
  }
  return parents
}

/**
 * Checks that files can leave a folder, by testing one of the user's files in it (`requireRemovable`). Subfolders can't be tested: the
 * corresponding call, which always fails for a folder, would delete a file that has just replaced the subfolder. If there is no such file,
 * or the test fails because the file itself may be immutable, this sets the folder's owner and group to their current values. Append-only
 * and immutable folders refuse that. A folder of another user passes unless the test has failed.
 * @throws the file system's error
 */
async function requireRemovableIn(folder: string): Promise<void> {
  let failure: unknown
  for (const name of await readdir(folder)) {
    if (failure !== undefined) break
    const path = join(folder, name)
    const found = await lstat(path).catch(() => undefined)
    // In a shared folder, such as /tmp, only the owner may remove a file.
    if (found?.isFile() !== true || found.uid !== (process.getuid?.() ?? found.uid)) continue
    try {
      return await requireRemovable(path)
    } catch (error) {
      failure = error
    }
  }
  const { uid, gid } = await lstat(folder)
  if (uid === process.getuid?.()) await chown(folder, uid, gid)
  else if (failure !== undefined) throw failure
}

export class OriginalInVault extends Error {
  constructor(path: string) {
    super(`${path} is in a vault.`)
  }
}

/**
 * Checks that a file can leave its folder, without changing anything: files can be added to an append-only folder, but not removed.
 * Removing a file as if it were a folder always fails, and the error shows whether the folder would allow it.
 * @throws the file system's error
 */
async function requireRemovable(path: string): Promise<void> {
  await rmdir(path).catch((error: unknown) => {
    if (hasCode(error, 'EPERM', 'EACCES', 'EROFS')) throw error
  })
}

/**
 * Checks that at least one of the files in a folder can leave it. Other files may be immutable or, in a shared folder, belong to another
 * user. Passes as soon as a path isn't a regular file.
 * @throws the file system's error for the first file
 */
export async function requireAnyRemovable(paths: readonly string[]): Promise<void> {
  let failure: unknown
  for (const path of paths) {
    const found = await lstat(path).catch(() => undefined)
    if (found?.isFile() !== true) return
    try {
      return await requireRemovable(path)
    } catch (error) {
      failure ??= error
    }
  }
  if (failure !== undefined) throw failure
}

const deviceOf = async (path: string): Promise<bigint | undefined> =>
  (await stat(path, { bigint: true }).catch(() => undefined))?.dev

/** Checks that files can leave the folder and the vault, then moves an empty file to the vault. @throws the file system's error */
async function testMove(folder: string, vault: string): Promise<void> {
  for (const one of [folder, vault]) await requireRemovableIn(one)
  const name = `.mediatray-${randomBytes(8).toString('hex')}`
  await using folders = openedFolders()
  const [probe, moved] = [
    await folders.at(join(folder, name)),
    await folders.at(join(vault, name), process.getuid?.()),
  ]
  await writeFile(probe, '', { flag: 'wx', mode: 0o600 })
  try {
    await rename(probe, moved)
    await rm(moved, { force: true })
  } finally {
    await rm(probe, { force: true })
  }
}
