import { link, open, rename, unlink } from 'node:fs/promises'
import { extname, join } from 'node:path'
import { hasCode } from './failure.ts'

/** Systems without hard links (exFAT, some network shares) say so in many ways. */
const NO_LINKS = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK', 'EXDEV', 'EINVAL', 'EACCES'])

/**
 * Gives a finished file its place, which must be in the same folder, and never replaces anything there.
 * @returns whether the place was free
 */
export async function placeFile(temporary: string, target: string): Promise<boolean> {
  try {
    // Unlike renaming, linking fails where the target exists, on every system that knows it.
    await link(temporary, target)
  } catch (error) {
    if (!hasCode(error)) throw error
    if (error.code === 'EEXIST') return false
    if (!NO_LINKS.has(error.code)) throw error
    return reserveAndRename(temporary, target)
  }
  await unlink(temporary)
  return true
}

async function reserveAndRename(temporary: string, target: string): Promise<boolean> {
  try {
    const reserved = await open(target, 'wx')
    await reserved.close()
  } catch (error) {
    if (hasCode(error) && error.code === 'EEXIST') return false
    throw error
  }
  await rename(temporary, target)
  return true
}

/** `photo.jpg`, `photo (2).jpg`, `photo (3).jpg` …: the first that is free becomes the place. */
export async function placeUnderFreeName(temporary: string, folder: string, name: string): Promise<string> {
  const extension = extname(name)
  const stem = extension === '' ? name : name.slice(0, -extension.length)
  for (let attempt = 1; ; attempt++) {
    const target = join(folder, attempt === 1 ? name : `${stem} (${attempt})${extension}`)
    if (await placeFile(temporary, target)) return target
  }
}
