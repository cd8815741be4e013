/** Restores originals and replaces them again, by job or by folder. Any process may do this at any time. */
import type { RecordId } from '../../shared/model/ids.ts'
import type { Replacement, Restored } from '../../shared/model/replacement.ts'
import type { RecordDetails } from '../../shared/model/work.ts'
import type { History } from '../history/index.ts'
import type { FinishedSwap, Vault } from '../vault/index.ts'
import { recordPlaces, vaultOutputOf } from './placed-results.ts'

/** What identifies the originals of a job. */
export type ReplacingJob = Pick<RecordDetails, 'output' | 'parts'>

export type OriginalsInFolder = {
  /** null if the record was deleted. */
  readonly id: RecordId | null
  readonly job: ReplacingJob
  readonly paths: readonly string[]
}

export type Restoring = {
  /** Finishes what a crash interrupted, so that every original is in a vault or in its place. Leaves running processes alone. @param near a path that the user named */
  recover(near?: string): Promise<readonly FinishedSwap[]>
  /** Restores originals of a job and of the other parts of its group, all by default. */
  undo(job: ReplacingJob, paths?: readonly string[]): Promise<readonly Restored[]>
  /** Replaces restored originals again. */
  redo(job: ReplacingJob, paths?: readonly string[]): Promise<readonly Restored[]>
  /** Returns the originals at a path or in a folder, by job, in the order in which they can be changed. */
  inFolder(path: string, kind: 'replaced' | 'restored'): Promise<readonly OriginalsInFolder[]>
  /** Restores all originals in a folder, whether or not the history still has their jobs. */
  undoFolder(path: string): Promise<readonly Restored[]>
  /** Returns what happened to the originals of a job and of the other parts of its group. */
  of(job: ReplacingJob): readonly Replacement[]
}

export function restoringIn({
  history,
  vault,
}: {
  readonly history: History
  readonly vault: Vault
}): Restoring {
  async function change(
    job: ReplacingJob,
    work: (output: string) => Promise<readonly Restored[]>,
  ): Promise<readonly Restored[]> {
    const changed: Restored[] = []
    for (const output of outputsOf(job)) {
      changed.push(...(await work(output)))
      recordPlaces(history, vault, output)
    }
    return changed
  }

  const recover: Restoring['recover'] = async (near) => {
    const finished = vault.isUsed() ? await vault.recover(near) : []
    for (const output of new Set(finished.map((one) => one.output))) {
      // Otherwise, the process that replaces still has to record and report the end of the job.
      if (history.endedInto(output, 0).every(({ replaced }) => replaced !== null))
        recordPlaces(history, vault, output)
    }
    return finished
  }

  const undo: Restoring['undo'] = (job, paths) => change(job, (output) => vault.undo(output, paths))

  const inFolder: Restoring['inFolder'] = async (path, kind) =>
    (vault.isUsed() ? await vault.inFolder(path, kind) : []).map(({ output, paths }) => ({
      id: history.endedInto(output, 0)[0]?.id ?? null,
      job: { output: { kind: 'folder', path: output }, parts: [] },
      paths,
    }))

  return {
    recover,
    undo,
    redo: (job, paths) => change(job, (output) => vault.redo(output, paths)),
    inFolder,
    async undoFolder(path) {
      await recover(path)
      const changed: Restored[] = []
      for (const { job, paths } of await inFolder(path, 'replaced')) changed.push(...(await undo(job, paths)))
      return changed
    },
    of: (job) => outputsOf(job).flatMap((output) => vault.of(output)),
  }
}

const outputsOf = ({ output, parts }: ReplacingJob): readonly string[] => [
  ...new Set([{ output }, ...parts].flatMap((part) => vaultOutputOf(part) ?? [])),
]
