/** Sets the dates of results. */
import type { BigIntStats } from 'node:fs'
import { lutimes } from 'node:fs/promises'

/**
 * Gives a file the dates of its original, except dates in the future: a camera with a wrong clock must not make a result appear
 * newer than every later file. On a file system that doesn't support this, the file keeps today's date. The creation time is set
 * first, because on macOS setting an earlier modification time also changes the creation time. Other systems don't let programs set
 * the creation time.
 */
export async function keepDates(
  original: Pick<BigIntStats, 'atimeNs' | 'mtimeNs' | 'birthtimeNs'>,
  result: string,
  { now = Date.now, platform = process.platform }: Partial<{ now: () => number; platform: string }> = {},
): Promise<void> {
  const modified = secondsOf(original.mtimeNs)
  const born = secondsOf(original.birthtimeNs)
  if (modified * 1000 > now()) return
  try {
    if (platform === 'darwin' && born > 0 && born < modified) await lutimes(result, born, born)
    await lutimes(result, secondsOf(original.atimeNs), modified)
  } catch {
    // The result is complete and keeps the dates that it has.
  }
}

const secondsOf = (nanoseconds: bigint): number => Number(nanoseconds) / 1e9
