/** Finds the folders of originals in which results can't be saved. Doesn't leave any files there. */
import { randomUUID } from 'node:crypto'
import { access, constants, open, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { forEachLimited } from '../../node/limited.ts'
import { hasCode } from '../../node/errors.ts'
import { ifResponding } from '../../node/mounted-disk.ts'
import type { MediaItem } from '../../shared/model/media-item.ts'

export const parentFolders = (items: readonly MediaItem[]): ReadonlySet<string> =>
  new Set(items.map(({ path }) => dirname(path)))

/** Returns those of the files' folders in which results can't be saved, including folders that don't respond. */
export async function unwritableFolders(
  items: readonly MediaItem[],
  subfolder: string | null,
): Promise<ReadonlySet<string>> {
  const unwritable = new Set<string>()
  await forEachLimited([...parentFolders(items)], async (parent) => {
    const isWritable = await ifResponding(canSaveIn(parent, subfolder)).catch(() => false)
    if (isWritable !== true) unwritable.add(parent)
  })
  return unwritable
}

async function canSaveIn(parent: string, subfolder: string | null): Promise<boolean> {
  const target = subfolder === null ? parent : join(parent, subfolder)
  try {
    return (await stat(target)).isDirectory() && (await canCreateIn(target))
  } catch (error) {
    return subfolder !== null && hasCode(error, 'ENOENT') && (await canCreateIn(parent))
  }
}

/** The flag for a file without a name. Node has no constant for it. Its value is the same on all architectures that Electron supports. */
const O_TMPFILE = 0o20_000_000 | (constants.O_DIRECTORY ?? 0)
/** The flag for a file that Windows deletes when it is closed, even if the process is killed. */
const O_TEMPORARY = 0x40

/**
 * Whether files can be created in a folder. Permissions alone aren't reliable: Windows ignores them for folders, and an access control list
 * or a sandbox may forbid what they allow. So this creates a file that vanishes when it is closed. If that isn't possible, the permissions
 * decide.
 */
async function canCreateIn(folder: string): Promise<boolean> {
  const { O_RDWR, O_CREAT, O_EXCL, W_OK, X_OK } = constants
  try {
    await access(folder, W_OK | X_OK)
    if (process.platform === 'linux') await (await open(folder, O_TMPFILE | O_RDWR)).close()
    if (process.platform === 'win32') {
      const file = join(folder, `.mediatray-${randomUUID()}`)
      await (await open(file, O_RDWR | O_CREAT | O_EXCL | O_TEMPORARY)).close()
    }
    return true
  } catch (error) {
    return !hasCode(error, 'EACCES', 'EPERM', 'EROFS', 'ENOENT', 'ENOTDIR')
  }
}
