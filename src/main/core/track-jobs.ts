/** The tracker as the core uses it: what was read is written down first, and told afterwards. */
import type { Timing } from '../../node/timing.ts'
import type { Job, JobList } from '../../shared/api/resources.ts'
import type { RecordId } from '../../shared/model/ids.ts'
import type { Connection } from '../connection/index.ts'
import { createTracker, type Followed, type Tracker, type TrackerUpdate } from '../jobs/index.ts'
import type { Log } from './events.ts'
import type { JobRecorder } from './record-jobs.ts'

export type TrackingOptions = {
  readonly connection: Pick<Connection, 'api' | 'view' | 'noteError'>
  readonly timing: Timing
  /** An id for the record of a job that another client made. */
  readonly newId: () => RecordId
  /** Jobs from earlier that were not known to be over. */
  readonly known: readonly Followed[]
  readonly isSpokenFor: (job: Job) => boolean
  readonly record: JobRecorder
  /** Something could not be written down; it is tried again with the next reading. */
  readonly onUnwritten: (error: unknown) => void
  readonly onRead: (update: TrackerUpdate) => void
  readonly onList: (list: JobList) => void
  readonly log: Log
}

export function trackJobs({
  connection,
  timing,
  record,
  onRead,
  onList,
  log,
  ...known
}: TrackingOptions): Tracker {
  const isBuiltIn = () => connection.view().kind === 'builtIn'
  const nameUnreadable = namedOnce((jobId) => log('job not readable', { jobId }))
  return createTracker({
    ...known,
    ...timing,
    api: () => connection.api(),
    isBuiltIn,
    scale: () => (isBuiltIn() ? 'percent' : undefined),
    record: (event) => record.record(event),
    onUpdate: onRead,
    onList(list, followed) {
      nameUnreadable(list.unreadable ?? [])
      record.recordList(list, followed)
      onList(list)
    },
    onError: (error, from) => connection.noteError(error, from),
  })
}

/** A service may have any number of jobs that can't be read, and lists them every two seconds. */
const NAMED = 1_000

function namedOnce(name: (jobId: string) => void): (jobIds: readonly string[]) => void {
  const named = new Set<string>()
  return (jobIds) => {
    for (const jobId of jobIds) {
      if (named.has(jobId) || named.size === NAMED) continue
      named.add(jobId)
      name(jobId)
    }
  }
}
