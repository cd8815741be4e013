/** Identifies one version of a file's content, so that an edited file is never mistaken for the original. */
import { createHash } from 'node:crypto'
import { lstat, open } from 'node:fs/promises'

/** A file's content, and the properties that show without reading the file that it is probably unchanged. */
export type FileVersion = {
  /** Bytes. */
  readonly size: number
  /** Modification time in nanoseconds since 1970. */
  readonly modified: bigint
  readonly inode: bigint
  /** Hex. */
  readonly sha256: string
}

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
    after.ino === before.ino
  return isSame ? { size: Number(after.size), modified: after.mtimeNs, inode: after.ino, sha256 } : undefined
}

/**
 * Whether a file still has the content of a version. Hashes the file only if its inode or its time differs: some file systems assign
 * new inodes after a restart, and a new time alone isn't an edit.
 */
export async function hasContentOf(path: string, version: FileVersion): Promise<boolean> {
  try {
    const found = await lstat(path, { bigint: true })
    if (!found.isFile() || Number(found.size) !== version.size) return false
    if (found.ino === version.inode && found.mtimeNs === version.modified) return true
    return (await contentHash(path, version.size)) === version.sha256
  } catch {
    return false
  }
}

/** Like `hasContentOf`, but always reads the file. Some programs keep its time when they edit it in place. */
export async function hasExactContentOf(path: string, { size, sha256 }: FileVersion): Promise<boolean> {
  try {
    const found = await lstat(path)
    return found.isFile() && found.size === size && (await contentHash(path, size)) === sha256
  } catch {
    return false
  }
}

const CHUNK_BYTES = 512 * 1024

/**
 * Hashes a file. Reads it into one buffer, because a new one for each part costs more time than the hash.
 * @param size about how many bytes it has
 * @returns SHA-256 as hex
 */
export async function contentHash(path: string, size: number): Promise<string> {
  const hash = createHash('sha256')
  const buffer = Buffer.allocUnsafeSlow(Math.min(Math.max(size, 1), CHUNK_BYTES))
  const file = await open(path)
  try {
    for (;;) {
      const { bytesRead } = await file.read(buffer, 0, buffer.length)
      if (bytesRead === 0) return hash.digest('hex')
      hash.update(buffer.subarray(0, bytesRead))
    }
  } finally {
    await file.close()
  }
}
