import { stat, statfs } from 'node:fs/promises'
import { ProcessingError } from '../../media/protocol.ts'

/** Bytes that the owner of this process may still write in a folder. */
export type FreeBytes = (folder: string) => Promise<number>

export const freeBytesOnDisk: FreeBytes = async (folder) => {
  const { bavail, bsize } = await statfs(folder)
  return bavail * bsize
}

/** Kept free whatever happens, so that a job never fills a disk to the brim. */
const RESERVE_BYTES = 64 * 1024 * 1024

/**
 * Checked before each file, because the size of a result is known only when it is there: the original's size once more
 * is taken as what may be needed.
 * @throws ProcessingError where the space does not suffice, or the folder is gone
 */
export async function requireFreeSpace(
  inputPath: string,
  outputFolder: string,
  freeBytes: FreeBytes,
): Promise<void> {
  const [size, free] = await Promise.all([
    stat(inputPath).then((info) => info.size, missing(`The file is no longer there: ${inputPath}`)),
    freeBytes(outputFolder).catch(missing(`The output folder can't be reached any more: ${outputFolder}`)),
  ])
  refuseTooLittle(free, size, `for the result in ${outputFolder}`)
}

/**
 * For a file that is about to be fetched.
 * @param size in bytes; negative where it is not known
 * @throws ProcessingError where the space does not suffice, or the folder is gone
 */
export async function requireSpaceFor(size: number, folder: string, freeBytes: FreeBytes): Promise<void> {
  const free = await freeBytes(folder).catch(missing(`The folder can't be reached any more: ${folder}`))
  refuseTooLittle(free, Math.max(0, size), `to fetch the file to ${folder}`)
}

function refuseTooLittle(free: number, size: number, purpose: string): void {
  const needed = size + RESERVE_BYTES
  if (free >= needed) return
  throw new ProcessingError(
    `There is not enough free space ${purpose}: ` +
      `${inMegabytes(free)} MB are free, about ${inMegabytes(needed)} MB are needed`,
  )
}

const missing = (message: string) => (): never => {
  throw new ProcessingError(message)
}

const inMegabytes = (bytes: number): number => Math.floor(bytes / 1_000_000)
