/**
 * Adds a batch of submissions to the outbox, all or none. A small batch is written in one transaction. A large one would block the event
 * loop for longer than a frame, so it is written in slices, each in a separate tick and transaction. The slices stay hidden until a single
 * short statement marks the batch as complete. If a batch is never completed, its rows are also deleted in slices.
 */
import type { RecordId } from '../../shared/model/ids.ts'
import type { PlannedSubmission } from './planned-submission.ts'
import { WAITING } from './submission-state.ts'
import { submissionOf, type Submission } from './submission-rows.ts'
import type { StartId, SubmissionTable } from './submission-table.ts'
import type { Writes } from './writes.ts'

export type EnqueueOptions = {
  /** End of the undo period, in milliseconds since 1970. Nothing is sent before this time. */
  readonly notBefore?: number
  /** Idempotency key of the caller. If it was used before, even before a restart, nothing is added. */
  readonly key?: string
}

export type Additions = ReturnType<typeof createAdditions>

/** Returns a submission and the other parts of its job that are in the outbox, in sending order. */
export function partsHere(table: SubmissionTable, id: RecordId): readonly RecordId[] {
  const place = table.get(id)?.plan.place
  return place === undefined ? [id] : table.partsOf(place.id)
}

/** Number of rows that can be written or deleted in less than a frame. */
export const AT_ONCE = 100

type Addition = EnqueueOptions & {
  readonly plans: readonly PlannedSubmission[]
  readonly replacing: RecordId | undefined
}

export function createAdditions(deps: {
  readonly table: SubmissionTable
  readonly writes: Writes
  /** Milliseconds since 1970. */
  readonly clock: () => number
  readonly ids: () => RecordId
  /** Resolves in a later event-loop tick. */
  readonly turn: () => Promise<void>
  readonly isOpen: () => boolean
}) {
  const { table, writes, clock, ids, turn } = deps
  const isKnown = ({ key }: Addition): boolean => key !== undefined && table.hasKey(key)

  /** Inserts the plans from `from` to `to` (exclusive). */
  function insert(
    { plans, notBefore }: Addition,
    [from, to]: readonly [from: number, to: number],
    positionOf: (n: number) => number,
    start: StartId | null,
  ): readonly Submission[] {
    const state = { ...WAITING, notBefore: notBefore ?? null }
    return plans.slice(from, to).map((plan, n) => {
      const id = plan.place?.part === 0 ? plan.place.id : ids()
      const position = positionOf(from + n)
      const submission = submissionOf({ id, createdAt: clock(), position, attempts: 0, state, plan })
      table.insert(submission, start)
      return submission
    })
  }

  /** Deletes a submission and the other parts of its job if all of them can be replaced. Returns whether it did. */
  function deleteReplaced(id: RecordId): boolean {
    const ids = partsHere(table, id)
    const kinds = ids.map((one) => table.get(one)?.state.kind)
    if (kinds.some((kind) => kind === 'sending' || kind === 'unknown' || kind === 'accepted')) return false
    return ids.map(table.deleteReplaced).every((isDeleted) => isDeleted)
  }

  /**
   * Adds the submissions unless the key was used before. Returns undefined if a submission can no longer be replaced. Must run inside a
   * transaction.
   */
  function enter(
    addition: Addition,
    insertAll: () => readonly Submission[],
  ): readonly Submission[] | undefined {
    const { key, replacing } = addition
    if (isKnown(addition)) return []
    if (replacing !== undefined && !deleteReplaced(replacing)) return undefined
    if (key !== undefined) table.addKey(key)
    return insertAll()
  }

  const addAtOnce = (addition: Addition) =>
    writes.later(() => {
      const { plans, replacing } = addition
      const positionOf = table.positionsFor(replacing, plans.length)
      return enter(addition, () => insert(addition, [0, plans.length], positionOf, null))
    })

  async function addInSlices(addition: Addition): Promise<readonly Submission[] | undefined> {
    const { plans, replacing } = addition
    if (isKnown(addition)) return []
    const { positionOf, start } = writes.hidden(() => {
      const positionOf = table.positionsFor(replacing, plans.length)
      return { positionOf, start: table.beginStart(positionOf(plans.length - 1)) }
    })
    let entered: readonly Submission[] | undefined
    try {
      const slices: (readonly Submission[])[] = []
      for (let from = 0; from < plans.length; from += AT_ONCE) {
        await turn()
        slices.push(writes.hidden(() => insert(addition, [from, from + AT_ONCE], positionOf, start)))
      }
      await turn()
      const added = slices.flat()
      entered = writes.later(() =>
        enter(addition, () => {
          table.completeStart(start)
          return added
        }),
      )
      return entered
    } finally {
      if (entered === undefined || entered.length === 0) void sweepStart(start)
    }
  }

  /**
   * Deletes hidden rows, a few per event-loop tick. If that fails because the disk is full or the app quits, the next
   * launch deletes the rest.
   * @param sweepSome returns whether rows remain
   */
  async function sweepInSlices(sweepSome: () => boolean): Promise<void> {
    try {
      do await turn()
      while (deps.isOpen() && writes.hidden(sweepSome))
    } catch {
      // The remaining rows are hidden, so nothing is lost.
    }
  }

  const sweepStart = (id: StartId) => sweepInSlices(() => table.dropSomeOf(id, AT_ONCE))

  return {
    /**
     * Adds a batch.
     * @param replacing the submission to replace
     * @returns the added submissions, none if the key was used before; undefined if the submission can no longer be replaced
     */
    async add(
      plans: readonly PlannedSubmission[],
      options: EnqueueOptions,
      replacing?: RecordId,
    ): Promise<readonly Submission[] | undefined> {
      const addition = { ...options, plans, replacing }
      const added = plans.length <= AT_ONCE ? addAtOnce(addition) : await addInSlices(addition)
      await writes.flushed()
      return added
    },
    /** Deletes submissions that were removed before this call, and incomplete batches. Call it before anything is added. */
    sweep(): void {
      const before = clock()
      for (const id of table.incompleteStarts()) void sweepStart(id)
      void sweepInSlices(() => table.purgeRemoved(before, AT_ONCE))
    },
  }
}
