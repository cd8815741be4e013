/** Results on their way here, as jobs that are not over: a job is done when its files can be opened. */
import type { FetchingNow } from '../downloads/index.ts'
import type { History } from '../history/index.ts'
import type { ActiveJob, JobProgress, RecordDetails, WorkTitle } from '../../shared/model/work.ts'

/** A phase like those that a service names; the list, the tray and the commands show it in its place. */
const PHASE = 'Fetching results'

export function fetchingJobs(fetching: readonly FetchingNow[], history: History): readonly ActiveJob[] {
  return fetching.flatMap((one) => {
    const record = history.details(one.id)
    return record === undefined ? [] : [jobOf(record, one)]
  })
}

function jobOf(record: RecordDetails, { jobId, done, total, share }: FetchingNow): ActiveJob {
  const progress: JobProgress = {
    share: total === 0 ? null : Math.min(1, (done.length + share) / total),
    phase: PHASE,
    currentFile: Math.min(total, done.length + 1),
    totalFiles: total,
    completedFiles: done.length,
    fileName: null,
    timeLeft: null,
  }
  return {
    ...titleOf(record),
    jobId,
    stage: { kind: 'processing' },
    progress,
    startedAt: record.facts.startedAt,
    doneFiles: done,
  }
}

const titleOf = ({
  id,
  name,
  firstPath,
  photos,
  videos,
  files,
  preset,
  variations,
  output,
  driveInput,
  origin,
  createdAt,
}: RecordDetails): WorkTitle => ({
  id,
  name,
  firstPath,
  photos,
  videos,
  files,
  preset,
  variations,
  output,
  driveInput,
  origin,
  createdAt,
})
