/** From the tracker to the memory: what was read of a job is kept, and its end is told once. */
import type { JobList } from '../../shared/api/resources.ts'
import type { ConnectionKind } from '../../shared/model/connection.ts'
import type { RecordId } from '../../shared/model/ids.ts'
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
}

export function keepJobs({ history, service, clock }: JobKeeperDeps): JobKeeper {
  function keep(event: JobEvent): RecordId | undefined {
    if (event.kind === 'adopted') {
      history.forget(event.foreignId)
      return undefined
    }
    const { id, jobId, title, job, from, outcome } = event
    if (from === null && title.origin === 'other') history.recordForeign({ title, jobId, ...service() })
    if (job !== null) history.recordJob(id, job, momentOf(job.startedAt))
    if (outcome === null) return undefined
    history.recordOutcome(id, outcome, momentOf(job?.completedAt ?? null) ?? clock())
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
