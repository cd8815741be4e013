/** Finishes what a crash interrupted, and deletes expired originals. */
import { rm, rmdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { messageOf } from '../../node/errors.ts'
import type { Log } from '../../node/log.ts'
import { isTakenAway } from '../../node/mounted-disk.ts'
import type { Replacing } from './replace-original.ts'
import type { StoredReplacement } from './replacement.ts'
import type { Restoring } from './restore-original.ts'
import { exists, outputOf, RESULTS, type VaultParts } from './vault-parts.ts'
import { isOwnVault } from './vault-folder.ts'

const DAY_MS = 24 * 60 * 60 * 1000
/** An expired original is deleted only if it was still expired this many ms later. */
const PATIENCE_MS = DAY_MS

export type Tidying = {
  /** @param isOpen whether the job with this output folder may still end */
  tidy(isOpen: (output: string) => boolean): Promise<void>
  /** Finishes a swap that was interrupted, unless its process is running. */
  recover(replacement: StoredReplacement): Promise<void>
  /** Deletes everything permanently, except on volumes that aren't connected. */
  empty(): Promise<void>
}

export function createTidying(
  parts: VaultParts & { readonly keepDays: () => number | null; readonly log: Log },
  replacing: Replacing,
  restoring: Restoring,
): Tidying {
  const { table, clock, put, keepDays, log } = parts

  async function recover({ id }: StoredReplacement): Promise<void> {
    if (!table().claim(id)) return
    // Another process may have finished the swap since the list was read.
    const replacement = table().get(id)
    if (replacement === undefined) return
    const { job, behind, state } = replacement
    if (state.kind !== 'swapping' || (await isTakenAway(job, behind))) return table().release(id)
    if (state.goal === 'replace') await replacing.finish(replacement, state)
    else await restoring.finish(replacement, state)
  }

  /** Runs work on what is in the vault, unless another process is changing it. */
  async function whileClaimed(
    { id }: StoredReplacement,
    work: (now: StoredReplacement) => Promise<void>,
  ): Promise<void> {
    if (!table().claim(id)) return
    try {
      const now = table().get(id)
      if (now !== undefined) await work(now)
    } finally {
      table().release(id)
    }
  }

  /** Deletes a file from the vault, unless it is the only version of the photo or video that is left. */
  async function expire({ id, job, behind, state }: StoredReplacement, mayBeLast: boolean): Promise<void> {
    if (await isTakenAway(job, behind)) return
    if (!(await isOwnVault(dirname(job)))) return
    if (state.kind === 'replaced') {
      if (!mayBeLast && !(await exists(state.place))) return
      await rm(state.original, { force: true })
    } else if (state.kind === 'restored') {
      if (state.result !== null) await rm(state.result, { force: true })
    } else return
    put(id, { kind: 'expired', at: clock(), was: state.kind, place: state.place })
    await removeEmpty(job)
  }

  async function tidy(isOpen: (output: string) => boolean): Promise<void> {
    for (const replacement of table().swapping()) {
      await recover(replacement).catch((error: unknown) =>
        log('replacement not finished', { path: replacement.path, error: messageOf(error) }),
      )
    }
    // Younger ones may belong to a job that is being submitted.
    for (const { id, job, behind } of table().waiting(clock() - PATIENCE_MS)) {
      if (isOpen(outputOf(job)) || (await isTakenAway(job, behind))) continue
      table().forget(id)
      await removeEmpty(job)
    }
    const days = keepDays()
    if (days === null) return
    const now = clock()
    for (const replacement of table().due(now - days * DAY_MS, now, PATIENCE_MS))
      await whileClaimed(replacement, (one) => expire(one, false))
  }

  return {
    tidy,
    recover,
    async empty() {
      for (const held of table().inVaults()) await whileClaimed(held, (one) => expire(one, true))
    },
  }
}

/** Removes a job's folder and its subfolders if they are empty. */
async function removeEmpty(job: string): Promise<void> {
  for (const folder of [RESULTS, 'originals', 'replaced', ''])
    await rmdir(join(job, folder)).catch(() => undefined)
}
