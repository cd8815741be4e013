/** From the tracker to the memory: what was read of a job is kept, and its end is told once. */
import type { Job, JobList } from '../../shared/api/resources.ts'
import type { ConnectionKind } from '../../shared/model/connection.ts'
import type { RecordId } from '../../shared/model/ids.ts'
import type { Outcome } from '../../shared/model/outcome.ts'
import type { History } from '../history/index.ts'
import { readServiceTime, type JobEvent, type Tracker, type TrackerUpdate } from '../jobs/index.ts'

export type Service = { readonly baseUrl: string; readonly connection: ConnectionKind }

export type JobKeeper = {
  /** Before anybody shows the update. @returns the records that are over now */
  take(update: TrackerUpdate): readonly RecordId[]
  /** Results that a job has made so far are kept too: the service may be gone before it is done. */
  takeList(list: JobList, tracker: Tracker): void
}

export type JobKeeperDeps = {
  readonly history: History
  readonly service: () => Service
  /** ms since 1970. */
  readonly clock: () => number
  /** False: what other clients do is followed and not kept. */
  readonly rememberOthers: boolean
  /**
   * The end of a job whose results have to be fetched first. True where they are on their way: then the job is not over
   * until they are here.
   */
  readonly fetches: (ended: EndedJob) => boolean
}

export type EndedJob = {
  readonly id: RecordId
  readonly jobId: string
  /** As last read; null when it was never read. */
  readonly job: Job | null
  readonly outcome: Outcome
  /** ms since 1970. */
  readonly endedAt: number
}

export function keepJobs(deps: JobKeeperDeps): JobKeeper {
  const { history, service, clock } = deps

  function keep(event: JobEvent): RecordId | undefined {
    if (event.kind === 'adopted') {
      history.forget(event.foreignId)
      return undefined
    }
    const { id, jobId, title, job, from, outcome } = event
    // Another process that shares this history was faster.
    if (outcome !== null && (history.details(id)?.outcome ?? null) !== null) return undefined
    if (from === null && title.origin === 'other' && deps.rememberOthers)
      history.recordForeign({ title, jobId, ...service() })
    if (job !== null) history.recordJob(id, job, momentOf(job.startedAt))
    if (outcome === null) return undefined
    const endedAt = momentOf(job?.completedAt ?? null) ?? clock()
    if (deps.fetches({ id, jobId, job, outcome, endedAt })) return undefined
    history.recordOutcome(id, outcome, endedAt)
    return id
  }

  return {
    take: (update) => update.events.map(keep).filter((id) => id !== undefined),
    takeList(list, tracker) {
      const followed = new Map(tracker.jobs().map((job) => [job.jobId, job.id]))
      for (const job of list.jobs) {
        const id = followed.get(job.jobId)
        if (id !== undefined) history.recordJob(id, job, momentOf(job.startedAt))
      }
    },
  }
}

/** A time without a zone may be hours off, and is not kept. */
function momentOf(text: string | null): number | null {
  const time = text === null ? null : readServiceTime(text)
  return time?.exact === true ? time.at : null
}
