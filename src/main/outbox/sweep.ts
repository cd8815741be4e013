/**
 * Takes out of the outbox's file what nobody sees any more, a little in each turn of the loop. Where that fails, because the
 * disk is full or the app ends, the rest is left to the next process that may send.
 */
import type { RecordId } from '../../shared/model/ids.ts'
import type { EditHolder } from './edit-holder.ts'
import type { StartId, SubmissionTable } from './submission-table.ts'

export type Sweep = {
  /** A start that was not completed, and will not be. */
  start(id: StartId): void
  /** Submissions that were removed, and starts whose process is gone. */
  leftovers(): void
}

export type SweepDeps = {
  readonly table: SubmissionTable
  readonly holder: EditHolder
  /** All of it or nothing, and told to those who watch the disk. The power may fail before it is durable. */
  readonly storedLater: <T>(work: () => T) => T
  /** Resolves in a later turn of the loop. */
  readonly turn: () => Promise<void>
  readonly isOpen: () => boolean
}

/** So many rows are taken out in less than one frame of the screen. */
const AT_ONCE = 100

export function createSweep({ table, holder, storedLater, turn, isOpen }: SweepDeps): Sweep {
  /** @param sweepSome says whether there is more */
  async function littleByLittle(sweepSome: () => boolean): Promise<void> {
    try {
      do await turn()
      while (isOpen() && storedLater(sweepSome))
    } catch {
      // Nobody sees what is left.
    }
  }

  const start = (id: StartId) => void littleByLittle(() => table.dropSomeOf(id, AT_ONCE))

  /** Those that were removed when this began: what is removed from now on can be put back. */
  function purge(removed: readonly RecordId[]): void {
    let at = 0
    void littleByLittle(() => {
      for (const id of removed.slice(at, at + AT_ONCE)) table.purge(id)
      at += AT_ONCE
      return at < removed.length
    })
  }

  return {
    start,
    leftovers() {
      for (const { id, holder: name } of table.incompleteStarts()) if (!holder.isAlive(name)) start(id)
      const removed = table.removed()
      if (removed.length > 0) purge(removed)
    },
  }
}
