/** The folders that jobs write to: the person's, and private ones for what is only on its way from or to a drive. */
import { randomUUID } from 'node:crypto'
import { chmod, mkdir, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { dirname, isAbsolute, join, resolve } from 'node:path'
import { codeOf } from '../../node/errors.ts'
import { isOwnerAlive, OWN_MARK } from '../../node/owner-mark.ts'
import { HttpError } from './http-error.ts'

export type WorkFolders = {
  /** A new empty folder that only this user can look into. @returns its absolute path */
  create(): Promise<string>
  /** Removes such a folder with everything in it. */
  remove(folder: string): Promise<void>
  /** Removes all of them. */
  close(): Promise<void>
}

/**
 * Each process has a folder of its own below `root`, named for it, so that what a killed one has left can be told from
 * what belongs to another service on the same data. What is left over is removed here.
 */
export async function createWorkFolders(
  root: string,
  isAlive?: (pid: number) => boolean,
): Promise<WorkFolders> {
  const own = join(root, `${OWN_MARK}-${randomUUID()}`)
  await sweep(root, isAlive)
  return {
    async create() {
      const folder = join(own, randomUUID())
      await mkdir(folder, { recursive: true, mode: 0o700 })
      return folder
    },
    remove: removeFolder,
    close: () => removeFolder(own),
  }
}

async function sweep(root: string, isAlive?: (pid: number) => boolean): Promise<void> {
  await mkdir(root, { recursive: true, mode: 0o700 })
  // An older folder may have been made with other rights.
  await chmod(root, 0o700)
  for (const name of await readdir(root)) {
    // Several services of one process, as in its tests, leave each other alone.
    if (!isOwnerAlive(name, isAlive)) await removeFolder(join(root, name))
  }
}

const removeFolder = (folder: string): Promise<void> =>
  rm(folder, { recursive: true, force: true, maxRetries: 3 })

/**
 * Section 2, `outputFolder`: absolute, created when missing. That it is writable is tried, not asked, because neither
 * Windows nor a network share answers that question truthfully.
 * @param temporaryName a hidden name in a folder that nothing has yet
 * @returns the normalised path
 * @throws HttpError 400
 */
export async function prepareOutputFolder(
  given: string,
  temporaryName: (folder: string) => Promise<string> = () => Promise.resolve(`.mediatray-${randomUUID()}`),
): Promise<string> {
  if (given.includes('\0') || !isAbsolute(given)) {
    throw new HttpError(400, 'outputFolder must be an absolute path')
  }
  const folder = resolve(given)
  try {
    await createFolder(folder)
    const probe = join(folder, await temporaryName(folder))
    await writeFile(probe, '', { flag: 'wx' })
    await rm(probe, { force: true })
  } catch (error) {
    throw new HttpError(400, `outputFolder can't be used: ${reasonOf(error)}: ${folder}`)
  }
  return folder
}

/**
 * Not `mkdir` with `recursive`: where a folder exists but takes no entries, as /proc does, Node tries for ever and never
 * gives its thread back.
 */
async function createFolder(folder: string): Promise<void> {
  if (await isFolder(folder)) return
  const parent = dirname(folder)
  if (parent !== folder) await createFolder(parent)
  try {
    await mkdir(folder)
  } catch (error) {
    // Somebody else may have made it in the meantime.
    if (!(await isFolder(folder))) throw error
  }
}

const isFolder = (path: string): Promise<boolean> =>
  stat(path).then(
    (info) => info.isDirectory(),
    () => false,
  )

function reasonOf(error: unknown): string {
  const code = codeOf(error)
  if (code === 'EACCES' || code === 'EPERM') return 'this user may not write there'
  if (code === 'EROFS') return 'the disk is read-only'
  if (code === 'ENOSPC') return 'the disk is full'
  if (code === 'EEXIST' || code === 'ENOTDIR') return 'there is a file of that name'
  if (code === 'ENOENT') return 'no folder can be made there'
  if (code === 'ENAMETOOLONG') return 'the path is too long'
  return `it can't be created or written to${code === '' ? '' : ` (${code})`}`
}
