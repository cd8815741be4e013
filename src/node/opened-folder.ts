/** Opens folders without following links of other users, so that files are created in, and moved from, the expected folder. */
import { comparable } from '../shared/paths.ts'
import { createHash } from 'node:crypto'
import { constants, existsSync, readlinkSync } from 'node:fs'
import {
  chmod,
  chown,
  type FileHandle,
  lstat,
  mkdir,
  open,
  realpath,
  rename,
  rmdir,
  stat,
} from 'node:fs/promises'
import path from 'node:path'
import { hasCode } from './errors.ts'
import { syncFolder } from './sync-folder.ts'
import { foreignLink, trustedRealPath } from './trusted-path.ts'
import { succeeds } from './if-possible.ts'

export type OpenedFolder = AsyncDisposable & {
  /** A path that leads to the folder itself, even if the folder is moved. Outside Linux, or without /proc, it is the folder's path. */
  readonly access: string
}

/** Who may use a folder. `mode`: permissions; `owner`, `group`: numeric IDs. */
export type FolderRights = { readonly mode: number; readonly owner: number; readonly group: number }

/** Whether the path of a folder's descriptor leads to the files in it. Only Linux has such paths, and only if /proc is mounted. */
const HAS_PATHS_OF_DESCRIPTORS = process.platform === 'linux' && existsSync('/proc/self/fd')
/** Linux's O_PATH, which Node doesn't name: opens a folder that may be entered but not read. */
const O_PATH = 0o10000000

/**
 * Opens a folder below another folder and creates missing folders in between. Follows links to the outer folder, which the user chose,
 * unless they belong to other users. Below that folder, follows no links.
 * @param folder absolute path of the outer folder
 * @param mode of the folders that are created
 * @throws the file system's error; `ELOOP` or `ENOTDIR` if a part below is a link or not a folder; an error that `isForeignLink` recognizes
 */
export async function openFolderBelow(
  folder: string,
  names: readonly string[],
  mode = 0o777,
): Promise<OpenedFolder> {
  if (!HAS_PATHS_OF_DESCRIPTORS) return requireFolders(await trustedRealPath(folder), names, mode)
  let handle = await openTrusted(folder)
  for (const name of names) {
    await using parent = handle
    handle = await openOrCreate(path.join(accessOf(parent), name), mode)
  }
  return { access: accessOf(handle), [Symbol.asyncDispose]: () => handle.close() }
}

/**
 * Opens a folder. Follows only links of this user and of root: other users could exchange theirs at any time. Outside Linux, or
 * without /proc, checks nothing and returns the path.
 * @param folder absolute
 * @param owner user ID of the required owner; undefined allows any
 * @throws the file system's error; `ENOTDIR` if it isn't a folder of the owner; an error that `isForeignLink` recognizes
 */
export async function openTrustedFolder(folder: string, owner?: number): Promise<OpenedFolder> {
  if (!HAS_PATHS_OF_DESCRIPTORS) return { access: folder, [Symbol.asyncDispose]: () => Promise.resolve() }
  const handle = await openTrusted(folder, owner)
  return { access: accessOf(handle), [Symbol.asyncDispose]: () => handle.close() }
}

async function openTrusted(folder: string, owner?: number): Promise<FileHandle> {
  const handle = await open(folder, O_PATH | constants.O_DIRECTORY)
  try {
    if (owner !== undefined && (await handle.stat()).uid !== owner) throw notAFolder(folder)
    // The system keeps this path in memory, so reading it doesn't block.
    const real = readlinkSync(accessOf(handle))
    // Usually, no part of the path is a link. Otherwise, only trusted links may lead to the folder that was opened.
    if (real !== folder && comparable(real) !== comparable(await trustedRealPath(folder)))
      throw foreignLink(folder)
    return handle
  } catch (error) {
    await handle.close()
    throw error
  }
}

/**
 * Returns a folder's path without links.
 * @param folder absolute
 * @throws the same errors as `openTrustedFolder`
 */
export async function trustedPathOf(folder: string): Promise<string> {
  await using opened = await openTrustedFolder(folder)
  return await realpath(opened.access)
}

/**
 * Creates a folder and its missing parents without following other users' links, and makes them durable. With `rights`, they all appear in
 * one step: if this process is killed earlier, none of them is visible, and the next call continues.
 * @param folder absolute
 * @param rights the rights to restore, for the folder, its parent and so on. Without them, only the owner can enter the created folders
 * @throws the same errors as `openFolderBelow`
 */
export async function createTrustedFolder(
  folder: string,
  rights: readonly FolderRights[] = [],
): Promise<void> {
  const missing: string[] = []
  let above = folder
  for (; !(await isThere(above)); above = path.dirname(above)) missing.unshift(path.basename(above))
  const [name, ...below] = missing
  if (name === undefined) return
  const hidden = rights.length === 0 ? name : hiddenNameFor(name)
  const made = [hidden, ...below].map((_, index) => path.join(above, hidden, ...below.slice(0, index)))
  try {
    for (const one of made) {
      const created = await openFolderBelow(path.dirname(one), [path.basename(one)], 0o700)
      await created[Symbol.asyncDispose]()
      await syncFolder(path.dirname(one))
    }
    // Set the rights last, because nothing can be created in a folder once it is read-only.
    for (const [index, one] of made.toReversed().entries()) await giveRights(one, rights[index])
    if (hidden === name) return
    await using parent = await openTrustedFolder(above)
    await rename(path.join(parent.access, hidden), path.join(parent.access, name))
  } catch (error) {
    for (const one of made.toReversed()) await rmdir(one).catch(() => undefined)
    // Another process may have created the folder in the meantime.
    if (!(await isThere(path.join(above, name)))) throw error
    return createTrustedFolder(folder, rights)
  }
  await syncFolder(above)
}

const hiddenNameFor = (name: string): string =>
  `.mediatray-${createHash('sha256').update(name).digest('hex').slice(0, 16)}`

async function giveRights(folder: string, former: FolderRights | undefined): Promise<void> {
  if (former === undefined) return
  await using opened = await openTrustedFolder(folder)
  await setRights(opened.access, former)
}

/** Returns the rights of a folder, its parent and so on. @throws the file system's error */
export async function rightsFrom(folder: string): Promise<readonly FolderRights[]> {
  const { mode, uid: owner, gid: group } = await stat(folder)
  const above = path.dirname(folder)
  const own = { mode: mode & 0o7777, owner, group }
  return above === folder ? [own] : [own, ...(await rightsFrom(above))]
}

/** Sets the rights of a folder. If its owner and group can't be restored, the group gets no rights, because it may be a different group. */
async function setRights(folder: string, { mode, owner, group }: FolderRights): Promise<void> {
  const isGiven = await succeeds(chown(folder, owner, group))
  await chmod(folder, isGiven ? mode : mode & 0o707)
}

const isThere = (folder: string): Promise<boolean> =>
  stat(folder).then(
    () => true,
    (error: unknown) => {
      if (hasCode(error, 'ENOENT') && path.dirname(folder) !== folder) return false
      throw error
    },
  )

export type OpenedFolders = AsyncDisposable & {
  /**
   * Returns a path that leads to the file in its folder, even if the folder is moved. Opens each folder when it is first used.
   * @param owner user ID of the folder's required owner, checked only when the folder is first used; undefined allows any
   * @throws the same errors as `openTrustedFolder`
   */
  at(file: string, owner?: number): Promise<string>
}

/** Opens each folder once, so that files are checked in, and moved between, the same folders. */
export function openedFolders(): OpenedFolders {
  const opened = new Map<string, OpenedFolder>()
  return {
    async at(file, owner) {
      const folder = path.dirname(file)
      const known = opened.get(folder) ?? (await openTrustedFolder(folder, owner))
      opened.set(folder, known)
      return path.join(known.access, path.basename(file))
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(opened.values().map((one) => one[Symbol.asyncDispose]()))
    },
  }
}

const notAFolder = (folder: string): Error =>
  Object.assign(new Error(`ENOTDIR: not a folder, '${folder}'`), { code: 'ENOTDIR' })

const accessOf = ({ fd }: FileHandle): string => `/proc/self/fd/${fd}`

async function openOrCreate(folder: string, mode: number): Promise<FileHandle> {
  await createUnlessThere(folder, mode)
  return open(folder, O_PATH | constants.O_DIRECTORY | constants.O_NOFOLLOW)
}

async function createUnlessThere(folder: string, mode: number): Promise<void> {
  await mkdir(folder, { mode }).catch((error: unknown) => {
    if (!hasCode(error, 'EEXIST')) throw error
  })
}

async function requireFolders(from: string, names: readonly string[], mode: number): Promise<OpenedFolder> {
  let folder = from
  for (const name of names) {
    folder = path.join(folder, name)
    await createUnlessThere(folder, mode)
    if (!(await lstat(folder)).isDirectory()) throw notAFolder(folder)
  }
  return { access: folder, [Symbol.asyncDispose]: () => Promise.resolve() }
}
