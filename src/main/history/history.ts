import type { FileError, Job } from '../../shared/api/resources.ts'
import { isSameServiceTime } from '../../shared/api/service-time.ts'
import type { Draft } from '../../shared/model/draft.ts'
import type { Saved } from '../../shared/model/saved.ts'
import type { HistoryPage, HistoryQuery, ResultFile, WorkScope } from '../../shared/model/work.ts'
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
import { queuedHooks } from './hook-queue.ts'
import { refusalsIn } from './refusals.ts'
import type { FileSizes } from './measured-results.ts'
import type { PresetRename } from './renamed-presets.ts'
import type {
  AcceptanceRecord,
  ForeignRecord,
  PastJobsOf,
  RecordStore,
  ReplacedRecord,
  SubmissionRecord,
} from './record-store.ts'

export type HistoryOptions = Omit<GuardedStoreOptions, 'onSetAside'> & {
  readonly writes?: WriteListener
  /** Called when a list of records changes for any reason other than a job update. */
  readonly onChange?: () => void
  /** Called when a damaged file was moved aside while in use. New records go to a new file. */
  readonly onSetAside?: (keptAs: string) => void
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

/** What the history reads like its store. */
const READS = [
  'countAll',
  'details',
  'endedInto',
  'endedWatched',
  'extent',
  'has',
  'hasJob',
  'openJobs',
  'sending',
  'summary',
  'toFetch',
  'totals',
  'unfinished',
  'unmeasured',
  'unseenCount',
  'wholeJob',
] as const

export type History = ReturnType<typeof openHistory>

/**
 * Opens the record of what happened to every submission and job, which is kept after the service has forgotten them (rule 4). Changes are on
 * disk when a method returns unless stated otherwise. Methods do nothing if the record doesn't exist. Moves a damaged file aside and
 * reports it.
 * @throws if no database can be created there
 */
export function openHistory(options: HistoryOptions) {
  const { clock, writes, onChange, onSetAside } = options
  let version = 1
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
  const writeLater: Write = (work) => write(work, store.useLater)

  function change<T>(work: (records: RecordStore) => T): T {
    const result = write(work)
    onChange?.()
    return result
  }

  function listChanged(): void {
    version += 1
    onChange?.()
  }

  store.use((records) => records.purge(clock()))

  return {
    /** New path of a damaged file that was moved aside at startup; null if the file was undamaged. */
    get setAside() {
      return store.setAside()
    },
    /** Increases with every change that affects a page or a record. */
    get version() {
      return version
    },

    ...recordings({ write, writeLater, change, flushed: () => store.flushed(), lastReadings }),
    ...readings(store),
    /** The contents that earlier jobs have processed. */
    ledger: ledgerIn(store, writes),
    /** Actions that run after jobs. */
    hooks: queuedHooks(store.use, change),
    /** What assistants were refused. */
    refusals: refusalsIn(store.use, change),
    /** Renames a preset of the built-in service in new drafts from existing records. */
    renamePreset: (rename: PresetRename) => write((records) => records.renamePreset(rename)),

    markSeen: (id: RecordId) => void (store.use((records) => records.seen(id)) && listChanged()),
    /** Hides a record. `restore` can show it again until the app exits. */
    remove: (id: RecordId) => change((records) => records.remove(id, clock())),
    restore: (id: RecordId) => change((records) => records.restore(id)),
    /** Deletes a record immediately and permanently, for example if its job turned out to belong to another record. */
    forget: (id: RecordId) => void change((records) => records.forget(id)),
    /** Deletes all finished records and what assistants were refused. */
    clear(): void {
      change(dropAll)
      store.use((records) => records.shrink())
    },
    /**
     * Deletes records that ended more than this many days ago.
     * @param days null keeps all records
     * @returns how many were deleted
     */
    applyRetention(days: number | null): number {
      if (days === null) return 0
      const dropped = store.use((records) => records.dropOver(timeByRecords(records, clock) - days * DAY_MS))
      if (dropped > 0) listChanged()
      return dropped
    },

    /** Exports the history in chunks, newest record first. */
    exportJson: () => exportJson(allRecords(store)),
    exportCsv: () => exportCsv(allRecords(store)),
    /**
     * Checks that the file can be written, without changing it.
     * @throws if it can't be written
     */
    tryWriting: () => reportWrite(writes, () => store.tryWriting()),
    /** Returns false if the file was deleted or moved. New data would then be lost when the app exits. */
    isInPlace: () => store.isInPlace(),
    close: () => store.close(),
  }
}

type Write = <T>(work: (records: RecordStore) => T) => T

/** What is recorded about submissions and jobs. */
function recordings({
  write,
  writeLater,
  change,
  flushed,
  lastReadings,
}: {
  readonly write: Write
  /** Like `write`, but on disk only after the store has been flushed. */
  readonly writeLater: Write
  /** Like `write`, for a list of records. */
  readonly change: Write
  readonly flushed: () => Promise<void>
  /** The relevant content of the latest update of each unfinished job. */
  readonly lastReadings: Map<RecordId, string>
}) {
  function recordOutcomes(ids: readonly RecordId[], outcome: Outcome, endedAt: number): void {
    if (ids.length === 0) return
    change((records) => records.outcomes(ids, outcome, endedAt))
    for (const id of ids) lastReadings.delete(id)
  }

  return {
    /**
     * Records a submission when it enters the outbox, and again if the first write may have failed. Idempotent. A power failure may
     * lose the write. The outbox still has the submission, and the next launch compares the outbox and the history.
     */
    recordSubmission: (submission: SubmissionRecord) =>
      writeLater((records) => records.submissions([submission])),
    /** Writes all records or none. */
    recordSubmissions: (submissions: readonly SubmissionRecord[]) =>
      writeLater((records) => records.submissions(submissions)),
    recordAccepted: (id: RecordId, acceptance: AcceptanceRecord) =>
      void write((records) => records.accepted(id, acceptance)),
    /** Records a submission and its acceptance together. Resolves when both are on disk and the outbox may delete the submission. */
    recordAcceptedSubmission(submission: SubmissionRecord, acceptance: AcceptanceRecord): Promise<void> {
      writeLater((records) => records.acceptedSubmission(submission, acceptance))
      return flushed()
    },
    /** Records a job of another client. */
    recordForeign: (record: ForeignRecord) => write((records) => records.foreign(record)),
    /**
     * Records an update of a job. Writes only if something relevant changed: the results, the errors, the upload or a time, but not
     * the progress.
     * @param startedAt ms since 1970; null if unknown
     */
    recordJob(id: RecordId, job: Job, startedAt: number | null): void {
      const reading = relevantContent(job, startedAt)
      if (lastReadings.get(id) === reading) return
      write((records) => records.job(id, job, startedAt))
      lastReadings.set(id, reading)
    },
    /** Records inputs that the service skipped, if this was discovered after the acceptance. */
    recordSkipped: (id: RecordId, skipped: readonly FileError[]) =>
      void write((records) => records.skipped(id, skipped)),
    /** Records the local paths of the results and the problems with downloading them. */
    recordResults: (id: RecordId, results: readonly ResultFile[], problems: readonly FileError[]) =>
      void change((records) => records.results(id, results, problems)),
    /** Records where the results that replace originals are, and how many originals were replaced. */
    recordReplaced: (id: RecordId, replaced: ReplacedRecord) =>
      void change((records) => records.replaced(id, replaced)),
    /** Records the sizes of a finished job's results and what the ledger gains. Does nothing if that was recorded, or if the record was deleted. */
    recordMeasured: (id: RecordId, { sizes, resultBytes, entries }: Measurement) =>
      change((records) =>
        records.measured(id, { sizes, resultBytes }, () => {
          for (const entry of entries) records.ledger.enter(entry)
        }),
      ),
    /** @param endedAt ms since 1970 */
    recordOutcome: (id: RecordId, outcome: Outcome, endedAt: number) =>
      recordOutcomes([id], outcome, endedAt),
    /** Records the same outcome for all of these records, or for none. */
    recordOutcomes,
    /**
     * Records that the job is gone and its unfinished part is back in the outbox.
     * @param resent how many times in a row the job was resubmitted without any result
     */
    recordReturned: (record: SubmissionRecord, resent: number) =>
      change((records) => records.returned(record, resent)),
  }
}

const readings = (store: GuardedStore) => ({
  ...through(store.use, READS),
  /** Returns records, newest first. */
  page: (query: HistoryQuery, request: PageRequest): HistoryPage =>
    store.use((records) => records.find(query, request)),
  /** Returns what the matching finished records saved. Without filters, includes records that have been deleted. */
  saved: (query: HistoryQuery): Promise<Saved> => savedIn(store, query),
  /** Returns the records of our jobs with this ID, newest first. */
  recordsOf: (jobId: string): readonly RecordId[] =>
    store.use((records) => records.acceptancesOf(jobId).map(({ id }) => id)),
  /** Returns our canceled jobs with this ID and creation time, of any service. */
  cancelledJobs: (job: KnownJob) => store.use((records) => cancelledOf(records, job)),
  /**
   * Whether a job, identified by its ID and creation time, is ours. `perhaps` if one of our jobs has this ID but was never read, so
   * its creation time is unknown.
   */
  isOwnJob: (job: KnownJob) => store.use((records) => isOneOfOurs(records, job)),
  /**
   * Returns records without an outcome and without a job, oldest first. The pages are small, so that the caller can yield to the
   * event loop in between.
   */
  withoutJob: () => pagesWithoutJob(store),
  /** Returns successful jobs of an external service, newest first, limited to the number that an estimate needs. */
  pastJobs: (of: PastJobsOf) => store.use((records) => records.pastJobs(of, MOST_PAST_JOBS)),
  /**
   * Creates a draft with the files and options of a record or its group, or with only the failed files.
   * @param scope which parts of a group; by default all
   */
  draftFrom: (id: RecordId, which: 'all' | 'failed', scope?: WorkScope): Draft | undefined =>
    store.use((records) => draftFrom(records, id, which, scope)),
})

type KnownJob = Pick<Job, 'jobId' | 'createdAt'>

/** Each method reads or writes a few rows and takes less than a millisecond. */
function ledgerIn({ use, useLater }: GuardedStore, writes: WriteListener | undefined) {
  const write = <T>(work: (records: RecordStore) => T): T => reportWrite(writes, () => useLater(work))
  return {
    ...through(inLedger(use), [
      'at',
      'of',
      'pendingOfSize',
      'pendingWith',
      'nextPending',
      'hasSizeElsewhere',
      'cachedContent',
    ]),
    ...through(inLedger(write), ['putContent', 'drop', 'cacheContent']),
  }
}

const inLedger =
  (run: Write) =>
  <T>(work: (ledger: RecordStore['ledger']) => T): T =>
    run((records) => work(records.ledger))

/** Returns methods of an object that only `run` can reach. */
function through<Name extends string, Of extends Readonly<Record<Name, (...given: never[]) => unknown>>>(
  run: <T>(work: (of: Of) => T) => T,
  names: readonly Name[],
): Pick<Of, Name> {
  return Object.fromEntries(
    names.map((name) => [name, (...given: never[]) => run((of) => of[name](...given))]),
  ) as Pick<Of, Name>
}

function dropAll(records: RecordStore): void {
  records.dropOver(Number.MAX_SAFE_INTEGER)
  records.dropRefusals()
}

function isOneOfOurs(records: RecordStore, { jobId, createdAt }: KnownJob): boolean | 'perhaps' {
  const known = records.acceptancesOf(jobId).map((one) => one.job_created_at)
  if (known.some((text) => text !== null && isSameServiceTime(text, createdAt))) return true
  return known.includes(null) ? 'perhaps' : false
}

const cancelledOf = (records: RecordStore, { jobId, createdAt }: KnownJob): readonly RecordId[] =>
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
