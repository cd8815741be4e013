/** Writes what happens to submissions and jobs. */
import type { FileError, ServiceJob } from '../../shared/api/resources.ts'
import type { RecordId } from '../../shared/model/ids.ts'
import { notesOf, problemsOf, resultsOf } from '../../shared/model/outcome.ts'
import type { Outcome, PartDetails, PartTitle, ResultFile } from '../../shared/model/job.ts'
import type { ReplacedCounts } from '../../shared/model/replacement.ts'
import type { Acceptance, Submission } from '../outbox/index.ts'
import { firstKey } from './find-records.ts'
import type { HistoryFile } from './history-file.ts'
import { dropHooksOf, whenEnded, type HookRules } from './hook-queue.ts'
import { indexJob, summarize } from './job-summary.ts'
import { NOTHING_MADE, pick, TITLE } from './schema.ts'
import { tidyIndex } from './search-index.ts'
import type { Tables } from './tables.ts'

type Recorded = Pick<Submission, 'title' | 'plan'>

/** @param rules for actions after jobs; absent for no actions */
export function recordings(file: HistoryFile, rules: HookRules | undefined) {
  const { record, recordLater, change } = file
  /** The latest update of each unfinished job. */
  const lastWritten = new Map<RecordId, Update>()

  function recordOutcomes(ids: readonly RecordId[], outcome: Outcome, endedAt: number): void {
    if (ids.length === 0) return
    change((tables) => {
      for (const id of ids)
        whenEnded(tables, rules, id, () =>
          changeRecord(tables, id, (seq) => end(tables, seq, outcome, endedAt)),
        )
    })
    for (const id of ids) lastWritten.delete(id)
  }

  const recordSubmissions = (submissions: readonly Recorded[]): void =>
    recordLater((tables) => {
      for (const submission of submissions) add(tables, submission)
      tidyIndex(tables)
    })

  return {
    /**
     * Records submissions when they enter the outbox, and again if the first write may have failed: all or none. Idempotent. A power
     * failure may lose the write. The outbox still has the submissions, and the next launch compares the outbox and the history.
     */
    recordSubmissions,
    recordSubmission: (submission: Recorded): void => recordSubmissions([submission]),
    /** Records a submission and its acceptance together. Resolves when both are on disk and the outbox may delete the submission. */
    recordAcceptedSubmission(submission: Recorded, acceptance: Acceptance): Promise<void> {
      const { id } = submission.title
      const { skipped, acceptedAt, ...job } = acceptance
      recordLater((tables) => {
        const write = tables.records.has({ id }) ? put : add
        write(tables, submission)
        changeRecord(tables, id, (seq) => {
          putJob(tables, seq, job)
          putSkipped(tables, seq, skipped, { acceptedAt })
        })
      })
      return file.flushed()
    },
    /** Records a job of another client. */
    recordForeign: ({
      title,
      ...job
    }: { readonly title: PartTitle } & Pick<Acceptance, 'jobId' | 'baseUrl' | 'connection'>): void =>
      record((tables) => {
        put(tables, { title, plan: {} })
        changeRecord(tables, title.id, (seq) => putJob(tables, seq, job))
      }),
    /**
     * Records an update of a job. Writes only if more than the progress has changed.
     * @param startedAt ms since 1970; null if unknown
     */
    recordJob(id: RecordId, job: ServiceJob, startedAt: number | null): void {
      const update = updateOf(job, startedAt, file.identity())
      const last = lastWritten.get(id)
      const isProgress = last?.beyondResults === update.beyondResults
      if (isProgress && last.results === update.results) return
      // Results can be searched once the job has ended. Indexing all of them after each one takes longer than writing them.
      const write = isProgress ? changeRow : changeRecord
      record((tables) => write(tables, id, (seq) => putContent(tables, seq, job, startedAt)))
      lastWritten.set(id, update)
    },
    /** Records inputs that the service skipped, if this was discovered after the acceptance. */
    recordSkipped: (id: RecordId, skipped: readonly FileError[]): void =>
      record((tables) => changeRecord(tables, id, (seq) => putSkipped(tables, seq, skipped))),
    /** Records the local paths of the results and the problems with downloading them. */
    recordResults: (id: RecordId, results: readonly ResultFile[], problems: readonly FileError[]): void =>
      change((tables) =>
        changeRecord(tables, id, (seq) => tables.details.update({ seq }, { results, problems })),
      ),
    /**
     * Records where the results that replace originals are. Results are measured again once no original is waiting.
     * @param counts how many originals were replaced; null while any of them is waiting
     */
    recordReplaced: (
      id: RecordId,
      {
        results,
        inVault,
        counts,
      }: Pick<PartDetails, 'results'> &
        Pick<PartDetails['facts'], 'inVault'> & { readonly counts: ReplacedCounts | null },
    ): void =>
      change((tables) =>
        whenEnded(tables, rules, id, () =>
          changeRecord(tables, id, (seq) => {
            const { facts } = tables.details.only('facts').get({ seq }) ?? NOTHING_MADE
            tables.details.update({ seq }, { results, facts: { ...facts, inVault } })
            tables.records.update({ seq }, { replaced: counts })
            if (counts !== null) tables.unmeasured.add({ seq })
          }),
        ),
      ),
    /** @param endedAt ms since 1970 */
    recordOutcome: (id: RecordId, outcome: Outcome, endedAt: number): void =>
      recordOutcomes([id], outcome, endedAt),
    /** Records the same outcome for all of these records, or for none. */
    recordOutcomes,
    /**
     * Records that a submission is back in the outbox, because its job is gone or because the user restored it. Clears the earlier
     * outcome and results.
     * @param resent how many times in a row the job was resubmitted without any result
     */
    recordReturned: (submission: Recorded, resent: number): void =>
      change((tables) => {
        put(tables, submission)
        dropHooksOf(tables, submission.title.id)
        changeRecord(tables, submission.title.id, (seq) => {
          tables.records.update({ seq }, { ...UNSENT, resent })
          tables.details.update({ seq }, NOTHING_MADE)
        })
      }),
  }
}

/** A record whose submission no service has accepted. */
const UNSENT = {
  jobId: null,
  jobCreatedAt: null,
  remote: false,
  baseUrl: null,
  service: null,
  outcome: null,
  endedAt: null,
  unseen: false,
} as const

/** Changes a record if it exists. */
function changeRow({ records }: Tables, id: RecordId, change: (seq: number) => void): void {
  const found = records.only('seq').get({ id })
  if (found !== undefined) change(found.seq)
}

/** Changes a record, its entry in the search index and the summary of its job. Does nothing if the record doesn't exist. */
function changeRecord(tables: Tables, id: RecordId, change: (seq: number) => void): void {
  const found = tables.records.only('seq', 'whole', 'place').get({ id })
  if (found === undefined) return
  change(found.seq)
  summarize(tables, found)
  tidyIndex(tables)
}

function add(tables: Tables, submission: Recorded): void {
  const { place } = submission.title
  put(tables, submission)
  summarize(tables, { whole: place.id, place })
  if (place.parts > 1 && place.part === place.parts - 1) indexJob(tables, place.id)
}

/** Writes a submission. If it already has a record, keeps what happened to it. */
function put(
  { records, details }: Tables,
  { title, plan }: { readonly title: PartTitle; readonly plan: Partial<Submission['plan']> },
): void {
  const { id, by } = title
  const { id: whole, part, ...place } = title.place
  const { items: inputs = [], grouping = 'together', forecast, mount, presetHash, chosen, watched } = plan
  const known = records.only('seq', 'files').get({ id })
  const row = {
    ...pick(title, TITLE),
    files: title.files ?? known?.files ?? null,
    place,
    whole,
    part,
    submittedBy: by,
    grouping,
    mount: mount ?? null,
    presetHash: presetHash ?? null,
    chosen,
    watched,
  }
  const long = { inputs, forecast: forecast ?? null }
  if (known !== undefined) {
    records.update({ id }, row)
    details.update({ seq: known.seq }, long)
    return
  }
  const seq = freeKey(records, title.createdAt)
  records.insert({ ...UNSENT, resent: 0, ...row, seq })
  details.insert({ seq, ...long, ...NOTHING_MADE })
}

/** Returns the first free key in the millisecond of creation, or in the next millisecond that has a free key. */
function freeKey(records: Tables['records'], createdAt: number): number {
  for (let at = createdAt; ; at += 1) {
    const [first = 0, end = 0] = [firstKey(at), firstKey(at + 1)]
    const [last] = records.only('seq').where`seq >= ${first} AND seq < ${end} ORDER BY seq DESC LIMIT 1`
    if (last === undefined) return first
    if (last.seq + 1 < end) return last.seq + 1
  }
}

/** Stores which job a record became. */
function putJob(
  { records }: Tables,
  seq: number,
  { jobId, createdAt, baseUrl, connection: service, remote = false }: Partial<Acceptance>,
): void {
  records.update({ seq }, { jobId, jobCreatedAt: createdAt, baseUrl, service, remote })
}

/** Stores skipped files. If the job has no problems yet, these files are recorded as its problems. */
function putSkipped(
  { details }: Tables,
  seq: number,
  skipped: readonly FileError[],
  facts: Partial<Pick<PartDetails['facts'], 'acceptedAt'>> = {},
): void {
  const known = details.only('problems', 'facts').get({ seq }) ?? NOTHING_MADE
  details.update(
    { seq },
    {
      skipped,
      problems: known.problems.length === 0 ? skipped : undefined,
      facts: { ...known.facts, ...facts },
    },
  )
}

function putContent(tables: Tables, seq: number, job: ServiceJob, startedAt: number | null): void {
  const { records, details } = tables
  const known = records.only('jobCreatedAt', 'files').get({ seq })
  const total = job.totalFiles ?? job.progress.totalFiles
  records.update(
    { seq },
    { jobCreatedAt: known?.jobCreatedAt ?? job.createdAt, files: known?.files ?? total ?? undefined },
  )
  const { skipped, facts } = details.only('skipped', 'facts').get({ seq }) ?? NOTHING_MADE
  const notes = notesOf(job)
  details.update(
    { seq },
    {
      results: resultsOf(job),
      problems: problemsOf(job, skipped),
      facts: {
        ...facts,
        ...serviceTextOf(job),
        startedAt: startedAt ?? facts.startedAt,
        notes: notes.length === 0 ? facts.notes : notes,
      },
    },
  )
}

function serviceTextOf({
  error,
  failure,
  drive,
}: ServiceJob): Partial<Pick<PartDetails['facts'], 'serviceText' | 'serviceFailure'>> {
  const serviceText = error ?? drive?.uploadError
  if (typeof serviceText !== 'string') return {}
  return { serviceText, serviceFailure: error === undefined ? drive?.uploadFailure : failure }
}

function end(tables: Tables, seq: number, outcome: Outcome, endedAt: number): void {
  tables.records.update({ seq }, { outcome, endedAt })
  void tables.change`INSERT OR IGNORE INTO unmeasured SELECT seq FROM records JOIN details USING (seq)
    WHERE seq = ${seq} AND origin = 'ours' AND output ->> 'kind' = 'folder' AND results <> '[]'`
}

/** What the history keeps of an update, serialized. The progress, which changes every two seconds, isn't needed later. */
type Update = { readonly results: string; readonly beyondResults: string }

/** @param file the identity of the history's file, which may have been replaced by an empty one */
const updateOf = (job: ServiceJob, startedAt: number | null, file: string): Update => ({
  results: JSON.stringify(job.results),
  beyondResults: JSON.stringify([
    file,
    job.status,
    startedAt,
    job.totalFiles ?? job.progress.totalFiles,
    job.result,
    job.error,
    job.errors,
    job.drive,
  ]),
})
