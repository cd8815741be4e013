/** Finishes what a crash interrupted, and deletes expired originals. */
import { lstat, readdir, rm, rmdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { messageOf } from '../../node/errors.ts'
import type { Log } from '../../node/log.ts'
import { isTakenAway } from '../../node/mounted-disk.ts'
import { hasContentOf, type FileVersion } from './file-version.ts'
import { removeRecords } from './original-record.ts'
import type { Replacing } from './replace-original.ts'
import type { StoredReplacement } from './replacement.ts'
import type { Vault } from './replacement-table.ts'
import type { Restoring } from './restore-original.ts'
import { clearResults, deleteResult } from './result-file.ts'
import { dayOf, exists, outputOf, RESULTS, whileClaimed, type VaultParts } from './vault-parts.ts'
import { isOwnVault } from './vault-folder.ts'

const DAY_MS = 24 * 60 * 60 * 1000
/** An expired original is deleted only if it was still expired this many ms later. */
const PATIENCE_MS = DAY_MS

export type Tidying = {
  /** Finishes the swap of a replacement that a crash or an error interrupted, unless its volume isn't connected. */
  recover(replacement: StoredReplacement): Promise<void>
  /** Finishes all swaps that no running process works on. */
  recoverAll(): Promise<void>
  /** @param isOpen whether the job with this output folder may still end */
  tidy(isOpen: (output: string) => boolean): Promise<void>
  /**
   * Deletes everything permanently, except on volumes that aren't connected. Originals of interrupted swaps stay: they weren't in the
   * vault yet when the user emptied it.
   */
  empty(): Promise<void>
}

export function createTidying(
  parts: VaultParts & { readonly keepDays: () => number | null; readonly log: Log },
  replacing: Replacing,
  restoring: Restoring,
): Tidying {
  const { table, clock, put, keepDays, log } = parts

  async function recover(replacement: StoredReplacement): Promise<void> {
    const { job, behind, state } = replacement
    if (state.kind !== 'swapping' || (await isTakenAway(job, behind))) return
    if (state.goal === 'replace' || state.goal === 'keep') await replacing.finish(replacement, state)
    else await restoring.finish(replacement, state)
  }

  /**
   * Deletes a file from the vault.
   * @param mayBeLast whether to delete it even if it is the only version of the photo or video that is left
   */
  async function expire(replacement: StoredReplacement, mayBeLast: boolean): Promise<void> {
    const { id, job, path, behind, state } = replacement
    if (await isTakenAway(job, behind)) return
    if (!(await isOwnVault(dirname(job)))) return
    if (state.kind === 'replaced' || state.kind === 'restored') {
      if (!mayBeLast && !(await isSpare(replacement))) return
      const file = state.kind === 'replaced' ? state.original : state.result
      if (file !== null) await rm(file, { force: true })
      put(id, { kind: 'expired', at: clock(), was: state.kind, place: state.place })
    } else if (state.kind === 'kept' && state.at !== null && state.result !== null) {
      // The original was in its place, and the result couldn't be moved next to it.
      if (!mayBeLast && !(await isWhole(path))) return
      await deleteResult(job, state.result)
      put(id, { ...state, result: null, at: null })
    } else return
    await removeEmpty(job)
  }

  /** Whether the file in the vault is as it was, and the one that took its place is still there. */
  async function isSpare({ version, state }: StoredReplacement): Promise<boolean> {
    if (state.kind === 'restored') return hasContentOf(state.place, version)
    if (state.kind !== 'replaced') return false
    if ((await isWhole(state.original)) && !(await hasContentOf(state.original, version))) return false
    return isReplacementThere(state.place, state.result)
  }

  /**
   * Whether a replacement, or a later result that replaced it, is in its place. Another file with its name, such as the next photo
   * that a camera calls IMG_0001, isn't the replacement.
   */
  async function isReplacementThere(place: string, result: FileVersion): Promise<boolean> {
    if (await hasContentOf(place, result)) return true
    for (const { path, version, state } of table().inFolder(place, 'replaced')) {
      if (path !== place || version.sha256 !== result.sha256 || state.kind !== 'replaced') continue
      // A result is always smaller than its original, so this ends.
      if (state.result.size < result.size && (await isReplacementThere(state.place, state.result)))
        return true
    }
    return false
  }

  const expireUnclaimed = (id: number, mayBeLast: boolean): Promise<void> =>
    whileClaimed(table(), id, (replacement) => expire(replacement, mayBeLast))

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
    for (const { id } of due) await expireUnclaimed(id, false)
  }

  return {
    tidy,
    recover,
    recoverAll,
    async empty() {
      const known = table().inVaults()
      await recoverAll()
      for (const { id, state } of known) if (state.kind !== 'swapping') await expireUnclaimed(id, true)
    },
  }
}

/** If nothing was noticed for this many ms, the clock may be wrong. */
const SILENCE_MS = 60 * DAY_MS

/** Decides about a file that is older than `age`. `at` and `since`: when it came to the vault, and when it was first found to be old. */
function whetherToDelete(age: number, now: number, at: number, since: number): 'return' | 'wait' | 'again' {
  if (now - since > Math.max(SILENCE_MS, 2 * age)) return 'again'
  // What was long overdue may have been noted by a clock that was wrong by years, so it is kept for the whole time again.
  const patience = since - at > 2 * age ? Math.max(age, PATIENCE_MS) : PATIENCE_MS
  return now - since >= patience ? 'return' : 'wait'
}

/** Whether a file is in its place. An empty file isn't a photo or video. */
const isWhole = (path: string): Promise<boolean> =>
  lstat(path).then(
    (found) => found.isFile() && found.size > 0,
    () => false,
  )

/** Deletes the results of a job whose originals have all been replaced or kept, except those that the journal knows. */
async function removeResults(job: string, replacements: readonly StoredReplacement[]): Promise<void> {
  await clearResults(
    job,
    new Set(replacements.map(({ state }) => (state.kind === 'kept' ? state.result : null))),
  )
}

/** Removes a job's folder and its subfolders if they are empty, and the descriptions of originals that have left. */
async function removeEmpty(job: string): Promise<void> {
  const remove = (folder: string) => rmdir(join(job, folder)).catch(() => undefined)
  for (const folder of [RESULTS, 'originals', 'replaced']) await remove(folder)
  const isHeld = await Promise.all(['originals', 'replaced'].map((folder) => exists(join(job, folder))))
  if (!isHeld.includes(true)) await removeRecords(job)
  await remove('')
}
