/** Restores originals and replaces them again, by job or by folder. Any process may do this at any time. */
import type { RecordId } from '../../shared/model/ids.ts'
import type { Replacement, Restored } from '../../shared/model/replacement.ts'
import type { PartDetails } from '../../shared/model/job.ts'
import type { History } from '../history/index.ts'
import { fullDiskOf, type FinishedSwap, type Vault } from '../vault/index.ts'
import { recordPlaces, vaultOutputOf } from './placed-results.ts'

/** Identifies the originals of a job. Several jobs may share a results folder. Without `inputs`, includes the originals of all of them. */
export type ReplacingJob = Pick<PartDetails, 'output' | 'parts'> & Partial<Pick<PartDetails, 'inputs'>>

export type OriginalsInFolder = {
  /** null if the record was deleted. */
  readonly id: RecordId | null
  readonly job: ReplacingJob
  readonly paths: readonly string[]
}

export type Restoring = ReturnType<typeof restoringIn>

export function restoringIn({ history, vault }: { readonly history: History; readonly vault: Vault }) {
  /** Records the changes if there is space. Otherwise, the vault keeps them as unrecorded, and they are still reported to the user. */
  function recordIfSpace(output: string): void {
    try {
      recordPlaces(history, vault, output)
    } catch (error) {
      if (fullDiskOf(error) === undefined) throw error
    }
  }

  /** Returns the affected originals of each part; undefined stands for all. */
  const chosenIn = (job: ReplacingJob, paths: readonly string[] | undefined) =>
    [...originalsOf(job, history)].map(([output, own]) => {
      const chosen = own === null ? paths : (paths ?? [...own]).filter((path) => own.has(path))
      return [output, chosen] as const
    })

  async function change(
    job: ReplacingJob,
    paths: readonly string[] | undefined,
    work: (output: string, paths: readonly string[] | undefined) => Promise<readonly Restored[]>,
  ): Promise<readonly Restored[]> {
    const changed: Restored[] = []
    for (const [output, chosen] of chosenIn(job, paths)) {
      changed.push(...(await work(output, chosen)))
      recordIfSpace(output)
    }
    return changed
  }

  function retain(job: ReplacingJob, paths?: readonly string[]): void {
    for (const [output, chosen] of chosenIn(job, paths)) vault.retain(output, chosen)
  }

  /** @param near a path that the user named */
  async function recover(near?: string): Promise<readonly FinishedSwap[]> {
    const finished = vault.isUsed() ? await vault.recover(near) : []
    const changed = vault.isUsed() ? [...finished.map((one) => one.output), ...vault.unrecorded()] : []
    for (const output of new Set(changed)) {
      const records = history.endedInto(output, 0)
      // If `replaced` is null, the process that replaces the originals still has to record and report the end of the job.
      if (records.length > 0 && records.every(({ replaced }) => replaced !== null)) recordIfSpace(output)
    }
    return finished
  }

  async function undo(job: ReplacingJob, paths?: readonly string[]): Promise<readonly Restored[]> {
    // Originals of later parts must not expire if this process is killed.
    retain(job, paths)
    return change(job, paths, (...of) => vault.undo(...of))
  }

  const inFolder = async (
    path: string,
    kind: 'replaced' | 'restored',
  ): Promise<readonly OriginalsInFolder[]> =>
    (vault.isUsed() ? await vault.inFolder(path, kind) : []).flatMap(({ output, paths }) => {
      const job = { output: { kind: 'folder', path: output }, parts: [] } as const
      const records = recordsInto(history, output)
      const byRecord = Map.groupBy(paths, (original) => records.get(original) ?? null)
      return [...byRecord].map(([id, own]) => ({ id, job, paths: own }))
    })

  return {
    /**
     * Finishes operations that a crash interrupted. Afterward, every original on a connected volume is either in a vault or at its own
     * path. Leaves running processes alone.
     */
    recover,
    recordIfSpace,
    /** Keeps originals from expiring until they are restored. Call this before restoring originals of several jobs or in several steps. */
    retain,
    /** Restores originals of a part and of the other parts of its job; all of them by default. */
    undo,
    redo: (job: ReplacingJob, paths?: readonly string[]): Promise<readonly Restored[]> =>
      change(job, paths, (...of) => vault.redo(...of)),
    /** Returns the originals at a path or in a folder, by job, in the order in which they can be changed. */
    inFolder,
    /**
     * Returns the paths of a folder's originals whose other file has expired: replaced ones that can't be restored, or restored ones that
     * can't be replaced again.
     */
    expiredIn: async (path: string, was: 'replaced' | 'restored'): Promise<readonly string[]> =>
      vault.isUsed() ? vault.expiredIn(path, was) : [],
    /** Restores all originals in a folder, whether or not the history still has their jobs. */
    async undoFolder(path: string): Promise<readonly Restored[]> {
      await recover(path)
      const changed: Restored[] = []
      const originals = await inFolder(path, 'replaced')
      for (const { job, paths } of originals) retain(job, paths)
      for (const { job, paths } of originals) changed.push(...(await undo(job, paths)))
      return changed
    },
    /** Returns the paths of originals that the user has restored and no later job has replaced. */
    restored: (): readonly string[] => vault.restored(),
    /** Returns what happened to the originals of a part and of the other parts of its job. */
    of: (job: ReplacingJob): readonly Replacement[] =>
      [...originalsOf(job, history)].flatMap(([output, own]) =>
        vault.of(output).filter(({ path }) => own?.has(path) !== false),
      ),
  }
}

/** Returns the ended records whose results replace originals, by the original's path. */
export const recordsInto = (
  history: Pick<History, 'endedInto'>,
  output: string,
): ReadonlyMap<string, RecordId> =>
  new Map(
    history.endedInto(output, 0).flatMap(({ id, inputs }) => inputs.map(({ path }) => [path, id] as const)),
  )

/** Maps each results folder of a job to its originals; null means all originals with results in that folder. */
function originalsOf(
  job: ReplacingJob,
  history: Pick<History, 'details'>,
): ReadonlyMap<string, ReadonlySet<string> | null> {
  const all = new Map<string, Set<string> | null>()
  const records = job.parts.length > 0 ? job.parts.flatMap(({ id }) => history.details(id) ?? []) : [job]
  for (const { output, inputs } of records) {
    const folder = vaultOutputOf({ output })
    if (folder === undefined) continue
    const known = all.get(folder) ?? new Set()
    all.set(folder, inputs === undefined ? null : new Set([...known, ...inputs.map(({ path }) => path)]))
  }
  return all
}
