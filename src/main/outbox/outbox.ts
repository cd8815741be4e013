import type { DatabaseSync } from 'node:sqlite'
import * as z from 'zod'
import type { Draft } from '../../shared/model/draft.ts'
import type { RecordId } from '../../shared/model/ids.ts'
import type { Candidate } from '../../shared/model/work.ts'
import {
  inTransaction,
  isInPlace,
  openDatabase,
  toldOf,
  type WriteListener,
  createFlushLater,
  type FlushLater,
  type OpenWal,
} from '../database/index.ts'
import { createAdditions, type Additions, type EnqueueOptions } from './additions.ts'
import { draftOf, type PlannedSubmission } from './planned-submission.ts'
import { createEditHolder, type EditHolder } from './edit-holder.ts'
import { claimFile, claimSending } from './sending-claim.ts'
import {
  WAITING,
  type Acceptance,
  type DurableState,
  type Refusal,
  type SendAttempt,
  type Uncertainty,
} from './submission-state.ts'
import { createSweep } from './sweep.ts'
import {
  migrations,
  type Addressee,
  type ListedSubmission,
  type StoredSubmission,
} from './submission-rows.ts'
import { submissionTable, type SubmissionTable } from './submission-table.ts'

export type OutboxOptions = {
  readonly file: string
  /** ms since 1970. */
  readonly clock: () => number
  readonly ids: () => RecordId
  readonly writes?: WriteListener
  /** Runs something in a later turn of the loop; absent: the next one. */
  readonly later?: (run: () => void) => void
  readonly openWal?: OpenWal | undefined
}

/**
 * The durable line of submissions (rule 1). What a method says is written when it returns: an instant later the process may
 * be killed. It is also on the disk, in case the power fails, but for those that say when it is. Several processes may read
 * and add; one at a time may send.
 */
export interface Outbox {
  /** Where a damaged file was put when this one was begun; null if all was well. */
  readonly setAside: string | null

  /**
   * Adds submissions to the end of the line, all or none; they are on the disk when it resolves. A few are written when it
   * returns, and many take several turns of the loop. Rejects when the disk is full; then nothing is added.
   */
  enqueue(plans: readonly PlannedSubmission[], options?: EnqueueOptions): Promise<readonly StoredSubmission[]>
  /**
   * As `enqueue`, in the position of a submission that was edited, which goes. Undefined, with nothing added, where that one
   * is no longer waiting or refused: it was sent, or taken back, in the meantime.
   */
  replace(
    id: RecordId,
    plans: readonly PlannedSubmission[],
    options?: EnqueueOptions,
  ): Promise<readonly StoredSubmission[] | undefined>
  /** Whether an addition of this name was made; the answer is known until `forgetKey`, whatever became of it. */
  wasEnqueued(key: string): boolean
  forgetKey(key: string): void
  /** Everything that has not been accepted, in the order of sending. */
  list(): readonly ListedSubmission[]
  /** As much of it as has been read; `onChange` tells of more. For who only shows it: a long one is read in many turns. */
  listSoFar(): readonly ListedSubmission[]
  /** Whether that is all of it. */
  isListWhole(): boolean
  /** The same and the accepted ones, a few at a time as they are asked for, for who does not want to stop everything else. */
  pages(): Iterable<readonly ListedSubmission[]>
  get(id: RecordId): ListedSubmission | undefined
  /** The same with its plan, which is read from the file. */
  whole(id: RecordId): StoredSubmission | undefined
  /** To the front of the line, without the grace. False where it no longer waits, or is being edited. */
  sendNext(id: RecordId): boolean
  /** As a draft, held back until it is replaced or `endEdit` is called. Undefined where it is being sent already. */
  edit(id: RecordId): Draft | undefined
  endEdit(id: RecordId): void
  /** False where it is being sent and can't be taken back. */
  remove(id: RecordId): boolean
  /** Undo of `remove`. */
  restore(id: RecordId): boolean
  /** What is not sent yet goes on meaning the same preset of this service. What may have arrived keeps the name it went with. */
  renamePreset(from: string, to: string, at: Addressee): void

  /** True once this process is the one that sends; it stays so until it ends. */
  claim(): boolean
  /** Those that may have arrived: being sent, or unknown. */
  unresolved(): readonly StoredSubmission[]
  /**
   * The first that may be sent at `now`; to anybody, unless it is said to whom. Of a long line that is being read, only what
   * is certain: `onChange` tells when to ask again, for `nextTime` too.
   */
  nextDue(now: number, to?: Addressee): StoredSubmission | undefined
  /** When the next one may be sent that waits only for its time, in ms since 1970. */
  nextTime(to?: Addressee): number | undefined
  /**
   * From now on it may have arrived; it must not leave before this is `onDisk`. False where it was removed, held or sent in
   * the meantime.
   */
  beginSending(id: RecordId, attempt: SendAttempt): boolean
  /** It certainly did not arrive. */
  backToWaiting(id: RecordId): void
  accept(id: RecordId, acceptance: Acceptance): void
  refuse(id: RecordId, refusal: Refusal): void
  /** It may have arrived, and nobody knows. */
  markUnknown(id: RecordId, attempt: SendAttempt, uncertainty: Uncertainty): void
  /** The user has to decide. */
  leaveToUser(id: RecordId, candidates: readonly Candidate[]): void
  /** Accepted and not yet `forget`ten: what the history may not know. */
  accepted(): readonly StoredSubmission[]
  /** The history has it. A power failure may take this back. */
  forget(id: RecordId): void
  /** Resolves when everything that was written so far would survive a power failure. */
  onDisk(): Promise<void>

  /** Writes something that changes nothing. Throws where the disk is still full. */
  tryWriting(): void
  /** False where its file was deleted or moved: what is written from now on is gone when the app ends. */
  isInPlace(): boolean
  /** Whether another process has written since this was last asked. */
  changedElsewhere(): boolean
  /** Called after every change made by this process. @returns a function that ends it */
  onChange(listener: () => void): () => void
  close(): void
}

/** What a killed process leaves behind in a file that it was sending. */
const CRASHED: Uncertainty = { cause: 'crash', message: '' }

/** Opens the outbox; a damaged file is set aside and said. Throws where there is no usable folder for one at all. */
export function openOutbox(options: OutboxOptions): Outbox {
  const { file, clock, ids, writes, later = nextTurn } = options
  const { connection, identity, setAside } = openDatabase({
    file,
    migrations,
    synchronous: 'full',
    checkWhole: true,
    clock,
  })
  let isOpen = true
  const table = submissionTable(connection, {
    later: (run) => later(() => void (isOpen && run())),
    onRead: announce,
  })
  const otherWriters = watchOtherWriters(connection)
  const claim = claimSending(claimFile(file))
  const holder = createEditHolder(file)
  const listeners = new Set<() => void>()

  function announce(): void {
    for (const listener of listeners) listener()
  }

  function written<T>(work: () => T): T {
    const result = toldOf(writes, work)
    announce()
    return result
  }

  const turn = () => new Promise<void>((resolve) => later(resolve))
  const stored = <T>(work: () => T): T => toldOf(writes, () => together(connection, table, work))
  const flush = createFlushLater(connection, file, options.openWal)
  const storedLater = <T>(work: () => T): T => flush.write(() => stored(work))
  const sweep = createSweep({ table, holder, storedLater, turn, isOpen: () => isOpen })
  const additions = createAdditions({
    table,
    clock,
    ids,
    holder,
    storedLater,
    written: (work) => written(() => flush.write(() => together(connection, table, work))),
    flushed: () => flush.flushed(),
    turn,
    sweepStart: (id) => sweep.start(id),
  })

  return {
    setAside,
    ...lineOf(connection, table, { clock, additions, holder, written }),
    ...transitionsOf(table, { held: () => claim.held(), written, flush }),
    onDisk: () => flush.flushed(),

    claim() {
      const before = claim.held()
      if (!claim.take()) return false
      if (!before) {
        written(() => together(connection, table, () => recover(table, holder)))
        sweep.leftovers()
      }
      return true
    },

    tryWriting: () => stored(() => table.writeNothing()),

    isInPlace: () => isInPlace(file, identity),
    changedElsewhere: () => otherWriters.haveWritten(),
    onChange(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    close() {
      isOpen = false
      holder.release()
      claim.release()
      flush.close()
      connection.close()
    },
  }
}

const nextTurn = (run: () => void): void => void setImmediate(run)

/** A change, told to everybody who listens. */
type Written = <T>(work: () => T) => T

/** All of it or nothing, in the file and in what is remembered of it. */
function together<T>(connection: DatabaseSync, table: SubmissionTable, work: () => T): T {
  try {
    return inTransaction(connection, work)
  } catch (error) {
    table.reread()
    throw error
  }
}

type LineDeps = Pick<OutboxOptions, 'clock'> & {
  readonly additions: Additions
  readonly holder: EditHolder
  readonly written: Written
}

/** What a person, or a command for a person, does to the line. */
function lineOf(
  connection: DatabaseSync,
  table: SubmissionTable,
  { clock, additions, holder, written }: LineDeps,
) {
  /** Nobody else edits it. */
  function isFree(id: RecordId): boolean {
    const state = table.get(id)?.state
    if (state?.kind !== 'waiting' || state.heldBy === null) return true
    return state.heldBy === holder.name() || !holder.isAlive(state.heldBy)
  }

  return {
    enqueue: async (plans, options = {}) => (await additions.add(plans, options)) ?? [],
    replace: (id, plans, options = {}) => additions.add(plans, options, id),
    wasEnqueued: table.hasKey,
    forgetKey: table.forgetKey,

    list: table.list,
    listSoFar: table.listSoFar,
    isListWhole: table.isListWhole,
    pages: table.pages,
    get: (id) => table.get(id),
    whole: (id) => table.whole(id),

    sendNext: (id) =>
      written(() =>
        together(connection, table, () => {
          if (!isFree(id) || !table.move(id, ['waiting'], WAITING)) return false
          table.moveToFront(id)
          return true
        }),
      ),

    edit(id) {
      const submission = table.whole(id)
      if (submission === undefined) return undefined
      if (submission.state.kind === 'refused') return draftOf(submission.plan, id)
      if (!isFree(id)) return undefined
      const isHeld = written(() => table.move(id, ['waiting'], { ...WAITING, heldBy: holder.name() }))
      return isHeld ? draftOf(submission.plan, id) : undefined
    },
    endEdit(id) {
      if (isFree(id)) written(() => table.move(id, ['waiting'], WAITING))
    },

    remove: (id) => written(() => table.remove(id, clock())),
    restore: (id) => written(() => table.restore(id)),
    renamePreset: (from, to, at) => written(() => table.renamePreset(from, to, at)),
  } satisfies Partial<Outbox>
}

type TransitionDeps = {
  readonly held: () => boolean
  readonly written: Written
  readonly flush: Pick<FlushLater, 'write'>
}

/** What the sender does to a submission. */
function transitionsOf(table: SubmissionTable, { held, written, flush }: TransitionDeps) {
  /** The transition must be possible; where it is not, there are two senders or a mistake, and both must be seen. */
  function mustMove(id: RecordId, from: readonly DurableState['kind'][], to: DurableState): void {
    written(() => {
      if (!table.move(id, from, to)) throw new Error(`Submission ${id} can't become ${to.kind}.`)
    })
  }

  return {
    unresolved: table.unresolved,
    nextDue: (now, to) => table.due(now, to),
    nextTime: (to) => table.nextTime(to),

    beginSending: (id, attempt) =>
      written(() => held() && flush.write(() => table.move(id, ['waiting'], { kind: 'sending', attempt }))),
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
    // Where a power failure takes this back, the history is told once more of what it knows.
    forget: (id) => flush.write(() => table.forgetAccepted(id)),
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

/** The sender before us is gone: what it was sending may have arrived, and what it was editing nobody edits any more. */
function recover(table: SubmissionTable, holder: EditHolder): void {
  for (const { id, state } of table.unresolved()) {
    if (state.kind !== 'sending') continue
    const { attempt } = state
    const uncertainty = CRASHED
    table.move(id, ['sending'], { kind: 'unknown', attempt, uncertainty, leftToUser: false, candidates: [] })
  }
  for (const { id, state } of table.held()) {
    const isHeld = state.kind === 'waiting' && state.heldBy !== null && holder.isAlive(state.heldBy)
    if (!isHeld) table.move(id, ['waiting'], WAITING)
  }
  table.purgeStarts()
}
