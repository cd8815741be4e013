/** Finishes what a crash interrupted, and deletes expired originals. */
import { readdir } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { DAY_MS } from '../../shared/durations.ts'
import { messageOf } from '../../node/errors.ts'
import type { Restored } from '../../shared/model/replacement.ts'
import { createExpiry, PATIENCE_MS, removeEmpty, type ExpiryParts } from './expire-originals.ts'
import type { Replacing } from './replace-original.ts'
import type { StoredReplacement } from './replacement.ts'
import type { Vault } from './replacement-table.ts'
import type { Restoring } from './restore-original.ts'
import { clearCopies, clearResults } from './result-file.ts'
import { dayOf, outputOf, isAway } from './vault-parts.ts'
import { isOwnVault } from './vault-folder.ts'

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
    await removeResults(folder, replacements)
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

/** Deletes the results of a job whose originals have all been replaced or kept, except those that the journal knows. */
async function removeResults(folder: string, replacements: readonly StoredReplacement[]): Promise<void> {
  await clearResults(
    folder,
    new Set(replacements.map(({ state }) => (state.kind === 'kept' ? state.result : null))),
  )
}
