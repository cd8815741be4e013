/** Performs or continues the swap of one original, and journals its steps. */
import { constants } from 'node:fs'
import { chmod, copyFile, lstat, mkdir, open, rename, rm, utimes } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { hasCode } from '../../node/errors.ts'
import { syncFoldersOf } from '../../node/sync-folder.ts'
import type { StoredReplacement } from './replacement.ts'
import type { Move, Swapping } from './stored-state.ts'
import { performSwap, type SwapEnd } from './swap.ts'
import { COPIES, freePath, isAway, type VaultParts } from './vault-parts.ts'
import { copyRights, withAttributes } from './file-attributes.ts'
import { type FileVersion, hasContentOf, readVersion } from './file-version.ts'
import { describeOriginal, describeReplaced } from './original-record.ts'

/** How a swap ended, and where it took place. */
export type Swapped<S extends Swapping> = {
  readonly end: SwapEnd
  readonly replacement: StoredReplacement
  readonly swapping: S
}

/**
 * Performs or continues a swap. If the place is on another volume than the vault, the swap continues in a vault of that volume.
 * @param allow called before the entering file is copied or moved. Throws if the file must stay where it is
 * @throws if the swap must be continued later, for example because its volume was unmounted, so that its files can't be seen
 */
export async function swapFiles<S extends Swapping>(
  parts: VaultParts,
  replacement: StoredReplacement,
  swapping: S,
  placeOf: (attempt: number) => string,
  allow: (folder: string, from: string) => Promise<void> = async () => undefined,
): Promise<Swapped<S>> {
  const requireAllowed = () => allow(replacement.folder, swapping.swap.entering.from)
  const end = await performSwap(swapping.swap, {
    placeOf,
    rights: replacement.rights,
    clock: parts.clock,
    async onPlacing(path, version) {
      await requireAllowed()
      await parts.onPlacing(path, version)
    },
    note: (swap) => parts.table().put(replacement.id, { ...swapping, swap }),
  })
  if (end.kind !== 'done' && (await isAway(replacement)))
    throw new Error('The volume was unmounted during the swap.')
  const here: Swapped<S> = { end, replacement, swapping }
  if (end.kind !== 'failed' || !hasCode(end.error, 'EXDEV')) return here
  const moved = await requireAllowed()
    .then(() => moveToOtherVault(parts, replacement, swapping))
    .catch((error: unknown) => ({ error }))
  if (moved === undefined) return here
  if ('error' in moved) return { ...here, end: { kind: 'failed', error: moved.error } }
  return swapFiles(parts, moved.replacement, moved.swapping, placeOf, allow)
}

/**
 * Continues a swap in the vault of another volume: copies the entering file to a vault on the volume where it belongs, and records that.
 * The folder of an original may have moved to another disk since the original was replaced, and files can't be renamed between volumes. The
 * copy is read back before its source is removed.
 * @returns undefined if that is the same vault
 * @throws the file system's error, or EIO if the copy is different; the journal is unchanged then
 */
async function moveToOtherVault<S extends Swapping>(
  { table, vaultFor }: VaultParts,
  replacement: StoredReplacement,
  swapping: S,
): Promise<{ readonly replacement: StoredReplacement; readonly swapping: S } | undefined> {
  const { id, target, folder: before } = replacement
  const { leaving, entering } = swapping.swap
  const vault = await vaultFor(dirname(target))
  if (vault === dirname(before)) return undefined
  const folder = join(vault, basename(before))
  const version = (await readVersion(entering.from)) ?? entering.version
  const from = await copyToVault({ ...entering, version }, folder, `${id}`)
  const made = await readVersion(from)
  if (made?.sha256 !== version.sha256) throw unreadable(from)
  const next: S = {
    ...swapping,
    swap: {
      leaving: leaving && {
        ...leaving,
        to: await freePath(partOf(leaving.to, folder), basename(leaving.to)),
      },
      entering: { from, to: entering.to, version: made },
      reserved: null,
      copied: entering.from,
    },
  }
  const moved = { ...replacement, folder }
  if (next.goal === 'restore') await describeReplaced(moved, { ...next, original: from })
  else await describeOriginal(moved, next)
  table().moveToVault(id, folder, next)
  return { replacement: moved, swapping: next }
}

/** Returns the subfolder of a job's folder that has the same name as the file's own subfolder, such as `originals`. */
const partOf = (file: string, folder: string): string => join(folder, basename(dirname(file)))

/** Copies a file to the same subfolder of a job's folder in another vault. Reuses the copy from an earlier attempt if there is one. */
async function copyToVault({ from, version }: Move, folder: string, name: string): Promise<string> {
  const part = partOf(from, folder)
  const to = join(part, basename(from))
  for (const one of [folder, part, join(folder, COPIES)]) await mkdir(one, { recursive: true, mode: 0o700 })
  if (await hasContentOf(to, version)) return to
  const copy = join(folder, COPIES, name)
  try {
    await rm(copy, { force: true })
    await copyWhole(from, copy, version)
    const free = await freePath(part, basename(from))
    await rename(copy, free)
    await syncFoldersOf(free, folder, part, copy)
    return free
  } catch (error) {
    await rm(copy, { force: true })
    throw error
  }
}

/** Copies a file with its attributes, and reads the copy back. @throws the file system's error, or EIO if the copy is different */
async function copyWhole(from: string, copy: string, version: FileVersion): Promise<void> {
  await copyFile(from, copy, constants.COPYFILE_EXCL)
  await chmod(copy, 0o600)
  const file = await open(copy, 'r+')
  try {
    await file.sync()
  } finally {
    await file.close()
  }
  await copyAttributes(from, copy)
  if ((await readVersion(copy))?.sha256 !== version.sha256) throw unreadable(copy)
}

/**
 * Copies attributes. If that fails, for example because the volume can't store owners or access control lists, tries `copyRights` and the
 * dates, because an undo must not fail for that reason.
 */
async function copyAttributes(from: string, copy: string): Promise<void> {
  try {
    await withAttributes((copyAll) => copyAll(from, copy))
  } catch {
    await copyRights(from, copy).catch(() => undefined)
    const { atime, mtime } = await lstat(from)
    await utimes(copy, atime, mtime).catch(() => undefined)
  }
}

const unreadable = (path: string): Error =>
  Object.assign(new Error(`The copy ${path} isn’t like its original.`), { code: 'EIO' })
