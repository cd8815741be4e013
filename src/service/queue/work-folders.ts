/** Creates the folders that jobs write to: the user's folders, and private ones for files in transit from or to a drive. */
import { failure, reason } from '../../shared/failure/failure.ts'
import { randomUUID } from 'node:crypto'
import { chmod, mkdir, readdir, rm } from 'node:fs/promises'
import { dirname, isAbsolute, join, resolve } from 'node:path'
import { isFolder } from '../../node/exists.ts'
import { fileFailureOf, tryWritingTo, whyNotWritable } from '../../node/file-failure.ts'
import { isOwnerAlive, OWN_MARK } from '../../node/owner-mark.ts'
import { trustedNewPath } from '../../node/trusted-path.ts'
import { HttpError } from './http-error.ts'

export type WorkFolders = Awaited<ReturnType<typeof createWorkFolders>>

/**
 * Removes leftovers below `root`, and returns functions that manage the folders of this process. Their parent folder is named after the
 * process, which distinguishes leftovers of a killed process from the files of another service with the same data folder.
 */
export async function createWorkFolders(root: string) {
  const own = join(root, `${OWN_MARK}-${randomUUID()}`)
  await sweep(root)
  return {
    /** Creates an empty folder that only this user can enter. @returns its absolute path */
    async create(): Promise<string> {
      const folder = join(own, randomUUID())
      await mkdir(folder, { recursive: true, mode: 0o700 })
      return folder
    },
    /** Removes a folder from `create` and its contents. */
    remove: removeFolder,
    /** Removes leftovers of processes that have ended. */
    sweep: (): Promise<void> => sweep(root),
    /** Removes all folders of this process. */
    close: (): Promise<void> => removeFolder(own),
  }
}

async function sweep(root: string): Promise<void> {
  await mkdir(root, { recursive: true, mode: 0o700 })
  // An existing folder may be accessible to other users.
  await chmod(root, 0o700)
  for (const name of await readdir(root)) {
    // Folders of running processes stay, including those of other services in this process, as in tests.
    if (!isOwnerAlive(name)) await removeFolder(join(root, name))
  }
}

const removeFolder = (folder: string): Promise<void> =>
  rm(folder, { recursive: true, force: true, maxRetries: 3 })

/**
 * Creates the output folder if it is missing, and checks it (section 2, `outputFolder`). Tries to write, because neither Windows nor
 * network shares report reliably whether a folder is writable.
 * @param given must be absolute
 * @param temporaryName returns a hidden name that is free in the folder
 * @returns the normalized path
 * @throws HttpError 400
 */
export async function prepareOutputFolder(
  given: string,
  temporaryName: (folder: string) => Promise<string>,
): Promise<string> {
  if (given.includes('\0') || !isAbsolute(given)) {
    throw new HttpError(400, failure('outputNotAbsolute'))
  }
  const folder = resolve(given)
  try {
    await trustedNewPath(folder)
    await createFolder(folder)
    const failure = await tryWritingTo(folder, await temporaryName(folder))
    if (failure !== undefined) throw failure
  } catch (error) {
    const why = fileFailureOf(error) === 'missing' ? reason('cantBeCreated') : whyNotWritable(error)
    throw new HttpError(400, failure('outputUnusable', { reason: why, folder }))
  }
  return folder
}

/**
 * Creates a folder and its missing parents. Doesn't use the recursive `mkdir`: in an existing folder that accepts no entries, such as
 * /proc, Node would retry forever and block its thread.
 */
async function createFolder(folder: string): Promise<void> {
  if (await isFolder(folder)) return
  const parent = dirname(folder)
  if (parent !== folder) await createFolder(parent)
  try {
    await mkdir(folder)
  } catch (error) {
    // Another process may have created the folder in the meantime.
    if (!(await isFolder(folder))) throw error
  }
}
