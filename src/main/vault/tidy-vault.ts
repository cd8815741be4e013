/** Finishes what a crash interrupted, and deletes expired originals. */
import { readdir, rm, rmdir } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { DAY_MS } from '../../shared/durations.ts'
import { hasCode, messageOf } from '../../node/errors.ts'
import type { Restored } from '../../shared/model/replacement.ts'
import type { Log } from '../../node/log.ts'
import { numberedIn } from '../../node/file-name.ts'
import type { Replacing } from './replace-original.ts'
import type { ReplacementState, StoredReplacement } from './replacement.ts'
import type { Vault } from './replacement-table.ts'
import type { Restoring } from './restore-original.ts'
import { clearCopies, clearResults, deleteResult } from './result-file.ts'
import {
  COPIES,
  dayOf,
  exists,
  isAway,
  ORIGINALS,
  outputOf,
  REPLACED,
  RESULTS,
  statOf,
  type VaultParts,
  withEndingOf,
} from './vault-parts.ts'
import { isOwnVault } from './vault-folder.ts'
import { hasContentOf, readVersion } from './file-version.ts'
import { isReplacementThere } from './later-result.ts'
import { type LastReplacedAt, readLastReplaced, removeRecords } from './original-record.ts'
import type { Swapping } from './stored-state.ts'
import { moveOut, newSwap } from './swap.ts'

/** An undo or redo that a crash had interrupted, and that was finished later. */
export type FinishedSwap = {
  readonly output: string
  readonly became: 'restored' | 'replaced'
  readonly file: Restored
}

export type WaitingIn = (output: string) => readonly string[]

export function createTidying(
  parts: ExpiryParts & { readonly keepDays: () => number | null },
  replacing: Replacing,
  restoring: Restoring,
) {
  const { table, clock, keepDays, log } = parts
  const expiry = createExpiry(parts, restoring)

  /**
   * Finishes the swap of a replacement that a crash or an error interrupted, if its volume is connected. @returns how an undo or redo
   * ended; undefined for other swaps
   */
  async function recover(replacement: StoredReplacement): Promise<Restored | undefined> {
    const { state } = replacement
    if (state.kind !== 'swapping' || (await isAway(replacement))) return undefined
    if (state.goal === 'restore' || state.goal === 'redo') return restoring.finish(replacement, state)
    if (state.goal === 'replace') await replacing.finishReplacing(replacement, state)
    else await replacing.finishKeeping(replacement, state)
    return undefined
  }

  /** Forgets an original whose job was never sent, or whose record was deleted before the replacement. The original was never moved. */
  async function forget(replacement: StoredReplacement): Promise<void> {
    const { id, folder } = replacement
    if (await isAway(replacement)) return
    table().forget(id)
    await sweepJob(folder)
  }

  /** Notes originals that were in a lost journal. Otherwise the results that are meant to replace them would be removed. */
  async function noteForgotten({ path: vault }: Vault, waitingIn: WaitingIn): Promise<void> {
    if (!(await isOwnVault(vault))) return
    for (const name of await readdir(vault).catch(() => [])) {
      const job = join(vault, name)
      const results = await readdir(outputOf(job)).catch(() => [])
      if (results.length > 0) table().addUnreadable(job, waitingIn(outputOf(job)))
    }
  }

  /** Removes leftover files of a vault's jobs. Keeps the files that the journal knows. */
  async function sweep({ path: vault }: Vault): Promise<void> {
    if (!(await isOwnVault(vault))) return
    for (const name of await readdir(vault).catch(() => [])) {
      const folder = join(vault, name)
      // A job without originals may still be in preparation.
      if (table().inJobFolder(folder).length > 0 || name < dayOf(clock() - DAY_MS)) await sweepJob(folder)
    }
  }

  async function sweepJob(folder: string): Promise<void> {
    // The swap of an original may be moving to this vault from another vault, which has a folder with the same name.
    if (
      table()
        .swapping()
        .some((one) => basename(one.folder) === basename(folder))
    )
      return
    const replacements = table().inJobFolder(folder)
    if (replacements.some(({ state }) => state.kind === 'waiting' || state.kind === 'unreadable')) return
    await clearCopies(folder)
    // The originals have all been replaced or kept. Only the results that the journal knows are still needed.
    const known = replacements.map(({ state }) => (state.kind === 'kept' ? state.result : null))
    await clearResults(folder, new Set(known))
    await removeEmpty(folder)
  }

  /**
   * Finishes all interrupted swaps, except on volumes that aren't connected. Logs those that fail. @returns each interrupted undo or redo
   * that is now finished
   */
  async function recoverAll(): Promise<readonly FinishedSwap[]> {
    const finished: FinishedSwap[] = []
    for (const replacement of table().swapping()) {
      const { id, path, job } = replacement
      const file = await recover(replacement).catch((error: unknown) =>
        log('replacement not finished', { path, error: messageOf(error) }),
      )
      const state = table().get(id)?.state.kind
      if (file === undefined || file.kind === 'failed') continue
      if (state === 'restored' || state === 'replaced')
        finished.push({ output: outputOf(job), became: state, file })
    }
    return finished
  }

  /**
   * Finishes interrupted swaps, and removes what isn't needed anymore.
   * @param isOpen whether the job with this output folder hasn't ended yet
   * @param waitingIn returns the originals that a job with this output folder has yet to replace
   */
  async function tidy(isOpen: (output: string) => boolean, waitingIn: WaitingIn): Promise<void> {
    await recoverAll()
    for (const vault of table().vaults()) await noteForgotten(vault, waitingIn)
    // Younger originals may belong to a job that is being submitted.
    for (const replacement of table().waiting(clock() - PATIENCE_MS))
      if (!isOpen(outputOf(replacement.job))) await forget(replacement)
    for (const vault of table().vaults()) await sweep(vault)
    const days = keepDays()
    if (days === null) return
    await expiry.expire(table().due(days * DAY_MS, PATIENCE_MS), false)
  }

  return {
    tidy,
    recover,
    recoverAll,
    /**
     * Deletes everything permanently, except on volumes that aren't connected. Originals of interrupted swaps stay: they weren't in the
     * vault yet when the user emptied it. Files that another program has changed in the vault move to the folders of their originals.
     * @param unrestored whether to delete even originals whose undo failed
     */
    async empty(unrestored: boolean): Promise<void> {
      const known = table().inVaults()
      await recoverAll()
      const expiring = known.filter(
        ({ id, state }) => state.kind !== 'swapping' && (unrestored || !table().isRetained(id)),
      )
      await expiry.expire(expiring, true)
    },
  }
}

/** Extra time in ms before an expired original is deleted, because the clock may have been wrong at some point. */
const PATIENCE_MS = DAY_MS

type ExpiryParts = VaultParts & {
  /**
   * Called with the new paths of files that were moved out of the vault instead of deleted, because another program had changed them there.
   */
  readonly onReleased: (places: readonly string[]) => void
  readonly log: Log
}

function createExpiry(parts: ExpiryParts, restoring: Restoring) {
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
async function removeEmpty(job: string): Promise<void> {
  const remove = (folder: string) => rmdir(join(job, folder)).catch(() => undefined)
  for (const folder of [RESULTS, COPIES, ORIGINALS, REPLACED]) await remove(folder)
  const areThere = await Promise.all([ORIGINALS, REPLACED].map((folder) => exists(join(job, folder))))
  if (!areThere.includes(true)) await removeRecords(job)
  await remove('')
}

/**
 * Moves a file that another program has changed in the vault, for example because it had the file open, to the folder of its original, so
 * that the file isn't deleted.
 * @returns where it is now; undefined if it stays in the vault
 */
async function releaseChanged(
  parts: VaultParts,
  restoring: Restoring,
  replacement: StoredReplacement,
): Promise<string | undefined> {
  const { id, target, state } = replacement
  if (state.kind === 'restored') return releaseResult(parts, replacement, state)
  if (state.kind !== 'replaced') return undefined
  const { place, original, result, at } = state
  const version = await readVersion(original)
  if (version === undefined) return undefined
  const swap = newSwap(null, { from: original, to: target, version })
  const swapping: Swapping = { kind: 'swapping', goal: 'restore', swap, place, result, at }
  parts.put(id, swapping)
  const end = await restoring.finish(replacement, swapping)
  return end.kind === 'failed' ? undefined : end.place
}

async function releaseResult(
  { put, onPlacing }: VaultParts,
  { id, target }: StoredReplacement,
  state: Extract<ReplacementState, { readonly kind: 'restored' }>,
): Promise<string | undefined> {
  if (state.result === null) return undefined
  const version = await readVersion(state.result)
  if (version === undefined) return undefined
  const names = numberedIn(dirname(target), basename(withEndingOf(target, state.result)))
  const place = await moveOut(state.result, names, (to) => onPlacing(to, version, 'original'))
  put(id, { ...state, result: null, version: null })
  return place
}
