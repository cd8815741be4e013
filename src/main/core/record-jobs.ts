/**
 * Everything about a job that has to be durable before anybody is shown it: its acceptance, its readings, its end. These are
 * calls and never events, because a write that fails has to be felt by whoever asked for it.
 */
import type { Job, JobList } from '../../shared/api/resources.ts'
import type { RecordId } from '../../shared/model/ids.ts'
import type { Outcome } from '../../shared/model/outcome.ts'
import type { ActiveJob, RecordDetails } from '../../shared/model/work.ts'
import type { Connection } from '../connection/index.ts'
import type { Downloads, Fetched } from '../downloads/index.ts'
import { submissionRecord } from '../drafts/index.ts'
import type { History } from '../history/index.ts'
import { readServiceTime } from '../../shared/api/service-time.ts'
import type { JobEvent, Tracker } from '../jobs/index.ts'
import type { Acceptance, StoredSubmission } from '../outbox/index.ts'

export type EndedJob = {
  readonly id: RecordId
  readonly jobId: string
  /** As last read; null when it was never read. */
  readonly job: Job | null
  readonly outcome: Outcome
  /** ms since 1970. */
  readonly endedAt: number
}

export type EndRecorder = {
  /** The end of a job whose results are where they belong already. */
  readonly ended: (job: Pick<EndedJob, 'id' | 'outcome' | 'endedAt'>) => void
  /** The end of a job whose results have come from its service, or won't come. */
  readonly fetched: (results: Fetched) => void
}

export type EndRecorderOptions = {
  readonly history: History
  /** Told once for each piece of work, when its end is written. */
  readonly onEnd: (record: RecordDetails) => void
}

export function recordEnds({ history, onEnd }: EndRecorderOptions): EndRecorder {
  function ended({ id, outcome, endedAt }: Pick<EndedJob, 'id' | 'outcome' | 'endedAt'>): void {
    history.recordOutcome(id, outcome, endedAt)
    const record = history.details(id)
    if (record !== undefined) onEnd(record)
  }
  return {
    ended,
    fetched({ id, outcome, endedAt, results, problems, again }) {
      history.recordResults(id, results, problems)
      // A result that was missing came after the end had been told.
      if (again) history.recordOutcome(id, outcome, endedAt)
      else ended({ id, outcome, endedAt })
    },
  }
}

export type JobRecorderOptions = {
  readonly history: History
  readonly downloads: Downloads
  readonly ends: EndRecorder
  readonly connection: Pick<Connection, 'view'>
  /** ms since 1970. */
  readonly clock: () => number
  /** False: what other clients do is followed and not kept. */
  readonly keepsForeign: boolean
  /**
   * The end of a job whose results have to be fetched first. True where they are on their way: then the job is not over
   * until they are here.
   */
  readonly fetches: (ended: EndedJob) => boolean
}

export interface JobRecorder {
  /** Before anybody is shown what happened. */
  record(event: JobEvent): void
  /** Results that a job has made so far are kept too: the service may be gone before it is done. */
  recordList(list: JobList, followed: readonly ActiveJob[]): void
  /** The history first, then the tracker. May be told twice of the same acceptance, after a crash: all of it can be. */
  recordAcceptance(
    tracker: Pick<Tracker, 'follow'>,
  ): (submission: StoredSubmission, acceptance: Acceptance) => Promise<void>
}

export function recordJobs(options: JobRecorderOptions): JobRecorder {
  const { history, downloads, ends, clock } = options

  function record(event: JobEvent): void {
    if (event.kind === 'adopted') return history.forget(event.foreignId)
    const { id, jobId, title, job, from, outcome, unnamed } = event
    // Another process that shares this history was faster.
    if (outcome !== null && (history.details(id)?.outcome ?? null) !== null) return
    if (from === null && title.origin === 'other' && options.keepsForeign) {
      const { baseUrl, kind } = options.connection.view()
      history.recordForeign({ title, jobId, baseUrl, connection: kind ?? 'external' })
    }
    if (unnamed.length > 0) history.recordSkipped(id, [...(history.details(id)?.skipped ?? []), ...unnamed])
    if (job !== null) history.recordJob(id, job, momentOf(job.startedAt))
    if (outcome === null) return
    const endedAt = momentOf(job?.completedAt ?? null) ?? clock()
    if (!options.fetches({ id, jobId, job, outcome, endedAt })) ends.ended({ id, outcome, endedAt })
  }

  return {
    record,
    recordList(list, followed) {
      const records = new Map(followed.map((job) => [job.jobId, job.id]))
      for (const job of list.jobs) {
        const id = records.get(job.jobId)
        if (id !== undefined) history.recordJob(id, job, momentOf(job.startedAt))
      }
    },
    recordAcceptance: (tracker) => (submission, acceptance) => {
      const { id, title, plan } = submission
      if (acceptance.remote === true && plan.output.kind === 'folder') downloads.expect(id, plan.output.path)
      const onDisk = history.recordAcceptedSubmission(submissionRecord(submission), acceptance)
      const { jobId, createdAt: jobCreatedAt, skipped, acceptedAt, adopted } = acceptance
      tracker.follow({
        title,
        jobId,
        skipped,
        acceptedAt,
        ...(jobCreatedAt === undefined ? {} : { createdAt: jobCreatedAt }),
        ...(adopted ? { unconfirmed: plan.items.map(({ path }) => path) } : {}),
      })
      return onDisk
    },
  }
}

/** A time without a zone may be hours off, and is not kept. */
export function momentOf(text: string | null): number | null {
  const time = text === null ? null : readServiceTime(text)
  return time?.exact === true ? time.at : null
}
