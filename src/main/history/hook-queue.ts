/**
 * The actions that follow jobs, as a durable queue. They enter it in the transaction that records the end of their job. After the last
 * attempt, they stay until the record is deleted, to show how the attempt ended and to prevent a second run.
 */
import { randomUUID } from 'node:crypto'
import { isHookOutcome, type HookOutcome, type HookResult } from '../../shared/model/after-job.ts'
import { MOST_TRIES, type HookState, type HookUse } from '../../shared/model/hook-state.ts'
import type { RecordId } from '../../shared/model/ids.ts'
import type { RowOf } from '../database/index.ts'
import type { HistoryFile } from './history-file.ts'
import { sameJob } from './job-summary.ts'
import { pick, type Hooks } from './schema.ts'
import type { Tables } from './tables.ts'

/** Decides which jobs have ended and what follows. */
export type HookRules = {
  /** Returns what follows a job of a watched folder with this outcome; `watched` is null for all other jobs. */
  readonly actionsAfter: (watched: string | null, outcome: HookOutcome) => readonly HookUse[]
  /** Whether parts of a job are still in the outbox. */
  readonly isAwaited: (whole: RecordId) => boolean
  /** Whether the originals of a job with this output folder are replaced after it has ended. */
  readonly replacesFrom: (output: string) => boolean
}

type HookTry = {
  readonly target: string
  readonly triedAt: number
  /** When the next attempt follows if this one is interrupted. */
  readonly nextAt: number
}

export type HookQueue = ReturnType<typeof hooksIn>
/** An action that waits for its next attempt. */
export type QueuedHook = NonNullable<ReturnType<HookQueue['next']>>

/** Each method takes less than a millisecond, and changes are on disk when it returns. */
export const hooksIn = ({ read, change }: HistoryFile) => ({
  /** Returns the actions that are queued for at least one job. */
  waiting: (): readonly HookUse[] =>
    read(({ hooks }) => hooks.only('action', 'receiver').where`nextAt IS NOT NULL GROUP BY action, receiver`),
  /** Returns the next job that an action is queued for; undefined if there is none. */
  next: ({ action, receiver }: HookUse) =>
    read(({ hooks, records }) => {
      const [hook] =
        hooks.where`action = ${action} AND receiver = ${receiver} AND nextAt IS NOT NULL ORDER BY nextAt, job LIMIT 1`
      if (hook === undefined) return undefined
      const { id, job, tries, nextAt, triedAt } = hook
      const watched = records.only('watched').get({ id: job })?.watched ?? null
      // All attempts of an action for one job share the same `id`. `job` is the record ID of the job's first part.
      return { id, job, watched, tries, nextAt: nextAt ?? 0, triedAt }
    }),
  begin: (id: string, hookTry: HookTry): void =>
    change((tables) => {
      const { tries = 0 } = tables.hooks.only('tries').get({ id }) ?? {}
      tables.hooks.update({ id }, { ...hookTry, tries: tries + 1, result: null })
    }),
  /** @param nextAt ms since 1970; null if this was the last attempt */
  end: (id: string, result: HookResult, nextAt: number | null): void =>
    change(({ hooks }) => void hooks.update({ id }, { result, nextAt })),
  /** Removes an action that is no longer wanted. */
  drop: (id: string): void => change(({ hooks }) => void hooks.remove({ id })),
  /** Makes an action due now. After its last attempt, it gets one more. */
  again: (job: RecordId, { action, receiver }: HookUse): void =>
    change(({ hooks }) => {
      const { tries = 0 } = hooks.only('tries').get({ job, action, receiver }) ?? {}
      hooks.update({ job, action, receiver }, { nextAt: 0, tries: Math.min(tries, MOST_TRIES - 1) })
    }),
  /** Returns the actions that were attempted for a job. */
  of: (job: RecordId): readonly HookState[] =>
    read(({ hooks }) =>
      hooks.where`job = ${job} AND triedAt IS NOT NULL ORDER BY action, receiver`.map(stateOf),
    ),
  /** Returns the latest attempt with this target; null if there was none. */
  last: ({ action, receiver }: HookUse, target: string) =>
    read(({ hooks }) => {
      const [last] =
        hooks.where`action = ${action} AND receiver = ${receiver} AND target = ${target} AND triedAt IS NOT NULL
        ORDER BY triedAt DESC LIMIT 1`
      return last === undefined ? null : { ...stateOf(last), job: last.job }
    }),
})

const stateOf = (hook: RowOf<typeof Hooks>): HookState => ({
  ...pick(hook, ['action', 'receiver', 'tries', 'nextAt']),
  target: hook.target ?? '',
  result: hook.result ?? { kind: 'interrupted' },
  triedAt: hook.triedAt ?? 0,
  isTest: false,
})

/** Makes a change that may end a job, and queues the actions that follow if it does. */
export function whenEnded(
  tables: Tables,
  rules: HookRules | undefined,
  id: RecordId,
  change: () => void,
): void {
  const wasEnded = rules === undefined || endedJob(tables, id, rules) !== undefined
  change()
  const job = wasEnded ? undefined : endedJob(tables, id, rules)
  const outcome = job?.wholeOutcome?.kind ?? null
  if (job?.origin !== 'ours' || !isHookOutcome(outcome)) return
  for (const use of rules?.actionsAfter(job.watched, outcome) ?? [])
    tables.hooks.add({ id: randomUUID(), job: job.id, ...use, tries: 0, nextAt: 0 })
}

/** Returns the first part of a record's job if the whole job has ended, including the replacement of its originals. */
function endedJob({ records }: Tables, id: RecordId, { isAwaited, replacesFrom }: HookRules) {
  const [job] = records.only('id', 'whole', 'origin', 'watched', 'wholeOutcome')
    .where`${sameJob(id)} AND removedAt IS NULL ORDER BY part LIMIT 1`
  if (job === undefined || job.wholeOutcome === null || isAwaited(job.whole)) return undefined
  const isReplacing = records
    .only('output')
    .all({ whole: job.whole, replaced: null })
    .some(({ output }) => output?.kind === 'folder' && replacesFrom(output.path))
  return isReplacing ? undefined : job
}

/** Deletes the actions of a job that turned out not to have ended. */
export const dropHooksOf = ({ change }: Tables, id: RecordId): void =>
  void change`DELETE FROM hooks WHERE job IN (SELECT id FROM records WHERE ${sameJob(id)})`
