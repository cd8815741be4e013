/** The dates that a result bears. */
import { stat, utimes } from 'node:fs/promises'

/**
 * Gives a file the dates of its original. Not one that lies ahead: a camera whose clock is wrong must not make a result look
 * newer than everything that will be made after it. A file system that takes no dates leaves today's.
 *
 * On a Mac a file that is said to be older than its birth is born at that time, so the birth is told first. No other system
 * lets a program set it.
 */
export async function keepDates(
  original: string,
  result: string,
  { now = Date.now, platform = process.platform }: Partial<{ now: () => number; platform: string }> = {},
): Promise<void> {
  try {
    const { atimeMs, mtimeMs, birthtimeMs } = await stat(original)
    if (mtimeMs > now()) return
    if (platform === 'darwin' && birthtimeMs > 0 && birthtimeMs < mtimeMs)
      await utimes(result, birthtimeMs / 1000, birthtimeMs / 1000)
    await utimes(result, atimeMs / 1000, mtimeMs / 1000)
  } catch {
    // The result is whole, and its own dates are true.
  }
}
