/** How a finished file gets its last name: whole, at once, and never in the place of another. */
import { link, open, rename, rm } from 'node:fs/promises'
import { hasCode } from './errors.ts'

/**
 * Gives a finished temporary file its last name, which must be in the same folder.
 *
 * @returns whether the name was free; where it was not, nothing has changed
 * @throws what the file system says; then the name is free and the temporary file is still there
 */
export async function publishFile(temporary: string, target: string): Promise<boolean> {
  try {
    // A second link to the same file fails where the name exists; a rename would replace what is there.
    await link(temporary, target)
  } catch (error) {
    if (hasCode(error, 'EEXIST')) return false
    return reserveAndRename(temporary, target)
  }
  // The result has its name: a temporary file that can't be removed is no reason to say that it has not.
  await rm(temporary, { force: true }).catch(() => undefined)
  return true
}

/**
 * For file systems without hard links (FAT, some network shares), which say so with many different codes: an empty file of
 * our own holds the name until the finished one replaces it.
 */
async function reserveAndRename(temporary: string, target: string): Promise<boolean> {
  try {
    await (await open(target, 'wx')).close()
  } catch (error) {
    if (hasCode(error, 'EEXIST')) return false
    throw error
  }
  try {
    await rename(temporary, target)
  } catch (error) {
    await rm(target, { force: true })
    throw error
  }
  return true
}

/**
 * Publishes under the first name that is free.
 *
 * @param nameOf the absolute path to try, for each attempt from 1 on
 * @returns the path that the file got
 */
export async function publishUnderFreeName(
  temporary: string,
  nameOf: (attempt: number) => string,
): Promise<string> {
  for (let attempt = 1; ; attempt++) {
    const target = nameOf(attempt)
    if (await publishFile(temporary, target)) return target
  }
}
