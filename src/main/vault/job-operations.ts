/** Replaces the originals of a job, restores them and replaces them again, one at a time. */
import { messageOf } from '../../node/errors.ts'
import type { Log } from '../../node/log.ts'
import type { ReplacedAnyway, Restored } from '../../shared/model/replacement.ts'
import { withAttributes, type CopyAttributes } from './file-attributes.ts'
import { rebased } from './locate-vaults.ts'
import type { createReplacingAnyway } from './replace-anyway.ts'
import type { IsGood, KeepAll, Replacing } from './replace-original.ts'
import type { StoredReplacement } from './replacement.ts'
import type { ReplacementTable } from './replacement-table.ts'
import { awayFrom, failedWith, type Restoring } from './restore-original.ts'
import { fullDiskOf, jobOf } from './vault-parts.ts'

export function jobOperations(deps: {
  readonly table: () => ReplacementTable
  readonly isStopped: () => boolean
  readonly replacing: Replacing
  readonly restoring: Restoring
  readonly replaceAnyway: ReturnType<typeof createReplacingAnyway>
  /** Finishes a swap that a crash interrupted. @returns how an undo or redo ended; undefined for other swaps */
  readonly recover: (one: StoredReplacement) => Promise<Restored | undefined>
  readonly log: Log
}) {
  const { table, isStopped, replacing, restoring, replaceAnyway, recover, log } = deps
  /**
   * Runs an operation on the originals, one after the other, until the vault is stopped.
   * @param onError returns the result for an original whose operation failed; the other originals aren't affected
   */
  async function each<T>(
    output: string,
    paths: readonly string[] | undefined,
    visit: (replacement: StoredReplacement, finished?: Restored) => Promise<T | undefined>,
    onError: (error: unknown, replacement: StoredReplacement) => T | undefined | Promise<T>,
  ): Promise<readonly T[]> {
    const results: T[] = []
    for (const one of table().of(jobOf(output))) {
      if (isStopped()) break
      if (paths !== undefined && !paths.includes(one.path)) continue
      const result = await visitWhole(one, visit).catch((error: unknown) => onError(error, one))
      if (result !== undefined) results.push(result)
    }
    return results
  }

  /** Visits an original, if the journal still has it. Finishes its swap first if the swap was interrupted. */
  async function visitWhole<T>(
    one: StoredReplacement,
    visit: (replacement: StoredReplacement, finished?: Restored) => Promise<T | undefined>,
  ): Promise<T | undefined> {
    const finished = one.state.kind === 'swapping' ? await recover(one) : undefined
    const now = table().get(one.id)
    return now && visit(now, finished)
  }

  async function undoOne(one: StoredReplacement, finished?: Restored): Promise<Restored | undefined> {
    if (one.state.kind !== 'replaced' && one.state.kind !== 'unreadable')
      return finished ?? unlessOpen(one) ?? restoring.replacedElsewhere(one)
    table().retain([one.id])
    return restoring.restore(one)
  }

  /**
   * Keeps the originals that an undo names from expiring, even if this process is killed before the first one is restored. If that fails,
   * restoring reports the error later.
   */
  function retain(output: string, paths: readonly string[] | undefined): void {
    try {
      const all = table().of(jobOf(output))
      const wanted = all.filter(
        ({ path, state }) => WANTED.has(state.kind) && paths?.includes(path) !== false,
      )
      table().retain(wanted.map(({ id }) => id))
    } catch (error) {
      log('originals not retained', { error: messageOf(error) })
    }
  }

  return {
    retain,
    async replaceAll(
      output: string,
      results: ReadonlyMap<string, string | undefined>,
      check: IsGood | KeepAll,
      isCancelled: () => boolean,
      isRepeated: boolean,
    ): Promise<void> {
      const errors: unknown[] = []
      async function visit(one: StoredReplacement, copyAttributes: CopyAttributes): Promise<undefined> {
        if (one.state.kind !== 'waiting') return
        const reported = results.get(one.path)
        // The volume may have been mounted at another path since the service wrote the result.
        const result = reported === undefined ? undefined : rebased(reported, one.job, one.folder)
        const now = isCancelled() ? 'cancelled' : check
        if (typeof now === 'string') await replacing.keep(one, now, result)
        else await replacing.replace(one, result, now, copyAttributes, isRepeated)
      }
      function onError(error: unknown): undefined {
        // Without space, the other originals would also fail.
        if (fullDiskOf(error) !== undefined) throw error
        errors.push(error)
      }
      await withAttributes((copyAttributes) =>
        each(output, [...results.keys()], (one) => visit(one, copyAttributes), onError),
      )
      if (errors.length > 0) throw errors[0]
    },
    undo(output: string, paths: readonly string[] | undefined): Promise<readonly Restored[]> {
      retain(output, paths)
      return each(output, paths, undoOne, failedWith)
    },
    async replaceAnyway(output: string, path: string, isGood: IsGood): Promise<ReplacedAnyway | undefined> {
      const [ended] = await withAttributes((copyAttributes) =>
        each<ReplacedAnyway>(
          output,
          [path],
          async (one) =>
            one.state.kind === 'swapping' ? awayFrom(one) : replaceAnyway(one, isGood, copyAttributes),
          failedWith,
        ),
      )
      return ended
    },
    redo: (output: string, paths: readonly string[] | undefined): Promise<readonly Restored[]> =>
      each(
        output,
        paths,
        async (one, finished) =>
          one.state.kind === 'restored' ? restoring.redo(one) : (finished ?? unlessOpen(one)),
        failedWith,
      ),
  }
}

/** States in which an undo finds an original in the vault, or soon will. */
const WANTED: ReadonlySet<StoredReplacement['state']['kind']> = new Set([
  'replaced',
  'swapping',
  'unreadable',
])

/**
 * Reports an original whose interrupted swap is still open, which happens only while its volume isn't connected; undefined for any other
 * original.
 */
const unlessOpen = (one: StoredReplacement): Restored | undefined =>
  one.state.kind === 'swapping' ? awayFrom(one) : undefined
