/** Sets the dates of results. */
import { lutimes, stat } from 'node:fs/promises'

/**
 * Gives a file the dates of its original, except dates in the future: a camera with a wrong clock must not make a result appear
 * newer than every later file. On a file system that doesn't support this, the file keeps today's date. The creation time is set
 * first, because on macOS setting an earlier modification time also changes the creation time. Other systems don't let programs set
 * the creation time.
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
      await lutimes(result, birthtimeMs / 1000, birthtimeMs / 1000)
    await lutimes(result, atimeMs / 1000, mtimeMs / 1000)
  } catch {
    // The result is complete and keeps the dates that it has.
  }
}
