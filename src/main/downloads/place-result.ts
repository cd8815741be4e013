import { lstat, mkdir, readdir, rename, rmdir, unlink } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import type { RecordId } from '../../shared/model/ids.ts'
import { hasCode } from '../../node/errors.ts'
import { createPrivateFolder, isFolderOf, ownerIn } from '../../node/private-folder.ts'
import { publishFile, publishUnderFreeName } from '../../node/publish-file.ts'
import { trustedNewPath } from '../../node/trusted-path.ts'
import { numberedIn, safeFileName, withTrueEnding } from '../../node/file-name.ts'
import { mediaContentOf } from '../../node/media-content.ts'
import { succeeds } from '../../node/if-possible.ts'

/**
 * Returns the folder for a record's incomplete downloads. The folder is inside the output folder, so that a complete file can be
 * moved with a single rename.
 */
export const partialFolder = (folder: string, id: RecordId): string => join(folder, `.mediatray-${id}`)

/**
 * Creates the folder with access for this user only, and removes incomplete files left by a killed process.
 * @throws if another user's link leads to it or another user has created something at this path, or if a file system operation fails
 */
export async function preparePartialFolder(partial: string): Promise<void> {
  const parent = dirname(partial)
  await trustedNewPath(parent)
  await mkdir(parent, { recursive: true })
  await createPrivateFolder(partial).catch(async (error: unknown) => {
    if (!hasCode(error, 'EEXIST')) throw error
    if (!(await isFolderOf(await ownerIn(parent), partial)))
      throw new Error(`${partial} was not created by Mediatray`, { cause: error })
  })
  await removeFrom(partial, INCOMPLETE)
}

/** Matches the names that `receiveFile` gives to incomplete downloads. */
const INCOMPLETE = /^\.mediatray-[\da-f-]{36}\.part$/
/** Matches the names of incomplete and complete downloads. The name of a complete download is its index. */
const DOWNLOAD = new RegExp(`${INCOMPLETE.source}|^\\d+$`)

/**
 * Removes the folder non-recursively, and only files that Mediatray creates. In a shared folder without the sticky bit, any user
 * could replace the folder with a link to this user's other files. Never throws.
 */
export async function removePartialFolder(partial: string): Promise<void> {
  await removeFrom(partial, DOWNLOAD)
  await rmdir(partial).catch(() => undefined)
}

async function removeFrom(folder: string, names: RegExp): Promise<void> {
  const found = await readdir(folder).catch(() => [])
  for (const name of found.filter((one) => names.test(one)))
    await unlink(join(folder, name)).catch(() => undefined)
}

/**
 * Returns the local file name for the service's path, which may come from another operating system. The extension may not match the
 * content.
 */
export const localName = (remotePath: string, jobId: string): string =>
  safeFileName(basename(remotePath.replaceAll('\\', '/'))) ?? safeFileName(jobId) ?? 'result'

export const exists = (path: string): Promise<boolean> => succeeds(lstat(path))

/**
 * Returns the name with the extension that matches the content. If the file has already been moved, returns the name unchanged; callers
 * don't need the name then.
 * @param partial where the file is until it is moved to its final path; the download is complete
 */
export const trueName = async (partial: string, name: string): Promise<string> =>
  (await exists(partial)) ? withTrueEnding(name, await mediaContentOf(partial)) : name

/**
 * Renames a file that the user has saved if its extension doesn't match its content.
 * @returns its final path
 */
export async function giveTrueEnding(path: string): Promise<string> {
  const name = basename(path)
  const right = withTrueEnding(name, await mediaContentOf(path))
  return right === name ? path : publishUnderFreeName(path, numberedIn(dirname(path), right))
}

/** Returns the name to suggest for a result before its content is known. */
export const offeredName = (remotePath: string, jobId: string): string =>
  withTrueEnding(localName(remotePath, jobId), undefined)

/**
 * Moves a complete file to the first free name. Never overwrites anything.
 * @param intended the target of an earlier run that may have been killed; returned if that run moved the file or reserved this name
 * @param intend called with the target before the move, so that a killed run doesn't cause a second copy
 */
export async function placeResult(
  partial: string,
  folder: string,
  name: string,
  intended: string | null,
  intend: (path: string) => void,
): Promise<string> {
  if (intended !== null && (await isPlaced(partial, intended))) return intended
  const nameOf = numberedIn(folder, name)
  for (let attempt = 1; ; attempt++) {
    const target = nameOf(attempt)
    if (await exists(target)) continue
    intend(target)
    if (await publishFile(partial, target)) return target
  }
}

async function isPlaced(partial: string, intended: string): Promise<boolean> {
  const [from, to] = await Promise.all([
    lstat(partial, { bigint: true }).catch(() => undefined),
    lstat(intended, { bigint: true }).catch(() => undefined),
  ])
  if (to === undefined) return false
  if (from === undefined) return true
  if (from.ino === to.ino && from.dev === to.dev) {
    await unlink(partial)
    return true
  }
  // On a file system without hard links, an earlier run has reserved the name but was killed before it could move the file.
  if (to.size !== 0n) return false
  await rename(partial, intended)
  return true
}
