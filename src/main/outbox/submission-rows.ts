import type { DatabaseSync } from 'node:sqlite'
import * as z from 'zod'
import { asRecordId, type RecordId } from '../../shared/model/ids.ts'
import type { WorkTitle } from '../../shared/model/work.ts'
import { PlannedSubmission, titleOf } from './planned-submission.ts'
import { readState, type DurableState } from './submission-state.ts'

/** A submission without its plan, which may name thousands of files. The list in the window doesn't need the plan. */
export type ListedSubmission = {
  readonly id: RecordId
  readonly title: WorkTitle
  /** Identity of the service that it is addressed to; undefined to use the service that is connected when it is sent. */
  readonly target: string | undefined
  /** Sort key; the smallest is sent first. */
  readonly position: number
  /** Number of `POST /jobs` attempts started. */
  readonly attempts: number
  readonly state: DurableState
}

/** A submission including its plan. */
export type StoredSubmission = ListedSubmission & { readonly plan: PlannedSubmission }

/** Identifies the submissions that may be sent, by their service. */
export type Addressee = {
  /** Identity of the service. */
  readonly service: string
  /** Whether submissions without an addressee are included. */
  readonly unaddressed: boolean
}

/** Selects submissions that may be sent once they are due. */
const FREE = `kind = 'waiting' AND held = 0 AND removed_at IS NULL`

/** Selects submissions that were sent, including those whose outcome is unknown. */
const ATTEMPTED = `kind IN ('sending', 'unknown', 'accepted')`

// Each index contains all columns that its query uses, so that SQLite needn't read the rows.
export const schema = `
  CREATE TABLE starts (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    complete INTEGER NOT NULL DEFAULT 0,
    last_position REAL NOT NULL
  ) STRICT;
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
    state TEXT NOT NULL,
    start INTEGER REFERENCES starts (id),
    target TEXT NOT NULL DEFAULT '',
    group_id TEXT
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX submissions_held ON submissions (id) WHERE held = 1;
  CREATE INDEX submissions_removed ON submissions (id) WHERE removed_at IS NOT NULL;
  CREATE INDEX submissions_start ON submissions (start) WHERE start IS NOT NULL;
  CREATE INDEX submissions_attempted ON submissions (kind, position) WHERE ${ATTEMPTED};
  CREATE INDEX submissions_order ON submissions (position, id, start, removed_at);
  CREATE INDEX submissions_ready ON submissions (target, position, id, start, kind, held, removed_at, not_before)
    WHERE ${FREE} AND not_before IS NULL;
  CREATE INDEX submissions_timed ON submissions (target, position, id, start, not_before, kind, held, removed_at)
    WHERE ${FREE} AND not_before IS NOT NULL;
  CREATE INDEX submissions_times ON submissions (target, not_before, start, kind, held, removed_at)
    WHERE ${FREE} AND not_before IS NOT NULL;
  CREATE INDEX submissions_group ON submissions (group_id, position) WHERE group_id IS NOT NULL;
  CREATE TABLE keys (key TEXT PRIMARY KEY) STRICT, WITHOUT ROWID;
  CREATE TABLE exempt (id TEXT PRIMARY KEY) STRICT, WITHOUT ROWID;
  CREATE TABLE cancel_requests (id TEXT PRIMARY KEY) STRICT, WITHOUT ROWID;`

export const Row = z.object({
  id: z.string(),
  position: z.number(),
  created_at: z.number(),
  attempts: z.number(),
  plan: z.string(),
  state: z.string(),
})
export type Row = z.infer<typeof Row>

export function submissionIn(row: unknown): StoredSubmission {
  const { id, created_at: createdAt, position, attempts, plan, state } = Row.parse(row)
  return submissionOf(
    { id: asRecordId(id), createdAt, position, attempts, state: readState(state) },
    PlannedSubmission.parse(JSON.parse(plan)),
  )
}

export type SubmissionFacts = Omit<ListedSubmission, 'title' | 'target'> & {
  /** Milliseconds since 1970. */
  readonly createdAt: number
}

export const submissionOf = (
  { id, createdAt, position, attempts, state }: SubmissionFacts,
  plan: PlannedSubmission,
): StoredSubmission => ({
  id,
  title: titleOf(id, plan, createdAt),
  target: plan.target,
  position,
  attempts,
  state,
  plan,
})

export type Place = Pick<StoredSubmission, 'position' | 'id'>

/** A position before all submissions. */
export const START: Place = { position: -Infinity, id: asRecordId('') }

/** Compares by sending order. */
export const byPosition = (one: Place, other: Place): number =>
  one.position - other.position || (one.id < other.id ? -1 : one.id > other.id ? 1 : 0)

/** Selects rows of complete batches, and rows written in a single transaction. */
const SHOWN = 'start IS NULL OR EXISTS (SELECT 1 FROM starts WHERE starts.id = start AND complete = 1)'

export type Statements = ReturnType<typeof prepareStatements>

/** Prepares the outbox's SQL statements. */
export function prepareStatements(connection: DatabaseSync) {
  const columns = Object.keys(Row.shape).join(', ')
  return {
    page: connection.prepare(
      `SELECT ${columns} FROM submissions WHERE id IN (
         SELECT id FROM submissions INDEXED BY submissions_order
         WHERE (position, id) > (:position, :id) AND removed_at IS NULL AND (${SHOWN})
         ORDER BY position, id LIMIT :limit
       ) ORDER BY position, id`,
    ),
    ready: connection.prepare(
      `SELECT id, position FROM submissions INDEXED BY submissions_ready
       WHERE ${FREE} AND not_before IS NULL AND target = :target AND (${SHOWN}) ORDER BY position, id LIMIT 1`,
    ),
    timed: connection.prepare(
      `SELECT id, position FROM submissions INDEXED BY submissions_timed
       WHERE ${FREE} AND not_before <= :now AND target = :target AND (${SHOWN}) ORDER BY position, id LIMIT 1`,
    ),
    lastDue: connection.prepare(
      `SELECT not_before AS time FROM submissions INDEXED BY submissions_times
       WHERE ${FREE} AND not_before <= :now AND target = :target AND (${SHOWN}) ORDER BY not_before DESC LIMIT 1`,
    ),
    nextTime: connection.prepare(
      `SELECT not_before AS time FROM submissions INDEXED BY submissions_times
       WHERE ${FREE} AND not_before IS NOT NULL AND target = :target AND (${SHOWN}) ORDER BY not_before LIMIT 1`,
    ),
    last: connection.prepare(
      `SELECT max(
         coalesce((SELECT max(position) FROM submissions), 0),
         coalesce((SELECT max(last_position) FROM starts), 0)
       ) AS last`,
    ),
    after: connection.prepare('SELECT min(position) AS position FROM submissions WHERE position > ?'),
    attempted: connection.prepare(
      `SELECT ${columns} FROM submissions
       WHERE ${ATTEMPTED} AND kind IN (SELECT value FROM json_each(?)) AND removed_at IS NULL ORDER BY position`,
    ),
    postponed: connection.prepare(
      `SELECT ${columns} FROM submissions WHERE kind = 'waiting' AND not_before IS NOT NULL AND removed_at IS NULL`,
    ),
    held: connection.prepare(`SELECT ${columns} FROM submissions WHERE held = 1 AND removed_at IS NULL`),
    get: connection.prepare(
      `SELECT ${columns} FROM submissions WHERE id = ? AND removed_at IS NULL AND (${SHOWN})`,
    ),
    insert: connection.prepare(
      `INSERT INTO submissions (id, position, created_at, kind, not_before, target, group_id, plan, state, start)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    ),
    // Not accepted yet, and neither removed nor part of an incomplete batch.
    partsHere: connection.prepare(
      `SELECT id FROM submissions
       WHERE group_id = ? AND kind <> 'accepted' AND removed_at IS NULL AND (${SHOWN}) ORDER BY position`,
    ),
    removedWith: connection.prepare(
      `SELECT id FROM submissions
       WHERE group_id = (SELECT group_id FROM submissions WHERE id = :id)
         AND removed_at = (SELECT removed_at FROM submissions WHERE id = :id)`,
    ),
    move: connection.prepare(
      `UPDATE submissions
       SET kind = :kind, state = :state, not_before = :notBefore, held = :held, attempts = attempts + :begun
       WHERE id = :id AND removed_at IS NULL AND (:begun = 0 OR held = 0)
         AND kind IN (SELECT value FROM json_each(:from))`,
    ),
    moveToFront: connection.prepare(
      'UPDATE submissions SET position = (SELECT min(position) FROM submissions) - 1 WHERE id = ?',
    ),
    replace: connection.prepare(`DELETE FROM submissions WHERE id = ? AND kind IN ('waiting', 'refused')`),
    renamePreset: connection.prepare(
      `UPDATE submissions SET plan = json_set(plan, '$.preset', :to)
       WHERE kind IN ('waiting', 'refused') AND plan ->> 'preset' = :from
         AND target IN (SELECT value FROM json_each(:targets))`,
    ),
    readdress: connection.prepare(
      `UPDATE submissions SET target = '', plan = json_remove(plan, '$.target')
       WHERE target = ? AND kind IN ('waiting', 'refused')`,
    ),
    remove: connection.prepare(
      `UPDATE submissions SET removed_at = ?
       WHERE id = ? AND removed_at IS NULL AND kind IN ('waiting', 'refused', 'unknown')`,
    ),
    restore: connection.prepare('UPDATE submissions SET removed_at = NULL WHERE id = ? AND removed_at > 0'),
    purgeRemoved: connection.prepare(
      'DELETE FROM submissions WHERE id IN (SELECT id FROM submissions WHERE removed_at < ? LIMIT ?)',
    ),
    beginStart: connection.prepare('INSERT INTO starts (last_position) VALUES (?)'),
    completeStart: connection.prepare('UPDATE starts SET complete = 1 WHERE id = ?'),
    incompleteStarts: connection.prepare('SELECT id FROM starts WHERE complete = 0'),
    dropSomeOf: connection.prepare(
      'DELETE FROM submissions WHERE id IN (SELECT id FROM submissions WHERE start = ? LIMIT ?)',
    ),
    dropStart: connection.prepare('DELETE FROM starts WHERE id = ?'),
    purgeStarts: connection.prepare(
      'DELETE FROM starts WHERE complete = 1 AND id NOT IN (SELECT start FROM submissions WHERE start IS NOT NULL)',
    ),
    forget: connection.prepare(`DELETE FROM submissions WHERE id = ? AND kind = 'accepted'`),
    addKey: connection.prepare('INSERT INTO keys (key) VALUES (?) ON CONFLICT DO NOTHING'),
    hasKey: connection.prepare('SELECT 1 FROM keys WHERE key = ?'),
    forgetKey: connection.prepare('DELETE FROM keys WHERE key = ?'),
  }
}

/** Whether only the user can decide what becomes of the submission. */
export const needsUser = ({ state }: Pick<ListedSubmission, 'state'>): boolean =>
  state.kind === 'refused' || (state.kind === 'unknown' && state.leftToUser)
