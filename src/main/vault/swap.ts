/**
 * Exchanges the file at a place with another file of the same volume, and notes each step in the journal first. Both files exist whole at every
 * moment, and no file is ever overwritten. Why the leaving file moves first: docs/decisions/replacing.md.
 */
import { lstat, mkdir, open, rename, rm } from 'node:fs/promises'
import { basename, dirname } from 'node:path'
import { hasCode } from '../../node/errors.ts'
import { numberedIn } from '../../node/file-name.ts'
import { publishUnderFreeName, removeReservation } from '../../node/publish-file.ts'
import { syncFolder, syncFoldersOf } from '../../node/sync-folder.ts'
import { hasContentOf, hasMovedContentOf, readVersion, type FileVersion } from './file-version.ts'

/** A file that moves from one absolute path to another. */
export type Move = {
  readonly from: string
  readonly to: string
  readonly version: FileVersion
}

export type Swap = {
  /** The file that leaves its place for the vault; null if the place is already free. */
  readonly leaving: Move | null
  /** The file that takes the place. `to` is the name that it was last about to get. */
  readonly entering: Move
  /** An empty file that reserves a name on a file system without hard links. `at` is in ms since 1970. */
  readonly reserved: { readonly path: string; readonly at: number } | null
  /** The file on another volume that the entering file is a verified copy of, until it is removed; null if there is none. */
  readonly copied: string | null
}

export type SwapEnd =
  /** The entering file is in place. */
  | { readonly kind: 'done'; readonly at: string }
  /** The file at the place isn't the expected version. It stays there. */
  | { readonly kind: 'changed' }
  /** The entering file no longer exists or has changed. The other file is back in its place. */
  | { readonly kind: 'lost' }
  /** A file operation failed. Each file is where it was before. */
  | { readonly kind: 'failed'; readonly error: unknown }

export type SwapDeps = {
  /** Returns the entering file's name for an attempt, counted from 1. The first free name is used. */
  readonly placeOf: (attempt: number) => string
  /** Records the swap durably. Called before each step. */
  readonly note: (swap: Swap) => void
  /** Called before the entering file gets a name that is free. */
  readonly onPlacing: (path: string, version: FileVersion) => Promise<void>
  /** Milliseconds since 1970. */
  readonly clock: () => number
}

/**
 * Performs a swap, or continues one that was interrupted: the files show which steps are complete. The caller has noted the swap.
 * @throws the error of `note`, of moving a file back, or of a disk that can't make the last step durable. The swap can then be continued
 * later
 */
export async function performSwap(swap: Swap, deps: SwapDeps): Promise<SwapEnd> {
  const { leaving, entering, reserved } = swap
  if (reserved !== null) await removeReservation(reserved.path, reserved.at)
  if (swap.copied !== null) {
    await removeCopied(swap.copied, entering)
    const next = { ...swap, copied: null }
    deps.note(next)
    return performSwap(next, deps)
  }
  if (leaving === null) return putInPlace(swap, deps)
  await finishReturn(leaving)
  const isAway = await exists(leaving.to)
  if (!isAway) {
    if (await isPlaced(entering)) return endPlaced(entering, entering.to)
    const end = await takeAway(leaving)
    if (end !== undefined) return returnTo(swap, deps, end)
  }
  // An edit just before the move is in the vault now. It must not be replaced. If an earlier run moved the file, the edit may be older.
  const isUnedited = await (isAway ? hasContentOf : hasMovedContentOf)(leaving.to, leaving.version)
  return isUnedited ? putInPlace(swap, deps) : returnTo(swap, deps, { kind: 'changed' })
}

/** Removes the file that was copied from another volume, unless a program has changed it since. @throws if a file can't be read */
async function removeCopied(copied: string, { from, version }: Move): Promise<void> {
  if (!(await exists(copied))) return
  for (const path of [from, copied]) if ((await readVersion(path))?.sha256 !== version.sha256) return
  await rm(copied, { force: true })
  await syncFoldersOf(copied)
}

/** @returns undefined if the file is now in the vault */
async function takeAway({ from, to, version }: Move): Promise<SwapEnd | undefined> {
  if (!(await hasContentOf(from, version))) return { kind: 'changed' }
  try {
    await rename(from, to).catch((error: unknown) => {
      if (!hasCode(error, 'ENOENT')) throw error
      // The job's first file.
      return renameIntoNewFolder(from, to)
    })
    await syncFoldersOf(to, from)
    return undefined
  } catch (error) {
    return hasCode(error, 'ENOENT') ? { kind: 'changed' } : { kind: 'failed', error }
  }
}

async function renameIntoNewFolder(from: string, to: string): Promise<void> {
  const created = await mkdir(dirname(to), { recursive: true, mode: 0o700 })
  if (created !== undefined) await syncFolder(dirname(created))
  await rename(from, to)
}

async function putInPlace(swap: Swap, deps: SwapDeps): Promise<SwapEnd> {
  const { entering } = swap
  if (await isPlaced(entering)) return endPlaced(entering, entering.to)
  let at: string
  try {
    if (!(await hasContentOf(entering.from, entering.version)))
      return await returnTo(swap, deps, { kind: 'lost' })
    await syncFile(entering.from)
    let noted = swap
    const note = (next: Partial<Swap>): void => deps.note((noted = { ...noted, ...next }))
    at = await publishUnderFreeName(
      entering.from,
      deps.placeOf,
      async (path) => note({ reserved: { path, at: deps.clock() } }),
      async (to) => {
        await deps.onPlacing(to, entering.version)
        // The first name that is tried is usually noted already.
        if (to !== noted.entering.to) note({ entering: { ...entering, to } })
      },
    )
  } catch (error) {
    return returnTo(swap, deps, { kind: 'failed', error })
  }
  return endPlaced(entering, at)
}

/** The entering file is in its place. Removes its other name if that is still there, and makes the move durable. */
async function endPlaced({ from }: Move, at: string): Promise<SwapEnd> {
  await rm(from, { force: true })
  await syncFoldersOf(at, from)
  return { kind: 'done', at }
}

/** Whether an earlier run has moved the entering file to its place. Both paths may still lead to it. */
async function isPlaced({ from, to, version }: Move): Promise<boolean> {
  const [here, there] = await Promise.all([statOf(from), statOf(to)])
  if (there === undefined) return false
  return here === undefined ? hasContentOf(to, version) : here.ino === there.ino && here.dev === there.dev
}

/** Moves the leaving file back to its place, or next to it if another file has taken the name. */
async function returnTo(swap: Swap, deps: SwapDeps, end: SwapEnd): Promise<SwapEnd> {
  const { leaving } = swap
  if (leaving === null || !(await exists(leaving.to))) return end
  const { from, to } = leaving
  const note = async (path: string) => deps.note({ ...swap, reserved: { path, at: deps.clock() } })
  const back = await publishUnderFreeName(to, numberedIn(dirname(from), basename(from)), note)
  await rm(to, { force: true })
  await syncFoldersOf(back, to)
  return end
}

/** Completes a return that was interrupted between adding the file's link at its place and removing the one in the vault. */
async function finishReturn({ from, to }: Move): Promise<void> {
  const [here, away] = await Promise.all([statOf(from), statOf(to)])
  if (here !== undefined && here.ino === away?.ino && here.dev === away.dev) await rm(to)
}

/** @throws if the disk doesn't tell. A file that can't be seen may still be there */
export const statOf = (path: string) =>
  lstat(path, { bigint: true }).catch((error: unknown) => {
    // A file whose name is too long can't exist.
    if (['ENOENT', 'ENOTDIR', 'ENAMETOOLONG'].some((code) => hasCode(error, code))) return undefined
    throw error
  })

/** @throws if the disk doesn't tell */
export const exists = async (path: string): Promise<boolean> => (await statOf(path)) !== undefined

async function syncFile(path: string): Promise<void> {
  const file = await open(path, 'r+')
  try {
    await file.sync()
  } finally {
    await file.close()
  }
}
