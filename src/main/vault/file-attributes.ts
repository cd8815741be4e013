/** Gives a result the dates, the permissions and, where the system has them, the tags and comments of its original. */
import { execFile } from 'node:child_process'
import { chmod, copyFile, lstat, readFile, rename, rm, truncate, utimes, writeFile } from 'node:fs/promises'
import { promisify } from 'node:util'

const run = promisify(execFile)

/**
 * Copies attributes from the original. Tags and comments are extended attributes, which Node can't read. On Linux, `cp` copies them;
 * on macOS, a copy of the original includes them and gets the result's content. Without them, the replacement continues: they are
 * kept with the original in the vault.
 * @param result a finished file that no one else uses
 * @throws the file system's error if dates or permissions can't be set
 */
export async function copyAttributes(original: string, result: string): Promise<void> {
  if (process.platform === 'darwin') await copyTagsOnMac(original, result).catch(() => undefined)
  if (process.platform === 'linux') {
    await run('cp', ['--attributes-only', '--preserve=xattr', '--', original, result]).catch(() => undefined)
  }
  const { mode, atime, mtime } = await lstat(original)
  await chmod(result, mode & 0o777)
  await utimes(result, atime, mtime)
}

async function copyTagsOnMac(original: string, result: string): Promise<void> {
  const copy = `${result}.attributes`
  try {
    await copyFile(original, copy)
    await writeFile(copy, await readFile(result), { flag: 'r+' })
    await truncate(copy, (await lstat(result)).size)
    await rename(copy, result)
  } finally {
    await rm(copy, { force: true })
  }
}
