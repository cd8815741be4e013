/**
 * How submissions get into the line, all of a start or nothing. A few are written in one transaction. Many would keep the
 * loop busy for longer than a frame of the screen, so they are written in slices, each in a turn and a transaction of its
 * own, and nobody sees them until one short statement says that the start is whole. What a start that ended in between has
 * left behind is seen by nobody, and swept.
 */
import type { RecordId } from '../../shared/model/ids.ts'
import type { EditHolder } from './edit-holder.ts'
import type { PlannedSubmission } from './planned-submission.ts'
import { WAITING } from './submission-state.ts'
import { submissionOf, type StoredSubmission } from './submission-rows.ts'
import type { StartId, SubmissionTable } from './submission-table.ts'

export type EnqueueOptions = {
  /** ms since 1970: the grace in which it can still be undone. */
  readonly notBefore?: number
  /** The caller's own name for this addition. Where it was used before, nothing is added, also after a restart. */
  readonly key?: string
}

export type Additions = {
  /** @param replacing the submission that goes when they come; undefined as an answer: it is no longer there to be replaced */
  add(
    plans: readonly PlannedSubmission[],
    options: EnqueueOptions,
    replacing?: RecordId,
  ): Promise<readonly StoredSubmission[] | undefined>
}

export type AdditionsDeps = {
  readonly table: SubmissionTable
  /** ms since 1970. */
  readonly clock: () => number
  readonly ids: () => RecordId
  readonly holder: EditHolder
  /** All of it or nothing, and told to those who watch the disk. */
  readonly storedLater: <T>(work: () => T) => T
  /** The same, told to everybody who listens to the outbox. */
  readonly written: <T>(work: () => T) => T
  /** Resolves when all that was stored or written is on the disk. */
  readonly flushed: () => Promise<void>
  /** Resolves in a later turn of the loop. */
  readonly turn: () => Promise<void>
  /** Takes out what was written of a start that is not to be. */
  readonly sweepStart: (id: StartId) => void
}

/** So many are written in less than one frame of the screen. */
export const AT_ONCE = 100

export function createAdditions({
  table,
  clock,
  ids,
  holder,
  storedLater,
  written,
  flushed,
  turn,
  sweepStart,
}: AdditionsDeps): Additions {
  type Addition = EnqueueOptions & {
    readonly plans: readonly PlannedSubmission[]
    readonly replacing: RecordId | undefined
  }

  const isKnown = ({ key }: Addition): boolean => key !== undefined && table.hasKey(key)

  /** Writes those from `from` up to `to`, not included. */
  function insert(
    { plans, notBefore }: Addition,
    [from, to]: readonly [from: number, to: number],
    positionOf: (n: number) => number,
    start: StartId | null,
  ): readonly StoredSubmission[] {
    const state = { ...WAITING, notBefore: notBefore ?? null }
    return plans.slice(from, to).map((plan, n) => {
      const facts = { id: ids(), createdAt: clock(), position: positionOf(from + n), attempts: 0, state }
      const submission = submissionOf(facts, plan)
      table.insert(submission, start)
      return submission
    })
  }

  /** The line with the addition in it; to be called inside of a transaction. */
  function enter(
    addition: Addition,
    come: () => readonly StoredSubmission[],
  ): readonly StoredSubmission[] | undefined {
    const { key, replacing } = addition
    if (isKnown(addition)) return []
    if (replacing !== undefined && !table.deleteReplaced(replacing)) return undefined
    if (key !== undefined) table.addKey(key)
    return come()
  }

  const addAtOnce = (addition: Addition) =>
    written(() => {
      const { plans, replacing } = addition
      const positionOf = table.positionsFor(replacing, plans.length)
      return enter(addition, () => insert(addition, [0, plans.length], positionOf, null))
    })

  async function addInSlices(addition: Addition): Promise<readonly StoredSubmission[] | undefined> {
    const { plans, replacing } = addition
    if (isKnown(addition)) return []
    const { start, positionOf } = storedLater(() => {
      const positions = table.positionsFor(replacing, plans.length)
      return {
        start: table.beginStart(holder.name(), positions(plans.length - 1)),
        positionOf: positions,
      }
    })
    let entered: readonly StoredSubmission[] | undefined
    try {
      const slices: (readonly StoredSubmission[])[] = []
      for (let from = 0; from < plans.length; from += AT_ONCE) {
        await turn()
        slices.push(storedLater(() => insert(addition, [from, from + AT_ONCE], positionOf, start)))
      }
      await turn()
      const added = slices.flat()
      entered = written(() =>
        enter(addition, () => {
          table.completeStart(start, positionOf(0))
          return added
        }),
      )
      return entered
    } finally {
      if (entered === undefined || entered.length === 0) sweepStart(start)
    }
  }

  return {
    async add(plans, options, replacing) {
      const addition = { ...options, plans, replacing }
      const added = plans.length <= AT_ONCE ? addAtOnce(addition) : await addInSlices(addition)
      await flushed()
      return added
    },
  }
}
