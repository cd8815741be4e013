import { rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

/**
 * Resolves once a file created now has a later time than anything that happened before: file system clocks advance in steps of
 * several ms.
 * @param folder on the same file system, with permission to create a temporary file
 */
export async function fileClockTicks(folder: string): Promise<void> {
  const before = Date.now()
  const probe = join(folder, 'clock')
  do await writeFile(probe, '')
  while ((await stat(probe)).ctimeMs <= before + 1)
  await rm(probe)
}
