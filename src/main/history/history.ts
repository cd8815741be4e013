import type { FileError, Job } from '../../shared/api/resources.ts'
import { isSameServiceTime } from '../../shared/api/service-time.ts'
import type { Draft } from '../../shared/model/draft.ts'
import type { PastJob } from '../../shared/model/estimate.ts'
import type { Saved, Totals } from '../../shared/model/saved.ts'
import type {
  HistoryExtent,
  HistoryPage,
  HistoryQuery,
  RecordDetails,
  ResultFile,
  WorkScope,
} from '../../shared/model/work.ts'
import type { RecordId } from '../../shared/model/ids.ts'
import type { Outcome } from '../../shared/model/outcome.ts'
import { reportWrite, type WriteListener } from '../database/index.ts'
import { draftFrom } from './draft-from-record.ts'
import { allRecords, exportCsv, exportJson } from './export-records.ts'
import type { PageRequest } from './find-records.ts'
import { relevantContent } from './relevant-content.ts'
import { savedIn } from './saved-in.ts'
import { openGuardedStore, type GuardedStore, type GuardedStoreOptions } from './guarded-store.ts'
import type { NewLedgerRow } from './ledger.ts'
import { ledgerIn, type Ledger } from './ledger-access.ts'
import { queuedHooks, type HookQueue } from './hook-queue.ts'
import { refusalsIn, type Refusals } from './refusals.ts'
import type { FileSizes } from './measured-results.ts'
import type { SentRecord } from './record-row.ts'
import type { PresetRename } from './renamed-presets.ts'
import type {
  AcceptanceRecord,
  OpenJob,
  ForeignRecord,
  PastJobsOf,
  RecordStore,
  ReplacedRecord,
  SubmissionRecord,
  ToFetch,
  UnfinishedRecord,
} from './record-store.ts'

export type HistoryOptions = Omit<GuardedStoreOptions, 'onSetAside'> & {
  readonly writes?: WriteListener
  /** Called when a list of records changes for any reason other than a job update. */
  readonly onChange?: () => void
  /** Called when a damaged file was moved aside while in use. New records go to a new file. */
  readonly onSetAside?: (keptAs: string) => void
}

/**
 * Records what happened to every submission and job, and keeps it after the service has forgotten them (rule 4). Changes are on
 * disk when a method returns unless stated otherwise. Methods do nothing if the record doesn't exist.
 */
export interface History {
  /** New path of a damaged file that was moved aside at startup; null if the file was undamaged. */
  readonly setAside: string | null
  /** Increases with every change that affects a page or a record. */
  readonly version: number

  /**
   * Records a submission when it enters the outbox, and again if the first write may have failed. Idempotent. A power failure may
   * lose the write. The outbox still has the submission, and the next launch compares the outbox and the history.
   */
  recordSubmission(record: SubmissionRecord): void
  /** Writes all records or none. */
  recordSubmissions(records: readonly SubmissionRecord[]): void
  recordAccepted(id: RecordId, acceptance: AcceptanceRecord): void
  /** Records a submission and its acceptance together. Resolves when both are on disk and the outbox may delete the submission. */
  recordAcceptedSubmission(record: SubmissionRecord, acceptance: AcceptanceRecord): Promise<void>
  /** Records a job of another client. */
  recordForeign(record: ForeignRecord): void
  /**
   * Records an update of a job. Writes only if something relevant changed: the results, the errors, the upload or a time, but not
   * the progress.
   * @param startedAt ms since 1970; null if unknown
   */
  recordJob(id: RecordId, job: Job, startedAt: number | null): void
  /** Records inputs that the service skipped, if this was discovered after the acceptance. */
  recordSkipped(id: RecordId, skipped: readonly FileError[]): void
  /** Records the local paths of the results and the problems with downloading them. */
  recordResults(id: RecordId, results: readonly ResultFile[], problems: readonly FileError[]): void
  /** Records where the results that replace originals are, and how many originals were replaced. */
  recordReplaced(id: RecordId, replaced: ReplacedRecord): void
  /** Returns up to 50 finished records whose results haven't been measured, oldest first. */
  unmeasured(): readonly RecordId[]
  /** Records the sizes of a finished job's results and what the ledger gains. Does nothing if that was recorded, or if the record was deleted. */
  recordMeasured(id: RecordId, measurement: Measurement): void
  /** @param endedAt ms since 1970 */
  recordOutcome(id: RecordId, outcome: Outcome, endedAt: number): void
  /**
   * Records that the job is gone and its unfinished part is back in the outbox.
   * @param resent how many times in a row the job was resubmitted without any result
   */
  recordReturned(record: SubmissionRecord, resent: number): void
  /** Records the same outcome for all of these records, or for none. */
  recordOutcomes(ids: readonly RecordId[], outcome: Outcome, endedAt: number): void

  /** Returns records, newest first. */
  page(query: HistoryQuery, request: PageRequest): HistoryPage
  /** Counts the matching records, unfinished ones included. Takes long if there are many. */
  countAll(query: HistoryQuery): number
  extent(): HistoryExtent
  details(id: RecordId): RecordDetails | undefined
  /** Returns what the matching finished records saved. Without filters, includes records that have been deleted. */
  saved(query: HistoryQuery): Promise<Saved>
  /** Returns the totals of all records that ever existed. */
  totals(): Totals
  /** The contents that earlier jobs have processed. */
  readonly ledger: Ledger
  /** Actions that run after jobs. */
  readonly hooks: HookQueue
  /** What assistants were refused. */
  readonly refusals: Refusals
  /**
   * Whether a record has a job with this ID as ours, even if the service has forgotten it.
   * @param since only at or after this time, in ms since 1970
   */
  hasJob(jobId: string, since?: number): boolean
  /**
   * Whether a job, identified by its ID and creation time, is ours. `perhaps` if one of our jobs has this ID but was never read, so
   * its creation time is unknown.
   */
  isOwnJob(job: Pick<Job, 'jobId' | 'createdAt'>): boolean | 'perhaps'
  /** Returns the records of our jobs with this ID, newest first. */
  recordsOf(jobId: string): readonly RecordId[]
  /** Returns our canceled jobs with this ID and creation time, of any service. */
  cancelledJobs(job: Pick<Job, 'jobId' | 'createdAt'>): readonly RecordId[]
  /** Returns jobs without an outcome, oldest first. */
  openJobs(): readonly OpenJob[]
  /**
   * Returns records without an outcome and without a job, oldest first. The pages are small, so that the caller can yield to the
   * event loop in between.
   */
  withoutJob(): Iterable<readonly RecordId[]>
  /** Returns jobs without an outcome whose results must be downloaded. */
  toFetch(): readonly ToFetch[]
  /** Returns successful jobs of an external service, newest first, limited to the number that an estimate needs. */
  pastJobs(of: PastJobsOf): readonly PastJob[]
  /**
   * Returns how many times in a row a submission was resubmitted without any result, and whether its results must be downloaded.
   */
  sending(id: RecordId): SentRecord
  has(id: RecordId): boolean
  /**
   * Returns records with results in this folder that ended at or after the given time, including records that were removed from the
   * list.
   * @param since ms since 1970
   */
  endedInto(folder: string, since: number): readonly RecordDetails[]
  /**
   * Returns jobs whose files are from watched folders and that have ended at or after a time, including those removed from the list.
   * @param since ms since 1970
   */
  endedWatched(since: number): readonly RecordDetails[]
  /** Returns jobs that were unfinished when last read, oldest first. */
  unfinished(): readonly UnfinishedRecord[]
  /**
   * Creates a draft with the files and options of a record or its group, or with only the failed files.
   * @param scope which parts of a group; by default all
   */
  draftFrom(id: RecordId, which: 'all' | 'failed', scope?: WorkScope): Draft | undefined
  /**
   * Returns the IDs of all parts of a record's group in order, or its own ID.
   * @param scope which parts; by default all
   */
  wholeJob(id: RecordId, scope?: WorkScope): readonly RecordId[]
  /** Renames a preset of the built-in service in new drafts from existing records. */
  renamePreset(rename: PresetRename): void

  markSeen(id: RecordId): void
  unseenCount(): number

  /** Hides a record. `restore` can show it again until the app exits. */
  remove(id: RecordId): boolean
  restore(id: RecordId): boolean
  /** Deletes a record immediately and permanently, for example if its job turned out to belong to another record. */
  forget(id: RecordId): void
  /** Deletes all finished records and what assistants were refused. */
  clear(): void
  /**
   * Deletes records that ended more than this many days ago.
   * @param days null keeps all records
   * @returns how many were deleted
   */
  applyRetention(days: number | null): number

  /** Exports the history in chunks, newest record first. */
  exportJson(): AsyncIterable<string>
  exportCsv(): AsyncIterable<string>
  /**
   * Checks that the file can be written, without changing it.
   * @throws if it can't be written
   */
  tryWriting(): void
  /** Returns false if the file was deleted or moved. New data would then be lost when the app exits. */
  isInPlace(): boolean
  close(): void
}

export type Measurement = {
  readonly sizes: readonly FileSizes[]
  /** Total size of all results in bytes; null if any of them isn't on this computer. */
  readonly resultBytes: number | null
  readonly entries: readonly NewLedgerRow[]
}

const DAY_MS = 24 * 60 * 60 * 1000
const MOST_PAST_JOBS = 30
/** The number of records whose outcome can be written within one display frame. */
const RECORDS_PER_TICK = 40

/**
 * Opens the history. Moves a damaged file aside and reports it.
 * @throws if no database can be created there
 */
export function openHistory(options: HistoryOptions): History {
  const { clock, writes, onChange, onSetAside } = options
  let version = 1
  /** The relevant content of the latest update of each unfinished job. */
  const lastReadings = new Map<RecordId, string>()
  const store = openGuardedStore({
    ...options,
    onSetAside(keptAs) {
      lastReadings.clear()
      version += 1
      onChange?.()
      if (keptAs !== null) onSetAside?.(keptAs)
    },
  })

  function write<T>(work: (records: RecordStore) => T, use = store.use): T {
    const result = reportWrite(writes, () => use(work))
    version += 1
    return result
  }
  /** Makes a change that is on disk only after the store has been flushed. */
  const writeLater = (work: (records: RecordStore) => void): void => write(work, store.useLater)

  /** Makes a change that affects a list of records. */
  function change<T>(work: (records: RecordStore) => T): T {
    const result = write(work)
    onChange?.()
    return result
  }

  function listChanged(): void {
    version += 1
    onChange?.()
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
      const reading = relevantContent(job, startedAt)
      if (lastReadings.get(id) === reading) return
      write((records) => records.job(id, job, startedAt))
      lastReadings.set(id, reading)
    },
    recordSkipped: (id, skipped) => void write((records) => records.skipped(id, skipped)),
    recordResults: (...results) => void change((records) => records.results(...results)),
    recordReplaced: (id, replaced) => void change((records) => records.replaced(id, replaced)),
    unmeasured: () => store.use((records) => records.unmeasured()),
    recordMeasured: (id, { sizes, resultBytes, entries }) =>
      change((records) =>
        records.measured(id, { sizes, resultBytes }, () => {
          for (const entry of entries) records.enter(entry)
        }),
      ),
    recordOutcome: (id, outcome, endedAt) => recordOutcomes([id], outcome, endedAt),
    recordOutcomes,

    recordReturned: (record, resent) => change((records) => records.returned(record, resent)),
    ...searchesIn(store),
    details: (id) => store.use((records) => records.details(id)),
    ledger: ledgerIn(store, writes),
    hooks: queuedHooks(store.use, change),
    refusals: refusalsIn(store.use, change),
    hasJob: (jobId, since) => store.use((records) => records.hasJob(jobId, since)),
    cancelledJobs: (job) => store.use((records) => cancelledOf(records, job)),
    isOwnJob: (job) => store.use((records) => isOneOfOurs(records, job)),
    openJobs: () => store.use((records) => records.openJobs()),
    withoutJob: () => pagesWithoutJob(store),
    toFetch: () => store.use((records) => records.toFetch()),
    pastJobs: (of) => store.use((records) => records.pastJobs(of, MOST_PAST_JOBS)),
    sending: (id) => store.use((records) => records.sending(id)),
    has: (id) => store.use((records) => records.has(id)),
    endedInto: (folder, since) => store.use((records) => records.endedInto(folder, since)),
    endedWatched: (since) => store.use((records) => records.endedWatched(since)),
    unfinished: () => store.use((records) => records.unfinished()),
    draftFrom: (id, which, scope) => store.use((records) => draftFrom(records, id, which, scope)),
    wholeJob: (id, scope) => store.use((records) => records.wholeJob(id, scope)),
    renamePreset: (rename) => write((records) => records.renamePreset(rename)),
    markSeen: (id) => void (store.use((records) => records.seen(id)) && listChanged()),
    unseenCount: () => store.use((records) => records.unseenCount()),
    remove: (id) => change((records) => records.remove(id, clock())),
    restore: (id) => change((records) => records.restore(id)),
    forget: (id) => void change((records) => records.forget(id)),
    clear() {
      change(dropAll)
      store.use((records) => records.shrink())
    },
    applyRetention(days) {
      if (days === null) return 0
      const dropped = store.use((records) => records.dropOver(timeByRecords(records, clock) - days * DAY_MS))
      if (dropped > 0) listChanged()
      return dropped
    },
    tryWriting: () => reportWrite(writes, () => store.tryWriting()),
    isInPlace: () => store.isInPlace(),
    ...exportsOf(store),
    close: () => store.close(),
  }
}

const exportsOf = (store: GuardedStore): Pick<History, 'exportJson' | 'exportCsv'> => ({
  exportJson: () => exportJson(allRecords(store)),
  exportCsv: () => exportCsv(allRecords(store)),
})

function dropAll(records: RecordStore): void {
  records.dropOver(Number.MAX_SAFE_INTEGER)
  records.dropRefusals()
}

const searchesIn = (
  store: GuardedStore,
): Pick<History, 'page' | 'countAll' | 'extent' | 'recordsOf' | 'saved' | 'totals'> => ({
  recordsOf: (jobId) => store.use((records) => records.acceptancesOf(jobId).map(({ id }) => id)),
  page: (query, request) => store.use((records) => records.find(query, request)),
  countAll: (query) => store.use((records) => records.countAll(query)),
  extent: () => store.use((records) => records.extent()),
  saved: (query) => savedIn(store, query),
  totals: () => store.use((records) => records.totals()),
})

function isOneOfOurs(
  records: RecordStore,
  { jobId, createdAt }: Parameters<History['isOwnJob']>[0],
): ReturnType<History['isOwnJob']> {
  const known = records.acceptancesOf(jobId).map((one) => one.job_created_at)
  if (known.some((text) => text !== null && isSameServiceTime(text, createdAt))) return true
  return known.includes(null) ? 'perhaps' : false
}

const cancelledOf = (
  records: RecordStore,
  { jobId, createdAt }: Parameters<History['cancelledJobs']>[0],
): ReturnType<History['cancelledJobs']> =>
  records
    .acceptancesOf(jobId)
    .flatMap(({ id, job_created_at: at, outcome_kind: kind }) =>
      kind === 'cancelled' && at !== null && isSameServiceTime(at, createdAt) ? [id] : [],
    )

/**
 * Returns the current time, but at most the time of the newest record. Otherwise, a clock that is far ahead, even for a single run,
 * would make every record look old.
 */
const timeByRecords = (records: RecordStore, clock: () => number): number =>
  Math.min(clock(), records.newestEnd() ?? 0)

function* pagesWithoutJob(store: GuardedStore): Generator<readonly RecordId[]> {
  let after: number | undefined = Number.MIN_SAFE_INTEGER
  while (after !== undefined) {
    const from: number = after
    const { ids, last } = store.use((records) => records.withoutJob(from, RECORDS_PER_TICK))
    yield ids
    after = last
  }
}
