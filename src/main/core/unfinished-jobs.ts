import type { Connection } from '../connection/index.ts'
import type { Downloads } from '../downloads/index.ts'
import type { History } from '../history/index.ts'
import type { Followed } from '../jobs/index.ts'

export type UnfinishedOptions = {
  readonly history: History
  readonly connection: Connection
  readonly downloads: Downloads
  readonly isSender: () => boolean
}

/** Jobs of the service in use that were not over when they were last seen. */
export function unfinishedJobs({
  history,
  connection,
  downloads,
  isSender,
}: UnfinishedOptions): readonly Followed[] {
  const { kind, baseUrl } = connection.view()
  // Each process has a built-in service of its own, which knows nothing of another one's jobs.
  if (kind === 'builtIn' && !isSender()) return []
  return history
    .unfinished()
    .filter((job) => (job.connection === 'builtIn' ? kind === 'builtIn' : job.baseUrl === baseUrl))
    .filter((job) => !downloads.isBegun(job.title.id))
    .map(({ title, jobId, acceptedAt, skipped }) => ({
      title,
      jobId,
      skipped,
      ...(acceptedAt === null ? {} : { acceptedAt }),
    }))
}
