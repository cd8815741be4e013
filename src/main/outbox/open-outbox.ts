import type { DatabaseSync } from 'node:sqlite'
import * as z from 'zod'
import type { Draft } from '../../shared/model/draft.ts'
import { asRecordId, type RecordId } from '../../shared/model/ids.ts'
import { inTransaction, openDatabase, type Migration } from '../database/database.ts'
import { draftOf, PlannedSubmission } from './planned-submission.ts'
import { claimFile, claimSending } from './sending-claim.ts'
import { StoredState, type Acceptance, type Doubt, type Refusal, type SentMark } from './submission-state.ts'
import type { LookAlike } from '../../shared/model/work.ts'

export type StoredSubmission = {
  readonly id: RecordId
  /** ms since 1970. */
  readonly createdAt: number
  readonly plan: PlannedSubmission
  /** How often `POST /jobs` has been begun for it. */
  readonly attempts: number
  readonly state: StoredState
}

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

/** Whose submissions may be sent. */
export type Addressee = {
  /** Those that are meant for this service, by its identity. */
  readonly service: string
  /** Also those that are meant for whichever is connected. */
  readonly unaddressed: boolean
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
  /** Those that may have arrived: being sent, or in doubt. */
  maybeArrived(): readonly StoredSubmission[]
  /** The first that may be sent at `now`; to anybody, unless it is said to whom. */
  nextDue(now: number, to?: Addressee): StoredSubmission | undefined
  /** When the next one may be sent that waits only for its time, in ms since 1970. */
  nextTime(to?: Addressee): number | undefined
  /** From now on it may have arrived. False where it was removed, held or sent in the meantime. */
  beginSending(id: RecordId, mark: SentMark): boolean
  /** It certainly did not arrive. */
  backToWaiting(id: RecordId): void
  accept(id: RecordId, acceptance: Acceptance): void
  refuse(id: RecordId, refusal: Refusal): void
  doubt(id: RecordId, mark: SentMark, doubt: Doubt): void
  /** The user has to decide. */
  settle(id: RecordId, lookAlikes: readonly LookAlike[]): void
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

const migrations: readonly Migration[] = [
  (connection) =>
    connection.exec(`
      CREATE TABLE submissions (
        id TEXT PRIMARY KEY,
        position REAL NOT NULL,
        created_at INTEGER NOT NULL,
        removed_at INTEGER,
        attempts INTEGER NOT NULL DEFAULT 0,
        kind TEXT NOT NULL,
        not_before INTEGER,
        held INTEGER NOT NULL DEFAULT 0,
        plan TEXT NOT NULL,
        state TEXT NOT NULL
      ) STRICT, WITHOUT ROWID;
      CREATE INDEX submissions_line ON submissions (kind, position);
    `),
  (connection) => connection.exec('CREATE TABLE keys (key TEXT PRIMARY KEY) STRICT, WITHOUT ROWID'),
]

const Row = z.object({
  id: z.string(),
  created_at: z.number(),
  attempts: z.number(),
  plan: z.string(),
  state: z.string(),
})

const COLUMNS = 'id, created_at, attempts, plan, state'

function submissionOf(row: unknown): StoredSubmission {
  const { id, created_at, attempts, plan, state } = Row.parse(row)
  return {
    id: asRecordId(id),
    createdAt: created_at,
    attempts,
    plan: PlannedSubmission.parse(JSON.parse(plan)),
    state: StoredState.parse(JSON.parse(state)),
  }
}

/** What a killed process leaves behind in a file that it was sending. */
const CRASHED: Doubt = { cause: 'crash', message: '' }

/** Opens the outbox; a damaged file is set aside and said. Throws where there is no place for one at all. */
export function openOutbox({ file, clock, ids }: OutboxOptions): Outbox {
  const { connection, setAside } = openDatabase({
    file,
    migrations,
    synchronous: 'full',
    checkWhole: true,
    clock,
  })
  const listeners = new Set<() => void>()
  const said = <T>(result: T): T => {
    for (const listener of listeners) listener()
    return result
  }
  const statements = prepare(connection)
  let dataVersion = versionOf(connection)
  const claim = claimSending(claimFile(file))

  const get = (id: RecordId): StoredSubmission | undefined => {
    const row = statements.get.get(id)
    return row && submissionOf(row)
  }

  /** Replaces a state if it is one of `from` and the submission is still wanted. */
  const move = (id: RecordId, from: readonly StoredState['kind'][], to: StoredState): boolean => {
    const waiting = to.kind === 'waiting' ? to : { notBefore: null, held: false }
    const { changes } = statements.move.run({
      id,
      from: JSON.stringify(from),
      kind: to.kind,
      notBefore: waiting.notBefore,
      held: waiting.held ? 1 : 0,
      begun: to.kind === 'sending' ? 1 : 0,
      state: JSON.stringify(to),
    })
    return changes === 1
  }

  /** The transition must be possible; that it isn't means two senders or a mistake, and both must be seen. */
  const mustMove = (id: RecordId, from: readonly StoredState['kind'][], to: StoredState): void => {
    if (!move(id, from, to)) throw new Error(`Submission ${id} can't become ${to.kind}.`)
    said(undefined)
  }

  function insert(plan: PlannedSubmission, position: number, notBefore: number | null): StoredSubmission {
    const id = ids()
    const createdAt = clock()
    const state: StoredState = { kind: 'waiting', notBefore, held: false }
    statements.insert.run(id, position, createdAt, notBefore, JSON.stringify(plan), JSON.stringify(state))
    return { id, createdAt, plan, attempts: 0, state }
  }

  return {
    setAside,

    enqueue: (plans, options = {}) =>
      said(
        inTransaction(connection, () => {
          if (options.key !== undefined && statements.addKey.run(options.key).changes === 0) return []
          const place = placeFor(statements, options.replacing, plans.length)
          if (options.replacing !== undefined) statements.replace.run(options.replacing)
          return plans.map((plan, n) => insert(plan, place(n), options.notBefore ?? null))
        }),
      ),

    wasEnqueued: (key) => statements.hasKey.get(key) !== undefined,
    forgetKey: (key) => void statements.forgetKey.run(key),

    list: () => statements.list.all().map(submissionOf),
    get,

    sendNext: (id) =>
      said(
        inTransaction(connection, () => {
          const front = PositionRow.parse(statements.ends.get()).first
          if (!move(id, ['waiting'], { kind: 'waiting', notBefore: null, held: false })) return false
          statements.place.run(front - 1, id)
          return true
        }),
      ),

    edit(id) {
      const submission = get(id)
      if (submission === undefined) return undefined
      if (submission.state.kind === 'refused') return draftOf(submission.plan, id)
      return move(id, ['waiting'], { kind: 'waiting', notBefore: null, held: true })
        ? said(draftOf(submission.plan, id))
        : undefined
    },

    endEdit: (id) => void said(move(id, ['waiting'], { kind: 'waiting', notBefore: null, held: false })),

    remove: (id) => said(statements.remove.run(clock(), id).changes === 1),
    restore: (id) => said(statements.restore.run(id).changes === 1),

    claim() {
      const before = claim.held()
      if (!claim.take()) return false
      if (!before) {
        recover(connection, statements, move)
        said(undefined)
      }
      return true
    },

    maybeArrived: () => statements.maybeArrived.all().map(submissionOf),

    nextDue(now, to) {
      const row = statements.due.get({ now, ...addressed(to) })
      return row && submissionOf(row)
    },

    nextTime: (to) => TimeRow.parse(statements.time.get(addressed(to))).at ?? undefined,

    beginSending: (id, mark) => said(claim.held() && move(id, ['waiting'], { kind: 'sending', mark })),
    backToWaiting: (id) =>
      mustMove(id, ['sending', 'unknown'], { kind: 'waiting', notBefore: null, held: false }),
    accept: (id, acceptance) => mustMove(id, ['sending', 'unknown'], { kind: 'accepted', acceptance }),
    refuse: (id, refusal) => mustMove(id, ['waiting', 'sending', 'unknown'], { kind: 'refused', refusal }),
    doubt: (id, mark, doubt) =>
      mustMove(id, ['sending', 'unknown'], {
        kind: 'unknown',
        mark,
        doubt,
        settled: false,
        lookAlikes: [],
      }),
    settle(id, lookAlikes) {
      const state = get(id)?.state
      if (state?.kind !== 'unknown') throw new Error(`Submission ${id} is not in doubt.`)
      mustMove(id, ['unknown'], { ...state, settled: true, lookAlikes: [...lookAlikes] })
    },

    accepted: () => statements.accepted.all().map(submissionOf),
    forget: (id) => void statements.forget.run(id),

    changedElsewhere() {
      const before = dataVersion
      dataVersion = versionOf(connection)
      return dataVersion !== before
    },

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

/** SQLite's own count of what other connections have committed. */
const versionOf = (connection: DatabaseSync): number =>
  z.object({ data_version: z.number() }).parse(connection.prepare('PRAGMA data_version').get()).data_version

const PositionRow = z.object({ first: z.number(), last: z.number() })
const PlaceRow = z.object({ position: z.number(), next: z.number().nullable() })
const TimeRow = z.object({ at: z.number().nullable() })

const addressed = (to: Addressee | undefined) => ({
  service: to?.service ?? null,
  unaddressed: to === undefined || to.unaddressed ? 1 : 0,
})

function prepare(connection: DatabaseSync) {
  const target = `json_extract(plan, '$.target')`
  const takes = `CASE WHEN :service IS NULL THEN 1 WHEN ${target} IS NULL THEN :unaddressed ELSE ${target} = :service END`
  const shown = `removed_at IS NULL AND kind <> 'accepted'`
  return {
    insert: connection.prepare(
      `INSERT INTO submissions (id, position, created_at, kind, not_before, plan, state)
       VALUES (?, ?, ?, 'waiting', ?, ?, ?)`,
    ),
    get: connection.prepare(`SELECT ${COLUMNS} FROM submissions WHERE id = ? AND removed_at IS NULL`),
    list: connection.prepare(`SELECT ${COLUMNS} FROM submissions WHERE ${shown} ORDER BY position`),
    maybeArrived: connection.prepare(
      `SELECT ${COLUMNS} FROM submissions
       WHERE kind IN ('sending', 'unknown') AND removed_at IS NULL ORDER BY position`,
    ),
    accepted: connection.prepare(
      `SELECT ${COLUMNS} FROM submissions WHERE kind = 'accepted' ORDER BY position`,
    ),
    ends: connection.prepare(
      'SELECT coalesce(min(position), 0) AS first, coalesce(max(position), 0) AS last FROM submissions',
    ),
    placeOf: connection.prepare(
      `SELECT position, (SELECT min(position) FROM submissions WHERE position > own.position) AS next
       FROM submissions AS own WHERE id = ?`,
    ),
    place: connection.prepare('UPDATE submissions SET position = ? WHERE id = ?'),
    replace: connection.prepare(`DELETE FROM submissions WHERE id = ? AND kind IN ('waiting', 'refused')`),
    remove: connection.prepare(
      `UPDATE submissions SET removed_at = ?
       WHERE id = ? AND removed_at IS NULL AND kind IN ('waiting', 'refused', 'unknown')`,
    ),
    restore: connection.prepare('UPDATE submissions SET removed_at = NULL WHERE id = ? AND removed_at > 0'),
    move: connection.prepare(
      `UPDATE submissions
       SET kind = :kind, state = :state, not_before = :notBefore, held = :held, attempts = attempts + :begun
       WHERE id = :id AND removed_at IS NULL AND (:begun = 0 OR held = 0)
         AND kind IN (SELECT value FROM json_each(:from))`,
    ),
    due: connection.prepare(
      `SELECT ${COLUMNS} FROM submissions
       WHERE kind = 'waiting' AND removed_at IS NULL AND held = 0 AND coalesce(not_before, 0) <= :now
         AND ${takes}
       ORDER BY position LIMIT 1`,
    ),
    time: connection.prepare(
      `SELECT min(not_before) AS at FROM submissions
       WHERE kind = 'waiting' AND removed_at IS NULL AND held = 0
         AND ${takes}`,
    ),
    unfinished: connection.prepare(`SELECT ${COLUMNS} FROM submissions WHERE kind = 'sending'`),
    held: connection.prepare(`SELECT ${COLUMNS} FROM submissions WHERE kind = 'waiting' AND held = 1`),
    purge: connection.prepare('DELETE FROM submissions WHERE removed_at IS NOT NULL'),
    forget: connection.prepare(`DELETE FROM submissions WHERE id = ? AND kind = 'accepted'`),
    addKey: connection.prepare('INSERT INTO keys (key) VALUES (?) ON CONFLICT DO NOTHING'),
    hasKey: connection.prepare('SELECT 1 FROM keys WHERE key = ?'),
    forgetKey: connection.prepare('DELETE FROM keys WHERE key = ?'),
  }
}

type Statements = ReturnType<typeof prepare>
type Move = (id: RecordId, from: readonly StoredState['kind'][], to: StoredState) => boolean

/** Where the nth of `count` new ones goes: to the end, or into the place of the one they replace. */
function placeFor(
  statements: Statements,
  replacing: RecordId | undefined,
  count: number,
): (n: number) => number {
  const row = replacing === undefined ? undefined : statements.placeOf.get(replacing)
  if (row === undefined) {
    const { last } = PositionRow.parse(statements.ends.get())
    return (n) => last + 1 + n
  }
  const { position, next } = PlaceRow.parse(row)
  const step = ((next ?? position + count + 1) - position) / (count + 1)
  return (n) => position + step * n
}

/** The one before us is gone: what it was sending may have arrived, what it was editing is a draft that nobody has. */
function recover(connection: DatabaseSync, statements: Statements, move: Move): void {
  inTransaction(connection, () => {
    for (const row of statements.unfinished.all()) {
      const { id, state } = submissionOf(row)
      if (state.kind !== 'sending') continue
      move(id, ['sending'], {
        kind: 'unknown',
        mark: state.mark,
        doubt: CRASHED,
        settled: false,
        lookAlikes: [],
      })
    }
    for (const row of statements.held.all()) {
      move(submissionOf(row).id, ['waiting'], { kind: 'waiting', notBefore: null, held: false })
    }
    statements.purge.run()
  })
}
