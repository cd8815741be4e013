import { realpath } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'

/** A folder without links on its way, also where it, or a part of the way, does not exist yet. */
export async function realFolder(folder: string): Promise<string> {
  try {
    return await realpath(folder)
  } catch {
    const parent = dirname(folder)
    return parent === folder ? folder : join(await realFolder(parent), basename(folder))
  }
}
