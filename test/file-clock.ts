import { rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

/**
 * The clock of a file system goes in steps of some ms. When this resolves, a file that is made now is younger than whatever has
 * happened before.
 *
 * @param folder one on the same file system, where a file may be made for a moment
 */
export async function fileClockTicks(folder: string): Promise<void> {
  const before = Date.now()
  const probe = join(folder, 'clock')
  do await writeFile(probe, '')
  while ((await stat(probe)).ctimeMs <= before + 1)
  await rm(probe)
}
