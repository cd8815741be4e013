import { readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { DAY_MS } from '../../../shared/durations.ts'

/** Time in ms during which the original can still be compared with its result, or processed again. */
const KEPT_MS = DAY_MS

/**
 * Deletes copied images that were saved for their jobs more than a day ago. Never throws.
 * @param folder absolute; contains nothing else
 * @param isNeeded whether a job that hasn't finished needs the file
 * @param now ms since 1970
 */
export async function sweepOriginals(
  folder: string,
  isNeeded: (path: string) => boolean,
  now: number,
): Promise<void> {
  for (const name of await readdir(folder).catch(() => [])) {
    const path = join(folder, name)
    const found = await stat(path).catch(() => undefined)
    if (found?.isFile() !== true || now - found.mtimeMs < KEPT_MS || isNeeded(path)) continue
    await rm(path, { force: true }).catch(() => {})
  }
}
