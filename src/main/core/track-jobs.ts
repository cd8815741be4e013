/** The tracker as the core uses it: what was read is written down first, and told afterwards. */
import type { Timing } from '../../node/timing.ts'
import type { Job, JobList } from '../../shared/api/resources.ts'
import type { RecordId } from '../../shared/model/ids.ts'
import type { Connection } from '../connection/index.ts'
import { createTracker, type Followed, type Tracker, type TrackerUpdate } from '../jobs/index.ts'
import type { JobRecorder } from './record-jobs.ts'

export type TrackingOptions = {
  readonly connection: Connection
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
}

export function trackJobs({
  connection,
  timing,
  record,
  onRead,
  onList,
  ...known
}: TrackingOptions): Tracker {
  const isBuiltIn = () => connection.view().kind === 'builtIn'
  return createTracker({
    ...known,
    ...timing,
    api: () => connection.api(),
    isBuiltIn,
    scale: () => (isBuiltIn() ? 'percent' : undefined),
    record: (event) => record.record(event),
    onUpdate: onRead,
    onList(list, followed) {
      record.recordList(list, followed)
      onList(list)
    },
    onError: (error, from) => connection.noteError(error, from),
  })
}
