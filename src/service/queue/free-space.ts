import { FailureError } from '../../shared/failure/failure-error.ts'
import { failure } from '../../shared/failure/failure.ts'
import { stat } from 'node:fs/promises'
import { type FreeBytes, RESERVE_BYTES } from '../../node/free-space.ts'
import { whyNotReadable, whyNotWritable } from '../../node/file-failure.ts'

/**
 * Checks the free space before each file. The size of a result isn't known in advance, so this requires as much free space as
 * the original takes.
 * @throws FailureError if there isn't enough space, or the folder is gone
 */
export async function requireFreeSpace(
  inputPath: string,
  outputFolder: string,
  freeBytes: FreeBytes,
): Promise<void> {
  const { size } = await stat(inputPath).catch((cause: unknown) => {
    throw new FailureError(failure('fileUnreadable', { reason: whyNotReadable(cause) }), { cause })
  })
  await requireSpaceFor(size, outputFolder, freeBytes)
}

/**
 * Checks the free space for a file that is about to be downloaded.
 * @param size in bytes; negative if unknown
 * @throws FailureError if there isn't enough space, or the folder is gone
 */
export async function requireSpaceFor(size: number, folder: string, freeBytes: FreeBytes): Promise<void> {
  const free = await freeBytes(folder).catch((cause: unknown) => {
    throw new FailureError(failure('folderNotWritable', { folder, reason: whyNotWritable(cause) }), { cause })
  })
  const neededBytes = Math.max(0, size) + RESERVE_BYTES
  if (free >= neededBytes) return
  throw new FailureError(failure('tooLittleSpace', { folder, freeBytes: free, neededBytes }))
}
