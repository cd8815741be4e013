/** Opens folders without following links, so that what is created in them can't end up elsewhere. */
import { constants, existsSync } from 'node:fs'
import { type FileHandle, lstat, mkdir, open } from 'node:fs/promises'
import path from 'node:path'
import { hasCode } from './errors.ts'

export type OpenedFolder = AsyncDisposable & {
  /** Leads to the folder itself, even if its path changes. On other systems than Linux, it is the path. */
  readonly access: string
}

/** Only Linux has paths of descriptors that lead on, and only where /proc is mounted. */
const HAS_PATHS_OF_DESCRIPTORS = process.platform === 'linux' && existsSync('/proc/self/fd')
/** Linux's O_PATH, which Node doesn't name: opens a folder that may be entered but not read. */
const O_PATH = 0o10000000

/**
 * Opens a folder below another one and creates what is missing on the way. The first one may be a link, which the user chose.
 * @throws the file system's error; `ELOOP` or `ENOTDIR` if a part of the path is a link or not a folder
 */
export async function openFolderBelow(folder: string, names: readonly string[]): Promise<OpenedFolder> {
  if (!HAS_PATHS_OF_DESCRIPTORS) return requireFolders(folder, names)
  let handle = await open(folder, O_PATH | constants.O_DIRECTORY)
  for (const name of names) {
    const parent = handle
    try {
      handle = await openOrCreate(path.join(accessOf(parent), name))
    } finally {
      await parent.close()
    }
  }
  return { access: accessOf(handle), [Symbol.asyncDispose]: () => handle.close() }
}

const accessOf = ({ fd }: FileHandle): string => `/proc/self/fd/${fd}`

async function openOrCreate(folder: string): Promise<FileHandle> {
  await createUnlessThere(folder)
  return open(folder, O_PATH | constants.O_DIRECTORY | constants.O_NOFOLLOW)
}

async function createUnlessThere(folder: string): Promise<void> {
  await mkdir(folder).catch((error: unknown) => {
    if (!hasCode(error, 'EEXIST')) throw error
  })
}

async function requireFolders(from: string, names: readonly string[]): Promise<OpenedFolder> {
  let folder = from
  for (const name of names) {
    folder = path.join(folder, name)
    await createUnlessThere(folder)
    if (!(await lstat(folder)).isDirectory())
      throw Object.assign(new Error(`ENOTDIR: not a folder, '${folder}'`), { code: 'ENOTDIR' })
  }
  return { access: folder, [Symbol.asyncDispose]: () => Promise.resolve() }
}
