/** Identifies contents. Two files with the same hash have the same content, regardless of their names. */
import { createHash } from 'node:crypto'
import { notRegular, openRegular } from './open-regular.ts'

const CHUNK_BYTES = 512 * 1024

/**
 * Hashes a file. Reads it into one buffer, because allocating a buffer for each part takes longer than hashing.
 * @param size approximate size in bytes
 * @returns SHA-256 as hex
 * @throws the file system's error; EINVAL for anything but a regular file
 */
export async function contentHash(path: string, size: number): Promise<string> {
  await using file = await openRegular(path, 'refuse')
  if (file === undefined) throw notRegular(path)
  const hash = createHash('sha256')
  const buffer = Buffer.allocUnsafeSlow(Math.min(Math.max(size, 1), CHUNK_BYTES))
  for (;;) {
    const { bytesRead } = await file.read(buffer, 0, buffer.length)
    if (bytesRead === 0) return hash.digest('hex')
    hash.update(buffer.subarray(0, bytesRead))
  }
}
