import { FailureError } from '../../shared/failure/failure-error.ts'
import { failure } from '../../shared/failure/failure.ts'
import { stat } from 'node:fs/promises'
import { setInterval } from 'node:timers/promises'
import { type FreeBytes, RESERVE_BYTES } from '../../node/free-space.ts'
import { whyNotReadable, whyNotWritable } from '../../node/file-failure.ts'

/** How often to check the disk during a download, in ms. A fast network fills a small part of the reserve in this time. */
const CHECK_MS = 100

/**
 * Checks the free space before a file is processed. The size of the result isn't known in advance, so this requires as much free space as
 * the original takes, in addition to the reserve.
 * @throws FailureError if there isn't enough space, or the input or the folder can't be accessed
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
 * Checks that a file of this size fits into a folder without using the reserve.
 * @param size in bytes; negative if unknown
 * @throws FailureError if there isn't enough space, or the folder is gone
 */
export async function requireSpaceFor(size: number, folder: string, freeBytes: FreeBytes): Promise<void> {
  const free = await freeBytes(folder).catch((cause: unknown) => {
    throw new FailureError(failure('folderNotWritable', { folder, reason: whyNotWritable(cause) }), { cause })
  })
  const neededBytes = Math.max(0, size) + RESERVE_BYTES
  if (free >= neededBytes) return
  throw tooLittleSpace(folder, free, neededBytes)
}

/**
 * Stops a download when it has used half of the reserve, because a drive may report a wrong size for a file, or none.
 * @param into the folder to which the download writes
 * @throws FailureError if it stopped the download; otherwise the errors of `download`
 */
export async function keepingReserve<T>(
  { into, freeBytes, signal }: DownloadSpace,
  download: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const [full, over] = [new AbortController(), new AbortController()]
  const watching = (async () => {
    for await (const _ of setInterval(CHECK_MS, undefined, { signal: over.signal })) {
      const free = await freeBytes(into).catch(() => Number.POSITIVE_INFINITY)
      if (free < RESERVE_BYTES / 2) return full.abort(tooLittleSpace(into, free, RESERVE_BYTES))
    }
  })().catch(() => undefined)
  try {
    return await download(AbortSignal.any([signal, full.signal]))
  } finally {
    over.abort()
    await watching
  }
}

type DownloadSpace = {
  readonly into: string
  readonly freeBytes: FreeBytes
  readonly signal: AbortSignal
}

const tooLittleSpace = (folder: string, freeBytes: number, neededBytes: number): FailureError =>
  new FailureError(failure('tooLittleSpace', { folder, freeBytes, neededBytes }))
