/** Moves finished files to their final names atomically, without overwriting other files. */
import { link, lstat, open, rename, rm, unlink } from 'node:fs/promises'
import { hasCode } from './errors.ts'

/**
 * Called with a free name before an empty placeholder file reserves it. If this process is killed before the finished file replaces
 * the placeholder, another process can remove the placeholder.
 */
export type NoteReservation = (target: string) => Promise<void>

/**
 * Moves a finished temporary file to its final name on the same file system.
 * @param noteReservation called only if the file system doesn't support hard links
 * @returns whether the name was free; if not, nothing has changed
 * @throws the file system's error; the name is then free and the temporary file still exists
 */
export async function publishFile(
  temporary: string,
  target: string,
  noteReservation?: NoteReservation,
): Promise<boolean> {
  try {
    // Linking fails if the name exists. Renaming would overwrite the existing file.
    await link(temporary, target)
  } catch (error) {
    if (hasCode(error, 'EEXIST')) return false
    return reserveAndRename(temporary, target, noteReservation)
  }
  // The result already has its final name, so ignore a temporary file that can't be removed.
  await unlink(temporary).catch(() => undefined)
  return true
}

/**
 * Fallback for file systems without hard links (FAT, some network shares). Called after any error except EEXIST, because these file systems
 * report many different codes. An empty file reserves the name until the finished file replaces it.
 */
async function reserveAndRename(
  temporary: string,
  target: string,
  noteReservation: NoteReservation | undefined,
): Promise<boolean> {
  // If an empty file already exists, it isn't ours and must never be noted as ours.
  if (await isThere(target)) return false
  await noteReservation?.(target)
  try {
    await (await open(target, 'wx')).close()
  } catch (error) {
    if (hasCode(error, 'EEXIST')) return false
    throw error
  }
  try {
    await rename(temporary, target)
  } catch (error) {
    // Another program may have written to the placeholder in the meantime.
    await removeReservation(target, Number.POSITIVE_INFINITY)
    throw error
  }
  return true
}

/**
 * Moves the file to the first free name.
 * @param nameOf returns the absolute path for an attempt, counted from 1
 * @param onFree called with a free name before the file is moved there. Another process may still take the name first
 * @returns the file's new path
 */
export async function publishUnderFreeName(
  temporary: string,
  nameOf: (attempt: number) => string,
  noteReservation?: NoteReservation,
  onFree?: (target: string) => void | Promise<void>,
): Promise<string> {
  for (let attempt = 1; ; attempt++) {
    const target = nameOf(attempt)
    if (await isThere(target)) continue
    await onFree?.(target)
    if (await publishFile(temporary, target, noteReservation)) return target
  }
}

/**
 * Removes an empty placeholder file noted by a process that was killed. Never throws, because the disk may be disconnected.
 * @param notedAt ms since 1970; an empty file that is newer isn't ours
 */
export async function removeReservation(target: string, notedAt: number): Promise<void> {
  const found = await lstat(target).catch(() => undefined)
  if (found?.isFile() !== true || found.size > 0 || found.mtimeMs > notedAt + CLOCK_SLACK_MS) return
  await rm(target, { force: true }).catch(() => undefined)
}

/** Tolerance for network disks, whose clocks may differ from ours. */
const CLOCK_SLACK_MS = 60_000

const isThere = (path: string): Promise<boolean> =>
  lstat(path).then(
    () => true,
    (error: unknown) => {
      if (hasCode(error, 'ENOENT')) return false
      throw error
    },
  )
