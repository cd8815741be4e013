import type { JobList, JobStatus } from './resources.ts'

/** Statuses of jobs that are waiting or being processed (section 3). */
export const IN_PROGRESS: ReadonlySet<JobStatus> = new Set(['queued', 'processing'])

export const isInProgress = (status: JobStatus): boolean => IN_PROGRESS.has(status)

/** Counts waiting jobs by status, because the spec doesn't say whether `queueLength` includes the running job. */
export const waitingIn = ({ jobs }: Pick<JobList, 'jobs'>): number =>
  jobs.filter(({ status }) => status === 'queued').length
