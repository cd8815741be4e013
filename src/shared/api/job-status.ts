import type { JobStatus } from './resources.ts'

/** Statuses of jobs that are waiting or being processed (section 3). */
export const IN_PROGRESS: ReadonlySet<JobStatus> = new Set(['queued', 'processing'])

export const isInProgress = (status: JobStatus): boolean => IN_PROGRESS.has(status)
