import { setImmediate as breathe } from 'node:timers/promises'
import type { FileError, Job } from '../../shared/api/resources.ts'
import { isAcceptedJob } from '../../shared/api/service-time.ts'
import type { Draft } from '../../shared/model/draft.ts'
import type { PastJob } from '../../shared/model/forecast.ts'
import type { HistoryPage, HistoryQuery, RecordDetails, ResultFile } from '../../shared/model/work.ts'
import type { RecordId } from '../../shared/model/ids.ts'
import type { Outcome } from '../../shared/model/outcome.ts'
import { toldOf, type WriteListener, type OpenWal } from '../database/index.ts'
import { draftFromRecord } from './draft-from-record.ts'
import { exportCsv, exportJson } from './export-records.ts'
import type { PageRequest } from './find-records.ts'
import { openGuardedStore, type GuardedStore } from './guarded-store.ts'
import type { PresetRename } from './renamed-presets.ts'
import type {
  AcceptanceRecord,
  EndlessJob,
  ForeignRecord,
  PastJobsOf,
  RecordStore,
  SubmissionRecord,
  ToFetch,
  UnfinishedRecord,
} from './record-store.ts'

export type HistoryOptions = {
  readonly file: string
  /** ms since 1970. */
  readonly clock: () => number
  readonly writes?: WriteListener
  /** A list of records would look different now, for another reason than a reading of a job. */
  readonly onChange?: () => void
  /** A damaged file was set aside while it was in use; what is written from now on is in a new one. */
  readonly onSetAside?: (keptAs: string) => void
  readonly openWal?: OpenWal | undefined
  readonly log: (event: string, facts: Readonly<Record<string, unknown>>) => void
}

/**
 * What happened to every piece of work, long after the service has forgotten it (rule 4). What a method says is written
 * when it returns. Methods about a record that does not exist do nothing.
 */
export interface History {
  /** Where a damaged file was put before this one was begun; null if all was well. */
  readonly setAside: string | null
  /** Grows with every change that a page or a record can show. */
  readonly version: number

  /**
   * When it enters the outbox, and again whenever it may not have been written: the same record each time. A power failure
   * may take it: the outbox has it, and a start compares.
   */
  recordSubmission(record: SubmissionRecord): void
  /** All of them or none. */
  recordSubmissions(records: readonly SubmissionRecord[]): void
  recordAccepted(id: RecordId, acceptance: AcceptanceRecord): void
  /**
   * What was submitted and that it was accepted, at once. When it resolves, it is on the disk, and the outbox need not have
   * it any more.
   */
  recordAcceptedSubmission(record: SubmissionRecord, acceptance: AcceptanceRecord): Promise<void>
  /** A job of another client. */
  recordForeign(record: ForeignRecord): void
  /**
   * The last reading of a job. Written only when something in it matters: results, errors, the upload, a time; not its
   * progress.
   *
   * @param startedAt ms since 1970; null where it is not known
   */
  recordJob(id: RecordId, job: Job, startedAt: number | null): void
  /** Inputs that the service left out, found out after the acceptance. */
  recordSkipped(id: RecordId, skipped: readonly FileError[]): void
  /** Where the results really are, and what went wrong on the way there. */
  recordResults(id: RecordId, results: readonly ResultFile[], problems: readonly FileError[]): void
  /** What all results came to, once it is over. */
  recordResultBytes(id: RecordId, bytes: number): void
  /** @param endedAt ms since 1970 */
  recordOutcome(id: RecordId, outcome: Outcome, endedAt: number): void
  /** The same one for several; all of them or none. */
  recordOutcomes(ids: readonly RecordId[], outcome: Outcome, endedAt: number): void

  /** The newest first. */
  page(query: HistoryQuery, request: PageRequest): HistoryPage
  details(id: RecordId): RecordDetails | undefined
  /** Whether this job has been accepted as ours since then, in whichever process. @param since ms since 1970 */
  hasJobSince(jobId: string, since: number): boolean
  /** Whether this job, named by id and creation, is known to be one of ours. */
  isOwnJob(job: Pick<Job, 'jobId' | 'createdAt'>): boolean
  /** Jobs without an outcome, the oldest first. */
  endlessJobs(): readonly EndlessJob[]
  /** What has no outcome and no job, the oldest first; a few at a time, for who does not want to stop everything else. */
  withoutJob(): Iterable<readonly RecordId[]>
  /** Jobs without an outcome whose results are on the service's computer. */
  toFetch(): readonly ToFetch[]
  /** Jobs of another program's service that went well, the newest first, as many as are worth looking at. */
  pastJobs(of: PastJobsOf): readonly PastJob[]
  has(id: RecordId): boolean
  /** Jobs that were not over when they were last seen, the oldest first. */
  unfinished(): readonly UnfinishedRecord[]
  draftFrom(id: RecordId, which: 'all' | 'failed'): Draft | undefined
  /** Drafts from records of the built-in service go by the new name from now on. */
  renamePreset(rename: PresetRename): void

  markSeen(id: RecordId): void
  unseenCount(): number

  /** Out of sight; `restore` brings it back until the app ends. */
  remove(id: RecordId): boolean
  restore(id: RecordId): boolean
  /** At once and for good, such as a job that turned out to be another record's. */
  forget(id: RecordId): void
  /** Everything that is over. */
  clear(): void
  /** Drops what has been over for longer. @param days null: keeps everything. @returns how many were dropped */
  applyRetention(days: number | null): number

  /** In pieces, the newest first. */
  exportJson(): AsyncIterable<string>
  exportCsv(): AsyncIterable<string>
  /** False where its file was deleted or moved: what is written from now on is gone when the app ends. */
  isInPlace(): boolean
  close(): void
}

const DAY_MS = 24 * 60 * 60 * 1000
const EXPORT_PAGE = 200
const MOST_PAST_JOBS = 30
/** So many records are ended in one frame of the screen. */
const TURN = 40

/** Opens the history; a damaged file is set aside and said. Throws where there is no usable folder for one at all. */
export function openHistory(options: HistoryOptions): History {
  const { file, clock, writes, onChange, onSetAside, openWal, log } = options
  let version = 1
  /** What mattered in the last reading of each job that is not over. */
  const lastReadings = new Map<RecordId, string>()
  const store = openGuardedStore({
    file,
    clock,
    onSetAside(keptAs) {
      lastReadings.clear()
      version += 1
      onChange?.()
      if (keptAs !== null) onSetAside?.(keptAs)
    },
    openWal,
    log,
  })

  function write<T>(work: (records: RecordStore) => T, use = store.use): T {
    const result = toldOf(writes, () => use(work))
    version += 1
    return result
  }
  /** On the disk when the store is flushed. */
  const writeLater = (work: (records: RecordStore) => void): void => write(work, store.useLater)

  /** For what a list of records shows. */
  function change<T>(work: (records: RecordStore) => T): T {
    const result = write(work)
    onChange?.()
    return result
  }

  function recordOutcomes(ids: readonly RecordId[], outcome: Outcome, endedAt: number): void {
    if (ids.length === 0) return
    change((records) => records.outcomes(ids, outcome, endedAt))
    for (const id of ids) lastReadings.delete(id)
  }

  store.use((records) => records.purge(clock()))

  return {
    get setAside() {
      return store.setAside()
    },
    get version() {
      return version
    },

    recordSubmission: (submission) => writeLater((records) => records.submissions([submission])),
    recordSubmissions: (submissions) => writeLater((records) => records.submissions(submissions)),
    recordAccepted: (id, acceptance) => void write((records) => records.accepted(id, acceptance)),
    recordAcceptedSubmission(submission, acceptance) {
      writeLater((records) => records.acceptedSubmission(submission, acceptance))
      return store.flushed()
    },
    recordForeign: (record) => write((records) => records.foreign(record)),
    recordJob(id, job, startedAt) {
      const reading = whatMatters(job, startedAt)
      if (lastReadings.get(id) === reading) return
      write((records) => records.job(id, job, startedAt))
      lastReadings.set(id, reading)
    },
    recordSkipped: (id, skipped) => void write((records) => records.skipped(id, skipped)),
    recordResults: (id, results, problems) =>
      void change((records) => records.results(id, results, problems)),
    recordResultBytes: (id, bytes) => change((records) => records.resultBytes(id, bytes)),
    recordOutcome: (id, outcome, endedAt) => recordOutcomes([id], outcome, endedAt),
    recordOutcomes,

    page: (query, request) => store.use((records) => records.find(query, request)),
    details: (id) => store.use((records) => records.details(id)),
    hasJobSince: (jobId, since) => store.use((records) => records.hasJobSince(jobId, since)),
    isOwnJob: ({ jobId, createdAt }) =>
      store
        .use((records) => records.acceptancesOf(jobId))
        .some((known) =>
          isAcceptedJob({ createdAt: known.job_created_at, acceptedAt: known.accepted_at }, createdAt),
        ),
    endlessJobs: () => store.use((records) => records.endlessJobs()),
    withoutJob: () => pagesWithoutJob(store),
    toFetch: () => store.use((records) => records.toFetch()),
    pastJobs: (of) => store.use((records) => records.pastJobs(of, MOST_PAST_JOBS)),
    has: (id) => store.use((records) => records.has(id)),
    unfinished: () => store.use((records) => records.unfinished()),
    draftFrom: (id, which) => store.use((records) => draftAgain(records, id, which)),

    renamePreset: (rename) => write((records) => records.renamePreset(rename)),

    markSeen(id) {
      if (!store.use((records) => records.seen(id))) return
      version += 1
      onChange?.()
    },
    unseenCount: () => store.use((records) => records.unseenCount()),

    remove: (id) => change((records) => records.remove(id, clock())),
    restore: (id) => change((records) => records.restore(id)),
    forget: (id) => void change((records) => records.forget(id)),
    clear() {
      change((records) => records.dropOver(Number.MAX_SAFE_INTEGER))
      store.use((records) => records.shrink())
    },
    applyRetention(days) {
      if (days === null) return 0
      const dropped = store.use((records) => records.dropOver(timeByRecords(records, clock) - days * DAY_MS))
      if (dropped === 0) return 0
      version += 1
      onChange?.()
      return dropped
    },

    isInPlace: () => store.isInPlace(),
    exportJson: () => exportJson(allRecords(store)),
    exportCsv: () => exportCsv(allRecords(store)),
    close: () => store.close(),
  }
}

/** With the name that its preset has now. */
function draftAgain(
  records: RecordStore,
  ...[id, which]: Parameters<History['draftFrom']>
): ReturnType<History['draftFrom']> {
  const record = records.details(id)
  return record && draftFromRecord({ ...record, preset: records.presetToday(id) }, which)
}

/** A clock that is far ahead, if only for one start, must not make everything old: what happened last tells the time too. */
const timeByRecords = (records: RecordStore, clock: () => number): number =>
  Math.min(clock(), records.newestEnd() ?? 0)

async function* allRecords(store: GuardedStore): AsyncGenerator<RecordDetails> {
  let before: number | undefined = Number.MAX_SAFE_INTEGER
  while (before !== undefined) {
    const from: number = before
    const { records, next } = store.use((all) => all.detailsBefore(from, EXPORT_PAGE))
    yield* records
    before = next
    await breathe()
  }
}

function* pagesWithoutJob(store: GuardedStore): Generator<readonly RecordId[]> {
  let after: number | undefined = Number.MIN_SAFE_INTEGER
  while (after !== undefined) {
    const from: number = after
    const { ids, last } = store.use((records) => records.withoutJob(from, TURN))
    yield ids
    after = last
  }
}

/** Progress comes every two seconds and is worth nothing tomorrow. */
const whatMatters = (job: Job, startedAt: number | null): string =>
  JSON.stringify([
    job.status,
    startedAt,
    job.totalFiles ?? job.progress.totalFiles,
    job.result,
    job.results,
    job.error,
    job.errors,
    job.drive,
  ])
