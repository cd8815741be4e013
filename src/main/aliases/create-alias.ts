/** Creates an alias of a file: a hard link or, if that isn't possible, a reflink or a copy. Never writes to the original. */
import { constants } from 'node:fs'
import { copyFile, link, lstat, open, rm, utimes } from 'node:fs/promises'
import { dirname } from 'node:path'
import { type IdentifiedFile, modeAtMost } from '../../node/file-identity.ts'
import { hasCode } from '../../node/errors.ts'
import { keepReserve } from '../../node/free-space.ts'

/** The original as it was opened. Another user may replace the file at its path at any time. */
export type Original = Pick<IdentifiedFile, 'realPath' | 'file' | 'stats'>

/** Thrown if another file has taken the original's place. */
export class ReplacedError extends Error {}

/** The ways to create an alias, in order of preference. A test can leave some out. */
export const WAYS = { hardLink, reflink, copy }
export type Way = (original: Original, alias: string, signal: AbortSignal) => Promise<void>
export type Ways = Readonly<Record<keyof typeof WAYS, Way>>

/**
 * @param alias a path that doesn't exist yet, in a private folder
 * @throws ReplacedError, or the file system's error. The alias then doesn't exist
 */
export async function createAlias(
  original: Original,
  alias: string,
  ways: Ways,
  signal: AbortSignal,
): Promise<void> {
  let failed: unknown
  for (const way of [ways.hardLink, ways.reflink, ways.copy]) {
    try {
      return await way(original, alias, signal)
    } catch (error) {
      await rm(alias, { force: true })
      if (error instanceof ReplacedError) throw error
      failed = error
    }
  }
  throw failed
}

/**
 * Creates a hard link. The alias is the original file itself (the same inode). Never write to it, and never set its permissions or dates.
 */
async function hardLink(original: Original, alias: string): Promise<void> {
  await link(original.realPath, alias)
  if (!(await isSameFile(original, alias))) throw new ReplacedError()
}

async function reflink(original: Original, alias: string): Promise<void> {
  await copyFile(sourceOf(original), alias, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE_FORCE)
  if (!(await isSameFile(original, original.realPath))) throw new ReplacedError()
  await utimes(alias, original.stats.atime, original.stats.mtime)
}

/** Returns the path to copy from. Linux can copy from the open file, regardless of what is at its path now. */
const sourceOf = ({ realPath, file }: Original): string =>
  process.platform === 'linux' ? `/proc/self/fd/${file.fd}` : realPath

async function isSameFile({ stats }: Original, path: string): Promise<boolean> {
  const found = await lstat(path, { bigint: true })
  return found.isFile() && found.dev === stats.dev && found.ino === stats.ino
}

const PIECE_BYTES = 4 * 1024 * 1024

async function copy(original: Original, alias: string, signal: AbortSignal): Promise<void> {
  const requireRoom = keepReserve(dirname(alias))
  await requireRoom(Number(original.stats.size), 'announced')
  const target = await open(alias, 'wx', 0o600)
  try {
    const piece = Buffer.allocUnsafe(PIECE_BYTES)
    for (let at = 0; ;) {
      signal.throwIfAborted()
      const { bytesRead } = await original.file.read(piece, 0, PIECE_BYTES, at)
      if (bytesRead === 0) break
      // The file may grow during the copy.
      await requireRoom(bytesRead)
      await target.writeFile(piece.subarray(0, bytesRead))
      at += bytesRead
    }
    // The alias was created with mode 0600. Extend its permissions up to the original's, because results get at most the permissions of
    // their input. The private folder keeps other users out.
    await target.chmod(modeAtMost(original.stats, await target.stat({ bigint: true })))
  } finally {
    await target.close()
  }
  await utimes(alias, original.stats.atime, original.stats.mtime)
}

/** Whether an alias exists and still has the original's content. Copies are recognized by size and modification time. */
export async function isAliasOf(original: Original, alias: string): Promise<boolean> {
  try {
    if (await isSameFile(original, alias)) return true
    const found = await lstat(alias, { bigint: true })
    // FAT stores times in steps of two seconds.
    const isSameTime = Math.abs(Number(found.mtimeMs - original.stats.mtimeMs)) <= 2_000
    return found.isFile() && found.size === original.stats.size && isSameTime
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return false
    throw error
  }
}
