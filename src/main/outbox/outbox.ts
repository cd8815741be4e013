import { createListeners } from '../../node/listeners.ts'
import type { Draft } from '../../shared/model/draft.ts'
import type { Failure } from '../../shared/failure/failure.ts'
import type { RecordId } from '../../shared/model/ids.ts'
import type { Candidate } from '../../shared/model/job.ts'
import type { JobScope } from '../../shared/model/job-sections.ts'
import { type DatabaseFileOptions, openDatabaseFile } from '../database/index.ts'
import { createAdditions, partsHere, type Additions, type EnqueueOptions } from './additions.ts'
import { draftOf, type PlannedSubmission } from './planned-submission.ts'
import { CancelRequests, Exempt, marksIn } from './marks.ts'
import {
  postponed,
  uncertain,
  WAITING,
  type Acceptance,
  type DurableState,
  type Refusal,
  type SendAttempt,
  type Uncertainty,
} from './submission-state.ts'
import {
  Keys,
  Starts,
  submissionOf,
  Submissions,
  type Addressee,
  type Submission,
} from './submission-rows.ts'
import { submissionTable, type SubmissionTable } from './submission-table.ts'
import { createWrites, type Writes } from './writes.ts'

export type Outbox = ReturnType<typeof openOutbox>

/**
 * Opens the durable queue of submissions (rule 1), and recovers what the previous owner left. Moves a damaged file aside and reports it.
 * When a method returns, its change survives a killed process. The change also survives a power failure, except for methods that
 * document otherwise. Only the owner of the data folder opens it.
 * @throws if there is no usable folder
 */
export function openOutbox(
  options: Pick<DatabaseFileOptions, 'file' | 'clock' | 'writes' | 'openWal' | 'onSetAside'> & {
    readonly ids: () => RecordId
    /** Runs a callback in a later event-loop tick; by default in the next one. */
    readonly later?: (run: () => void) => void
  },
) {
  const { clock, ids, later = nextTick } = options
  const database = openDatabaseFile({
    ...options,
    schema: TABLES.map(({ sql }) => sql).join('\n'),
    checkWhole: true,
  })
  const { connection, setAside, tryWriting, isInPlace, close } = database
  const table = submissionTable(connection, {
    later: (run) => later(() => void (connection.isOpen && run())),
    onRead: () => listeners.call(),
  })
  const listeners = createListeners()
  const writes = createWrites(database, listeners.call)
  const turn = () => new Promise<void>((resolve) => later(resolve))
  const isOpen = () => connection.isOpen
  const additions = createAdditions({ table, writes, clock, ids, turn, isOpen })
  writes.now(() => recover(table))
  additions.sweep()

  return {
    /** New path of a damaged file that was moved aside, or of its copy; null if there was none. */
    get setAside() {
      return setAside()
    },
    ...lineOf(table, writes, additions, clock),
    ...transitionsOf(table, writes),
    exempt: marksIn(Exempt, connection, writes),
    cancelRequests: marksIn(CancelRequests, connection, writes),
    /** Resolves when all changes so far would survive a power failure. */
    onDisk: writes.flushed,

    tryWriting,
    isInPlace,
    /** @returns a function that removes the listener */
    onChange: listeners.add,
    close,
  }
}

const TABLES = [Starts, Submissions, Keys, Exempt, CancelRequests]

const nextTick = (run: () => void): void => void setImmediate(run)

/**
 * Recovers the submissions of the previous owner. Those that were being sent become `unknown`, because they may have arrived. Those that
 * were being edited are released, and postponed ones are sent again immediately.
 */
function recover(table: SubmissionTable): void {
  for (const { id, state } of table.unresolved()) {
    if (state.kind === 'sending')
      table.move(id, ['sending'], uncertain(state.attempt, { cause: 'crash', message: '' }))
  }
  for (const { id } of table.edited()) table.move(id, ['waiting'], WAITING)
  table.retryPostponed()
  table.purgeStarts()
}

/** Returns the methods that read the outbox, and those for changes that the user makes, directly or with a command. */
function lineOf(table: SubmissionTable, writes: Writes, additions: Additions, clock: () => number) {
  const removeEach = (ids: readonly RecordId[]): readonly RecordId[] =>
    writes.now(() => {
      const now = clock()
      return ids.filter((id) => table.remove(id, now))
    })
  const waitingIn = (job: RecordId) =>
    partsHere(table, job).filter((part) => table.get(part)?.state.kind === 'waiting')

  return {
    /**
     * Appends all of these submissions or none. Resolves when they are on disk. A small number is written before the method returns;
     * a larger one takes several event-loop ticks. Rejects if the disk is full, without adding any.
     */
    enqueue: async (
      plans: readonly PlannedSubmission[],
      options: EnqueueOptions = {},
    ): Promise<readonly Submission[]> => (await additions.add(plans, options)) ?? [],
    /**
     * Like `enqueue`, but replaces an edited submission and the other parts of its job, at its position. Resolves to undefined if a part is
     * being sent or may have been sent, or if the submission is no longer stored.
     */
    replace: (id: RecordId, plans: readonly PlannedSubmission[], options: EnqueueOptions = {}) =>
      additions.add(plans, options, id),
    /**
     * Puts a submission back at the front of the outbox, because it already had its turn. Call this when its job no longer exists. Returns
     * false if the submission is already in the outbox.
     */
    putBack: (submission: Pick<Submission, 'id' | 'createdAt' | 'state' | 'plan'>): boolean =>
      writes.now(() => {
        if (table.get(submission.id) !== undefined) return false
        const position = table.positionsFor(undefined, 1)(0)
        table.insert(submissionOf({ ...submission, position, attempts: 0 }), null)
        table.place([submission.id], 'first')
        return true
      }),
    /** Whether submissions were already added with this key. The key is kept until `forgetKey`. */
    wasEnqueued: table.hasKey,
    forgetKey: table.forgetKey,

    /** Returns all submissions that haven't been accepted, in sending order. */
    list: (): readonly Submission[] =>
      [...table.pages()].flat().filter(({ state }) => state.kind !== 'accepted'),
    /**
     * Returns the part of `list` that has been read so far. `onChange` reports further parts. Intended for display, because reading a
     * long list takes many event-loop ticks.
     */
    listSoFar: table.listSoFar,
    /** Returns all submissions, including accepted ones, in pages that are read lazily. Intended for callers that must not block. */
    pages: table.pages,
    get: table.get,
    partsOf: table.partsOf,

    /**
     * Moves a submission, or the waiting parts of its job, to the front. Ends their undo period, postponement and editing. Returns false if
     * none of them is still waiting.
     */
    runNext: (id: RecordId): boolean =>
      writes.now(() => {
        const waiting = partsHere(table, id).filter((part) => table.move(part, ['waiting'], WAITING))
        if (waiting.length > 0) table.place(waiting, 'first')
        return waiting.length > 0
      }),
    /**
     * Moves a submission, or the waiting parts of its job, without starting anything. Returns false if none of them, or no part of the
     * other job, is still waiting.
     * @param before the job to move it ahead of; null for the end
     */
    moveBefore: (id: RecordId, before: RecordId | null): boolean => {
      const moved = waitingIn(id)
      const next = before === null ? 'last' : waitingIn(before)[0]
      if (next === undefined || moved.length === 0) return false
      if (!moved.some((part) => part === next)) writes.now(() => table.place(moved, next))
      return true
    },
    /**
     * Returns a submission's whole job as a draft, and keeps it from being sent until it is replaced or `endEdit` is called. Returns
     * undefined if a part is being sent, may have been sent, or is no longer in the outbox.
     */
    edit(id: RecordId): Draft | undefined {
      const ids = partsHere(table, id)
      const [first, ...more] = ids.flatMap((part) => table.get(part) ?? [])
      if (first === undefined || more.length + 1 < (first.plan.place?.parts ?? 1)) return undefined
      const isEditable = [first, ...more].every(
        ({ state }) => state.kind === 'refused' || state.kind === 'waiting',
      )
      if (!isEditable) return undefined
      const edited = { ...WAITING, isEdited: true }
      writes.now(() => ids.forEach((part) => void table.move(part, ['waiting'], edited)))
      return draftOf([first.plan, ...more.map(({ plan }) => plan)], first.id)
    },
    endEdit(id: RecordId): void {
      const parts = partsHere(table, id)
      if (parts.length > 0)
        writes.now(() => parts.forEach((part) => void table.move(part, ['waiting'], WAITING)))
    },

    /** Removes submissions. Returns the removed ones; a submission that is being sent can't be removed. */
    remove: (id: RecordId, scope: JobScope = 'job') => removeEach(scopeOf(table, id, scope)),
    /** Like `remove`, without the other parts of their jobs. */
    removeEach,
    /** Restores a submission that was removed with `remove`, and the parts of its job that were removed together with it. */
    restore: (id: RecordId) => writes.now(() => table.restore(id)),
    /** Updates the preset name in this service's unsent submissions. Submissions that were sent keep the old name. */
    renamePreset: (from: string, to: string, at: Addressee) =>
      writes.now(() => table.renamePreset(from, to, at)),
    /** Redirects a service's unsent submissions to the service that the settings name. */
    readdress: (from: string) => writes.now(() => table.readdress(from)),
  }
}

/** Returns the submissions in the outbox that an action on one of them affects. */
function scopeOf(table: SubmissionTable, id: RecordId, scope: JobScope): readonly RecordId[] {
  if (scope === 'part') return [id]
  const preset = table.get(id)?.plan.preset
  const parts = partsHere(table, id)
  return scope === 'job' ? parts : parts.filter((part) => table.get(part)?.plan.preset === preset)
}

/** Returns the methods for the sender's state transitions. */
function transitionsOf(table: SubmissionTable, writes: Writes) {
  /** Throws if the transition isn't possible, because a second sender or a bug must not go unnoticed. */
  function mustMove(id: RecordId, from: readonly DurableState['kind'][], to: DurableState): void {
    writes.now(() => {
      if (!table.move(id, from, to)) throw new Error(`Submission ${id} can't become ${to.kind}.`)
    })
  }

  return {
    /** Returns the submissions that the service may have received: those being sent, and unknown ones. */
    unresolved: table.unresolved,
    nextDue: table.nextDue,
    nextTime: table.nextTime,

    /**
     * Marks a submission as possibly received by the service. It must not be sent until `onDisk` has resolved. Returns false if the
     * submission was removed, edited or sent in the meantime.
     */
    beginSending: (id: RecordId, attempt: SendAttempt): boolean =>
      writes.later(() => table.move(id, ['waiting'], { kind: 'sending', attempt })),
    /** Marks a submission as waiting again, because the service certainly hasn't created a job for it. */
    backToWaiting: (id: RecordId) => mustMove(id, ['sending', 'unknown'], WAITING),
    /** Postpones a submission because of a problem that may be temporary. See `postponed` for the delay. @param at ms since 1970 */
    postpone: (id: RecordId, why: Failure, at: number) =>
      mustMove(id, ['waiting', 'sending', 'unknown'], postponed(why, at, table.get(id)?.createdAt)),
    accept: (id: RecordId, acceptance: Acceptance) =>
      mustMove(id, ['sending', 'unknown'], { kind: 'accepted', acceptance }),
    refuse: (id: RecordId, refusal: Refusal) =>
      mustMove(id, ['waiting', 'sending', 'unknown'], { kind: 'refused', refusal }),
    /** Marks a submission as unknown, because the service may have received it. */
    markUnknown: (id: RecordId, attempt: SendAttempt, uncertainty: Uncertainty) =>
      mustMove(id, ['sending', 'unknown'], uncertain(attempt, uncertainty)),
    /** Leaves the decision about an unknown submission to the user. */
    leaveToUser(id: RecordId, candidates: readonly Candidate[]): void {
      const state = table.get(id)?.state
      if (state?.kind !== 'unknown') throw new Error(`Submission ${id} is not unknown.`)
      mustMove(id, ['unknown'], { ...state, leftToUser: true, candidates })
    },

    /** Returns accepted submissions that haven't been passed to `forget`. The history may not have them yet. */
    accepted: table.accepted,
    /** Removes submissions that have become jobs, so that they are never sent again. */
    drop: (ids: readonly RecordId[]): void => writes.now(() => ids.forEach(table.drop)),
    /** Removes a submission that is stored in the history. If a power failure reverts this, it is handed over to the history again. */
    forget: (id: RecordId) => writes.hidden(() => table.forgetAccepted(id)),
  }
}
