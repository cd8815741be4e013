/** Deletes files from the vaults when they expire or the user empties the vaults. */
import { rm, rmdir } from 'node:fs/promises'
import { join } from 'node:path'
import { DAY_MS } from '../../shared/durations.ts'
import { hasCode, messageOf } from '../../node/errors.ts'
import type { Log } from '../../node/log.ts'
import { hasContentOf } from './file-version.ts'
import { isReplacementThere } from './later-result.ts'
import { readLastReplaced, removeRecords, type LastReplacedAt } from './original-record.ts'
import { releaseChanged } from './release-changed.ts'
import type { StoredReplacement } from './replacement.ts'
import type { Restoring } from './restore-original.ts'
import { deleteResult } from './result-file.ts'
import {
  COPIES,
  exists,
  isAway,
  ORIGINALS,
  REPLACED,
  RESULTS,
  statOf,
  type VaultParts,
} from './vault-parts.ts'

/** Extra time in ms before an expired original is deleted, because the clock may have been wrong at some point. */
export const PATIENCE_MS = DAY_MS

export type ExpiryParts = VaultParts & {
  /**
   * Called with the new paths of files that were moved out of the vault instead of deleted, because another program had changed them there.
   */
  readonly onReleased: (places: readonly string[]) => void
  readonly log: Log
}

export function createExpiry(parts: ExpiryParts, restoring: Restoring) {
  const { table, clock, put, onReleased, log } = parts

  /**
   * Deletes a replacement's file from the vault, or moves it out of the vault if another program has changed it.
   * @param mayBeLast whether to delete the file even if no other version of the photo or video exists
   */
  async function expire(
    replacement: StoredReplacement,
    mayBeLast: boolean,
    lastReplacedAt: LastReplacedAt,
  ): Promise<void> {
    const { id, folder, target, state } = replacement
    if (await isAway(replacement)) return
    if (state.kind === 'replaced' || state.kind === 'restored') {
      if (!mayBeLast) {
        // An older copy of the journal doesn't know when the original was replaced again.
        const at = await lastReplacedAt(replacement)
        if (at > state.at) return put(id, { ...state, at })
        if (!(await isOtherThere(replacement))) return
      }
      const file = state.kind === 'replaced' ? state.original : state.result
      if (await isChanged(replacement, file)) return release(replacement)
      if (file !== null) await rm(file, { force: true })
      const version = state.kind === 'replaced' ? state.result : null
      put(id, { kind: 'expired', at: clock(), was: state.kind, place: state.place, version })
    } else if (state.kind === 'kept' && state.at !== null && state.result !== null) {
      // Here, the original is at its own path, and its result was left in the vault.
      if (!mayBeLast && !(await isWhole(target))) return
      await deleteResult(folder, state.result)
      put(id, { ...state, result: null, version: null, at: null })
    } else return
    await removeEmpty(folder)
  }

  /** Whether the counterpart of the file in the vault still exists: the result that replaced the original, or the restored original. */
  async function isOtherThere({ version, state }: StoredReplacement): Promise<boolean> {
    if (state.kind === 'restored') return hasContentOf(state.place, version)
    return state.kind === 'replaced' && isReplacementThere(table(), state.place, state.result)
  }

  let released: string[] = []

  async function release(replacement: StoredReplacement): Promise<void> {
    const place = await releaseChanged(parts, restoring, replacement)
    if (place === undefined) return
    released.push(place)
    await removeEmpty(replacement.folder)
  }

  /**
   * Deletes files from the vaults. Files that can't be deleted stay and are logged; the next call tries them again.
   * @param mayBeLast whether to delete files even if no other version of the photo or video exists
   */
  async function expireEach(all: readonly StoredReplacement[], mayBeLast: boolean): Promise<void> {
    const lastReplacedAt = readLastReplaced()
    try {
      for (const one of all) {
        await expire(one, mayBeLast, lastReplacedAt).catch((error: unknown) => {
          if (isDatabaseError(error)) throw error
          // A file that can't be deleted, for example on a read-only volume, must not affect the others.
          log('file in the vault not deleted', { path: one.path, error: messageOf(error) })
        })
      }
    } finally {
      if (released.length > 0) onReleased(released)
      released = []
    }
  }

  return { expire: expireEach }
}

/** Whether the journal caused the failure, rather than a file in a vault. */
const isDatabaseError = (error: unknown): boolean => hasCode(error, 'ERR_SQLITE_ERROR')

/**
 * Whether a program has changed a file in the vault, for example because it had the file open. Reads the file, because some programs keep
 * the dates.
 */
async function isChanged(
  { version: original, state }: StoredReplacement,
  file: string | null,
): Promise<boolean> {
  const version = state.kind === 'restored' ? state.version : original
  if (file === null || version === null || !(await isWhole(file))) return false
  return !(await hasContentOf(file, version))
}

/** Whether a regular file exists and isn't empty. @throws if that is unknown */
async function isWhole(path: string): Promise<boolean> {
  const found = await statOf(path)
  return found?.isFile() === true && found.size > 0n
}

/**
 * Removes a job's folder and its subfolders if they are empty. Removes the descriptions once neither originals nor the results of restored
 * originals are left.
 */
export async function removeEmpty(job: string): Promise<void> {
  const remove = (folder: string) => rmdir(join(job, folder)).catch(() => undefined)
  for (const folder of [RESULTS, COPIES, ORIGINALS, REPLACED]) await remove(folder)
  const areThere = await Promise.all([ORIGINALS, REPLACED].map((folder) => exists(join(job, folder))))
  if (!areThere.includes(true)) await removeRecords(job)
  await remove('')
}
