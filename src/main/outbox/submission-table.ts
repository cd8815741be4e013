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
  position: z.number(),
  created_at: z.number(),
  removed_at: z.number().nullable(),
  attempts: z.number(),
  plan: z.string(),
  state: z.string(),
})
type Row = z.infer<typeof Row>

/** A row with what its texts say; the texts tell whether another process has changed it. */
type Entry = { readonly row: Row; readonly submission: StoredSubmission }

function entryOf(row: Row, before: Entry | undefined): Entry {
  const { plan, state } = row
  const samePlan = before?.row.plan === plan
  if (samePlan && before.row.state === state && before.row.attempts === row.attempts) {
    return { row, submission: before.submission }
  }
  const submission: StoredSubmission = {
    id: asRecordId(row.id),
    createdAt: row.created_at,
    attempts: row.attempts,
    plan: samePlan ? before.submission.plan : PlannedSubmission.parse(JSON.parse(plan)),
    state: readState(state),
  }
  return { row, submission }
}

/**
 * The rows of the outbox, kept in memory beside the file, so that a line of ten thousand costs no more for each submission
 * than a line of ten. Each change is one statement; what has to happen together is put together by the outbox.
 */
export type SubmissionTable = ReturnType<typeof submissionTable>

export function submissionTable(connection: DatabaseSync) {
  const sql = prepare(connection)
  const line = createLine(sql)

  /** @returns whether the statement has changed this row */
  function changed(id: RecordId, { changes }: { changes: number | bigint }): boolean {
    if (changes === 0) return false
    line.reread(id)
    return true
  }

  return {
    /** What was written may have been taken back: everything is read again when it is asked for. */
    reread: () => line.distrust(),

    insert({ id, createdAt, plan, state }: StoredSubmission, position: number): void {
      const notBefore = state.kind === 'waiting' ? state.notBefore : null
      sql.insert.run(id, position, createdAt, notBefore, JSON.stringify(plan), writeState(state))
      line.reread(id)
    },

    get(id: RecordId): StoredSubmission | undefined {
      const entry = line.get(id)
      return entry === undefined || entry.row.removed_at !== null ? undefined : entry.submission
    },
    list: () => line.all().unaccepted,
    accepted: () => line.all().accepted,
    unresolved: () => line.all().unresolved,
    held: () =>
      line.all().unaccepted.filter(({ state }) => state.kind === 'waiting' && state.heldBy !== null),

    due: (now: number, to: Addressee | undefined) =>
      line
        .all()
        .unaccepted.find(
          (submission) => isWaitingFor(submission, to) && (notBeforeOf(submission) ?? 0) <= now,
        ),
    nextTime(to: Addressee | undefined): number | undefined {
      const times = line
        .all()
        .unaccepted.flatMap((submission) =>
          isWaitingFor(submission, to) ? (notBeforeOf(submission) ?? []) : [],
        )
      return times.length === 0 ? undefined : times.reduce((first, time) => Math.min(first, time))
    },

    /** Replaces a state if it is one of `from` and the submission is still wanted. */
    move(id: RecordId, from: readonly DurableState['kind'][], to: DurableState): boolean {
      const { notBefore, heldBy } = to.kind === 'waiting' ? to : { notBefore: null, heldBy: null }
      return changed(
        id,
        sql.move.run({
          id,
          from: JSON.stringify(from),
          kind: to.kind,
          notBefore,
          held: heldBy === null ? 0 : 1,
          begun: to.kind === 'sending' ? 1 : 0,
          state: writeState(to),
        }),
      )
    },
    moveToFront: (id: RecordId) => changed(id, sql.reposition.run(line.ends().first - 1, id)),

    /** Where the nth of `count` new ones goes: to the end, or into the position of the one they replace. */
    positionsFor(replacing: RecordId | undefined, count: number): (n: number) => number {
      const replaced = replacing === undefined ? undefined : line.get(replacing)
      if (replaced === undefined) {
        const { last } = line.ends()
        return (n) => last + 1 + n
      }
      const { position } = replaced.row
      const step = ((line.positionAfter(position) ?? position + count + 1) - position) / (count + 1)
      return (n) => position + step * n
    },

    deleteReplaced: (id: RecordId) => changed(id, sql.replace.run(id)),
    remove: (id: RecordId, now: number) => changed(id, sql.remove.run(now, id)),
    restore: (id: RecordId) => changed(id, sql.restore.run(id)),
    purgeRemoved(): void {
      sql.purge.run()
      line.rereadAll()
    },
    forgetAccepted: (id: RecordId) => void changed(id, sql.forget.run(id)),

    addKey: (key: string) => sql.addKey.run(key).changes === 1,
    hasKey: (key: string) => sql.hasKey.get(key) !== undefined,
    forgetKey: (key: string) => void sql.forgetKey.run(key),
  }
}

const notBeforeOf = ({ state }: StoredSubmission): number | null =>
  state.kind === 'waiting' ? state.notBefore : null

function isWaitingFor({ plan, state }: StoredSubmission, to: Addressee | undefined): boolean {
  if (state.kind !== 'waiting' || state.heldBy !== null) return false
  if (to === undefined) return true
  return plan.target === undefined ? to.unaddressed : plan.target === to.service
}

/** The rows in the order of sending. Other processes may write to the same file; SQLite counts what they have committed. */
function createLine(sql: Statements) {
  const byId = new Map<string, Entry>()
  /** By position; removed ones too, since they may be restored. */
  let ordered: Entry[] = []
  let version: number | undefined
  let shown: Line | undefined

  function readAll(): void {
    const rows = sql.all.all().map((row) => Row.parse(row))
    const entries = rows.map((row) => entryOf(row, byId.get(row.id)))
    byId.clear()
    for (const entry of entries) byId.set(entry.row.id, entry)
    ordered = entries
    shown = undefined
  }

  /** Reads everything again where another process has written since. */
  function refresh(): void {
    const now = VersionRow.parse(sql.version.get()).data_version
    if (now !== version) readAll()
    version = now
  }

  /** The index of the first entry at `position` or after it. */
  function indexAt(position: number): number {
    let low = 0
    let high = ordered.length
    while (low < high) {
      const middle = (low + high) >> 1
      if ((ordered[middle]?.row.position ?? 0) < position) low = middle + 1
      else high = middle
    }
    return low
  }

  function indexOf({ row }: Entry): number {
    let index = indexAt(row.position)
    while (index < ordered.length && ordered[index]?.row.id !== row.id) index += 1
    return index
  }

  function reread(id: RecordId): void {
    const before = byId.get(id)
    if (before !== undefined) ordered.splice(indexOf(before), 1)
    const row = sql.get.get(id)
    shown = undefined
    if (row === undefined) {
      byId.delete(id)
      return
    }
    const entry = entryOf(Row.parse(row), before)
    byId.set(id, entry)
    ordered.splice(indexAt(entry.row.position), 0, entry)
  }

  return {
    reread,
    rereadAll: readAll,
    distrust(): void {
      version = undefined
    },
    get(id: RecordId): Entry | undefined {
      refresh()
      return byId.get(id)
    },
    /** All but the removed ones. */
    all(): Line {
      refresh()
      shown ??= lineOf(ordered)
      return shown
    },
    ends(): { readonly first: number; readonly last: number } {
      refresh()
      return { first: ordered[0]?.row.position ?? 0, last: ordered.at(-1)?.row.position ?? 0 }
    },
    positionAfter(position: number): number | undefined {
      refresh()
      let index = indexAt(position)
      while (ordered[index]?.row.position === position) index += 1
      return ordered[index]?.row.position
    },
  }
}

/** What is shown of the rows, in their order. */
type Line = {
  readonly unaccepted: readonly StoredSubmission[]
  readonly accepted: readonly StoredSubmission[]
  /** Being sent, or unknown. */
  readonly unresolved: readonly StoredSubmission[]
}

function lineOf(ordered: readonly Entry[]): Line {
  const unaccepted: StoredSubmission[] = []
  const accepted: StoredSubmission[] = []
  const unresolved: StoredSubmission[] = []
  for (const { row, submission } of ordered) {
    if (row.removed_at !== null) continue
    const { kind } = submission.state
    if (kind === 'accepted') accepted.push(submission)
    else unaccepted.push(submission)
    if (kind === 'sending' || kind === 'unknown') unresolved.push(submission)
  }
  return { unaccepted, accepted, unresolved }
}

const VersionRow = z.object({ data_version: z.number() })

type Statements = ReturnType<typeof prepare>

function prepare(connection: DatabaseSync) {
  const columns = Object.keys(Row.shape).join(', ')
  return {
    version: connection.prepare('PRAGMA data_version'),
    all: connection.prepare(`SELECT ${columns} FROM submissions ORDER BY position`),
    get: connection.prepare(`SELECT ${columns} FROM submissions WHERE id = ?`),
    insert: connection.prepare(
      `INSERT INTO submissions (id, position, created_at, kind, not_before, plan, state)
       VALUES (?, ?, ?, 'waiting', ?, ?, ?)`,
    ),
    move: connection.prepare(
      `UPDATE submissions
       SET kind = :kind, state = :state, not_before = :notBefore, held = :held, attempts = attempts + :begun
       WHERE id = :id AND removed_at IS NULL AND (:begun = 0 OR held = 0)
         AND kind IN (SELECT value FROM json_each(:from))`,
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
