import type { DatabaseSync } from 'node:sqlite'
import * as z from 'zod'
import { asRecordId, type RecordId } from '../../shared/model/ids.ts'
import type { Migration } from '../database/database.ts'
import { PlannedSubmission } from './planned-submission.ts'
import { readState, writeState, type DurableState } from './submission-state.ts'

export type StoredSubmission = {
  readonly id: RecordId
  /** ms since 1970. */
  readonly createdAt: number
  readonly plan: PlannedSubmission
  /** How often `POST /jobs` has been begun for it. */
  readonly attempts: number
  readonly state: DurableState
}

/** Whose submissions may be sent. */
export type Addressee = {
  /** Those that are meant for this service, by its identity. */
  readonly service: string
  /** Also those that are meant for whichever is connected. */
  readonly unaddressed: boolean
}

export const migrations: readonly Migration[] = [
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
const EndsRow = z.object({ first: z.number(), last: z.number() })
const PositionRow = z.object({ position: z.number(), next: z.number().nullable() })
const TimeRow = z.object({ at: z.number().nullable() })

function submissionOf(row: unknown): StoredSubmission {
  const { id, created_at, attempts, plan, state } = Row.parse(row)
  return {
    id: asRecordId(id),
    createdAt: created_at,
    attempts,
    plan: PlannedSubmission.parse(JSON.parse(plan)),
    state: readState(state),
  }
}

const addressed = (to: Addressee | undefined) => ({
  service: to?.service ?? null,
  unaddressed: to === undefined || to.unaddressed ? 1 : 0,
})

/** The rows of the outbox. Each method is one statement; what has to happen together is put together by the outbox. */
export type SubmissionTable = ReturnType<typeof submissionTable>

export function submissionTable(connection: DatabaseSync) {
  const sql = prepare(connection)
  const ends = () => EndsRow.parse(sql.ends.get())

  return {
    insert: ({ id, createdAt, plan, state }: StoredSubmission, position: number): void => {
      const notBefore = state.kind === 'waiting' ? state.notBefore : null
      sql.insert.run(id, position, createdAt, notBefore, JSON.stringify(plan), writeState(state))
    },

    get(id: RecordId): StoredSubmission | undefined {
      const row = sql.get.get(id)
      return row && submissionOf(row)
    },
    list: () => sql.list.all().map(submissionOf),
    unresolved: () => sql.unresolved.all().map(submissionOf),
    accepted: () => sql.accepted.all().map(submissionOf),
    sending: () => sql.sending.all().map(submissionOf),
    held: () => sql.held.all().map(submissionOf),

    due(now: number, to: Addressee | undefined): StoredSubmission | undefined {
      const row = sql.due.get({ now, ...addressed(to) })
      return row && submissionOf(row)
    },
    nextTime: (to: Addressee | undefined) => TimeRow.parse(sql.time.get(addressed(to))).at ?? undefined,

    /** Replaces a state if it is one of `from` and the submission is still wanted. */
    move(id: RecordId, from: readonly DurableState['kind'][], to: DurableState): boolean {
      const { notBefore, held } = to.kind === 'waiting' ? to : { notBefore: null, held: false }
      const { changes } = sql.move.run({
        id,
        from: JSON.stringify(from),
        kind: to.kind,
        notBefore,
        held: held ? 1 : 0,
        begun: to.kind === 'sending' ? 1 : 0,
        state: writeState(to),
      })
      return changes === 1
    },
    moveToFront: (id: RecordId) => void sql.reposition.run(ends().first - 1, id),

    /** Where the nth of `count` new ones goes: to the end, or into the position of the one they replace. */
    positionsFor(replacing: RecordId | undefined, count: number): (n: number) => number {
      const row = replacing === undefined ? undefined : sql.positionOf.get(replacing)
      if (row === undefined) {
        const { last } = ends()
        return (n) => last + 1 + n
      }
      const { position, next } = PositionRow.parse(row)
      const step = ((next ?? position + count + 1) - position) / (count + 1)
      return (n) => position + step * n
    },

    deleteReplaced: (id: RecordId) => sql.replace.run(id).changes === 1,
    remove: (id: RecordId, now: number) => sql.remove.run(now, id).changes === 1,
    restore: (id: RecordId) => sql.restore.run(id).changes === 1,
    purgeRemoved: () => void sql.purge.run(),
    forgetAccepted: (id: RecordId) => void sql.forget.run(id),

    addKey: (key: string) => sql.addKey.run(key).changes === 1,
    hasKey: (key: string) => sql.hasKey.get(key) !== undefined,
    forgetKey: (key: string) => void sql.forgetKey.run(key),
  }
}

function prepare(connection: DatabaseSync) {
  const columns = 'id, created_at, attempts, plan, state'
  const target = `json_extract(plan, '$.target')`
  const takes = `CASE WHEN :service IS NULL THEN 1 WHEN ${target} IS NULL THEN :unaddressed ELSE ${target} = :service END`
  const shown = `removed_at IS NULL AND kind <> 'accepted'`
  return {
    insert: connection.prepare(
      `INSERT INTO submissions (id, position, created_at, kind, not_before, plan, state)
       VALUES (?, ?, ?, 'waiting', ?, ?, ?)`,
    ),
    get: connection.prepare(`SELECT ${columns} FROM submissions WHERE id = ? AND removed_at IS NULL`),
    list: connection.prepare(`SELECT ${columns} FROM submissions WHERE ${shown} ORDER BY position`),
    unresolved: connection.prepare(
      `SELECT ${columns} FROM submissions
       WHERE kind IN ('sending', 'unknown') AND removed_at IS NULL ORDER BY position`,
    ),
    accepted: connection.prepare(
      `SELECT ${columns} FROM submissions WHERE kind = 'accepted' ORDER BY position`,
    ),
    sending: connection.prepare(`SELECT ${columns} FROM submissions WHERE kind = 'sending'`),
    held: connection.prepare(`SELECT ${columns} FROM submissions WHERE kind = 'waiting' AND held = 1`),
    due: connection.prepare(
      `SELECT ${columns} FROM submissions
       WHERE kind = 'waiting' AND removed_at IS NULL AND held = 0 AND coalesce(not_before, 0) <= :now
         AND ${takes}
       ORDER BY position LIMIT 1`,
    ),
    time: connection.prepare(
      `SELECT min(not_before) AS at FROM submissions
       WHERE kind = 'waiting' AND removed_at IS NULL AND held = 0
         AND ${takes}`,
    ),
    move: connection.prepare(
      `UPDATE submissions
       SET kind = :kind, state = :state, not_before = :notBefore, held = :held, attempts = attempts + :begun
       WHERE id = :id AND removed_at IS NULL AND (:begun = 0 OR held = 0)
         AND kind IN (SELECT value FROM json_each(:from))`,
    ),
    ends: connection.prepare(
      'SELECT coalesce(min(position), 0) AS first, coalesce(max(position), 0) AS last FROM submissions',
    ),
    positionOf: connection.prepare(
      `SELECT position, (SELECT min(position) FROM submissions WHERE position > own.position) AS next
       FROM submissions AS own WHERE id = ?`,
    ),
    reposition: connection.prepare('UPDATE submissions SET position = ? WHERE id = ?'),
    replace: connection.prepare(`DELETE FROM submissions WHERE id = ? AND kind IN ('waiting', 'refused')`),
    remove: connection.prepare(
      `UPDATE submissions SET removed_at = ?
       WHERE id = ? AND removed_at IS NULL AND kind IN ('waiting', 'refused', 'unknown')`,
    ),
    restore: connection.prepare('UPDATE submissions SET removed_at = NULL WHERE id = ? AND removed_at > 0'),
    purge: connection.prepare('DELETE FROM submissions WHERE removed_at IS NOT NULL'),
    forget: connection.prepare(`DELETE FROM submissions WHERE id = ? AND kind = 'accepted'`),
    addKey: connection.prepare('INSERT INTO keys (key) VALUES (?) ON CONFLICT DO NOTHING'),
    hasKey: connection.prepare('SELECT 1 FROM keys WHERE key = ?'),
    forgetKey: connection.prepare('DELETE FROM keys WHERE key = ?'),
  }
}
