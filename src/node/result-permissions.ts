/** Gives finished results their permissions. Until then, only this user can read them. */
import { type BigIntStats, fstatSync } from 'node:fs'
import { lstat } from 'node:fs/promises'
import { modeAtMost, type Readers } from './file-identity.ts'
import { notRegular, openRegular } from './open-regular.ts'
import { UMASK } from './umask.ts'

/**
 * Lets other users read or change a result if they can do so with its original and the umask allows it. Does nothing if the file system
 * doesn't store permissions.
 * @param result absolute; a link isn't followed
 * @returns the result's file statistics
 * @throws the file system's error if the result can't be opened; EINVAL if it isn't a regular file
 */
export async function openToReaders(result: string, original: Readers): Promise<BigIntStats> {
  if (process.platform === 'win32') return lstat(result, { bigint: true })
  await using file = await openRegular(result, 'refuse')
  if (file === undefined) throw notRegular(result)
  const made = fstatSync(file.fd, { bigint: true })
  await file.chmod(modeAtMost(original, made) & ~UMASK).catch(() => undefined)
  return made
}
