import type { DatabaseSync } from 'node:sqlite'
import * as z from 'zod'
import type { Draft } from '../../shared/model/draft.ts'
import type { RecordId } from '../../shared/model/ids.ts'
import type { LookAlike } from '../../shared/model/work.ts'
import { inTransaction, openDatabase } from '../database/database.ts'
import { draftOf, type PlannedSubmission } from './planned-submission.ts'
import { claimFile, claimSending } from './sending-claim.ts'
import {
  WAITING,
  type Acceptance,
  type DurableState,
  type Refusal,
  type SendAttempt,
  type Uncertainty,
} from './submission-state.ts'
import {
  migrations,
  submissionTable,
  type Addressee,
  type StoredSubmission,
  type SubmissionTable,
} from './submission-table.ts'

export type EnqueueOptions = {
  /** ms since 1970: the grace in which it can still be undone. */
  readonly notBefore?: number
  /** The submission that was being edited; the new ones take its place in the line. */
  readonly replacing?: RecordId
  /** The caller's own name for this addition. Where it was used before, nothing is added, also after a restart. */
  readonly key?: string
}

export type OutboxOptions = {
  readonly file: string
  /** ms since 1970. */
  readonly clock: () => number
  readonly ids: () => RecordId
}

/**
 * The durable line of submissions (rule 1). What a method says is on the disk when it returns: an instant later the
 * process may be killed. Several processes may read and add; one at a time may send.
 */
export interface Outbox {
  /** Where a damaged file was put when this one was begun; null if all was well. */
  readonly setAside: string | null

  /** Adds submissions to the end of the line, all or none. Throws when the disk is full; then nothing is added. */
  enqueue(plans: readonly PlannedSubmission[], options?: EnqueueOptions): readonly StoredSubmission[]
  /** Whether an addition of this name was made; the answer is known until `forgetKey`, whatever became of it. */
  wasEnqueued(key: string): boolean
  forgetKey(key: string): void
  /** Everything that has not been accepted, in the order of sending. */
  list(): readonly StoredSubmission[]
  get(id: RecordId): StoredSubmission | undefined
  /** To the front of the line, without the grace. False where it no longer waits. */
  sendNext(id: RecordId): boolean
  /** As a draft, held back until it is replaced or `endEdit` is called. Undefined where it is being sent already. */
  edit(id: RecordId): Draft | undefined
  endEdit(id: RecordId): void
  /** False where it is being sent and can't be taken back. */
  remove(id: RecordId): boolean
  /** Undo of `remove`. */
  restore(id: RecordId): boolean

  /** True once this process is the one that sends; it stays so until it ends. */
  claim(): boolean
  /** Those that may have arrived: being sent, or unknown. */
  unresolved(): readonly StoredSubmission[]
  /** The first that may be sent at `now`; to anybody, unless it is said to whom. */
  nextDue(now: number, to?: Addressee): StoredSubmission | undefined
  /** When the next one may be sent that waits only for its time, in ms since 1970. */
  nextTime(to?: Addressee): number | undefined
  /** From now on it may have arrived. False where it was removed, held or sent in the meantime. */
  beginSending(id: RecordId, attempt: SendAttempt): boolean
  /** It certainly did not arrive. */
  backToWaiting(id: RecordId): void
  accept(id: RecordId, acceptance: Acceptance): void
  refuse(id: RecordId, refusal: Refusal): void
  /** It may have arrived, and nobody knows. */
  markUnknown(id: RecordId, attempt: SendAttempt, uncertainty: Uncertainty): void
  /** The user has to decide. */
  leaveToUser(id: RecordId, candidates: readonly LookAlike[]): void
  /** Accepted and not yet `forget`ten: what the history may not know. */
  accepted(): readonly StoredSubmission[]
  /** The history has it. */
  forget(id: RecordId): void

  /** Whether another process has written since this was last asked. */
  changedElsewhere(): boolean
  /** Called after every change made by this process. @returns a function that ends it */
  onChange(listener: () => void): () => void
  close(): void
}

/** What a killed process leaves behind in a file that it was sending. */
const CRASHED: Uncertainty = { cause: 'crash', message: '' }

/** Opens the outbox; a damaged file is set aside and said. Throws where there is no usable folder for one at all. */
export function openOutbox({ file, clock, ids }: OutboxOptions): Outbox {
  const { connection, setAside } = openDatabase({
    file,
    migrations,
    synchronous: 'full',
    checkWhole: true,
    clock,
  })
  const table = submissionTable(connection)
  const otherWriters = watchOtherWriters(connection)
  const claim = claimSending(claimFile(file))
  const listeners = new Set<() => void>()

  function announced<T>(result: T): T {
    for (const listener of listeners) listener()
    return result
  }

  return {
    setAside,
    ...lineOf(connection, table, { clock, ids, announced }),
    ...transitionsOf(table, { held: () => claim.held(), announced }),

    claim() {
      const before = claim.held()
      if (!claim.take()) return false
      if (!before) {
        inTransaction(connection, () => recover(table))
        announced(undefined)
      }
      return true
    },

    changedElsewhere: () => otherWriters.haveWritten(),
    onChange(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    close() {
      claim.release()
      connection.close()
    },
  }
}

type Announced = <T>(result: T) => T

/** What a person, or a command for a person, does to the line. */
function lineOf(
  connection: DatabaseSync,
  table: SubmissionTable,
  { clock, ids, announced }: Pick<OutboxOptions, 'clock' | 'ids'> & { readonly announced: Announced },
) {
  function insert(plan: PlannedSubmission, position: number, notBefore: number | null): StoredSubmission {
    const state = { ...WAITING, notBefore }
    const submission: StoredSubmission = { id: ids(), createdAt: clock(), plan, attempts: 0, state }
    table.insert(submission, position)
    return submission
  }

  return {
    enqueue: (plans, { key, replacing, notBefore = null } = {}) =>
      announced(
        inTransaction(connection, () => {
          if (key !== undefined && !table.addKey(key)) return []
          const position = table.positionsFor(replacing, plans.length)
          if (replacing !== undefined) table.deleteReplaced(replacing)
          return plans.map((plan, n) => insert(plan, position(n), notBefore))
        }),
      ),
    wasEnqueued: table.hasKey,
    forgetKey: table.forgetKey,

    list: table.list,
    get: (id) => table.get(id),

    sendNext: (id) =>
      announced(
        inTransaction(connection, () => {
          if (!table.move(id, ['waiting'], WAITING)) return false
          table.moveToFront(id)
          return true
        }),
      ),

    edit(id) {
      const submission = table.get(id)
      if (submission === undefined) return undefined
      if (submission.state.kind === 'refused') return draftOf(submission.plan, id)
      return table.move(id, ['waiting'], { ...WAITING, held: true })
        ? announced(draftOf(submission.plan, id))
        : undefined
    },
    endEdit: (id) => void announced(table.move(id, ['waiting'], WAITING)),

    remove: (id) => announced(table.remove(id, clock())),
    restore: (id) => announced(table.restore(id)),
  } satisfies Partial<Outbox>
}

/** What the sender does to a submission. */
function transitionsOf(
  table: SubmissionTable,
  { held, announced }: { readonly held: () => boolean; readonly announced: Announced },
) {
  /** The transition must be possible; where it is not, there are two senders or a mistake, and both must be seen. */
  function mustMove(id: RecordId, from: readonly DurableState['kind'][], to: DurableState): void {
    if (!table.move(id, from, to)) throw new Error(`Submission ${id} can't become ${to.kind}.`)
    announced(undefined)
  }

  return {
    unresolved: table.unresolved,
    nextDue: (now, to) => table.due(now, to),
    nextTime: table.nextTime,

    beginSending: (id, attempt) =>
      announced(held() && table.move(id, ['waiting'], { kind: 'sending', attempt })),
    backToWaiting: (id) => mustMove(id, ['sending', 'unknown'], WAITING),
    accept: (id, acceptance) => mustMove(id, ['sending', 'unknown'], { kind: 'accepted', acceptance }),
    refuse: (id, refusal) => mustMove(id, ['waiting', 'sending', 'unknown'], { kind: 'refused', refusal }),
    markUnknown: (id, attempt, uncertainty) =>
      mustMove(id, ['sending', 'unknown'], {
        kind: 'unknown',
        attempt,
        uncertainty,
        leftToUser: false,
        candidates: [],
      }),
    leaveToUser(id, candidates) {
      const state = table.get(id)?.state
      if (state?.kind !== 'unknown') throw new Error(`Submission ${id} is not unknown.`)
      mustMove(id, ['unknown'], { ...state, leftToUser: true, candidates })
    },

    accepted: table.accepted,
    forget: table.forgetAccepted,
  } satisfies Partial<Outbox>
}

/** Counts what other connections commit, as SQLite does. */
function watchOtherWriters(connection: DatabaseSync): { haveWritten(): boolean } {
  const statement = connection.prepare('PRAGMA data_version')
  const Version = z.object({ data_version: z.number() })
  const version = () => Version.parse(statement.get()).data_version
  let last = version()
  return {
    haveWritten() {
      const before = last
      last = version()
      return last !== before
    },
  }
}

/** The sender before us is gone: what it was sending may have arrived, what it was editing is a draft that nobody has. */
function recover(table: SubmissionTable): void {
  for (const { id, state } of table.sending()) {
    if (state.kind !== 'sending') continue
    const { attempt } = state
    const uncertainty = CRASHED
    table.move(id, ['sending'], { kind: 'unknown', attempt, uncertainty, leftToUser: false, candidates: [] })
  }
  for (const { id } of table.held()) table.move(id, ['waiting'], WAITING)
  table.purgeRemoved()
}
