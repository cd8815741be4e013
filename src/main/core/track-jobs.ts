/** Sets up the tracker so that changes are recorded before they are announced. */
import { messageOf } from '../../node/errors.ts'
import type { UnreadableJob } from '../../shared/api/resources.ts'
import type { Connection } from '../connection/index.ts'
import { createTracker, type Tracker, type TrackerDeps } from '../jobs/index.ts'
import type { Modules } from './modules.ts'
import type { JobRecorder } from './record-jobs.ts'

export function trackJobs(
  options: Pick<Modules, 'events' | 'timing' | 'log'> &
    Pick<TrackerDeps, 'newId' | 'known' | 'mayBeOurs' | 'isHeld'> & {
      readonly connection: Pick<Connection, 'api' | 'view' | 'noteError'>
      readonly record: Pick<JobRecorder, 'record' | 'recordList'>
    },
): Tracker {
  const { connection, timing, record, events, log, ...known } = options
  const isBuiltIn = () => connection.view().kind === 'builtIn'
  const nameUnreadable = namedOnce(({ jobId, field }) => log('unreadable job', { jobId, field }))
  return createTracker({
    ...known,
    ...timing,
    api: () => connection.api(),
    isBuiltIn,
    seesFiles: () => connection.view().seesFiles,
    scale: () => (isBuiltIn() ? 'percent' : undefined),
    record: (event) => record.record(event),
    onUpdate: events.tell('jobsRead'),
    onList(list, followed) {
      nameUnreadable(list.unreadable ?? [])
      record.recordList(list, followed)
      events.tell('listRead')(list)
    },
    onUnwritten: (error) => log('poll not written', { error: messageOf(error) }),
    onError: (error, from) => connection.noteError(error, from),
  })
}

/** Limits the log: a service may list any number of unreadable jobs every two seconds. */
const MAX_LOGGED = 1_000

function namedOnce(name: (job: UnreadableJob) => void): (jobs: readonly UnreadableJob[]) => void {
  const named = new Set<string>()
  return (jobs) => {
    for (const job of jobs) {
      if (named.has(job.jobId) || named.size === MAX_LOGGED) continue
      named.add(job.jobId)
      name(job)
    }
  }
}
