/** Makes changes to folders durable, so that moving, adding or removing a file survives a power failure. */
import { open } from 'node:fs/promises'
import { dirname } from 'node:path'
import { codeOf } from './errors.ts'

/** Error codes of systems that can't sync a folder (Windows, some network drives), and of a folder that can't be opened or is gone. */
const CANNOT_SYNC: ReadonlySet<string> = new Set([
  'EACCES',
  'EBADF',
  'EINVAL',
  'EISDIR',
  'ENOENT',
  'ENOSYS',
  'ENOTDIR',
  'ENOTSUP',
  'EOPNOTSUPP',
  'EPERM',
])

/**
 * Makes changes to a folder durable, if the system can sync folders.
 * @throws the disk's error, such as EIO or ENOSPC: the changes may not survive a power failure
 */
export async function syncFolder(folder: string): Promise<void> {
  try {
    await using opened = await open(folder, 'r')
    await opened.sync()
  } catch (error) {
    if (!CANNOT_SYNC.has(codeOf(error))) throw error
  }
}

/** Syncs the folders of some files, each once. */
export async function syncFoldersOf(...paths: readonly string[]): Promise<void> {
  for (const folder of new Set(paths.map((path) => dirname(path)))) await syncFolder(folder)
}
