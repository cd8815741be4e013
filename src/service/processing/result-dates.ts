import type { BigIntStats } from 'node:fs'
import { lutimes } from 'node:fs/promises'
import { wholeMs } from '../../node/whole-ms.ts'

/**
 * Gives a file the dates of its original, unless the modification time is in the future: a camera with a wrong clock must not make a result
 * appear newer than every later file. On a file system that doesn't support this, the file keeps today's date. On macOS, a modification
 * time before the creation time also changes the creation time. Therefore, this sets the original's creation time as the modification time
 * first. Node can't set the creation time on other systems.
 */
export async function keepDates(
  original: Pick<BigIntStats, 'atimeNs' | 'mtimeNs' | 'birthtimeNs'>,
  result: string,
  { now = Date.now, platform = process.platform }: Partial<{ now: () => number; platform: string }> = {},
): Promise<void> {
  const { mtimeNs: modified, birthtimeNs: born } = original
  if (Number(modified) / 1e6 > now()) return
  try {
    if (platform === 'darwin' && born > 0n && born < modified)
      await lutimes(result, timeOf(born), timeOf(born))
    await lutimes(result, timeOf(original.atimeNs), timeOf(modified))
  } catch {
    // The result is complete and keeps the dates that it has.
  }
}

/** Node replaces a negative number of seconds with the current time, but accepts a `Date` before 1970. */
const timeOf = (nanoseconds: bigint): number | Date =>
  nanoseconds < 0n ? new Date(wholeMs(nanoseconds)) : Number(nanoseconds) / 1e9
