import { hash } from 'node:crypto'
import type { DatabaseSync } from 'node:sqlite'
import { isDeepStrictEqual } from 'node:util'
import * as z from 'zod'
import { asRecordId, type RecordId } from '../../shared/model/ids.ts'
import type { WorkTitle } from '../../shared/model/work.ts'
import type { Migration } from '../database/index.ts'
import { PlannedSubmission, titleOf } from './planned-submission.ts'
import { readState, type DurableState } from './submission-state.ts'

/**
 * What is kept in memory of every submission: how it is shown, and when and to whom it may be sent. A plan may name thousands
 * of files, and is read from the file when it is asked for.
 */
export type ListedSubmission = {
  readonly id: RecordId
  readonly title: WorkTitle
  /** The one service it is meant for, by its identity; undefined: whichever is connected when its turn comes. */
  readonly target: string | undefined
  /** Where it stands in the line; the smallest is sent first. */
  readonly position: number
  /** How often `POST /jobs` has been begun for it. */
  readonly attempts: number
  readonly state: DurableState
}

/** The whole of it. */
export type StoredSubmission = ListedSubmission & { readonly plan: PlannedSubmission }

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
  (connection) =>
    connection.exec(`
      CREATE INDEX submissions_order ON submissions (position, id);
      CREATE INDEX submissions_held ON submissions (id) WHERE held = 1;
      CREATE INDEX submissions_removed ON submissions (id) WHERE removed_at IS NOT NULL;
    `),
  (connection) =>
    connection.exec(`
      CREATE TABLE starts (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        complete INTEGER NOT NULL DEFAULT 0,
        holder TEXT NOT NULL,
        last_position REAL NOT NULL
      ) STRICT;
      ALTER TABLE submissions ADD COLUMN start INTEGER REFERENCES starts (id);
      CREATE INDEX submissions_start ON submissions (start) WHERE start IS NOT NULL;
    `),
]

export const Row = z.object({
  id: z.string(),
  position: z.number(),
  created_at: z.number(),
  removed_at: z.number().nullable(),
  attempts: z.number(),
  plan: z.string(),
  state: z.string(),
  /** 0: it belongs to a start that is not complete, and may never be. */
  shown: z.number(),
})
export type Row = z.infer<typeof Row>

export const isShown = ({ shown }: Row): boolean => shown === 1

/** A row that has been read. The hash tells whether another process has changed the plan, which is not kept. */
export type Entry = {
  readonly submission: ListedSubmission
  readonly isRemoved: boolean
  readonly planHash: string
}

/** Makes one object of what many rows say alike. */
export type Sharing = {
  readonly titleOf: typeof titleOf
  readonly stateIn: typeof readState
}

/**
 * @param before what was read of the same row; where nothing is new, the submission is the same object
 * @param sharing with the rows before it
 */
export function entryOf(
  row: Row,
  before: Entry | undefined,
  sharing: Sharing = { titleOf, stateIn: readState },
): Entry {
  const planHash = hashOf(row.plan)
  const { title, target } = before?.planHash === planHash ? before.submission : shownOf(row, sharing)
  const { position, attempts } = row
  const state = sharing.stateIn(row.state)
  const submission = { id: title.id, title, target, position, attempts, state }
  const isSame = before !== undefined && isDeepStrictEqual(submission, before.submission)
  return { submission: isSame ? before.submission : submission, isRemoved: row.removed_at !== null, planHash }
}

function shownOf(row: Row, sharing: Pick<Sharing, 'titleOf'>): Pick<ListedSubmission, 'title' | 'target'> {
  const plan = planIn(row)
  return { title: sharing.titleOf(asRecordId(row.id), plan, row.created_at), target: plan.target }
}

export function submissionIn(row: Row): StoredSubmission {
  const { position, attempts } = row
  const facts = { id: asRecordId(row.id), createdAt: row.created_at, position, attempts }
  return submissionOf({ ...facts, state: readState(row.state) }, planIn(row))
}

const planIn = ({ plan }: Row): PlannedSubmission => PlannedSubmission.parse(JSON.parse(plan))

export type SubmissionFacts = Omit<ListedSubmission, 'title' | 'target'> & {
  /** ms since 1970. */
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

export const hashOf = (text: string): string => hash('sha1', text, 'base64')

export type Place = Pick<StoredSubmission, 'position' | 'id'>

/** The order of sending. */
export const byPosition = (one: Place, other: Place): number =>
  one.position - other.position || (one.id < other.id ? -1 : one.id > other.id ? 1 : 0)

export const VersionRow = z.object({ data_version: z.number() })

export type Statements = ReturnType<typeof prepareStatements>

/** Whether a row is one of a complete start, or was written all at once with its own. */
const SHOWN = 'start IS NULL OR EXISTS (SELECT 1 FROM starts WHERE starts.id = start AND complete = 1)'

/** What the outbox asks of SQLite. */
export function prepareStatements(connection: DatabaseSync) {
  const columns = Object.keys(Row.shape)
    .map((name) => (name === 'shown' ? `(${SHOWN}) AS shown` : name))
    .join(', ')
  return {
    version: connection.prepare('PRAGMA data_version'),
    page: connection.prepare(
      `SELECT ${columns} FROM submissions WHERE (position, id) > (:position, :id) ORDER BY position, id LIMIT :limit`,
    ),
    ends: connection.prepare(
      `SELECT (SELECT min(position) FROM submissions) AS first,
         max(
           coalesce((SELECT max(position) FROM submissions), 0),
           coalesce((SELECT max(last_position) FROM starts), 0)
         ) AS last`,
    ),
    after: connection.prepare('SELECT min(position) AS position FROM submissions WHERE position > ?'),
    ofKind: connection.prepare(
      `SELECT ${columns} FROM submissions WHERE kind IN (SELECT value FROM json_each(?)) AND removed_at IS NULL ORDER BY position`,
    ),
    held: connection.prepare(`SELECT ${columns} FROM submissions WHERE held = 1 AND removed_at IS NULL`),
    get: connection.prepare(`SELECT ${columns} FROM submissions WHERE id = ?`),
    insert: connection.prepare(
      `INSERT INTO submissions (id, position, created_at, kind, not_before, plan, state, start)
       VALUES (?, ?, ?, 'waiting', ?, ?, ?, ?)`,
    ),
    move: connection.prepare(
      `UPDATE submissions
       SET kind = :kind, state = :state, not_before = :notBefore, held = :held, attempts = attempts + :begun
       WHERE id = :id AND removed_at IS NULL AND (:begun = 0 OR held = 0)
         AND kind IN (SELECT value FROM json_each(:from))`,
    ),
    reposition: connection.prepare('UPDATE submissions SET position = ? WHERE id = ?'),
    replace: connection.prepare(`DELETE FROM submissions WHERE id = ? AND kind IN ('waiting', 'refused')`),
    renamePreset: connection.prepare(
      `UPDATE submissions SET plan = json_set(plan, '$.preset', :to)
       WHERE kind IN ('waiting', 'refused') AND plan ->> 'preset' = :from
         AND (plan ->> 'target' = :service OR (:unaddressed = 1 AND plan ->> 'target' IS NULL))`,
    ),
    remove: connection.prepare(
      `UPDATE submissions SET removed_at = ?
       WHERE id = ? AND removed_at IS NULL AND kind IN ('waiting', 'refused', 'unknown')`,
    ),
    restore: connection.prepare('UPDATE submissions SET removed_at = NULL WHERE id = ? AND removed_at > 0'),
    removed: connection.prepare('SELECT id FROM submissions WHERE removed_at IS NOT NULL'),
    purge: connection.prepare('DELETE FROM submissions WHERE id = ? AND removed_at IS NOT NULL'),
    beginStart: connection.prepare('INSERT INTO starts (holder, last_position) VALUES (?, ?)'),
    completeStart: connection.prepare('UPDATE starts SET complete = 1 WHERE id = ?'),
    incompleteStarts: connection.prepare('SELECT id, holder FROM starts WHERE complete = 0'),
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
