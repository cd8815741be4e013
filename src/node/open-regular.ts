/** Opens files in folders that others can write to. Another user may have replaced a file after it was checked. */
import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'

/** Windows lacks the last two flags. They are undefined there and count as 0 in a bitwise expression. */
const { O_RDONLY, O_NONBLOCK, O_NOFOLLOW } = constants

/**
 * Opens a regular file for reading. Doesn't block on a pipe without a writer, which would occupy one of Node's few threads forever.
 * @param links `refuse` if no link is expected at the path, for example because Mediatray created the file: a link there is someone else's
 * @returns undefined if it isn't a regular file
 * @throws the file system's error; ELOOP for a refused link
 */
export async function openRegular(path: string, links: 'follow' | 'refuse'): Promise<FileHandle | undefined> {
  const noFollow = links === 'refuse' ? O_NOFOLLOW : 0
  const file = await open(path, O_RDONLY | O_NONBLOCK | noFollow)
  try {
    // The system has just read these facts, so this call doesn't block. A call on another thread would take much longer.
    if (fstatSync(file.fd).isFile()) return file
  } catch (error) {
    await file.close()
    throw error
  }
  await file.close()
  return undefined
}

/**
 * Reads a text file that may have been replaced. Doesn't block on a pipe without a writer.
 * @throws the file system's error; EINVAL for a pipe or a device
 */
export const readRegular = (path: string): string => useRegular(path, (file) => readFileSync(file, 'utf8'))

/**
 * Opens a file that may have been replaced, and closes it after `use`. Doesn't block on a pipe without a writer.
 * @throws the file system's error; EINVAL for a pipe or a device
 */
export function useRegular<T>(path: string, use: (file: number) => T): T {
  const file = openSync(path, O_RDONLY | O_NONBLOCK)
  try {
    const found = fstatSync(file)
    // Reading a folder fails with the system's error.
    if (found.isFile() || found.isDirectory()) return use(file)
  } finally {
    closeSync(file)
  }
  throw notRegular(path)
}

/** Like `readRegular`, without blocking the event loop. Throws EINVAL for a folder, too. */
export async function readRegularFile(path: string): Promise<string> {
  await using file = await openRegular(path, 'follow')
  if (file === undefined) throw notRegular(path)
  return await file.readFile('utf8')
}

export const notRegular = (path: string): Error =>
  Object.assign(new Error(`EINVAL: not a regular file, read '${path}'`), { code: 'EINVAL' })
