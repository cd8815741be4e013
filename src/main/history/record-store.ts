import type { DatabaseSync } from 'node:sqlite'
import * as z from 'zod'
import type { FileError, Job } from '../../shared/api/resources.ts'
import type { ConnectionKind } from '../../shared/model/connection.ts'
import type { KeptEstimate, PastJob } from '../../shared/model/estimate.ts'
import type { ChosenOptions } from '../../shared/model/chosen-options.ts'
import { asRecordId, type RecordId } from '../../shared/model/ids.ts'
import type { MediaItem } from '../../shared/model/media-item.ts'
import { notesOf, problemsOf, resultsOf, type Outcome } from '../../shared/model/outcome.ts'
import type { ReplacedCounts } from '../../shared/model/replacement.ts'
import type { RecordDetails, ResultFile, WorkScope, WorkTitle } from '../../shared/model/work.ts'
import { inTransaction } from '../database/index.ts'
import { findRecords, firstKey, savedInRecords } from './find-records.ts'
import {
  DetailsRow,
  detailsOf,
  FileErrors,
  GroupIdRow,
  membersOf,
  PastJobRow,
  SentRow,
  submittedOf,
  SummaryRow,
  summaryOf,
  titleOf,
  type SentRecord,
} from './record-row.ts'
import { isUnseen, recordGroups, type RecordGroups } from './record-groups.ts'
import { hookTable, type HookRules, type HookTable } from './hook-queue.ts'
import { ledger } from './ledger.ts'
import { measuredResults } from './measured-results.ts'
import { prepareRecords, titleColumns, type RecordStatements } from './record-statements.ts'
import { recordRemovals } from './record-removals.ts'
import { refusalTable } from './refusals.ts'
import { renamedPresets } from './renamed-presets.ts'
import { searchIndex, type SearchIndex } from './search-index.ts'

export type SubmissionRecord = {
  readonly title: WorkTitle
  readonly inputs: readonly MediaItem[]
  readonly grouping: 'together' | 'separate'
  readonly forecast?: KeptEstimate | undefined
  /** See `PlannedSubmission`. */
  readonly mount?: string | undefined
  readonly presetHash?: string | undefined
  readonly chosen?: ChosenOptions | undefined
  readonly watched?: string | undefined
}

/** The results that replace originals, and how many originals were replaced; null while any of them waits. */
export type ReplacedRecord = {
  readonly results: readonly ResultFile[]
  readonly counts: ReplacedCounts | null
}

type JobOfRecord = {
  readonly jobId: string
  readonly baseUrl: string
  readonly connection: ConnectionKind
}

export type ForeignRecord = JobOfRecord & { readonly title: WorkTitle }

export type AcceptanceRecord = JobOfRecord & {
  /** As the service sent it; absent until the job has been read. */
  readonly createdAt?: string | undefined
  /** Milliseconds since 1970. */
  readonly acceptedAt: number
  /** Whether the job was found in the job list. Its skipped files are then unknown. */
  readonly adopted?: boolean
  /** Whether the job's results are on the service's computer and must be downloaded. */
  readonly remote?: boolean | undefined
  readonly skipped: readonly FileError[]
}

/** A job to track again after a restart. */
export type UnfinishedRecord = ForeignRecord & {
  readonly acceptedAt: number | null
  readonly skipped: readonly FileError[]
  /** The job's creation time as the service sent it; null until the job has been read. */
  readonly jobCreatedAt: string | null
  readonly inputs: readonly string[]
  /** Whether the job's results are on the service's computer and must be downloaded. */
  readonly remote: boolean
}

/** A job that is finished only when its results are in this folder. */
export type ToFetch = { readonly id: RecordId; readonly output: string }

/** Criteria for past jobs: preset and service. */
export type PastJobsOf = { readonly preset: string | null; readonly baseUrl: string }

/** A job whose record has no outcome. */
export type OpenJob = {
  readonly id: RecordId
  readonly connection: ConnectionKind | null
}

/** Reads and writes the records and keeps the search index up to date. */
export type RecordStore = ReturnType<typeof recordStore>

const Key = z.object({ seq: z.number(), skipped: FileErrors })
const LastKey = z.object({ last: z.number().nullable() })
const Count = z.object({ total: z.number() })
const NewestEnd = z.object({ at: z.number().nullable() })
const OwnJobRow = z.object({
  id: z.string().transform(asRecordId),
  job_created_at: z.string().nullable(),
  outcome_kind: z.string().nullable(),
})
const OpenJobRow = z
  .object({
    id: z.string().transform(asRecordId),
    service: z.enum(['external', 'builtIn']).nullable(),
  })
  .transform(({ id, service }): OpenJob => ({ id, connection: service }))
const ToFetchRow = z.object({ id: z.string().transform(asRecordId), output: z.string() })
const WithoutJobRow = z.object({ seq: z.number(), id: z.string() })

export function recordStore(connection: DatabaseSync, rules?: HookRules) {
  const sql = prepareRecords(connection)
  const index = searchIndex(connection)
  const groups = recordGroups(sql, index)
  const hooks = hookTable(connection, rules)
  return {
    ...findRecords(connection),
    savedIn: savedInRecords(connection),
    ...hooks,
    ...recordWrites(connection, sql, { index, groups, hooks }),
    ...recordReads(sql),
    ...recordRemovals(connection, sql, index, groups),
    ...renamedPresets(connection),
    ...measuredResults(connection),
    ledger: ledger(connection),
    ...refusalTable(connection),
  }
}

/** What changes with the records. */
type Kept = {
  readonly index: SearchIndex
  readonly groups: RecordGroups
  readonly hooks: Pick<HookTable, 'whenEnded' | 'dropHooksOf'>
}

function recordWrites(connection: DatabaseSync, sql: RecordStatements, { index, groups, hooks }: Kept) {
  /** Runs `change` on a record and updates the record's search index. Returns false if the record doesn't exist. */
  const changed = (id: RecordId, change: (seq: number, skipped: readonly FileError[]) => void): boolean =>
    inTransaction(connection, () => {
      const key = keyOf(sql, id)
      if (key === undefined) return false
      change(key.seq, key.skipped)
      groups.changed(key.seq, id)
      index.tidy()
      return true
    })

  function put({ title, inputs, forecast, chosen, ...record }: SubmissionRecord): number {
    const { grouping, mount, presetHash, watched } = record
    const seq = keyOf(sql, title.id)?.seq ?? freeKey(sql, title.createdAt)
    sql.put.run({
      seq,
      ...titleColumns(title),
      grouping,
      mount: mount ?? null,
      presetHash: presetHash ?? null,
      watched: watched ?? null,
      chosen: chosen === undefined ? null : JSON.stringify(chosen),
    })
    sql.putDetails.run(seq, JSON.stringify(inputs), forecast === undefined ? null : JSON.stringify(forecast))
    return seq
  }

  /** Stores which job a record became. */
  function putJob(
    seq: number,
    { jobId, createdAt, baseUrl, connection: service, ...rest }: JobOfRecord & Partial<AcceptanceRecord>,
  ): void {
    const { adopted = false, remote = false, acceptedAt = null } = rest
    const flags = { adopted: Number(adopted), remote: Number(remote) }
    sql.accepted.run({ seq, jobId, jobCreatedAt: createdAt ?? null, ...flags, baseUrl, service, acceptedAt })
  }

  const accepted = (id: RecordId, acceptance: AcceptanceRecord) =>
    changed(id, (seq) => {
      putJob(seq, acceptance)
      const skipped = JSON.stringify(acceptance.skipped)
      sql.skipped.run(skipped, skipped, seq)
    })

  return {
    ...replacedWrites(sql, (id, change) => hooks.whenEnded(id, () => changed(id, change))),
    submissions: (records: readonly SubmissionRecord[]): void =>
      inTransaction(connection, () => {
        for (const record of records) groups.added(put(record), record.title)
        index.tidy()
      }),

    foreign: (record: ForeignRecord): void =>
      inTransaction(connection, () => {
        const seq = put({ title: record.title, inputs: [], grouping: 'together' })
        putJob(seq, record)
        groups.changed(seq, record.title.id)
        index.tidy()
      }),

    accepted,
    acceptedSubmission: (record: SubmissionRecord, acceptance: AcceptanceRecord): void =>
      inTransaction(connection, () => {
        groups.added(put(record), record.title)
        accepted(record.title.id, acceptance)
      }),

    returned: (record: SubmissionRecord, resent: number): void =>
      inTransaction(connection, () => {
        const seq = put(record)
        sql.returned.run({ seq, resent })
        sql.returnedDetails.run(seq)
        hooks.dropHooksOf(record.title.id)
        groups.changed(seq, record.title.id)
        index.tidy()
      }),

    job: (id: RecordId, job: Job, startedAt: number | null) =>
      changed(id, (seq, skipped) => {
        sql.job.run({ seq, jobCreatedAt: job.createdAt, startedAt, ...serviceTextOf(job) })
        sql.files.run({
          seq,
          results: JSON.stringify(resultsOf(job)),
          problems: JSON.stringify(problemsOf(job, skipped)),
        })
        const notes = notesOf(job)
        if (notes.length > 0) sql.notes.run(JSON.stringify(notes), seq)
        const total = job.totalFiles ?? job.progress.totalFiles
        if (typeof total === 'number') sql.counted.run(total, seq)
      }),

    skipped: (id: RecordId, skipped: readonly FileError[]) =>
      changed(id, (seq) => sql.skipped.run(JSON.stringify(skipped), JSON.stringify(skipped), seq)),

    results: (id: RecordId, results: readonly ResultFile[], problems: readonly FileError[]) =>
      changed(id, (seq) =>
        sql.files.run({ seq, results: JSON.stringify(results), problems: JSON.stringify(problems) }),
      ),

    outcomes: (ids: readonly RecordId[], outcome: Outcome, endedAt: number): void =>
      inTransaction(connection, () => {
        const values = {
          kind: outcome.kind,
          endedAt,
          outcome: JSON.stringify(outcome),
          unseen: isUnseen('ours', outcome) ? 1 : 0,
        }
        for (const id of ids)
          hooks.whenEnded(id, () =>
            changed(id, (seq) => {
              sql.outcome.run({ seq, ...values })
              sql.markUnmeasured.run(seq)
            }),
          )
      }),
  }
}

type Changed = (id: RecordId, change: (seq: number) => void) => boolean

const replacedWrites = (sql: RecordStatements, changed: Changed) => ({
  /** Records where the results that replace originals are. They are measured again. */
  replaced: (id: RecordId, { results, counts }: ReplacedRecord) =>
    changed(id, (seq) => {
      sql.results.run(JSON.stringify(results), seq)
      sql.replaced.run(counts && JSON.stringify(counts), seq)
      if (counts !== null) sql.markMeasuredAgain.run(seq)
    }),
})

/** Returns the first free key in the millisecond of creation, or in the next millisecond that has a free key. */
function freeKey(sql: RecordStatements, createdAt: number): number {
  for (let at = createdAt; ; at += 1) {
    const [first = 0, end = 0] = [firstKey(at), firstKey(at + 1)]
    const { last } = LastKey.parse(sql.lastKey.get(first, end))
    if (last === null) return first
    if (last + 1 < end) return last + 1
  }
}

function recordReads(sql: RecordStatements) {
  return {
    details(id: RecordId): RecordDetails | undefined {
      const found = sql.details.get(id)
      if (found === undefined) return undefined
      const row = DetailsRow.parse(found)
      if (row.group_id === null || sql.hasEarlierPart.get(row.group_id, row.part)) return detailsOf(row)
      const parts = sql.inGroup.all(row.group_id).map((part) => summaryOf(SummaryRow.parse(part)))
      return { ...detailsOf(row), members: membersOf(row), parts }
    },

    /** Returns a record without its files, which takes much less time if there are thousands. */
    summary: (id: RecordId) => submittedOf(sql.summary.get(id)),

    /** Returns the IDs of a record's group in order, or its own; with a smaller scope, only that much of the group. */
    wholeJob(id: RecordId, scope: WorkScope = 'group'): readonly RecordId[] {
      const { group_id: group } = GroupIdRow.parse(sql.groupIdOf.get(id) ?? { group_id: null })
      if (group === null || scope === 'part') return [id]
      const parts = sql.inGroup.all(group).map((part) => SummaryRow.parse(part))
      const preset = parts.find((part) => part.id === id)?.preset
      return parts.filter((part) => scope === 'group' || part.preset === preset).map((part) => part.id)
    },

    /** Returns up to `limit` records older than the key `before`. */
    detailsBefore(
      before: number,
      limit: number,
    ): { readonly records: readonly RecordDetails[]; readonly next: number | undefined } {
      const rows = sql.detailsBefore.all(before, limit).map((row) => DetailsRow.parse(row))
      return { records: rows.map(detailsOf), next: rows.at(-1)?.seq }
    },

    /** Returns records with results in this folder that ended since a time in ms since 1970, also those that were removed. */
    endedInto: (folder: string, since: number): readonly RecordDetails[] =>
      sql.endedInto.all(folder, since).map((row) => detailsOf(DetailsRow.parse(row))),

    /** Returns jobs with files from watched folders that have ended since a time in ms since 1970, also those that were removed. */
    endedWatched: (since: number): readonly RecordDetails[] =>
      sql.endedWatched.all(since).map((row) => detailsOf(DetailsRow.parse(row))),

    /** Returns jobs that were unfinished when last read, oldest first. */
    unfinished: (): readonly UnfinishedRecord[] =>
      sql.unfinished.all().flatMap((row) => {
        const parsed = DetailsRow.parse(row)
        const { facts, skipped, inputs, ...record } = detailsOf(parsed)
        const { jobId, baseUrl, service, acceptedAt } = facts
        if (jobId === null || baseUrl === null || service === null) return []
        const unfinished: UnfinishedRecord = {
          title: titleOf(record),
          jobId,
          baseUrl,
          connection: service,
          acceptedAt,
          skipped,
          jobCreatedAt: parsed.job_created_at,
          inputs: inputs.map(({ path }) => path),
          remote: parsed.remote === 1,
        }
        return [unfinished]
      }),

    /** Returns jobs without an outcome, oldest first. */
    openJobs: (): readonly OpenJob[] => sql.openJobs.all().map((row) => OpenJobRow.parse(row)),
    withoutJob(after: number, limit: number): { readonly ids: readonly RecordId[]; readonly last?: number } {
      const rows = sql.withoutJob.all(after, limit).map((row) => WithoutJobRow.parse(row))
      const last = rows.at(-1)?.seq
      return { ids: rows.map(({ id }) => asRecordId(id)), ...(last === undefined ? {} : { last }) }
    },
    /** Returns jobs without an outcome whose results must be downloaded. */
    toFetch: (): readonly ToFetch[] => sql.toFetch.all().map((row) => ToFetchRow.parse(row)),
    pastJobs: (of: PastJobsOf, limit: number): readonly PastJob[] =>
      sql.pastJobs.all({ ...of, limit }).map((row) => PastJobRow.parse(row)),
    /** Returns how many times in a row a submission was resubmitted without any result, and whether its results must be downloaded. */
    sending: (id: RecordId): SentRecord =>
      SentRow.parse(sql.sending.get(id) ?? { resent: 0, remote: 0, mount: null, preset_hash: null }),
    has: (id: RecordId): boolean => sql.hasRecord.get(id) !== undefined,

    /** Returns the acceptances of jobs with this ID, newest first. */
    acceptancesOf: (jobId: string) => sql.ownJob.all(jobId).map((row) => OwnJobRow.parse(row)),

    newestEnd: (): number | null => NewestEnd.parse(sql.newestEnd.get()).at,

    /** Whether a record has a job with this ID as ours, even if the service has forgotten it. @param since ms since 1970 */
    hasJob: (jobId: string, since?: number): boolean =>
      (since === undefined ? sql.anyOwnJob.get(jobId) : sql.jobSince.get(since, jobId)) !== undefined,

    seen: (id: RecordId): boolean => sql.seen.run({ id }).changes > 0,
    unseenCount: (): number => Count.parse(sql.unseen.get()).total,
  }
}

function keyOf(sql: RecordStatements, id: RecordId) {
  const row = sql.key.get(id)
  return row && Key.parse(row)
}

function serviceTextOf({ error, failure, drive }: Job) {
  const known = error === undefined ? drive?.uploadFailure : failure
  const serviceFailure = known === undefined ? null : JSON.stringify(known)
  return { serviceText: error ?? drive?.uploadError ?? null, serviceFailure }
}
