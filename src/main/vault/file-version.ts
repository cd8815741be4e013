/** Identifies one version of a file's content, so that an edited file is never mistaken for the original. */
import type { BigIntStats } from 'node:fs'
import { lstat } from 'node:fs/promises'
import { contentHash } from '../../node/content-hash.ts'

/** A file's content, and properties that show that the file is probably unchanged, without reading it. */
export type FileVersion = {
  /** Bytes. */
  readonly size: number
  /** Modification time in nanoseconds since 1970. */
  readonly modified: bigint
  readonly inode: bigint
  /** Hex. */
  readonly sha256: string
  /**
   * Time of the last change to the file or its attributes, in nanoseconds since 1970. Programs can't set it, so if it is unchanged, nothing
   * has been written since. Not stored, because renames and links also change it. A later process reads the file instead.
   */
  readonly changed?: bigint
  /**
   * Creation time in nanoseconds since 1970; missing in a version from the journal. Together with the inode, it distinguishes a moved file
   * from a copy.
   */
  readonly born?: bigint
}

/**
 * A version that matches no file. It stands for a link, for a file that is being written or can't be read, and for a version that the
 * journal can't read. The original isn't replaced, and the job reports the reason.
 */
export const NO_VERSION: FileVersion = { size: -1, modified: 0n, inode: 0n, sha256: '' }

/**
 * Reads a file's version.
 * @returns undefined if the path isn't a regular file, or if the file changes while it is read
 * @throws the file system's error
 */
export async function readVersion(path: string): Promise<FileVersion | undefined> {
  const before = await lstat(path, { bigint: true })
  if (!before.isFile()) return undefined
  const sha256 = await contentHash(path, Number(before.size))
  const after = await lstat(path, { bigint: true })
  const isSame =
    after.isFile() &&
    after.size === before.size &&
    after.mtimeNs === before.mtimeNs &&
    after.ctimeNs === before.ctimeNs &&
    after.ino === before.ino
  if (!isSame) return undefined
  const { mtimeNs: modified, ctimeNs: changed, birthtimeNs: born, ino: inode } = after
  return { size: Number(after.size), modified, inode, sha256, changed, born }
}

/**
 * Whether a file still has the content of a version. Reads the file, unless this process has read the version and the file's times and
 * inode are the same: some programs keep the date when they edit a file in place. False if the file can't be read.
 */
export const hasContentOf = (path: string, version: FileVersion): Promise<boolean> =>
  isVersion(path, version, (found) => found.ctimeNs === version.changed && found.mtimeNs === version.modified)

/**
 * Like `hasContentOf`, for a file that was moved after `hasContentOf` was called. Moving has changed its ctime, so only the mtime is
 * compared.
 */
export const hasMovedContentOf = (path: string, version: FileVersion): Promise<boolean> =>
  isVersion(path, version, (found) => found.mtimeNs === version.modified)

async function isVersion(
  path: string,
  { size, inode, sha256 }: FileVersion,
  isUntouched: (found: BigIntStats) => boolean,
): Promise<boolean> {
  try {
    const found = await lstat(path, { bigint: true })
    if (!found.isFile() || Number(found.size) !== size) return false
    if (found.ino === inode && isUntouched(found)) return true
    return (await contentHash(path, size)) === sha256
  } catch {
    return false
  }
}
