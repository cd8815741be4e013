/**
 * The actions that follow jobs, as a durable queue. They enter it in the transaction that records the end of their job. After the last
 * try, they stay until the record is deleted: they show how it ended, and prevent a second run.
 */
import type { DatabaseSync } from 'node:sqlite'
import { randomUUID } from 'node:crypto'
import * as z from 'zod'
import { HookResult, isHookOutcome, type HookOutcome } from '../../shared/model/after-job.ts'
import { HOOK_ACTIONS, MOST_TRIES, type HookAction, type HookState } from '../../shared/model/hook-state.ts'
import { asRecordId, type RecordId } from '../../shared/model/ids.ts'
import { inTransaction } from '../database/index.ts'

/**
 * `next_at` is 0 before the first try, and null after the last one. During a try it is the time of the next one, and `result` says
 * that the try was interrupted.
 */
export const hookSchema = `
  CREATE TABLE hooks (
    id TEXT PRIMARY KEY,
    seq INTEGER NOT NULL REFERENCES records ON DELETE CASCADE,
    action TEXT NOT NULL,
    tries INTEGER NOT NULL,
    next_at INTEGER,
    tried_at INTEGER,
    target TEXT,
    result TEXT,
    UNIQUE (seq, action)
  ) STRICT;
  CREATE INDEX hooks_next ON hooks (action, next_at) WHERE next_at IS NOT NULL;
  CREATE INDEX hooks_tried ON hooks (action, target, tried_at) WHERE tried_at IS NOT NULL;`

/** Decides which jobs have ended and what follows. */
export type HookRules = {
  /** Returns what follows a job of a watched folder with this outcome; `watched` is null for all other jobs. */
  readonly actionsAfter: (watched: string | null, outcome: HookOutcome) => readonly HookAction[]
  /** Whether parts of a group are still in the outbox. */
  readonly isAwaited: (group: RecordId) => boolean
  /** Whether the originals of a job with this output folder are replaced after it has ended. */
  readonly replacesFrom: (output: string) => boolean
}

/** An action that waits for its next try. */
export type QueuedHook = {
  /** The same for all tries of an action for one job. */
  readonly id: string
  /** The job, or the first part of its group. */
  readonly job: RecordId
  readonly watched: string | null
  readonly tries: number
  readonly nextAt: number
  /** Start of the last try; null before the first one. */
  readonly triedAt: number | null
}

export type HookTry = {
  readonly target: string
  readonly triedAt: number
  /** When the next try follows if this one is interrupted. */
  readonly nextAt: number
}

const StoredResult = z
  .string()
  .nullable()
  .transform((text): unknown => (text === null ? { kind: 'interrupted' } : JSON.parse(text)))
  .pipe(HookResult.catch({ kind: 'interrupted' }))

const QueuedRow = z
  .object({
    id: z.string(),
    job: z.string().transform(asRecordId),
    watched: z.string().nullable(),
    tries: z.number(),
    next_at: z.number(),
    tried_at: z.number().nullable(),
  })
  .transform(({ next_at: nextAt, tried_at: triedAt, ...row }): QueuedHook => ({ ...row, nextAt, triedAt }))

const StateRow = z
  .object({
    action: z.enum(HOOK_ACTIONS),
    target: z.string(),
    result: StoredResult,
    tries: z.number(),
    next_at: z.number().nullable(),
    tried_at: z.number(),
  })
  .transform(({ next_at: nextAt, tried_at: triedAt, ...row }): HookState => ({
    ...row,
    nextAt,
    triedAt,
    isTest: false,
  }))

const JobRow = z.object({
  seq: z.number(),
  origin: z.string(),
  group_id: z.string().transform(asRecordId).nullable(),
  outcome_kind: z.string().nullable(),
  group_kind: z.string().nullable(),
  watched: z.string().nullable(),
})
const JobIdRow = z.object({ job: z.string().transform(asRecordId) })
const OutputRow = z.object({ output: z.string() })

/** The actions that follow jobs. Each method takes less than a millisecond, and changes are on disk when it returns. */
export type HookQueue = {
  /** Returns the action that is due first; undefined if none waits. */
  next(action: HookAction): QueuedHook | undefined
  begin(id: string, hookTry: HookTry): void
  /** @param nextAt ms since 1970; null if this was the last try */
  end(id: string, result: HookResult, nextAt: number | null): void
  /** Removes an action that is no longer wanted. */
  drop(id: string): void
  /** Makes an action due now. After its last try, it gets one more. */
  again(job: RecordId, action: HookAction): void
  /** Returns the actions that were tried for a job. */
  of(job: RecordId): readonly HookState[]
  /** Returns the latest try with this program or URL; null if there was none. */
  last(action: HookAction, target: string): (HookState & { readonly job: RecordId }) | null
}

type Use = <T>(work: (table: HookTable) => T) => T

/** @param change like `use`, for changes that the user sees */
export const queuedHooks = (use: Use, change: Use): HookQueue => ({
  next: (action) => use((table) => table.nextHook(action)),
  begin: (id, hookTry) => change((table) => table.beginHook(id, hookTry)),
  end: (id, result, nextAt) => change((table) => table.endHook(id, result, nextAt)),
  drop: (id) => change((table) => table.dropHook(id)),
  again: (job, action) => change((table) => table.hookAgain(job, action)),
  of: (job) => use((table) => table.hooksOf(job)),
  last: (action, target) => use((table) => table.lastHook(action, target)),
})

export type HookTable = ReturnType<typeof hookTable>

export function hookTable(connection: DatabaseSync, rules: HookRules | undefined) {
  const sql = prepareHooks(connection)

  /** Returns the job of a record if all of it has ended, including the replacement of its originals. */
  function endedJob(id: RecordId, { isAwaited, replacesFrom }: HookRules) {
    const own = sql.job.get(id)
    if (own === undefined) return undefined
    const { group_id: group, seq } = JobRow.parse(own)
    const found = group === null ? own : sql.firstPart.get(group)
    if (found === undefined) return undefined
    const job = JobRow.parse(found)
    const isEnded = (group === null ? job.outcome_kind : job.group_kind) !== null
    if (!isEnded || (group !== null && isAwaited(group))) return undefined
    const unplaced = sql.unplaced.all(group, seq).map((row) => OutputRow.parse(row).output)
    return unplaced.some(replacesFrom) ? undefined : job
  }

  return {
    /** Makes a change that may end a job, and queues what follows it. */
    whenEnded<T>(id: RecordId, change: () => T): T {
      if (rules === undefined) return change()
      return inTransaction(connection, () => {
        const wasEnded = endedJob(id, rules) !== undefined
        const result = change()
        const job = wasEnded ? undefined : endedJob(id, rules)
        if (job?.origin !== 'ours') return result
        const outcome = job.group_kind ?? job.outcome_kind
        if (!isHookOutcome(outcome)) return result
        for (const action of rules.actionsAfter(job.watched, outcome))
          sql.add.run(randomUUID(), job.seq, action)
        return result
      })
    },

    nextHook(action: HookAction): QueuedHook | undefined {
      const row = sql.next.get(action)
      return row && QueuedRow.parse(row)
    },
    beginHook: (id: string, { target, triedAt, nextAt }: HookTry): void =>
      void sql.begin.run({ id, target, triedAt, nextAt }),
    endHook: (id: string, result: HookResult, nextAt: number | null): void =>
      void sql.end.run({ id, result: JSON.stringify(result), nextAt }),
    dropHook: (id: string): void => void sql.drop.run(id),
    hookAgain: (job: RecordId, action: HookAction): void =>
      void sql.again.run({ job, action, before: MOST_TRIES - 1 }),
    /** Forgets what followed a job that isn't over after all. */
    dropHooksOf: (id: RecordId): void => void sql.dropOf.run({ id }),
    hooksOf: (job: RecordId): readonly HookState[] => sql.of.all(job).map((row) => StateRow.parse(row)),
    lastHook(action: HookAction, target: string): ReturnType<HookQueue['last']> {
      const row = sql.last.get(action, target)
      return row === undefined ? null : { ...StateRow.parse(row), ...JobIdRow.parse(row) }
    },
  }
}

const QUEUED = 'hooks.id, records.id AS job, watched, tries, next_at, tried_at'
const STATE = 'action, target, result, tries, next_at, tried_at'
const JOB = 'seq, origin, group_id, outcome_kind, group_kind, watched'

const prepareHooks = (connection: DatabaseSync) => ({
  job: connection.prepare(`SELECT ${JOB} FROM records WHERE id = ?`),
  firstPart: connection.prepare(
    `SELECT ${JOB} FROM records WHERE group_id = ? AND removed_at IS NULL ORDER BY part LIMIT 1`,
  ),
  unplaced: connection.prepare(`
    SELECT DISTINCT output FROM records WHERE seq IN (SELECT seq FROM records WHERE group_id = ? UNION SELECT ?)
      AND output_kind = 'folder' AND output IS NOT NULL AND replaced IS NULL`),
  add: connection.prepare(
    'INSERT OR IGNORE INTO hooks (id, seq, action, tries, next_at) VALUES (?, ?, ?, 0, 0)',
  ),
  next: connection.prepare(`
    SELECT ${QUEUED} FROM hooks JOIN records USING (seq)
    WHERE action = ? AND next_at IS NOT NULL ORDER BY next_at, seq LIMIT 1`),
  begin: connection.prepare(`
    UPDATE hooks SET tries = tries + 1, target = :target, tried_at = :triedAt, next_at = :nextAt, result = NULL
    WHERE id = :id`),
  end: connection.prepare('UPDATE hooks SET result = :result, next_at = :nextAt WHERE id = :id'),
  drop: connection.prepare('DELETE FROM hooks WHERE id = ?'),
  dropOf: connection.prepare(`
    DELETE FROM hooks WHERE seq IN (SELECT seq FROM records
      WHERE id = :id OR group_id = (SELECT group_id FROM records WHERE id = :id))`),
  again: connection.prepare(`
    UPDATE hooks SET next_at = 0, tries = min(tries, :before)
    WHERE action = :action AND seq = (SELECT seq FROM records WHERE id = :job)`),
  of: connection.prepare(`
    SELECT ${STATE} FROM hooks JOIN records USING (seq)
    WHERE records.id = ? AND tried_at IS NOT NULL ORDER BY action`),
  last: connection.prepare(`
    SELECT ${STATE}, records.id AS job FROM hooks JOIN records USING (seq)
    WHERE action = ? AND target = ? AND tried_at IS NOT NULL ORDER BY tried_at DESC LIMIT 1`),
})
