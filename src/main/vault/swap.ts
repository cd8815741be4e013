/**
 * Exchanges the file at a place with another file of the same volume, and notes each step in the journal first. Both files exist whole at
 * every moment, and no file is ever overwritten. Each folder is opened once, so that it can't be exchanged between a check and a move. Why
 * the leaving file moves first: docs/decisions/replacing.md.
 */
import { lstat, open, rename, rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { hasCode } from '../../node/errors.ts'
import { numberedIn } from '../../node/file-name.ts'
import {
  createTrustedFolder,
  openedFolders,
  type FolderRights,
  type OpenedFolders,
} from '../../node/opened-folder.ts'
import { isForeignLink } from '../../node/trusted-path.ts'
import { publishUnderFreeName, removeReservation } from '../../node/publish-file.ts'
import { syncFoldersOf } from '../../node/sync-folder.ts'
import { isInVault } from '../../shared/model/replacement.ts'
import { hasContentOf, hasMovedContentOf, readVersion, type FileVersion } from './file-version.ts'
import type { Move, Swap } from './stored-state.ts'

/** Returns a swap before its first step. */
export const newSwap = (leaving: Move | null, entering: Move): Swap => ({
  leaving,
  entering,
  reserved: null,
  copied: null,
})

export type SwapEnd =
  /** The entering file is at this path. */
  | { readonly kind: 'done'; readonly at: string }
  /** The leaving file is missing or isn't the expected version. If it was moved, it was moved back. */
  | { readonly kind: 'changed' }
  /** The entering file no longer exists or has changed. The other file was moved back. */
  | { readonly kind: 'lost' }
  /** A file operation failed. Each file is where it was before. */
  | { readonly kind: 'failed'; readonly error: unknown }

export type SwapDeps = {
  /** The rights of the leaving file's folder if it must be created again. */
  readonly rights: readonly FolderRights[]
  /** Returns the entering file's name for an attempt, counted from 1. The first free name is used. */
  readonly placeOf: (attempt: number) => string
  /** Records the swap durably. Called before each step. */
  readonly note: (swap: Swap) => void
  /** Called before the entering file gets a free name. If it rejects, the file isn't moved. */
  readonly onPlacing: (path: string, version: FileVersion) => Promise<void>
  /** Milliseconds since 1970. */
  readonly clock: () => number
}

/**
 * Performs a swap, or continues one that was interrupted: the files show which steps are complete. The caller must have noted the swap.
 * @throws the error of `note`, of moving a file back, or of a disk that can't make the last step durable. The swap can then be continued
 * later
 */
export async function performSwap(swap: Swap, deps: SwapDeps): Promise<SwapEnd> {
  const end = await performInOpened(swap, deps)
  const { leaving } = swap
  // The folder may have moved to another disk meanwhile, leaving a link behind.
  const hasMoved =
    end.kind === 'changed' && leaving !== null && (await hasContentOf(leaving.from, leaving.version))
  return hasMoved ? performInOpened(swap, deps) : end
}

async function performInOpened(swap: Swap, deps: SwapDeps): Promise<SwapEnd> {
  await using folders = openedFolders()
  return await continueSwap(swap, { ...deps, at: ownIn(folders) })
}

/** Creates a function that opens a file's folder. A folder in a vault must belong to this user. */
const ownIn =
  (folders: OpenedFolders): ((file: string) => Promise<string>) =>
  (file) =>
    folders.at(file, isInVault(file) ? process.getuid?.() : undefined)

type SwapParts = SwapDeps & Pick<OpenedFolders, 'at'>

async function continueSwap(swap: Swap, parts: SwapParts): Promise<SwapEnd> {
  const { leaving, entering, reserved } = swap
  if (reserved !== null) await removeReservation(reserved.path, reserved.at)
  if (swap.copied !== null) {
    await removeCopied(swap.copied, entering)
    const next = { ...swap, copied: null }
    parts.note(next)
    return continueSwap(next, parts)
  }
  if (leaving === null) return putInPlace(swap, parts)
  const isAway = await isStillAway(leaving, parts)
  if (!isAway) {
    if (await isPlaced(entering, parts)) return endPlaced(entering, entering.to, parts)
    const end = await takeAway(leaving, parts)
    if (end !== undefined) return returnTo(swap, parts, end)
  }
  // A file that was edited just before the move must not be replaced. If an earlier run moved the file, this run hasn't compared it before
  // the move, so an equal mtime isn't enough.
  const isUnedited = await (isAway ? hasContentOf : hasMovedContentOf)(
    await parts.at(leaving.to),
    leaving.version,
  )
  return isUnedited ? putInPlace(swap, parts) : returnTo(swap, parts, { kind: 'changed' })
}

/**
 * Removes the file that was copied from another volume, unless a program has changed it or the copy since. @throws if a file can't be read
 */
async function removeCopied(copied: string, { from, version }: Move): Promise<void> {
  if (!(await exists(copied))) return
  for (const path of [from, copied]) if ((await readVersion(path))?.sha256 !== version.sha256) return
  await rm(copied, { force: true })
  await syncFoldersOf(copied)
}

/**
 * Moves a user's file to a vault. The caller must have recorded the swap in the journal.
 * @returns false if the file has changed or is missing; a changed file may already be in the vault
 * @throws the file system's error
 */
export async function moveIn(move: Move): Promise<boolean> {
  await using folders = openedFolders()
  const at = ownIn(folders)
  const end = await takeAway(move, { at })
  if (end?.kind === 'failed') throw end.error
  return end === undefined && (await hasMovedContentOf(await at(move.to), move.version))
}

/** Moves the leaving file to the vault. @returns undefined if it is there now */
async function takeAway(
  { from, to, version }: Move,
  { at }: Pick<SwapParts, 'at'>,
): Promise<SwapEnd | undefined> {
  try {
    const place = await at(from)
    if (!(await hasContentOf(place, version))) return { kind: 'changed' }
    // The folder doesn't exist before the job's first file.
    await requireFolderOf(to, at)
    const away = await at(to)
    await rename(place, away)
    await syncFoldersOf(away, place)
    return undefined
  } catch (error) {
    return isMissing(error) ? { kind: 'changed' } : { kind: 'failed', error }
  }
}

/** Creates the folder of a file unless it has been opened or exists. Without this, a returning file would stay hidden in the vault. */
async function requireFolderOf(
  file: string,
  at: SwapParts['at'],
  rights?: readonly FolderRights[],
): Promise<void> {
  try {
    if (await exists(dirname(await at(file)))) return
  } catch (error) {
    if (!hasCode(error, 'ENOENT')) throw error
  }
  await createTrustedFolder(dirname(file), rights)
}

async function putInPlace(swap: Swap, parts: SwapParts): Promise<SwapEnd> {
  const { entering } = swap
  if (await isPlaced(entering, parts)) return endPlaced(entering, entering.to, parts)
  let place: string
  try {
    const from = await parts.at(entering.from)
    if (!(await hasContentOf(from, entering.version))) return await returnTo(swap, parts, { kind: 'lost' })
    await syncFile(from)
    let noted = swap
    const note = (next: Partial<Swap>): void => parts.note((noted = { ...noted, ...next }))
    place = await publishAt(
      from,
      parts.placeOf,
      parts,
      async (path) => note({ reserved: { path, at: parts.clock() } }),
      async (to) => {
        await parts.onPlacing(to, entering.version)
        // The first name that is tried is usually noted already.
        if (to !== noted.entering.to) note({ entering: { ...entering, to } })
      },
    )
  } catch (error) {
    return returnTo(swap, parts, { kind: 'failed', error })
  }
  return endPlaced(entering, place, parts)
}

/**
 * Moves a file to the first free name in a folder.
 * @param from the file's path through its opened folder
 * @returns its path, as users know it
 */
async function publishAt(
  from: string,
  nameOf: (attempt: number) => string,
  { at }: Pick<SwapParts, 'at'>,
  onReserving?: (path: string) => Promise<void>,
  onFree?: (path: string) => Promise<void>,
): Promise<string> {
  const first = nameOf(1)
  const access = dirname(await at(first))
  const known = (path: string) => join(dirname(first), basename(path))
  const placed = await publishUnderFreeName(
    from,
    (attempt) => join(access, basename(nameOf(attempt))),
    onReserving && ((path) => onReserving(known(path))),
    (path) => onFree?.(known(path)),
  )
  return known(placed)
}

/**
 * Moves a file from a vault to the first free name. Needs no journal: after a kill, the file is in the vault, at its new path, or at both.
 */
export async function moveOut(
  from: string,
  nameOf: (attempt: number) => string,
  onFree: (path: string) => Promise<void>,
): Promise<string> {
  await using folders = openedFolders()
  const at = ownIn(folders)
  const held = await at(from)
  const place = await publishAt(held, nameOf, { at }, undefined, onFree)
  await rm(held, { force: true })
  await syncFoldersOf(await at(place), held)
  return place
}

/** Finishes a swap whose entering file has been moved: removes the old path if it still exists, and makes the move durable. */
async function endPlaced({ from }: Move, place: string, { at }: SwapParts): Promise<SwapEnd> {
  await rm(await at(from), { force: true })
  await syncFoldersOf(await at(place), await at(from))
  return { kind: 'done', at: place }
}

/** Whether an earlier run has moved the entering file to its new path. Both paths may still lead to it. */
async function isPlaced({ from, to, version }: Move, parts: SwapParts): Promise<boolean> {
  const [here, there] = [await statAt(from, parts), await statAt(to, parts)]
  if (there === undefined) return false
  if (here === undefined) return hasContentOf(await parts.at(to), version)
  return here.ino === there.ino && here.dev === there.dev
}

/** Moves the leaving file back to its path, or to a free name next to it if another file is there. */
async function returnTo(swap: Swap, parts: SwapParts, end: SwapEnd): Promise<SwapEnd> {
  const { leaving } = swap
  if (leaving === null || (await statAt(leaving.to, parts)) === undefined) return end
  const { from, to } = leaving
  const away = await parts.at(to)
  await requireFolderOf(from, parts.at, parts.rights)
  const back = await publishAt(away, numberedIn(dirname(from), basename(from)), parts, async (path) =>
    parts.note({ ...swap, reserved: { path, at: parts.clock() } }),
  )
  await rm(away, { force: true })
  await syncFoldersOf(await parts.at(back), away)
  return end
}

/**
 * Whether the leaving file is in the vault. If its return was interrupted between adding its link at its place and removing the one in the
 * vault, removes the latter.
 */
async function isStillAway({ from, to }: Move, parts: SwapParts): Promise<boolean> {
  const away = await statAt(to, parts)
  if (away === undefined) return false
  const here = await statAt(from, parts)
  if (here?.ino !== away.ino || here.dev !== away.dev) return true
  await rm(await parts.at(to))
  return false
}

/** Like `statOf`. A file in a missing folder also counts as missing. */
async function statAt(path: string, { at }: SwapParts): ReturnType<typeof statOf> {
  try {
    return await statOf(await at(path))
  } catch (error) {
    if (isMissing(error)) return undefined
    throw error
  }
}

// A file whose name is too long can't exist.
const isMissing = (error: unknown): boolean =>
  isForeignLink(error) || hasCode(error, 'ENOENT', 'ENOTDIR', 'ENAMETOOLONG')

/** @throws if it is unknown whether the file exists */
export const statOf = (path: string) =>
  lstat(path, { bigint: true }).catch((error: unknown) => {
    if (isMissing(error)) return undefined
    throw error
  })

/** @throws if it is unknown whether the file exists */
export const exists = async (path: string): Promise<boolean> => (await statOf(path)) !== undefined

async function syncFile(path: string): Promise<void> {
  await using file = await open(path, 'r+')
  await file.sync()
}
