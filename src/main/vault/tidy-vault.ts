/** Finishes what a crash interrupted, and deletes expired originals. */
import { readdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { messageOf } from '../../node/errors.ts'
import { isTakenAway } from '../../node/mounted-disk.ts'
import {
  createExpiry,
  PATIENCE_MS,
  removeEmpty,
  whetherToDelete,
  type ExpiryParts,
} from './expire-originals.ts'
import type { Replacing } from './replace-original.ts'
import type { StoredReplacement } from './replacement.ts'
import type { Vault } from './replacement-table.ts'
import type { Restoring } from './restore-original.ts'
import { clearResults } from './result-file.ts'
import { dayOf, outputOf, whileClaimed, isAway } from './vault-parts.ts'
import { isOwnVault } from './vault-folder.ts'

const DAY_MS = 24 * 60 * 60 * 1000

export type Tidying = {
  /** Finishes the swap of a replacement that a crash or an error interrupted, unless its volume isn't connected. */
  recover(replacement: StoredReplacement): Promise<void>
  /** Finishes all swaps that no running process works on. */
  recoverAll(): Promise<void>
  /** @param isOpen whether the job with this output folder may still end */
  tidy(isOpen: (output: string) => boolean): Promise<void>
  /**
   * Deletes everything permanently, except on volumes that aren't connected. Originals of interrupted swaps stay: they weren't in the
   * vault yet when the user emptied it. Files that another program has changed in the vault move next to the user's other ones.
   */
  empty(): Promise<void>
}

export function createTidying(
  parts: ExpiryParts & { readonly keepDays: () => number | null },
  replacing: Replacing,
  restoring: Restoring,
): Tidying {
  const { table, clock, keepDays, log } = parts
  const expiry = createExpiry(parts, restoring)

  async function recover(replacement: StoredReplacement): Promise<void> {
    const { state } = replacement
    if (state.kind !== 'swapping' || (await isAway(replacement))) return
    if (state.goal === 'replace' || state.goal === 'keep') await replacing.finish(replacement, state)
    else await restoring.finish(replacement, state)
  }

  /** Forgets a job that was never sent, or whose record was deleted before its originals were replaced. They are in their places. */
  async function forget({ id, job, behind }: StoredReplacement): Promise<void> {
    if (await isTakenAway(job, behind)) return
    await whileClaimed(table(), id, async ({ state }) => {
      if (state.kind === 'waiting') table().forget(id)
    })
    if (await isOwnVault(dirname(job))) await sweepJob(job)
  }

  /** Removes what the jobs of a vault have left, except the files that the journal knows. */
  async function sweep({ path: vault, behind }: Vault): Promise<void> {
    if ((await isTakenAway(vault, behind)) || !(await isOwnVault(vault))) return
    for (const name of await readdir(vault).catch(() => [])) {
      const job = join(vault, name)
      // A job without originals may be one that another process prepares at this moment.
      if (table().of(job).length > 0 || name < dayOf(clock() - DAY_MS)) await sweepJob(job)
    }
  }

  async function sweepJob(job: string): Promise<void> {
    const replacements = table().of(job)
    if (replacements.some(({ state }) => state.kind === 'waiting' || state.kind === 'swapping')) return
    await removeResults(job, replacements)
    await removeEmpty(job)
  }

  async function recoverAll(): Promise<void> {
    for (const { id, path } of table().swapping()) {
      await whileClaimed(table(), id, recover).catch((error: unknown) =>
        log('replacement not finished', { path, error: messageOf(error) }),
      )
    }
  }

  async function tidy(isOpen: (output: string) => boolean): Promise<void> {
    await recoverAll()
    // Younger ones may belong to a job that is being submitted.
    for (const replacement of table().waiting(clock() - PATIENCE_MS))
      if (!isOpen(outputOf(replacement.job))) await forget(replacement)
    for (const vault of table().vaults()) await sweep(vault)
    const days = keepDays()
    if (days === null) return
    const [age, now] = [days * DAY_MS, clock()]
    const due = table().due(age, now, (at, since) => whetherToDelete(age, now, at, since))
    await expiry.expire(due, false)
  }

  return {
    tidy,
    recover,
    recoverAll,
    async empty() {
      const known = table().inVaults()
      await recoverAll()
      const held = known.filter(({ state }) => state.kind !== 'swapping')
      await expiry.expire(held, true)
    },
  }
}

/** Deletes the results of a job whose originals have all been replaced or kept, except those that the journal knows. */
async function removeResults(job: string, replacements: readonly StoredReplacement[]): Promise<void> {
  await clearResults(
    job,
    new Set(replacements.map(({ state }) => (state.kind === 'kept' ? state.result : null))),
  )
}
